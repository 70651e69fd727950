import assert from "node:assert/strict";
import { command, path, program, start, write } from "./frame/lab.mjs";
import { relyingParty, reverse } from "./frame/upstream.mjs";

const version = "26.5.6";
program("Keycloak", version, async (works) => {
  const r = await reverse(), home = `keycloak-${version}`, behind = `http://localhost:${r.behind}`;
  await command("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`, `-DoutputDirectory=${path()}`]);
  await command("jar", ["xf", `keycloak-quarkus-dist-${version}.zip`]);
  const user = (name) => ({
    username: name, email: `${name}@upstream.example`, emailVerified: true, firstName: name, lastName: "Upstream", enabled: true,
    credentials: [{ type: "password", value: "any" }],
  });
  write({ [`${home}/data/import/lab.json`]: JSON.stringify({
    realm: "lab", enabled: true, users: [user("una"), user("vito")],
    clients: [{ clientId: "rp", secret: "secret", redirectUris: [r.redirectURI], attributes: { "pkce.code.challenge.method": "S256" } }],
  }) });
  const env = { KC_BOOTSTRAP_ADMIN_USERNAME: "admin", KC_BOOTSTRAP_ADMIN_PASSWORD: "any", JAVA_OPTS_APPEND: "-XX:TieredStopAtLevel=1" };
  await start("bash", [`${home}/bin/kc.sh`, "start-dev", "--import-realm", `--http-port=${r.behind}`, `--hostname=${r.at}`], `${behind}/realms/lab/.well-known/openid-configuration`, { env });
  const admin = async (method, name, body) => {
    const form = new URLSearchParams({ grant_type: "password", client_id: "admin-cli", username: "admin", password: "any" });
    const { access_token: token } = await (await fetch(`${behind}/realms/master/protocol/openid-connect/token`, { method: "POST", body: form })).json();
    const answer = await fetch(`${behind}/admin/realms/lab/${name}`, { method, body: JSON.stringify(body), headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
    assert.ok(answer.ok, `${name}: ${answer.status}`);
    return method === "GET" ? answer.json() : undefined;
  };
  let priority = 200;
  const key = (kind, config) => admin("POST", "components", {
    name: kind, providerId: `${kind}-generated`, providerType: "org.keycloak.keys.KeyProvider", config: { ...config, priority: [String(priority++)] },
  });
  const { comes, stays } = await relyingParty(r, { issuer: `${r.at}/realms/lab`, client_secret: "secret" }, async (page, email) => {
    await page.fill("[name=username]", email.split("@")[0]);
    await page.fill("[name=password]", "any");
    await page.click("#kc-login");
  });
  await comes("una@upstream.example");
  works("sign-in, odd keys, RS256");
  await stays("una@upstream.example", () => key("rsa", { algorithm: ["RS256"] }));
  works("rotation");
  const [client] = await admin("GET", "clients?clientId=rp");
  for (const [alg, kind, config] of [["ES256", "ecdsa", { ecdsaEllipticCurveKey: ["P-256"] }], ["EdDSA", "eddsa", { eddsaEllipticCurveKey: ["Ed25519"] }]]) {
    await stays("una@upstream.example", async () => {
      await key(kind, config);
      await admin("PUT", `clients/${client.id}`, { ...client, attributes: { ...client.attributes, "id.token.signed.response.alg": alg } });
    });
    works(alg);
  }
  await comes("vito@upstream.example");
  works("second user");
});
