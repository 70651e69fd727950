// Compiles, or the declarations have changed for those who use them.

import type { SignInError, SignInFailure, SignInOptions, SignInResult } from "../index";

const span = document.querySelector<HTMLElement>("span[data-client-id]")!;

span.addEventListener("bonafide:ready", (event) => event.detail satisfies null);
span.addEventListener("bonafide:start", (event) => event.preventDefault());
span.addEventListener("bonafide:success", ({ detail }) => {
  const { code, state, code_verifier, nonce, next } = detail satisfies SignInResult;
  const all: (string | undefined)[] = [code, state, code_verifier, nonce, next, detail.any_other_parameter];
  console.log(all);
});
document.addEventListener("bonafide:cancel", ({ detail }) => detail satisfies SignInFailure);
window.addEventListener("bonafide:error", ({ detail }) => detail.error.toUpperCase());

const options: SignInOptions = {
  clientId: "client-1",
  redirect: "https://client.example/callback",
  scopes: "openid military",
  response: "code",
  display: "popup",
  pkce: true,
};

async function signIn(): Promise<string | undefined> {
  try {
    const result = await Bonafide.signIn(options);
    await window.Bonafide.signIn(span);
    return result.code;
  } catch (error) {
    return (error as SignInError).error_description;
  }
}

Bonafide.init({ baseURL: "https://id.example", name: "Example ID", color: "#003300", labelColor: "#ffffff" });
Bonafide.scan(document.createElement("div").attachShadow({ mode: "open" }));
void signIn().then(() => Bonafide.handleRedirect()?.code);

// @ts-expect-error a provider without a name has no label
Bonafide.init({ baseURL: "https://id.example" });
// @ts-expect-error false is not how to leave pkce out: present is yes
void Bonafide.signIn({ ...options, pkce: false });
// @ts-expect-error the event names are checked
span.addEventListener("bonafide:done", ({ detail }) => detail);
