package provider_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// trouble is the fault that the standard client has asked for.
type trouble struct {
	mu    sync.Mutex
	fault provider.Fault
	err   error
}

func (f *trouble) set(fault provider.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

func (f *trouble) configure(c *provider.Config) {
	cast(map[string]string{"std": "acme", "std2": "globex"})(c)
	c.Testing.Faults = func(_ context.Context, clientID string) (provider.Fault, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if clientID != "std" {
			return sandbox.NoFault, nil
		}
		return f.fault, f.err
	}
}

// exchange goes from a request with a nonce to the tokens, as a client in order does.
func (rp *relyingParty) exchange(b *browser) (*oauth2.Token, error) {
	rp.t.Helper()
	p := b.get(rp.AuthCodeURL("xyz", oidc.Nonce("n-1"), oauth2.SetAuthURLParam("login_hint", "persona:veteran")))
	return rp.Exchange(rp.ctx, response(rp.t, p).Get("code"))
}

// check is what a client in order makes of an ID token.
func (rp *relyingParty) check(token *oauth2.Token) error {
	raw, _ := token.Extra("id_token").(string)
	id, err := rp.provider.Verifier(&oidc.Config{ClientID: rp.ClientID, Now: rp.now}).Verify(rp.ctx, raw)
	if err == nil && id.Nonce != "n-1" {
		err = errors.New("another nonce")
	}
	return err
}

func TestAClientNoticesEachFaultOfAnIDToken(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := newFixture(t, f.configure).withClients()
	rp := newRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "military")
	rp.now = w.now
	for fault, says := range map[provider.Fault]string{
		sandbox.IDTokenSignature:   "failed to verify",
		sandbox.IDTokenIssuer:      "issued by a different provider",
		sandbox.IDTokenAudience:    "expected audience",
		sandbox.IDTokenNonce:       "another nonce",
		sandbox.IDTokenExpired:     "token is expired",
		sandbox.IDTokenNotYetValid: "before the nbf",
		sandbox.NoFault:            "",
	} {
		f.set(fault)
		token, err := rp.exchange(w.newBrowser())
		if err != nil {
			t.Fatalf("%s: %v", fault, err)
		}
		switch err := rp.check(token); {
		case says == "" && err != nil:
			t.Errorf("without a fault: %v", err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: the client says %v, want %q", fault, err, says)
		}
	}
}

// A client that keeps the key set for ever is told from one that fetches it anew.
func TestAClientHasToFetchTheKeySetAnewWhenTheKeyIsRotated(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := newFixture(t, f.configure).withClients()
	rp := newRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "military")
	rp.now = w.now
	before := w.newBrowser().get(keysPath).body
	f.set(sandbox.KeyRotated)
	token, err := rp.exchange(w.newBrowser())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := token.Extra("id_token").(string)
	header, _ := jwt(t, raw)
	kid := text(t, header, "kid")
	after := w.newBrowser().get(keysPath).body
	if strings.Contains(before, kid) || !strings.Contains(after, kid) {
		t.Errorf("the key %s is in the key set before, or not in it after\n%s\n%s", kid, before, after)
	}
	if err := rp.check(token); err != nil {
		t.Errorf("a client that fetches the key set refuses it: %v", err)
	}
	f.set(sandbox.NoFault)
	if token, err = rp.exchange(w.newBrowser()); err != nil || rp.check(token) != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestFaultsOfTheAuthorizationEndpointReachTheApplication(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := newFixture(t, f.configure).withClients()
	for fault, code := range map[provider.Fault]string{
		sandbox.AuthorizeDenied: "access_denied", sandbox.AuthorizeUnavailable: "temporarily_unavailable", sandbox.AuthorizeError: "server_error",
	} {
		f.set(fault)
		if answer := response(t, w.newBrowser().get(hinted("veteran"))); answer.Get("error") != code || answer.Get("state") != "xyz" {
			t.Errorf("%s: answered %v", fault, answer)
		}
		b := w.newBrowser() // and by way of the screens
		p := b.submit(b.submit(b.open(authorizeURL(ask("prompt", "consent")...)), "persona", "veteran"), "action", "allow")
		if answer := response(t, p); answer.Get("error") != code {
			t.Errorf("%s: answered %v after the screens", fault, answer)
		}
		other := w.newBrowser().get(hinted("veteran", "client_id", "std2", "redirect_uri", "https://other.test/cb"))
		if answer := response(t, other); answer.Get("code") == "" {
			t.Errorf("%s: another application is answered %v", fault, answer)
		}
	}
}

func TestAFaultThatEndsARefreshEndsTheGrant(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := newFixture(t, f.configure).withClients()
	b := w.newBrowser()
	_, tokens := b.token(std("code", response(t, b.get(hinted("veteran"))).Get("code"))...)
	f.set(sandbox.RefreshRevoked)
	p, _ := b.refresh(text(t, tokens, "refresh_token"))
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	f.set(sandbox.NoFault)
	p, _ = b.refresh(text(t, tokens, "refresh_token"))
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	works(t, b, text(t, tokens, "access_token"), false)
}

func TestATokenEndpointThatFailsSpendsNothing(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := newFixture(t, f.configure).withClients()
	b := w.newBrowser()
	code := response(t, b.get(hinted("veteran"))).Get("code")
	f.set(sandbox.TokenUnavailable)
	p, _ := b.token(std("code", code)...)
	refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	f.set(sandbox.NoFault)
	if p, _ = b.token(std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s %s", p.Status, p.body)
	}
}

// Nobody learns by a fault that only the application may ask for whether a request without
// its credentials would do.
func TestAFaultIsNoReasonToTakeARequestThatIsWrong(t *testing.T) {
	t.Parallel()
	f := &trouble{fault: sandbox.IDTokenNonce}
	w := newFixture(t, f.configure).withClients()
	b := w.newBrowser()
	code := response(t, b.get(hinted("veteran"))).Get("code")
	p, _ := b.token(std("code", code, "client_secret", "wrong")...)
	refused(t, p, http.StatusUnauthorized, "invalid_client")
	p = b.send(http.MethodPost, tokenPath, "grant_type=authorization_code&grant_type=refresh_token&client_id=std", "Content-Type", "application/x-www-form-urlencoded")
	refused(t, p, http.StatusBadRequest, "invalid_request")
}

func TestFaultsThatCannotBeReadAre503(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*trouble{"Error": {err: errors.New("the disk is gone")}, "NoFault": {fault: "rain"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, f.configure).withClients()
			p, _ := w.newBrowser().token(std("code", "x")...)
			refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		})
	}
}

func TestFaultsAreForASandbox(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	_, err := provider.New(t.Context(), provider.Config{
		BaseURL: w.server.URL, Secret: testSecret(t), Store: w.store,
		Testing: provider.Testing{Faults: func(context.Context, string) (provider.Fault, error) { return "", nil }},
	})
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != "Testing" {
		t.Errorf("error is %v", err)
	}
}
