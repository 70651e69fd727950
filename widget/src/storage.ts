import type { Pending } from "./authorize";

const prefix = "bonafide:";

/** Keeps a flow for the redirect page, in this tab only. */
export function keep(pending: Pending): void {
  sessionStorage.setItem(prefix + pending.state, JSON.stringify(pending));
}

/** Hands a kept flow out, once. */
export function take(state?: string): Pending | null {
  const key = prefix + state;
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return kept && JSON.parse(kept);
}
