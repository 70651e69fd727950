package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// deskFlow is a sign-in that a browser has begun: what ties the response to the browser (state),
// the ID token to this sign-in (nonce) and the code to this desk (verifier, RFC 7636).
type deskFlow struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Next     string    `json:"next"`
	At       time.Time `json:"at"`
}

// deskFlowLife is how long a sign-in may take: long enough to set up a second factor.
const deskFlowLife = 30 * time.Minute

// maxNext bounds the address to come back to, which a cookie keeps.
const maxNext = 1 << 10

// signIn sends somebody to the provider, which asks them anew.
func (h *deskHost) signIn(w http.ResponseWriter, r *http.Request) {
	p, err := h.discover(r.Context())
	if err != nil {
		h.fails(w, r, err)
		return
	}
	f := deskFlow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: h.next(r.URL.Query().Get("return_to")), At: time.Now()}
	if err := h.keep(w, "flow", f, deskFlowLife); err != nil {
		h.fails(w, r, err)
		return
	}
	to := h.at(p).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("max_age", "0"))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// next is where somebody comes back to: a page of the desk, whoever has written the link. It has
// the host with it, for a path can become another one on its way: http.Redirect makes "/\host" of
// "/desk/../\host", which browsers read as "//host".
func (h *deskHost) next(returnTo string) string {
	start := h.url.Path + "/desk/"
	if !strings.HasPrefix(returnTo, start) || len(returnTo) > maxNext {
		returnTo = start
	}
	return h.url.Scheme + "://" + h.url.Host + returnTo
}

// signedIn takes the response of the provider, and has the browser know who it is.
func (h *deskHost) signedIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	var f deskFlow
	q := r.URL.Query()
	switch {
	case !h.kept(r, "flow", &f) || time.Since(f.At) > deskFlowLife || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.State)) == 0:
		h.refuses(w, http.StatusBadRequest, "This browser has begun no such sign-in, or it is over.")
		return
	case q.Get("iss") != h.provider.Issuer(): // of another provider (RFC 9207)
		h.refuses(w, http.StatusBadRequest, "This is not the response of our provider.")
		return
	case q.Get("code") == "":
		h.refuses(w, http.StatusForbidden, "You are not signed in.")
		return
	}
	s, err := h.redeem(r.Context(), f, q.Get("code"))
	if failure := (*oauth2.RetrieveError)(nil); errors.As(err, &failure) && failure.ErrorCode == "invalid_grant" {
		h.refuses(w, http.StatusBadRequest, "This sign-in is over.")
		return
	}
	if err == nil {
		err = errors.Join(h.keep(w, "flow", nil, 0), h.keep(w, "session", s, deskSessionLife))
	}
	if err != nil {
		h.fails(w, r, err)
		return
	}
	if _, works := h.staff[s.User]; !works {
		h.refuses(w, http.StatusNotFound, "There is nothing here for your account.")
		return
	}
	http.Redirect(w, r, f.Next, http.StatusSeeOther)
}

// redeem returns who has signed in, by the ID token for the code of this flow.
func (h *deskHost) redeem(ctx context.Context, f deskFlow, code string) (deskSession, error) {
	p, err := h.discover(ctx)
	if err != nil {
		return deskSession{}, err
	}
	ctx = h.within(ctx)
	token, err := h.at(p).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return deskSession{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.Verifier(&oidc.Config{ClientID: deskClient}).Verify(ctx, raw)
	if err != nil {
		return deskSession{}, err
	}
	var how struct {
		At      int64    `json:"auth_time"`
		Methods []string `json:"amr"`
		SID     string   `json:"sid"`
	}
	if err := id.Claims(&how); err != nil {
		return deskSession{}, err
	}
	if id.Nonce != f.Nonce || how.At == 0 {
		return deskSession{}, errors.New("the ID token is of another sign-in, or does not say when it was")
	}
	return deskSession{User: id.Subject, At: time.Unix(how.At, 0), Methods: how.Methods, SID: how.SID}, nil
}

// discover reads the metadata of the provider.
func (h *deskHost) discover(ctx context.Context) (*oidc.Provider, error) {
	return oidc.NewProvider(h.within(ctx), h.provider.Issuer())
}

// within has requests to the provider answered in this process, which may reach no other.
func (h *deskHost) within(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{Transport: local{h.provider}})
}

// at is this client with the endpoints of its provider.
func (h *deskHost) at(p *oidc.Provider) *oauth2.Config {
	c := h.client
	c.Endpoint = p.Endpoint()
	return &c
}

// refuses tells somebody in a sentence what is wrong, and where to begin again.
func (h *deskHost) refuses(w http.ResponseWriter, status int, sentence string) {
	http.Error(w, sentence+" Begin again at "+h.url.String()+"/desk/", status)
}

// fails logs an error whose texts people need not see.
func (h *deskHost) fails(w http.ResponseWriter, r *http.Request, err error) {
	var failure *oauth2.RetrieveError // has the body of the response, which is no text for a log
	if errors.As(err, &failure) {
		err = errors.New(failure.ErrorCode)
	}
	h.log.ErrorContext(r.Context(), "a sign-in at the desk failed", slog.Any("error", err))
	h.refuses(w, http.StatusServiceUnavailable, "Signing in is not possible at the moment.")
}
