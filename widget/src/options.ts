import type { SignInOptions } from "../index";
import { failure } from "./failure";

/** Options that have passed the checks, with the defaults filled in. */
export interface Options extends SignInOptions {
  scope: string;
  response: string;
  /** The response goes to a script, which needs a state of its own to know it by. */
  inPage: boolean;
}

/**
 * Reads the options of a span or of a call. Throws when they cannot start a
 * flow; the message names the attribute at fault.
 */
export function read(target: HTMLElement | SignInOptions): Options {
  const given: SignInOptions =
    target instanceof HTMLElement
      ? { lang: target.closest<HTMLElement>("[lang]")?.lang, ...target.dataset }
      : target;
  const { clientId, redirect, start, response = "code", pkce } = given;
  const fault = !clientId
    ? "client-id"
    : !isSafe(start ? new URL(start, location.href).href : redirect)
      ? start ? "start" : "redirect"
      : !/^(code( id_token)?( token)?|(id_)?token)$/.test(response) && "response";
  if (fault) throw failure("invalid_options", "Check data-" + fault);
  return {
    ...given,
    response,
    scope: (given.scopes || given.scope || "openid").replace(/[\s,]+/g, " "),
    inPage: !start && (pkce != null || response != "code"),
  };
}

/** Tells https, and http on a loopback host, from javascript: and whatever else an address can be. */
export function isSafe(address: string | undefined): boolean {
  return /^(https:\/\/|http:\/\/(([\w.-]+\.)?localhost|127\.0\.0\.1|\[::1])(:\d+)?(\/|$))/.test(address!);
}
