import { startURL, type Pending } from "./authorize";
import { failure } from "./failure";
import type { Options } from "./options";
import type { Message } from "./popup";
import { provider } from "./provider";

/** Below this, in milliseconds, nobody has closed a dialog: there was none. */
const enum Limit {
  Person = 300,
}

let failed = false;

/** Whether the browser has a dialog of its own (Federated Credential Management API), and it has not failed on this page. */
export function asksBrowser({ start, response, fedcm }: Options): boolean {
  // Browsers without resolve know no window in which a person can be asked.
  return !!provider.fedcm && !failed && !start && response == "code" && fedcm != "off" && !!(self as any).IdentityProvider?.resolve;
}

/**
 * Has the browser bring the authorization request, and the address that a redirect would lead to back.
 * Nothing when the browser cannot: then all is as if it had not been asked.
 */
export async function askBrowser(options: Options, pending: Pending, signal: AbortSignal): Promise<Message | undefined> {
  const { client_id, ...params } = Object.fromEntries(new URL(await startURL(options, pending)).searchParams);
  const began = Date.now();
  try {
    const { token } = (await navigator.credentials.get({
      signal,
      mediation: "required",
      // No fields: the provider says itself what the site gets, where that has to be allowed.
      identity: {
        mode: "active",
        providers: [{ configURL: provider.base + "fedcm/config.json", clientId: client_id, loginHint: options.loginHint, fields: [], params }],
      },
    } as any)) as any;
    return { url: token };
  } catch (error: any) {
    if (error.name != "AbortError") {
      failed = true;
      // What the provider says of the request.
      if (error.error) throw error;
      if (Date.now() - began < Limit.Person) return;
    }
    throw failure("popup_closed");
  }
}
