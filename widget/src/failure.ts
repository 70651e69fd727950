import type { SignInError } from "../index";

/** An error by which a page distinguishes failures. */
export function failure(error: string, error_description?: string): SignInError {
  return Object.assign(Error(error_description || error), { error, error_description });
}
