#!/usr/bin/env bash
# @sd-jwt/sd-jwt-vc compares vct#integrity with the hash in hexadecimal. SD-JWT VC takes the form from
# W3C Subresource Integrity, which is base64: type metadata that is right is refused, and a text that no
# other reader understands is taken. Seen in 0.19.0. What helps: no #integrity member where such a
# reader may come.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @sd-jwt/sd-jwt-vc@0.19.0

cat >seen.mjs <<'JS'
import { createHash, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import { SDJwtVcInstance } from "@sd-jwt/sd-jwt-vc";

const types = createServer((request, response) => response.setHeader("content-type", "application/json").end(document));
await new Promise((ready) => types.listen(0, "127.0.0.1", ready));
const vct = `http://127.0.0.1:${types.address().port}/student`;
const document = JSON.stringify({ vct, name: "Student" });

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const vc = new SDJwtVcInstance({
  signer: (text) => sign(null, Buffer.from(text), privateKey).toString("base64url"), signAlg: "EdDSA",
  verifier: (text, signature) => verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64url")),
  hasher: (data, name) => createHash(name.replace("-", "").toLowerCase()).update(typeof data === "string" ? data : new Uint8Array(data)).digest(),
  hashAlg: "sha-256", saltGenerator: (length) => randomBytes(length).toString("hex"), loadTypeMetadataFormat: true,
});
for (const form of ["base64", "hex"]) {
  const integrity = `sha256-${createHash("sha256").update(document).digest(form)}`;
  const credential = await vc.issue({ iss: "https://id.example", iat: Math.floor(Date.now() / 1000), vct, "vct#integrity": integrity });
  console.log(`${form}: ${await vc.verify(credential).then(() => "taken", () => "refused")}`);
}
types.close();
JS
got=$(node seen.mjs)
want='base64: refused
hex: taken'
printf '@sd-jwt/sd-jwt-vc 0.19.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
