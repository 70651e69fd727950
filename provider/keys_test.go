package provider_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func longSessions(c *provider.Config) {
	c.Lifetimes.Session, c.Lifetimes.SessionIdle = 14*24*time.Hour, 14*24*time.Hour
	c.Lifetimes.Grant, c.Lifetimes.RefreshToken = 30*24*time.Hour, 30*24*time.Hour
}

func TestHintOfARetiredKey(t *testing.T) {
	t.Parallel()
	rotating := func(c *provider.Config) { longSessions(c); c.Rotation = 48 * time.Hour }
	w, b := lab.WithAlice(t, rotating)
	hint := lab.Member(t, b.StandardTokens(), "id_token")
	header, _ := lab.JWT(t, hint)
	w.Advance(25 * time.Hour)
	maintain(w) // makes the next key
	w.Advance(26 * time.Hour)
	if slices.Contains(lab.KeyIDs(w.PublishedKeys()), header["kid"].(string)) {
		t.Fatal("the first key is still published")
	}
	w.Advance(10 * 24 * time.Hour)
	for name, at := range map[string]*lab.Fixture{"the same process": w, "a new process": w.Twin(rotating, func(c *provider.Config) { c.Clock = w.Now })} {
		other := at.NewBrowser()
		other.HTTP.Jar.SetCookies(other.ServerURL(), b.HTTP.Jar.Cookies(b.ServerURL()))
		if got := lab.Response(t, other.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", hint, "prompt", "none")...))); got.Get("code") == "" {
			t.Errorf("%s: authorize: %v", name, got)
		}
	}
	if p := b.Get(lab.Bye(hint)); p.Header.Get("Location") != "https://rp.test/bye" {
		t.Errorf("sign-out: %s %q", p.Status, p.Header.Get("Location"))
	}
	if p := b.Get("/account"); p.StatusCode == http.StatusOK {
		t.Error("still signed in")
	}
}

func TestSignOutWithAHintThatProvesNothing(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t, longSessions)
	hint := lab.Member(t, b.StandardTokens(), "id_token")
	testkit.OK(t, w.Keys().Revoke(t.Context()))
	signedIn := func() bool { return b.Get("/account").StatusCode == http.StatusOK }

	t.Run("AsksAndGoesNowhereWithoutAClient", func(t *testing.T) {
		for _, hint := range []string{hint, "nonsense", hint + "x"} {
			p := b.Get(lab.Bye(hint))
			if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "<form") || !signedIn() {
				t.Fatalf("%s\n%s", p.Status, p.Text)
			}
		}
		p := b.Submit(b.Get(lab.Bye(hint, "state", "s")))
		if p.Header.Get("Location") != "" || strings.Contains(p.Text, "rp.test") {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if signedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("GoesBackToWhatIsRegisteredForTheClient", func(t *testing.T) {
		b.SignIn("alice@example.com", lab.AlicePass)
		asked := b.Get(lab.Bye(hint, "client_id", "std", "state", "s"))
		if !signedIn() {
			t.Fatal("signed out without having been asked")
		}
		if p := b.Submit(asked); p.Header.Get("Location") != "https://rp.test/bye?state=s" {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if signedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("NeverGoesToWhatIsNot", func(t *testing.T) {
		for _, id := range []string{"std2", "nobody"} {
			lab.RefusedPage(t, b.Get(lab.Bye(hint, "client_id", id)))
		}
		lab.RefusedPage(t, b.Get(lab.Bye(hint, "client_id", "std", "post_logout_redirect_uri", "https://evil.test/")))
	})
	t.Run("IsRefusedWhenItIsOfAnotherClient", func(t *testing.T) {
		good := lab.Member(t, w.Alice().StandardTokens(), "id_token")
		lab.RefusedPage(t, b.Get(lab.Bye(good, "client_id", "std2")))
	})
}

func TestHintOfAnotherApplicationIsRefused(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	hint := lab.Member(t, b.StandardTokens(), "id_token")
	b.Allow("client_id", "std2", "scope", "openid military", "redirect_uri", "https://other.test/cb")
	for id, want := range map[string]string{"std": "", "std2": "invalid_request"} {
		redirect := map[string]string{"std": lab.CallbackURI, "std2": "https://other.test/cb"}[id]
		p := b.Get(lab.AuthorizeURL(lab.Ask("client_id", id, "redirect_uri", redirect, "id_token_hint", hint, "prompt", "none")...))
		if got := lab.Response(t, p); got.Get("error") != want || (got.Get("code") == "") != (want != "") {
			t.Errorf("%s: %v", id, got)
		}
	}
}

func TestSignedUserinfo(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{
		ID: "signed", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		PostLogoutRedirectURIs: []string{"https://rp.test/bye"}, UserinfoSignedResponseAlg: "RS256",
	}))
	rp := lab.NewRelyingParty(t, w.Issuer(), "signed", oidc.ScopeOpenID, "military")
	b := w.Alice()
	token, _ := rp.SignIn(b)
	info := b.Bearer("/api/public/v3/userinfo", token.AccessToken).Text
	idToken := token.Extra("id_token").(string)

	t.Run("IsNoIDTokenForAClient", func(t *testing.T) {
		verifier := rp.Provider.Verifier(&oidc.Config{ClientID: "signed"})
		testkit.Must(verifier.Verify(rp.Ctx, idToken))(t)
		if got, err := verifier.Verify(rp.Ctx, info); err == nil {
			t.Errorf("it is taken for %+v", got)
		}
	})
	t.Run("SaysWhomItIsForAndNotUntilWhen", func(t *testing.T) {
		_, claims := lab.JWT(t, info)
		if claims["iss"] != w.Issuer() || claims["aud"] != "signed" || claims["sub"] != "alice" || claims["iat"] == nil {
			t.Errorf("claims %v", claims)
		}
		if _, ok := claims["exp"]; ok {
			t.Error("with exp it is an ID token to whom looks at claims")
		}
	})
	t.Run("IsNoHint", func(t *testing.T) {
		hinted := func(hint string) url.Values {
			return lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("client_id", "signed", "id_token_hint", hint, "prompt", "none")...)))
		}
		if got := hinted(idToken); got.Get("code") == "" {
			t.Fatalf("the ID token: %v", got)
		}
		if got := hinted(info); got.Get("error") != "invalid_request" {
			t.Errorf("authorize: %v", got)
		}
		if p := b.Get(lab.Bye(info)); p.Header.Get("Location") != "" || b.Get("/account").StatusCode != http.StatusOK {
			t.Error("it signs out")
		}
	})
	t.Run("IsSignedByTheKeyThatSignsNow", func(t *testing.T) {
		testkit.OK(t, w.Keys().Revoke(t.Context()))
		w.Advance(2 * time.Second) // beyond what is answered from memory
		header, _ := lab.JWT(t, b.Bearer("/api/public/v3/userinfo", token.AccessToken).Text)
		if want := lab.KeyIDs(w.PublishedKeys()); !slices.Equal(want, []string{header["kid"].(string)}) {
			t.Errorf("signed by %v, published %v", header["kid"], want)
		}
	})
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	w := lab.New(t, longSessions).WithClients().WithUsers()
	first := lab.KeyIDs(w.PublishedKeys())
	for _, want := range []bool{true, false} {
		if rotated, err := w.Keys().Rotate(t.Context()); err != nil || rotated != want {
			t.Fatalf("rotated %t, want %t; error %v", rotated, want, err)
		}
	}
	ids := lab.KeyIDs(w.PublishedKeys())
	if len(ids) != 2 || ids[0] != first[0] || !w.Saw(event.KeyRotated) {
		t.Fatalf("published %v, before %v", ids, first)
	}
	signedBy := func() any {
		header, _ := lab.JWT(t, lab.Member(t, w.Alice().StandardTokens(), "id_token"))
		return header["kid"]
	}
	if signedBy() != ids[0] {
		t.Error("the new key signs before applications can know it")
	}
	w.Advance(25 * time.Hour)
	if signedBy() != ids[1] {
		t.Error("the new key does not sign a day later")
	}
}

func TestKeysRevoke(t *testing.T) {
	t.Parallel()
	w := lab.New(t, longSessions).WithClients().WithUsers()
	other := w.Twin(longSessions)
	b := w.Alice()
	tokens := b.StandardTokens()
	leaked := lab.Member(t, tokens, "id_token")
	former := lab.KeyIDs(w.PublishedKeys())
	testkit.OK(t, w.Keys().Revoke(t.Context()))
	if !w.Saw(event.KeysRevoked) {
		t.Error("no audit event")
	}
	ids := lab.KeyIDs(w.PublishedKeys())
	if len(ids) != 1 || ids[0] == former[0] {
		t.Fatalf("published %v, before %v", ids, former)
	}
	w.Advance(time.Second) // elsewhere
	for name, at := range map[string]*lab.Fixture{"here": w, "in another process": other, "in a new one": w.Twin(longSessions)} {
		if got := lab.KeyIDs(at.PublishedKeys()); !slices.Equal(got, ids) {
			t.Errorf("%s: published %v, want %v", name, got, ids)
		}
		elsewhere := at.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		if got := lab.Response(t, elsewhere.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", leaked, "prompt", "none")...))); got.Get("error") != "invalid_request" {
			t.Errorf("%s: the ID token of before as a hint: %v", name, got)
		}
		header, _ := lab.JWT(t, lab.Member(t, elsewhere.StandardTokens(), "id_token"))
		if header["kid"] != ids[0] {
			t.Errorf("%s: signed by %v, want %v", name, header["kid"], ids[0])
		}
		lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), true)
	}
	stored, err := w.Store.Keys(t.Context())
	if err != nil || len(stored) != 1 {
		t.Errorf("%d keys are stored (%v)", len(stored), err)
	}
}

func TestKeysOfTheHostAreChangedByTheHost(t *testing.T) {
	t.Parallel()
	signer := testkit.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	w := lab.New(t, func(c *provider.Config) { c.Signers = map[string]crypto.Signer{"RS256": signer} })
	if rotated, err := w.Keys().Rotate(t.Context()); rotated || err == nil || errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("rotated %t, error is %v", rotated, err)
	}
	if err := w.Keys().Revoke(t.Context()); err == nil || errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("revoked, error is %v", err)
	}
	if w.Saw(event.KeysRevoked) || w.Saw(event.KeyRotated) {
		t.Error("an event tells of what did not happen")
	}
}
