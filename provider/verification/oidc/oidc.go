// Package oidc verifies members of groups at another OpenID provider: a university, a
// federation such as InAcademia, a national scheme, or another Bonafide.
//
//	verification.By(oidc.New(oidc.Config{
//		Name: "inacademia", Title: verification.Text{English: "With your university"},
//		Issuer: "https://op.inacademia.org", ClientID: id, ClientSecret: secret, Scopes: []string{"student"},
//		Accept: func(ctx context.Context, c *verification.Case, who oidc.Identity) (verification.Result, error) {
//			return verification.Accept{Source: "InAcademia"}, nil
//		},
//	}))
//
// At the other provider, the address BASE/verification/return/NAME is registered as the
// redirect URI. One identity there is one person here.
package oidc

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// Config configures a verifier. Name, Title, Issuer, ClientID and Accept are required.
type Config struct {
	// Name, Title, Asks, Takes and Keeps are those of the verifier.
	Name        string
	Title, Asks verification.Text
	Takes       time.Duration
	Keeps       verification.Text

	// Level is that of the Proof.
	// Defaults to 3.
	Level int

	// Issuer is the issuer identifier of the other provider. Its configuration is found below
	// it (OpenID Connect Discovery 1.0 section 4) and read again once a day.
	Issuer string

	// ClientID and ClientSecret are the registration at the other provider. The secret is
	// empty for a public client.
	ClientID, ClientSecret string

	// Scopes are requested in addition to openid.
	// Defaults to none.
	Scopes []string

	// Parameters are added to the authorization request, such as acr_values or claims.
	// Defaults to none.
	Parameters map[string]string

	// UserInfo adds the claims of the userinfo endpoint to those of the ID token.
	// Defaults to false.
	UserInfo bool

	// Accept decides what an identity proves: a verification.Accept, Refuse or Review. An
	// Accept also proves the identity itself, so that it verifies one person only.
	Accept func(ctx context.Context, c *verification.Case, who Identity) (verification.Result, error)

	// CanReview reports that Accept can return Review.
	CanReview bool

	// Egress is how the other provider is called.
	Egress verification.Egress
}

// Identity is somebody at the other provider, whose ID token was verified.
type Identity struct {
	Issuer, Subject string
	claims          map[string]json.RawMessage
}

// Claims decodes the claims into v, as package json does.
func (i Identity) Claims(v any) error {
	all, err := json.Marshal(i.claims)
	if err != nil {
		return fmt.Errorf("encode claims: %w", err)
	}
	if err := json.Unmarshal(all, v); err != nil {
		return fmt.Errorf("decode claims: %w", err)
	}
	return nil
}

// New returns a verifier. That people come back proves nothing: a code is redeemed for an ID
// token, whose signature, issuer, audience, time and nonce are checked (OpenID Connect Core
// 1.0 section 3.1.3.7), with PKCE.
func New(cfg Config) verification.Verifier {
	u := &upstream{Config: cfg, client: cfg.Egress.Client()}
	return verification.Verifier{
		Name: cfg.Name, Title: cfg.Title, Asks: cfg.Asks, Takes: cmp.Or(cfg.Takes, 2*time.Minute), Keeps: cfg.Keeps,
		Proof:     verification.Proof{EvidenceType: "electronic_record", CheckMethod: "auth", Level: cmp.Or(cfg.Level, 3)},
		Next:      u.next,
		Check:     cfg.check,
		CanReview: cfg.CanReview,
	}
}

// upstream is the other provider.
type upstream struct {
	Config
	client *http.Client

	mu         sync.Mutex
	discovered *discovered
	since      time.Time
}

// discovered is the configuration of the other provider.
type discovered struct {
	*oidc.Provider
	keys       *clientkeys.Remote
	algorithms []string

	// namesItself means that every response has iss (RFC 9207 section 3).
	namesItself bool
}

// request is an authorization request, as the case remembers it.
type request struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

func (u *upstream) next(ctx context.Context, c *verification.Case, e verification.Event) (verification.Result, error) {
	p, err := u.discover(ctx, e.At)
	if err != nil {
		return nil, err
	}
	client := &oauth2.Config{
		ClientID: u.ClientID, ClientSecret: u.ClientSecret, Endpoint: p.Endpoint(), RedirectURL: c.RedirectURI,
		Scopes: append([]string{oidc.ScopeOpenID}, u.Scopes...),
	}
	if e.Kind != verification.Returned || len(c.Memory) == 0 {
		r := newRequest(c)
		if c.Memory, err = json.Marshal(r); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		return u.send(client, r), nil
	}
	var r request
	if err := json.Unmarshal(c.Memory, &r); err != nil {
		return nil, fmt.Errorf("decode request: %w", err)
	}
	// Another state is of a request that somebody else has begun, or that was given up: the
	// person can still answer the present one.
	if subtle.ConstantTimeCompare([]byte(e.Query["state"]), []byte(r.State)) != 1 || !u.answers(p, e.Query["iss"]) {
		return u.send(client, r), nil
	}
	if e.Query["code"] == "" { // such as access_denied
		return verification.Refuse{Reasons: []verification.Reason{verification.ReasonNotNow}}, nil
	}
	return u.redeem(ctx, c, e, p, client, r)
}

func (cfg Config) check() error {
	issuer, err := url.Parse(cfg.Issuer)
	switch {
	case err != nil || issuer.Host == "" || issuer.Scheme != "https" && !(issuer.Scheme == "http" && cfg.Egress.AllowPrivate) || issuer.RawQuery != "" || issuer.Fragment != "":
		return &provider.FieldError{Field: "Issuer", Err: errors.New("is not an https address without query and fragment")}
	case cfg.ClientID == "":
		return &provider.FieldError{Field: "ClientID", Err: errors.New("is missing")}
	case cfg.Accept == nil:
		return &provider.FieldError{Field: "Accept", Err: errors.New("is missing")}
	}
	for name := range cfg.Parameters {
		if slices.Contains([]string{"client_id", "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method"}, name) {
			return &provider.FieldError{Field: fmt.Sprintf("Parameters[%q]", name), Err: errors.New("is set by the verifier")}
		}
	}
	return nil
}

// discover returns the configuration of the other provider.
func (u *upstream) discover(ctx context.Context, at time.Time) (*discovered, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if age := at.Sub(u.since); u.discovered != nil && age < 24*time.Hour && age > -24*time.Hour {
		return u.discovered, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, u.client), u.Issuer)
	if err != nil {
		if u.discovered != nil { // as it was yesterday
			return u.discovered, nil
		}
		return nil, fmt.Errorf("oidc: discover: %w", err)
	}
	var said struct {
		Keys        string   `json:"jwks_uri"`
		Algorithms  []string `json:"id_token_signing_alg_values_supported"`
		NamesItself bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := p.Claims(&said); err != nil {
		return nil, fmt.Errorf("oidc: discover: %w", err)
	}
	if len(said.Algorithms) == 0 {
		said.Algorithms = []string{oidc.RS256}
	}
	u.discovered, u.since = &discovered{p, clientkeys.NewRemote(said.Keys), said.Algorithms, said.NamesItself}, at
	return u.discovered, nil
}

// answers reports whether a response is of the other provider (RFC 9207): one that names
// itself in its responses does so in all of them.
func (u *upstream) answers(p *discovered, issuer string) bool {
	return issuer == u.Issuer || issuer == "" && !p.namesItself
}

// newRequest returns the request of an event: the same when the event is handled again, and
// known to nobody else.
func newRequest(c *verification.Case) request {
	secret := func(purpose string) string {
		digest := c.Digest("oidc "+purpose, c.Key)[0]
		return base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return request{State: c.ID + "." + secret("state"), Nonce: secret("nonce"), Verifier: secret("verifier")}
}

func (u *upstream) send(client *oauth2.Config, r request) verification.Result {
	options := []oauth2.AuthCodeOption{oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)}
	for _, name := range slices.Sorted(maps.Keys(u.Parameters)) {
		options = append(options, oauth2.SetAuthURLParam(name, u.Parameters[name]))
	}
	return verification.GoTo{URL: client.AuthCodeURL(r.State, options...)}
}

// redeem exchanges the code and has Accept decide about whom it is.
func (u *upstream) redeem(ctx context.Context, c *verification.Case, e verification.Event, p *discovered, client *oauth2.Config, r request) (verification.Result, error) {
	ctx = oidc.ClientContext(ctx, u.client)
	token, err := client.Exchange(ctx, e.Query["code"], oauth2.VerifierOption(r.Verifier))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		// Expired, or redeemed when the event was handled before: the person begins again.
		return verification.Refuse{Reasons: []verification.Reason{verification.ReasonNotNow}}, nil
	}
	if err != nil {
		return nil, withoutBody(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if _, err = p.keys.Verify(ctx, u.client, raw, p.algorithms); err != nil {
		return nil, fmt.Errorf("oidc: the ID token cannot be verified: %w", err)
	}
	checks := &oidc.Config{ClientID: u.ClientID, Now: func() time.Time { return e.At }, InsecureSkipSignatureCheck: true} // it is checked above
	id, err := p.Verifier(checks).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("oidc: the ID token is not valid: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(r.Nonce)) != 1 {
		return nil, errors.New("oidc: the ID token is of another request")
	}
	who := Identity{Issuer: id.Issuer, Subject: id.Subject}
	var party struct {
		Authorized string `json:"azp"`
	}
	if err := errors.Join(id.Claims(&who.claims), id.Claims(&party)); err != nil {
		return nil, fmt.Errorf("oidc: read ID token: %w", err)
	}
	if party.Authorized != "" && party.Authorized != u.ClientID || party.Authorized == "" && len(id.Audience) > 1 {
		return nil, errors.New("oidc: the ID token was issued to another client")
	}
	if u.UserInfo {
		if err := who.addUserInfo(ctx, p.Provider, token); err != nil {
			return nil, err
		}
	}
	result, err := u.Accept(ctx, c, who)
	if err != nil {
		return nil, err
	}
	switch result := result.(type) {
	case verification.Accept:
		result.Proved = append(slices.Clip(result.Proved), verification.IdentityFact(who.Issuer, who.Subject))
		return result, nil
	case verification.Refuse, verification.Review:
		return result, nil
	default:
		return nil, errors.New("oidc: Config.Accept returns an Accept, Refuse or Review")
	}
}

// addUserInfo adds claims that the ID token does not have. They are of the same subject, or
// of nobody (OpenID Connect Core 1.0 section 5.3.2).
func (i *Identity) addUserInfo(ctx context.Context, p *oidc.Provider, token *oauth2.Token) error {
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return errors.New("oidc: userinfo could not be read") // the error may repeat the response
	}
	if info.Subject != i.Subject {
		return errors.New("oidc: userinfo is of another subject")
	}
	var claims map[string]json.RawMessage
	if err := info.Claims(&claims); err != nil {
		return fmt.Errorf("oidc: read userinfo: %w", err)
	}
	maps.DeleteFunc(claims, func(name string, _ json.RawMessage) bool { _, known := i.claims[name]; return known })
	maps.Copy(i.claims, claims)
	return nil
}

// withoutBody drops what the other provider wrote into an error, which may be about a person.
func withoutBody(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Errorf("oidc: the token endpoint refuses: status %d", refused.Response.StatusCode)
	}
	return err
}
