package clients

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestPyJWT has PyJWT verify an ID token of each algorithm against the key set, which has keys of
// all, and refuse each as one of another.
func TestPyJWT(t *testing.T) {
	once(t)
	python := pythonWith(t, "python3-jwt python3-cryptography", "jwt", "cryptography")
	i, callback := newInstallation(t), "http://"+freeAddress(t)+"/callback"
	found := testkit.Must(oidc.NewProvider(t.Context(), i.Issuer()))(t)
	var metadata struct {
		JWKSURI string `json:"jwks_uri"`
	}
	testkit.OK(t, found.Claims(&metadata))
	b := i.newBrowser(t)
	var input strings.Builder
	var want []string
	for n, alg := range algorithms {
		c := provider.Client{
			ID: alg, Secret: clientSecret, Name: alg, Dialect: provider.Standard, RedirectURIs: []string{callback}, IDTokenSignedResponseAlg: alg,
		}
		testkit.OK(t, i.Clients().Save(t.Context(), c))
		config := oauth2.Config{ClientID: alg, ClientSecret: clientSecret, Endpoint: found.Endpoint(), RedirectURL: callback, Scopes: []string{"openid"}}
		tokens, err := config.Exchange(t.Context(), b.response(config.AuthCodeURL("state"), callback).Query().Get("code"))
		testkit.OK(t, err)
		idToken, _ := tokens.Extra("id_token").(string)
		for _, expected := range []string{alg, algorithms[(n+1)%len(algorithms)]} {
			input.WriteString(expected + " " + alg + " " + idToken + "\n")
		}
		want = append(want, userID, "InvalidAlgorithmError")
	}
	verify := exec.CommandContext(t.Context(), python, "testdata/pyjwt/verify.py", metadata.JWKSURI, i.Issuer())
	var stderr strings.Builder
	verify.Stdin, verify.Stderr = strings.NewReader(input.String()), &stderr
	out, err := verify.Output()
	if got := strings.Fields(string(out)); err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("it says %q, %v: want %q\n%s", got, err, want, &stderr)
	}
}
