// A wallet of others gets a credential, by scope or by a code and with a key for its tokens, and three verifiers of
// others believe what its holder shows, until it is withdrawn.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes, randomUUID, webcrypto } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";
import { Openid4vciClient } from "@openid4vc/openid4vci";
import { getListFromStatusListJWT } from "@sd-jwt/jwt-status-list";
import { SDJwtVcInstance } from "@sd-jwt/sd-jwt-vc";
import { Browser, alice, redirectURI, secret, start } from "./lab.mjs";

const subtle = webcrypto.subtle, P256 = { name: "ECDSA", namedCurve: "P-256" }, ES256 = { name: "ECDSA", hash: "SHA-256" };
const registration = {
  client_id: "wallet", client_secret: secret(), name: "Wallet", dialect: "standard", redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"],
};
const anyWallet = {
  client_id: "any", name: "Any wallet app", dialect: "standard", public: true, grant_types: ["urn:ietf:params:oauth:grant-type:pre-authorized_code"],
};
// The wallet takes https addresses only; a proxy would stand before the provider.
const host = "https://id.test", base = `${host}/id`, issuer = `${base}/oidc`;
let provider, reach;

before(async () => {
  provider = await start([registration, anyWallet], { base_url: base, wallet: { groups: ["military"], any_wallet: anyWallet.client_id } });
  const origin = new URL(provider.base).origin;
  reach = (url) => String(url).replace(host, origin);
});
after(() => provider?.stop());

/** newKey returns a key of a holder, and how it signs. */
async function newKey() {
  const { privateKey, publicKey } = await subtle.generateKey(P256, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await subtle.exportKey("jwk", publicKey);
  const sign = async (text) => Buffer.from(await subtle.sign(ES256, privateKey, Buffer.from(text))).toString("base64url");
  return { jwk: { kty, crv, x, y }, sign };
}

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

const registered = ({ body }) => Object.assign(body, { client_id: registration.client_id, client_secret: registration.client_secret });

/** newWallet returns the library, which authenticates so and signs with these keys. */
function newWallet(clientAuthentication, ...keys) {
  return new Openid4vciClient({
    callbacks: {
      fetch: (url, init) => fetch(reach(url), init),
      hash: (data, algorithm) => createHash(algorithm.replace("-", "")).update(data).digest(),
      generateRandom: (length) => randomBytes(length),
      clientAuthentication,
      signJwt: async (signer, { header, payload }) => {
        const { jwk, sign } = keys.find((k) => k.jwk.x === signer.publicJwk.x);
        const text = `${encode(header)}.${encode(payload)}`;
        return { jwt: `${text}.${await sign(text)}`, signerJwk: jwk };
      },
    },
  });
}

const linkIn = (page) => (/href="(openid-credential-offer:[^"]*)"/.exec(page.text) ?? assert.fail(page.text))[1].replaceAll("&amp;", "&");
const dpopOf = (bound) => ({ signer: { method: "jwk", alg: "ES256", publicJwk: bound.jwk } });

/** obtain has alice add the credential to a wallet with this key. */
async function obtain(holder, bound) {
  const wallet = newWallet(registered, holder, bound), dpop = dpopOf(bound);
  const browser = await new Browser(provider.base).signIn(alice);
  const credentialOffer = await wallet.resolveCredentialOffer(linkIn(await browser.open(`${provider.base}/vci/add/military`)));
  assert.equal(credentialOffer.credential_issuer, issuer);
  const issuerMetadata = await wallet.resolveIssuerMetadata(credentialOffer.credential_issuer);
  const [id] = credentialOffer.credential_configuration_ids;
  const { authorizationRequestUrl, pkce } = await wallet.initiateAuthorization({
    credentialOffer, issuerMetadata, clientId: registration.client_id, redirectUri: redirectURI, scope: `credential:${id}`, dpop,
  });
  const { location } = await browser.allow(reach(authorizationRequestUrl));
  const { accessTokenResponse } = await wallet.retrieveAuthorizationCodeAccessTokenFromOffer({
    credentialOffer, issuerMetadata, authorizationCode: new URL(location).searchParams.get("code"), pkceCodeVerifier: pkce?.codeVerifier, redirectUri: redirectURI, dpop,
  });
  return fetchWith({ wallet, issuerMetadata, id, dpop, accessTokenResponse, holder, clientId: registration.client_id });
}

/** obtainByCode has alice add it to a wallet that nobody has registered. */
async function obtainByCode(holder, bound) {
  const wallet = newWallet(() => {}, holder, bound), dpop = dpopOf(bound);
  const browser = await new Browser(provider.base).signIn(alice);
  const page = await browser.submit(await browser.open(`${provider.base}/vci/add/military`));
  const credentialOffer = await wallet.resolveCredentialOffer(linkIn(page));
  await assert.rejects(wallet.resolveCredentialOffer(linkIn(page)), "a second wallet gets it");
  const digits = await browser.submit(page);
  const [, txCode] = /<code[^>]*>(\d{6})</.exec(digits.text) ?? assert.fail(digits.text);
  const issuerMetadata = await wallet.resolveIssuerMetadata(credentialOffer.credential_issuer);
  const redeem = (txCode) => wallet.retrievePreAuthorizedCodeAccessTokenFromOffer({ credentialOffer, issuerMetadata, txCode, dpop });
  await assert.rejects(redeem(txCode.replace(/./g, (digit) => (Number(digit) + 1) % 10)), /invalid_grant/);
  const { accessTokenResponse } = await redeem(txCode);
  return fetchWith({ wallet, issuerMetadata, id: credentialOffer.credential_configuration_ids[0], dpop, accessTokenResponse, holder });
}

/** fetchWith returns the credential that an access token is for. */
async function fetchWith({ wallet, issuerMetadata, id, dpop, accessTokenResponse, holder, clientId }) {
  assert.equal(accessTokenResponse.token_type, "DPoP");
  const { c_nonce: nonce } = await wallet.requestNonce({ issuerMetadata });
  const { jwt } = await wallet.createCredentialRequestJwtProof({
    issuerMetadata, credentialConfigurationId: id, clientId, nonce, signer: { method: "jwk", alg: "ES256", publicJwk: holder.jwk },
  });
  const accessToken = accessTokenResponse.access_token;
  const { credentialResponse } = await wallet.retrieveCredentials({ issuerMetadata, credentialConfigurationId: id, accessToken, proofs: { jwt: [jwt] }, dpop });
  const notify = (event) => wallet.sendNotification({
    issuerMetadata, accessToken, dpop, notification: { notificationId: credentialResponse.notification_id, event },
  });
  await notify("credential_accepted");
  return { credential: credentialResponse.credentials[0].credential, notify };
}

/** issuerKey returns the key that has signed a token of the issuer, found as verifiers do. */
async function issuerKey(token) {
  const { kid } = JSON.parse(Buffer.from(token.split(".")[0], "base64url"));
  const about = await (await fetch(reach(`${host}/.well-known/jwt-vc-issuer/id/oidc`))).json();
  assert.equal(about.issuer, issuer);
  const { keys } = await (await fetch(reach(about.jwks_uri))).json();
  return keys.find((k) => k.kid === kid) ?? assert.fail(`no key ${kid}`);
}

const verifiedBy = async (jwk, text, signature) => subtle.verify(
  ES256, await subtle.importKey("jwk", jwk, P256, false, ["verify"]), Buffer.from(signature, "base64url"), Buffer.from(text));

const signedByIssuer = async (text, signature) => verifiedBy(await issuerKey(text), text, signature);

/** newVerifier returns a verifier of others, which fetches status lists and refuses what has ended. */
function newVerifier(holder) {
  const common = { hasher: (data, algorithm) => createHash(algorithm.replace("-", "")).update(data).digest(), hashAlg: "sha-256", saltGenerator: () => randomUUID() };
  return new SDJwtVcInstance({
    ...common, signAlg: "ES256", kbSignAlg: "ES256", kbSigner: holder?.sign,
    verifier: signedByIssuer, statusVerifier: signedByIssuer,
    kbVerifier: async (text, signature, payload) => verifiedBy(payload.cnf.jwk, text, signature),
    statusListFetcher: async (uri) => {
      const answer = await fetch(reach(uri), { headers: { Accept: "application/statuslist+jwt" } });
      assert.equal(answer.headers.get("content-type"), "application/statuslist+jwt");
      return answer.text();
    },
    statusValidator: async (status) => assert.equal(status, 0, "revoked"),
  });
}

describe("openid4vci", () => {
  test("gets a credential that verifiers believe, and that ends", async () => {
    const holder = await newKey(), { credential, notify } = await obtain(holder, await newKey());
    const nonce = randomUUID();
    const shown = await newVerifier(holder).present(credential, { subgroups: true }, {
      kb: { payload: { iat: Math.floor(Date.now() / 1000), aud: "https://till.test", nonce } },
    });
    const verify = () => newVerifier().verify(shown, { requiredClaimKeys: ["subgroups"], keyBindingNonce: nonce });
    const { payload } = await verify();
    assert.deepEqual(payload.subgroups, ["Veteran"]);
    assert.equal(payload.iss, issuer);
    assert.equal(payload.verified_at, undefined); // it was not shown
    assert.deepEqual(payload.cnf.jwk, holder.jwk);
    const forged = shown.replace(/^[^.]+\.[^.]+/, (signed) => signed.slice(0, -2) + (signed.endsWith("A") ? "BB" : "AA"));
    await assert.rejects(newVerifier().verify(forged, { keyBindingNonce: nonce }));
    await assert.rejects(newVerifier().verify(shown, { keyBindingNonce: randomUUID() }));

    const { uri, idx } = payload.status.status_list;
    const list = async () => getListFromStatusListJWT(await (await fetch(reach(uri))).text());
    assert.equal((await list()).getStatus(idx), 0);
    await notify("credential_deleted");
    for (const deadline = Date.now() + 60_000; (await list()).getStatus(idx) === 0;) {
      assert.ok(Date.now() < deadline, "it stays in force");
      await new Promise((wait) => setTimeout(wait, 500));
    }
    assert.equal((await list()).getStatus(idx), 1);
    await assert.rejects(verify(), /revoked/);
  });

  test("gets one by a code, without a registration", async () => {
    const holder = await newKey(), { credential } = await obtainByCode(holder, await newKey());
    const { payload } = await newVerifier().verify(await newVerifier(holder).present(credential, { subgroups: true }));
    assert.deepEqual(payload.subgroups, ["Veteran"]);
    assert.deepEqual(payload.cnf.jwk, holder.jwk);
  });

  test("has Python's sd-jwt read what it got", async (t) => {
    const python = fileURLToPath(new URL("../../../.cache/python/bin/python", import.meta.url));
    if (!existsSync(python)) {
      assert.notEqual(process.env.CI, "true", "no .cache/python");
      return t.skip("no .cache/python");
    }
    const { credential } = await obtain(await newKey(), await newKey());
    const script = fileURLToPath(new URL("wallet_verifier.py", import.meta.url));
    const read = JSON.parse(execFileSync(python, [script], { input: JSON.stringify({ credential, issuer, key: await issuerKey(credential) }) }));
    assert.deepEqual(read.subgroups, ["Veteran"]);
    assert.match(read.verified_at, /^\d{4}-\d{2}-\d{2}$/);
  });
});
