import assert from "node:assert/strict";
import { command, path, program, start, write } from "./frame/lab.mjs";
import { relyingParty, reverse } from "./frame/upstream.mjs";

const version = "v0.0.0-20261103160011-e06ed0b7cb7f";
program("mockoidc (Go)", version, async (works) => {
  const r = await reverse();
  write({
    "mock/go.mod": "module mock\n\ngo 1.25.0\n",
    "mock/main.go": `package main

import (
	"net"

	"github.com/oauth2-proxy/mockoidc"
)

func main() {
	m, err := mockoidc.NewServer(nil)
	if err != nil {
		panic(err)
	}
	m.ClientID, m.ClientSecret = "rp", "secret"
	l, err := net.Listen("tcp", "127.0.0.1:${r.behind}")
	if err != nil {
		panic(err)
	}
	if err := m.Start(l, nil); err != nil {
		panic(err)
	}
	select {}
}
`,
  });
  await command("go", ["get", `github.com/oauth2-proxy/mockoidc@${version}`], { cwd: path("mock") });
  await command("go", ["mod", "tidy"], { cwd: path("mock") });
  await command("go", ["build", "-o", path("mockoidc"), "."], { cwd: path("mock") });
  const issuer = `http://127.0.0.1:${r.behind}/oidc`, discovery = `${issuer}/.well-known/openid-configuration`;
  await start(path("mockoidc"), [], discovery);
  assert.deepEqual((await (await fetch(discovery)).json()).token_endpoint_auth_methods_supported, ["client_secret_basic", "client_secret_post"]);
  const { comes } = await relyingParty(r, { client_secret: "secret", issuer }, async () => {});
  await assert.rejects(comes("jane.doe@example.com"), /refused: /);
  works("nothing but discovery");
}, "announces `client_secret_basic`, reads the body alone");
