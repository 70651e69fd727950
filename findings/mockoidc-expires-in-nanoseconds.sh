#!/usr/bin/env bash
# mockoidc, a provider for tests in Go, says in nanoseconds how long a token lives: expires_in is a
# time.Duration of its struct, written as a number, where RFC 6749 section 5.1 has seconds. A client that
# believes it keeps a token of ten minutes for nineteen thousand years, so that no test of a refresh at the
# end of its life is one. Seen in v0.0.0-20261103160011. What helps: to have such a test rest on exp of the ID
# token, or on FastForward.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=v0.0.0-20261103160011-e06ed0b7cb7f
printf 'module surprise\n\ngo 1.25.0\n' >go.mod
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/oauth2-proxy/mockoidc"
)

func main() {
	m, err := mockoidc.Run()
	if err != nil {
		panic(err)
	}
	m.AccessTTL = 10 * time.Minute
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	at := url.Values{"client_id": {m.ClientID}, "redirect_uri": {"http://localhost/cb"}, "response_type": {"code"}, "scope": {"openid"}, "state": {"s"}}
	back, err := client.Get(m.AuthorizationEndpoint() + "?" + at.Encode())
	if err != nil {
		panic(err)
	}
	to, err := back.Location()
	if err != nil {
		panic(err)
	}
	answer, err := http.PostForm(m.TokenEndpoint(), url.Values{
		"client_id": {m.ClientID}, "client_secret": {m.ClientSecret}, "grant_type": {"authorization_code"}, "redirect_uri": {"http://localhost/cb"}, "code": {to.Query().Get("code")},
	})
	if err != nil {
		panic(err)
	}
	var tokens struct {
		ExpiresIn json.Number `json:"expires_in"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&tokens); err != nil {
		panic(err)
	}
	fmt.Println("expires_in of ten minutes:", tokens.ExpiresIn)
}
GO
go get github.com/oauth2-proxy/mockoidc@$version >/dev/null 2>&1
go mod tidy >/dev/null 2>&1
got=$(go run .)
want='expires_in of ten minutes: 600000000000'
printf 'mockoidc %s\n%s\n' "$version" "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
