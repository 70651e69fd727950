package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
)

func TestUpstreamsOfTheFile(t *testing.T) {
	folder := t.TempDir()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := must(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, text := range map[string]string{
		"google.secret": "of a file\n", "apple.p8": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	} {
		ok(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cfg, err := parseConfig([]byte(`{"upstreams": [
		{"google": {"client_id": "g", "client_secret_file": "google.secret"}},
		{"id": "work", "title": "Work", "microsoft": {"client_id": "m", "client_secret": "s", "tenant": "common"}},
		{"apple": {"client_id": "a", "team_id": "T", "key_id": "K", "key_file": "apple.p8"}},
		{"github": {"client_id": "h", "client_secret": "s"}},
		{"id": "campus", "title": "State University", "domains": ["uni.example"], "classes": {"mfa": "two_factors"},
			"openid": {"issuer": "https://login.uni.example", "client_id": "c"}}]}`), folder)
	ok(t, err)
	if secret := cfg.Upstreams[0].Google.Secret; secret != "of a file" {
		t.Errorf("the secret of Google is %q", secret)
	}
	all := must(cfg.upstreams())(t)
	var got [][3]string
	for _, u := range all {
		got = append(got, [3]string{u.ID, u.Title, u.Look})
	}
	if diff := cmp.Diff([][3]string{
		{"google", "Google", "google"}, {"work", "Work", "microsoft"}, {"apple", "Apple", "apple"}, {"github", "GitHub", "github"}, {"campus", "State University", ""},
	}, got); diff != "" {
		t.Errorf("upstreams (-want +got):\n%s", diff)
	}
	if u := all[4]; u.Domains[0] != "uni.example" || u.Classes["mfa"] != provider.TwoFactors {
		t.Errorf("the campus is %+v", u)
	}
}

func TestWrongUpstreamIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"id": "x", "title": "X"}`: "upstreams[0]: needs exactly one of",
		`{"github": {"client_id": "h", "client_secret": "s"}, "openid": {"issuer": "https://x.test", "client_id": "c"}}`: "upstreams[0]: needs exactly one of",
		`{"id": "x", "title": "X", "openid": {"issuer": "x.test", "client_id": "c"}}`:                                    "upstreams[0].openid.issuer: ",
		`{"google": {"client_id": "g"}}`: "upstreams[0].google.client_secret: ",
		`{"microsoft": {"client_id": "m", "client_secret": "s", "tenant": "corp.example"}}`:          "upstreams[0].microsoft.tenant: ",
		`{"apple": {"client_id": "a", "team_id": "T", "key_id": "K", "key_file": "config_test.go"}}`: "upstreams[0].apple.key_file: ",
		`{"apple": {"client_id": "a", "team_id": "T", "key_id": "K"}}`:                               "upstreams[0].apple.key_file: ",
		`{"id": "X Y", "github": {"client_id": "h", "client_secret": "s"}}`:                          "upstreams[0].id: ",
		`{"domains": ["gmail.com"], "github": {"client_id": "h", "client_secret": "s"}}`:             "upstreams[0].domains[0]: ",
		`{"logo": "config_test.go", "github": {"client_id": "h", "client_secret": "s"}}`:             "upstreams[0].logo: ",
	} {
		cfg, err := parseConfig([]byte(`{"listen": "127.0.0.1:0", "upstreams": [`+text+`]}`), ".")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		cfg.Data = t.TempDir()
		if err := cfg.check(t.Context(), &output{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

// startFederated runs what the quickstart runs on free ports, at which production finds its
// sandbox.
func startFederated(t *testing.T) *running {
	t.Helper()
	text := string(quickstart)
	for _, port := range []string{"8080", "8081"} {
		text = strings.ReplaceAll(text, port, strings.TrimPrefix(providertest.FreeAddress(t), "127.0.0.1:"))
	}
	return startService(t, t.TempDir(), text)
}

func TestStrangerSignsInWithTheSandbox(t *testing.T) {
	s := startFederated(t)
	b := browser.New(t)
	b.Open(s.cfg.SampleClient.BaseURL + "/start/standard?scope=identity")
	for _, first := range []bool{true, false} {
		b.Shows("Continue with Sandbox")
		b.SubmitTo("/signin/with/sandbox")
		if first {
			b.Submit("email", "tess@example.com", "password", tessPassword)
			b.Submit("action", "allow") // that the sandbox tells production
			b.Submit("code", s.mailedCode(t))
			b.Submit("action", "allow")
		}
		if b.URL.Path != "/result" {
			t.Fatalf("the flow ends at %s (%d)\n%s", b.URL, b.Status, b.Body)
		}
		b.Shows("tess@example.com")
		b.Open(s.cfg.BaseURL + "/signout")
		b.SubmitTo("/signout")
		b.Open(s.cfg.SampleClient.BaseURL + "/start/standard?scope=identity")
	}
}

func TestSandboxIsConnectedToAnAccount(t *testing.T) {
	s := startFederated(t)
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/account/security")
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	b.SubmitTo("/account/connections/sandbox")
	b.Submit("email", "tess@example.com", "password", tessPassword)
	b.Submit("action", "allow")
	b.Shows("tess@example.com")
	b.Open(s.cfg.BaseURL + "/signout")
	b.SubmitTo("/signout")
	b.Open(s.cfg.BaseURL + "/signin")
	b.SubmitTo("/signin/with/sandbox")
	b.Open(s.cfg.BaseURL + "/account")
	b.Shows("maria@example.com")
}
