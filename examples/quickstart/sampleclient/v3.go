package sampleclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
)

// v3 signs in by the v3 dialect, as plain OAuth 2 or as OpenID Connect. It needs no
// library but one that verifies an ID token.
type v3 struct {
	*discovery
	base, redirectURI string
	client            Credentials
	openID            bool
}

func (p *v3) Key() string {
	if p.openID {
		return "v3-openid"
	}
	return "v3-oauth"
}

func (p *v3) Title() string {
	if p.openID {
		return "OpenID Connect, as in v3"
	}
	return "OAuth 2, as in v3"
}

func (p *v3) About() string {
	if p.openID {
		return "For a program that was written for the interface v3, and stays as it is: with an ID token, and userinfo as a signed JWT."
	}
	return "The same without an ID token: an access token, and with it attributes and verified groups of the person."
}

func (p *v3) ClientID() string { return p.client.ID }

func (p *v3) authorizeURL(_ context.Context, f *flow) (string, error) {
	scope := f.scope
	if p.openID {
		scope = "openid " + scope
	}
	q := url.Values{
		"client_id":             {p.client.ID},
		"redirect_uri":          {p.redirectURI},
		"response_type":         {"code"},
		"scope":                 {scope},
		"state":                 {f.state},
		"code_challenge":        {oauth2.S256ChallengeFromVerifier(f.verifier)},
		"code_challenge_method": {"S256"},
	}
	if p.openID {
		q.Set("nonce", f.nonce)
	}
	f.level.ask(q, p.openID)
	for name, values := range f.extra {
		q[name] = values
	}
	return p.base + "/oauth/authorize?" + q.Encode(), nil
}

func (p *v3) finish(ctx context.Context, f *flow, code string) (*outcome, error) {
	payload, err := p.redeem(ctx, f, code)
	if err != nil {
		return nil, err
	}
	var tokens struct {
		AccessToken string `json:"access_token"`
		IDToken     string `json:"id_token"`
	}
	if err := json.Unmarshal(payload, &tokens); err != nil {
		return nil, fmt.Errorf("read token payload: %w", err)
	}
	o := &outcome{clientID: p.client.ID, rawIDToken: tokens.IDToken}
	if o.Tokens, err = tokenRows(payload); err != nil {
		return nil, err
	}
	if p.openID {
		if err := p.identify(ctx, f, tokens.AccessToken, o); err != nil {
			return nil, err
		}
	}
	body, err := p.data(ctx, "attributes.json", tokens.AccessToken)
	if err != nil {
		return nil, err
	}
	if err := o.readAttributes(body); err != nil {
		return nil, err
	}
	return o, nil
}

// redeem exchanges the code for the token payload.
func (p *v3) redeem(ctx context.Context, f *flow, code string) ([]byte, error) {
	form := url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"client_id":     {p.client.ID},
		"client_secret": {p.client.Secret},
		"redirect_uri":  {p.redirectURI},
		"code_verifier": {f.verifier},
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return fetch(r)
}

// identify verifies the ID token and what userinfo says.
func (p *v3) identify(ctx context.Context, f *flow, accessToken string, o *outcome) error {
	id, err := p.verify(ctx, o.rawIDToken, p.client.ID)
	if err != nil {
		return fmt.Errorf("verify ID token: %w", err)
	}
	if id.Nonce != f.nonce {
		return problemNonce
	}
	if err := f.level.check(id); err != nil {
		return err
	}
	if o.IDToken, err = newJWT(o.rawIDToken); err != nil {
		return err
	}
	body, err := p.data(ctx, "userinfo", accessToken)
	if err != nil {
		return err
	}
	// The JWT comes as a JSON string, in quotes.
	var raw string
	if err := json.Unmarshal(body, &raw); err != nil {
		return fmt.Errorf("read userinfo: %w", err)
	}
	info, err := p.verify(ctx, raw, p.client.ID)
	if err != nil {
		return fmt.Errorf("verify userinfo: %w", err)
	}
	if info.Subject != id.Subject {
		return errors.New("userinfo is about somebody else than the ID token")
	}
	o.Userinfo, err = newJWT(raw)
	return err
}

// data asks an endpoint that this dialect gives the token in the query.
func (p *v3) data(ctx context.Context, endpoint, accessToken string) ([]byte, error) {
	address := p.base + "/api/public/v3/" + endpoint + "?" + url.Values{"access_token": {accessToken}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return fetch(r)
}
