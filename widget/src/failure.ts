import type { SignInError } from "../index";

/** An error that tells a page one failure from another. */
export function failure(error: string, error_description?: string): SignInError {
  return Object.assign(Error(error_description || error), { error, error_description });
}
