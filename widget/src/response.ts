import type { SignInResult } from "../index";
import type { Pending } from "./authorize";
import { failure } from "./failure";

/** The response parameters in an address, of its query and of its fragment. */
export function parameters(address: string): SignInResult {
  return Object.fromEntries(new URLSearchParams(address.replace(/[^?#]*./, "").replace("#", "&")));
}

/** Turns a response whose state is known into a result; throws when it is an error, or another server's. */
export function result(response: SignInResult, pending: Pending): SignInResult {
  const { iss, error, error_description } = response;
  // RFC 9207: the response of another authorization server, even its error, says
  // nothing about this flow (mix-up attack).
  if (iss != pending.iss) throw failure("invalid_issuer");
  if (error) throw failure(error, error_description);
  // Ours come last, so that parameters of the address cannot pose as them.
  return { ...response, ...pending };
}
