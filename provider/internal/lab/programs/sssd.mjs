import assert from "node:assert/strict";
import { apt, certificate, command, maria, newWindow, noah, program, provider } from "./frame/lab.mjs";

const version = await apt("sssd-idp");
program("SSSD (oidc_child)", version, async (works) => {
  const tls = await certificate();
  const p = await provider({ redirect_uris: undefined, grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }, { tls, device_authorization: { on: true } });
  const endpoints = [["device-auth-endpoint", "/oauth/device_authorization"], ["token-endpoint", "/oauth/token"], ["userinfo-endpoint", "/api/public/v3/userinfo"], ["jwks-uri", "/oidc/.well-known/jwks"]]
    .map(([name, at]) => `--${name}=${p.base}${at}`).join(" ");
  const child = (what, input = "") => command("bash", ["-c", `printf '%s' "$1" | /usr/libexec/sssd/oidc_child ${what} --ca-db=${tls.ca} ${endpoints} --client-id=${p.id} --client-secret=${p.secret} --scope='openid profile email'`, "-", input]);
  for (const [person, what] of [[maria, "sign-in by device code"], [noah, "second user"]]) {
    const [said, shown] = (await child("--get-device-code")).match(/\{.*?\}/g), { user_code: code, verification_uri: address } = JSON.parse(shown);
    const page = await newWindow();
    await page.goto(address);
    await page.fill("[name=email]", person.email);
    await page.fill("[name=password]", person.password);
    await page.click("main button[type=submit]");
    await page.locator("[name=user_code]").fill(code);
    await page.click("main button[type=submit]");
    await page.waitForFunction(() => !document.querySelector("[aria-disabled=true]"));
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    assert.match(await child("--get-access-token", said), new RegExp(person.uuid));
    works(what);
  }
}, "https; endpoints by hand: by issuer it asks for every scope");
