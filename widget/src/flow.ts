import type { SignInError, SignInOptions, SignInResult } from "../index";
import { parameters, result } from "./response";
import { prepare, startURL, type Pending } from "./authorize";
import { failure } from "./failure";
import { askBrowser, asksBrowser } from "./fedcm";
import { Text } from "./labels";
import { isSafe, read, type Options } from "./options";
import { openPopup, waitFor, type Message, type Wait } from "./popup";
import { keep } from "./storage";
import { emit, show } from "./view";

/** The sign-ins that wait for their popup, by what started them: a span, or options. */
const flows = new Map<object, Wait>();

/**
 * Signs in. Up to the popup all happens at once, while the browser still sees
 * the click; a browser that is asked first says at once that it cannot, or lets
 * its user decide. A click continues to the redirect URI, if the page lets it.
 */
export async function signIn(target: HTMLElement | SignInOptions, isClick?: boolean): Promise<SignInResult> {
  const where = target instanceof HTMLElement ? target : document;
  const before = flows.get(target);
  if (before && !before.popup.closed) {
    before.popup.focus();
    throw failure("in_progress");
  }
  if (!emit(where, "start")) throw failure("prevented");
  // One window at a time: two of one provider would answer for each other.
  flows.forEach((other) => (other.popup.close(), other.stop?.()));
  let flow: Wait | undefined;
  try {
    const options = read(target);
    const { inPage, redirect, start, callback } = options;
    // The relay reaches pages of its own origin only.
    const canReport = start || redirect!.startsWith(location.origin + "/");
    const enter = (wait: Wait) => {
      flows.set(target, wait);
      show(where, Text.Opened, true);
      return wait;
    };
    let pending!: Pending;
    let answer: Message | undefined;
    if (canReport && asksBrowser(options)) {
      const asking = new AbortController();
      // A dialog is no window that could be brought to the front: another click takes its place.
      flow = enter({ popup: { closed: true, close: () => asking.abort() } as Window });
      pending = prepare(options, true);
      answer = await askBrowser(options, pending, asking.signal);
      if (answer && !isResponse(answer, options, pending.state)) throw failure("invalid_issuer");
    }
    if (!answer) {
      const popup = options.display == "popup" && canReport && openPopup();
      pending = prepare(options, !!popup);
      if (!popup) {
        if (inPage) keep(pending);
        // A page in a frame takes the whole window along: sign-in screens refuse to be framed. Not by
        // open(), which extensions against popups replace.
        top!.location.href = await startURL(options, pending);
        return new Promise(() => {});
      }

      flow = enter({ popup });
      popup.location.replace(await startURL(options, pending, "popup"));
      answer = await waitFor(
        flow,
        (message) => isResponse(message, options, pending.state),
        () => show(where, Text.Opened),
      );
    }
    const { url, next } = answer;
    // A server that began the flow has made its checks itself.
    const found = start ? { next } : { ...result(parameters(url), pending), next };
    show(where);
    if (emit(where, "success", found)) {
      // Later, so that an error of the page's is the page's.
      if (callback) setTimeout(call, 0, callback, found);
      else if (isClick) {
        if (inPage && !next) keep(pending);
        location.assign(next || url);
      }
    }
    return found;
  } catch (error) {
    const problem = (error as SignInError).error ? (error as SignInError) : failure("unsupported", `${error}`);
    flow?.popup.close();
    // A flow that another has replaced no longer speaks for the button.
    if (flow == flows.get(target)) show(where, Text.NotCompleted);
    // The user declined, on the provider's screen or by closing the window.
    emit(where, /access_denied|popup_closed/.test(problem.error) ? "cancel" : "error", problem);
    throw problem;
  } finally {
    if (flow == flows.get(target)) flows.delete(target);
  }
}

/**
 * Says whether a message answers this flow; other tabs of the site talk on the same channel.
 * A state that the server made is not known here: its redirect page has to say that it is done.
 */
function isResponse(message: Message, options: Options, state?: string): boolean {
  const { url, next } = Object(message) as Message;
  return (
    url?.startsWith?.(location.origin + "/") &&
    (!next || isSafe(next)) &&
    (options.start ? !!next : parameters(url).state == state)
  );
}

/** Calls the page's function of that name: a property of window, or a chain of them. */
function call(name: string, found: SignInResult): void {
  const path = name.split(".");
  const key = path.pop()!;
  path.reduce((object: any, part) => object[part], window)[key](found);
}
