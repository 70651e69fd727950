package provider_test

import (
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
	"github.com/bonafide-id/bonafide/storage"
)

// bye is how an application asks to sign out, beside the id_token_hint.
func bye(hint string, pairs ...string) string {
	q := url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://rp.test/bye"}}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "/signout?" + q.Encode()
}

func longSessions(c *provider.Config) {
	c.Lifetimes.Session, c.Lifetimes.SessionIdle = 14*24*time.Hour, 14*24*time.Hour
	c.Lifetimes.Grant, c.Lifetimes.RefreshToken = 30*24*time.Hour, 30*24*time.Hour
}

func TestHintOfARetiredKey(t *testing.T) {
	t.Parallel()
	rotating := func(c *provider.Config) { longSessions(c); c.KeyRotation = 48 * time.Hour }
	w := newFixture(t, rotating).withClients().withUsers()
	b := w.alice()
	hint := text(t, b.standardTokens(), "id_token")
	header, _ := jwt(t, hint)
	w.advance(25 * time.Hour)
	w.maintain() // makes the next key
	w.advance(26 * time.Hour)
	if slices.Contains(keyIDs(w.publishedKeys()), header["kid"].(string)) {
		t.Fatal("the first key is still published")
	}
	w.advance(10 * 24 * time.Hour)
	for name, at := range map[string]*fixture{"the same process": w, "a new process": w.twin(rotating, func(c *provider.Config) { c.Clock = w.now })} {
		other := at.newBrowser()
		other.http.Jar.SetCookies(other.serverURL(), b.http.Jar.Cookies(b.serverURL()))
		if got := response(t, other.get(authorizeURL(ask("id_token_hint", hint, "prompt", "none")...))); got.Get("code") == "" {
			t.Errorf("%s: authorize: %v", name, got)
		}
	}
	if p := b.get(bye(hint)); p.Header.Get("Location") != "https://rp.test/bye" {
		t.Errorf("sign-out: %s %q", p.Status, p.Header.Get("Location"))
	}
	if p := b.get("/account"); p.StatusCode == http.StatusOK {
		t.Error("still signed in")
	}
}

func TestSignOutWithAHintThatProvesNothing(t *testing.T) {
	t.Parallel()
	w := newFixture(t, longSessions).withClients().withUsers()
	b := w.alice()
	hint := text(t, b.standardTokens(), "id_token")
	if _, err := w.RotateKey(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	signedIn := func() bool { return b.get("/account").StatusCode == http.StatusOK }

	t.Run("AsksAndGoesNowhereWithoutAClient", func(t *testing.T) {
		for _, hint := range []string{hint, "nonsense", hint + "x"} {
			p := b.get(bye(hint))
			if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "<form") || !signedIn() {
				t.Fatalf("%s\n%s", p.Status, p.body)
			}
		}
		p := b.submit(b.get(bye(hint, "state", "s")))
		if p.Header.Get("Location") != "" || strings.Contains(p.body, "rp.test") {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if signedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("GoesBackToWhatIsRegisteredForTheClient", func(t *testing.T) {
		b.signIn("alice@example.com", alicePass)
		asked := b.get(bye(hint, "client_id", "std", "state", "s"))
		if !signedIn() {
			t.Fatal("signed out without having been asked")
		}
		if p := b.submit(asked); p.Header.Get("Location") != "https://rp.test/bye?state=s" {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if signedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("NeverGoesToWhatIsNot", func(t *testing.T) {
		for _, id := range []string{"std2", "nobody"} {
			refusedPage(t, b.get(bye(hint, "client_id", id)))
		}
		refusedPage(t, b.get(bye(hint, "client_id", "std", "post_logout_redirect_uri", "https://evil.test/")))
	})
	t.Run("IsRefusedWhenItIsOfAnotherClient", func(t *testing.T) {
		good := text(t, w.alice().standardTokens(), "id_token")
		refusedPage(t, b.get(bye(good, "client_id", "std2")))
	})
}

func refusedPage(t *testing.T, p page) {
	t.Helper()
	if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" {
		t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
	}
}

func TestHintOfAnotherApplicationIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	hint := text(t, b.standardTokens(), "id_token")
	b.allow("client_id", "std2", "scope", "openid military", "redirect_uri", "https://other.test/cb")
	for id, want := range map[string]string{"std": "", "std2": "invalid_request"} {
		redirect := map[string]string{"std": callbackURI, "std2": "https://other.test/cb"}[id]
		p := b.get(authorizeURL(ask("client_id", id, "redirect_uri", redirect, "id_token_hint", hint, "prompt", "none")...))
		if got := response(t, p); got.Get("error") != want || (got.Get("code") == "") != (want != "") {
			t.Errorf("%s: %v", id, got)
		}
	}
}

func TestSignedUserinfo(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	err := w.SaveClient(t.Context(), provider.Client{
		ID: "signed", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		PostLogoutRedirectURIs: []string{"https://rp.test/bye"}, UserinfoSignedResponseAlg: "RS256",
	})
	if err != nil {
		t.Fatal(err)
	}
	rp := newRelyingParty(t, w.Issuer(), "signed", oidc.ScopeOpenID, "military")
	b := w.alice()
	token, _ := rp.signIn(b)
	info := b.bearer("/api/public/v3/userinfo", token.AccessToken).body
	idToken := token.Extra("id_token").(string)

	t.Run("IsNoIDTokenForAClient", func(t *testing.T) {
		verifier := rp.provider.Verifier(&oidc.Config{ClientID: "signed"})
		if _, err := verifier.Verify(rp.ctx, idToken); err != nil {
			t.Fatal(err)
		}
		if got, err := verifier.Verify(rp.ctx, info); err == nil {
			t.Errorf("it is taken for %+v", got)
		}
	})
	t.Run("SaysWhomItIsForAndNotUntilWhen", func(t *testing.T) {
		_, claims := jwt(t, info)
		if claims["iss"] != w.Issuer() || claims["aud"] != "signed" || claims["sub"] != "alice" || claims["iat"] == nil {
			t.Errorf("claims %v", claims)
		}
		if _, ok := claims["exp"]; ok {
			t.Error("with exp it is an ID token to whom looks at claims")
		}
	})
	t.Run("IsNoHint", func(t *testing.T) {
		hinted := func(hint string) url.Values {
			return response(t, b.get(authorizeURL(ask("client_id", "signed", "id_token_hint", hint, "prompt", "none")...)))
		}
		if got := hinted(idToken); got.Get("code") == "" {
			t.Fatalf("the ID token: %v", got)
		}
		if got := hinted(info); got.Get("error") != "invalid_request" {
			t.Errorf("authorize: %v", got)
		}
		if p := b.get(bye(info)); p.Header.Get("Location") != "" || b.get("/account").StatusCode != http.StatusOK {
			t.Error("it signs out")
		}
	})
	t.Run("IsSignedByTheKeyThatSignsNow", func(t *testing.T) {
		if _, err := w.RotateKey(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		w.advance(2 * time.Second) // beyond what is answered from memory
		header, _ := jwt(t, b.bearer("/api/public/v3/userinfo", token.AccessToken).body)
		if want := keyIDs(w.publishedKeys()); !slices.Equal(want, []string{header["kid"].(string)}) {
			t.Errorf("signed by %v, published %v", header["kid"], want)
		}
	})
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t, longSessions).withClients().withUsers()
	first := keyIDs(w.publishedKeys())
	for _, want := range []bool{true, false} {
		if rotated, err := w.RotateKey(t.Context(), false); err != nil || rotated != want {
			t.Fatalf("rotated %t, want %t; error %v", rotated, want, err)
		}
	}
	ids := keyIDs(w.publishedKeys())
	if len(ids) != 2 || ids[0] != first[0] || !w.saw(provider.EventKeyRotated) {
		t.Fatalf("published %v, before %v", ids, first)
	}
	signedBy := func() any {
		header, _ := jwt(t, text(t, w.alice().standardTokens(), "id_token"))
		return header["kid"]
	}
	if signedBy() != ids[0] {
		t.Error("the new key signs before applications can know it")
	}
	w.advance(25 * time.Hour)
	if signedBy() != ids[1] {
		t.Error("the new key does not sign a day later")
	}
}

func TestRotateKeyNow(t *testing.T) {
	t.Parallel()
	w := newFixture(t, longSessions).withClients().withUsers()
	other := w.twin(longSessions)
	b := w.alice()
	tokens := b.standardTokens()
	leaked := text(t, tokens, "id_token")
	former := keyIDs(w.publishedKeys())
	if _, err := w.RotateKey(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if !w.saw(provider.EventKeysRevoked) {
		t.Error("no audit event")
	}
	ids := keyIDs(w.publishedKeys())
	if len(ids) != 1 || ids[0] == former[0] {
		t.Fatalf("published %v, before %v", ids, former)
	}
	w.advance(time.Second) // elsewhere
	for name, at := range map[string]*fixture{"here": w, "in another process": other, "in a new one": w.twin(longSessions)} {
		if got := keyIDs(at.publishedKeys()); !slices.Equal(got, ids) {
			t.Errorf("%s: published %v, want %v", name, got, ids)
		}
		elsewhere := at.newBrowser().signIn("alice@example.com", alicePass)
		if got := response(t, elsewhere.get(authorizeURL(ask("id_token_hint", leaked, "prompt", "none")...))); got.Get("error") != "invalid_request" {
			t.Errorf("%s: the ID token of before as a hint: %v", name, got)
		}
		header, _ := jwt(t, text(t, elsewhere.standardTokens(), "id_token"))
		if header["kid"] != ids[0] {
			t.Errorf("%s: signed by %v, want %v", name, header["kid"], ids[0])
		}
		works(t, elsewhere, text(t, tokens, "access_token"), true)
	}
	stored, err := w.store.Keys(t.Context())
	if err != nil || len(stored) != 1 {
		t.Errorf("%d keys are stored (%v)", len(stored), err)
	}
}

func TestKeysOfTheHostAreChangedByTheHost(t *testing.T) {
	t.Parallel()
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	w := newFixture(t, func(c *provider.Config) { c.Signer = signer })
	for _, now := range []bool{false, true} {
		if rotated, err := w.RotateKey(t.Context(), now); rotated || err == nil || errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("now %t: %t, error is %v", now, rotated, err)
		}
	}
	if w.saw(provider.EventKeysRevoked) || w.saw(provider.EventKeyRotated) {
		t.Error("an event tells of what did not happen")
	}
}
