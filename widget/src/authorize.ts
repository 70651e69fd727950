import type { Options } from "./options";
import { provider } from "./provider";

/** What a response is checked against, and what the page needs to use it. */
export interface Pending {
  iss: string;
  state?: string;
  nonce?: string;
  code_verifier?: string;
  redirect_uri?: string;
}

/** Makes what no server made, for a page that has none or to recognise the response in the popup. */
export function prepare(options: Options, popup: boolean): Pending {
  const { inPage, pkce, codeChallenge } = options;
  return {
    iss: provider.base + "oidc",
    state: options.state || random(popup || inPage),
    nonce: options.nonce || random(inPage),
    code_verifier: random(inPage && pkce != null && !codeChallenge),
    redirect_uri: options.redirect,
  };
}

/** 244 random bits, in letters that state, nonce and code_verifier (RFC 7636 section 4.1) all take. */
function random(wanted: boolean): string | undefined {
  return wanted ? crypto.randomUUID() + crypto.randomUUID() : undefined;
}

/** The address that begins the flow. */
export async function startURL(options: Options, pending: Pending, display?: "popup"): Promise<string> {
  const { start, codeChallenge } = options;
  const { code_verifier } = pending;
  const code_challenge = code_verifier ? await s256(code_verifier) : codeChallenge;
  const url = new URL(start || provider.base + "oauth/authorize", location.href);
  const parameters = {
    display,
    ...(!start && {
      client_id: options.clientId,
      redirect_uri: options.redirect,
      response_type: options.response,
      scope: options.scope,
      state: pending.state,
      nonce: pending.nonce,
      eid: options.eid,
      op: options.op,
      login_hint: options.loginHint,
      prompt: options.prompt,
      ui_locales: options.lang,
      code_challenge,
      code_challenge_method: code_challenge && "S256",
    }),
  };
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** The code challenge of RFC 7636 section 4.2. */
async function s256(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace("=", "");
}
