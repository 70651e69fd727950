package grants

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// trouble is the fault that the standard client has asked for.
type trouble struct {
	mu    sync.Mutex
	fault sandbox.Fault
	err   error
}

func (f *trouble) set(fault sandbox.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

func (f *trouble) configure(c *provider.Config) {
	lab.Cast(map[string]string{"std": "acme", "std2": "globex"})(c)
	c.Testing.Faults = func(_ context.Context, clientID string) (sandbox.Fault, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if clientID != "std" {
			return sandbox.NoFault, nil
		}
		return f.fault, f.err
	}
}

func TestAClientNoticesEachFaultOfAnIDToken(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := lab.New(t, f.configure).WithClients()
	rp := lab.NewRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "military")
	rp.Now = w.Now
	for fault, says := range map[sandbox.Fault]string{
		sandbox.IDTokenSignature:   "failed to verify",
		sandbox.IDTokenIssuer:      "issued by a different provider",
		sandbox.IDTokenAudience:    "expected audience",
		sandbox.IDTokenNonce:       "another nonce",
		sandbox.IDTokenExpired:     "token is expired",
		sandbox.IDTokenNotYetValid: "before the nbf",
		sandbox.NoFault:            "",
	} {
		f.set(fault)
		token, err := rp.Tokens(w.NewBrowser())
		if err != nil {
			t.Fatalf("%s: %v", fault, err)
		}
		switch err := rp.Check(token); {
		case says == "" && err != nil:
			t.Errorf("without a fault: %v", err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: the client says %v, want %q", fault, err, says)
		}
	}
}

// A client that keeps the key set for ever is told from one that fetches it anew, whichever
// algorithm it is registered for.
func TestAClientHasToFetchTheKeySetAnewWhenTheKeyIsRotated(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := lab.New(t, f.configure, withEveryAlgorithm).WithClients()
	for _, alg := range everyAlgorithm {
		c, err := w.Clients().Get(t.Context(), "std")
		w.OK(err)
		c.IDTokenSignedResponseAlg = alg
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2 * time.Second)
		rp := lab.NewRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "military")
		rp.Now = w.Now
		before := w.NewBrowser().Get(lab.KeysPath).Text
		f.set(sandbox.KeyRotated)
		token := testkit.Must(rp.Tokens(w.NewBrowser()))(t)
		raw, _ := token.Extra("id_token").(string)
		header, _ := lab.JWT(t, raw)
		kid := lab.Member(t, header, "kid")
		after := w.NewBrowser().Get(lab.KeysPath).Text
		if header["alg"] != alg || strings.Contains(before, kid) || !strings.Contains(after, kid) {
			t.Errorf("%s: the key of %v is in the key set before, or not in it after\n%s\n%s", alg, header, before, after)
		}
		if err := rp.Check(token); err != nil {
			t.Errorf("%s: a client that fetches the key set refuses it: %v", alg, err)
		}
		f.set(sandbox.NoFault)
		if token, err = rp.Tokens(w.NewBrowser()); err != nil || rp.Check(token) != nil {
			t.Errorf("%s: afterwards: %v", alg, err)
		}
	}
}

func TestFaultsOfTheAuthorizationEndpointReachTheApplication(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := lab.New(t, f.configure).WithClients()
	for fault, code := range map[sandbox.Fault]string{
		sandbox.AuthorizeDenied: "access_denied", sandbox.AuthorizeUnavailable: "temporarily_unavailable", sandbox.AuthorizeError: "server_error",
	} {
		f.set(fault)
		if answer := lab.Response(t, w.NewBrowser().Get(lab.Hinted("veteran"))); answer.Get("error") != code || answer.Get("state") != "xyz" {
			t.Errorf("%s: answered %v", fault, answer)
		}
		b := w.NewBrowser() // and by way of the screens
		p := b.Submit(b.Submit(b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...)), "persona", "veteran"), "action", "allow")
		if answer := lab.Response(t, p); answer.Get("error") != code {
			t.Errorf("%s: answered %v after the screens", fault, answer)
		}
		other := w.NewBrowser().Get(lab.Hinted("veteran", "client_id", "std2", "redirect_uri", "https://other.test/cb"))
		if answer := lab.Response(t, other); answer.Get("code") == "" {
			t.Errorf("%s: another application is answered %v", fault, answer)
		}
	}
}

func TestAFaultThatEndsARefreshEndsTheGrant(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := lab.New(t, f.configure).WithClients()
	b := w.NewBrowser()
	_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Get(lab.Hinted("veteran"))).Get("code"))...)
	f.set(sandbox.RefreshRevoked)
	p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	f.set(sandbox.NoFault)
	p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
}

func TestATokenEndpointThatFailsSpendsNothing(t *testing.T) {
	t.Parallel()
	f := &trouble{}
	w := lab.New(t, f.configure).WithClients()
	b := w.NewBrowser()
	code := lab.Response(t, b.Get(lab.Hinted("veteran"))).Get("code")
	f.set(sandbox.TokenUnavailable)
	p, _ := b.Token(lab.Std("code", code)...)
	lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	f.set(sandbox.NoFault)
	if p, _ = b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s %s", p.Status, p.Text)
	}
}

// Nobody learns by a fault that only the application may ask for whether a request without
// its credentials would do.
func TestAFaultIsNoReasonToTakeARequestThatIsWrong(t *testing.T) {
	t.Parallel()
	f := &trouble{fault: sandbox.IDTokenNonce}
	w := lab.New(t, f.configure).WithClients()
	b := w.NewBrowser()
	code := lab.Response(t, b.Get(lab.Hinted("veteran"))).Get("code")
	p, _ := b.Token(lab.Std("code", code, "client_secret", "wrong")...)
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	p = b.Send(http.MethodPost, lab.TokenPath, "grant_type=authorization_code&grant_type=refresh_token&client_id=std", "Content-Type", "application/x-www-form-urlencoded")
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
}

func TestFaultsThatCannotBeReadAre503(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*trouble{"Error": {err: errors.New("the disk is gone")}, "NoFault": {fault: "rain"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t, f.configure).WithClients()
			p, _ := w.NewBrowser().Token(lab.Std("code", "x")...)
			lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		})
	}
}

func TestFaultsAreForASandbox(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	_, err := provider.New(t.Context(), provider.Config{
		BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: w.Store,
		Testing: provider.Testing{Faults: func(context.Context, string) (sandbox.Fault, error) { return "", nil }},
	})
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != "Testing" {
		t.Errorf("error is %v", err)
	}
}
