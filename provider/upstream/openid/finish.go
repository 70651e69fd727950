package openid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// maxCode limits an authorization code, in bytes.
const maxCode = 8 << 10

// Finish implements [upstream.Connector].
func (c *Connector) Finish(ctx context.Context, b upstream.Callback) (upstream.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, maxFinish)
	defer cancel()
	var k kept
	if json.Unmarshal(b.Keep, &k) != nil || k.Nonce == "" || k.Verifier == "" {
		return upstream.Identity{}, errors.New("openid: what was kept of the attempt is missing")
	}
	m, err := c.found.metadata(ctx, c, b.HTTP, b.Now, fresh)
	if err != nil {
		return upstream.Identity{}, err
	}
	code, err := c.code(m, b.Values)
	if err != nil {
		return upstream.Identity{}, err
	}
	token, err := c.redeem(ctx, m, b, code, k.Verifier)
	if err != nil {
		return upstream.Identity{}, err
	}
	said, err := c.idToken(ctx, m, b, token.ID, k.Nonce)
	if err != nil {
		return upstream.Identity{}, err
	}
	switch _, dated := said.time("auth_time"); {
	case b.Values.Has("iss") && b.Values.Get("iss") != said.text("iss"):
		return upstream.Identity{}, errors.New("openid: the response and the ID token name two issuers")
	case k.Afresh && !dated && !c.dialect.timeless: // Core section 3.1.2.1, max_age
		return upstream.Identity{}, errors.New("openid: the upstream was asked to authenticate afresh, and does not say when it did")
	}
	if c.asksUserInfo(m, said) {
		info, err := userInfo(ctx, b.HTTP, m.userinfo, token.Access)
		if err != nil {
			return upstream.Identity{}, err
		}
		if info.text("sub") != said.text("sub") { // Core section 5.3.2
			return upstream.Identity{}, errors.New("openid: userinfo is of another subject")
		}
		said = said.merge(info)
	}
	who := said.identity()
	if c.dialect.judge != nil {
		if err := c.dialect.judge(&who, said, b.Values); err != nil {
			return upstream.Identity{}, err
		}
	}
	said.settle(who)
	return who, nil
}

// code returns the code of a response, once it is known to be the upstream's.
func (c *Connector) code(m *metadata, values url.Values) (string, error) {
	for name := range values {
		if len(values[name]) > 1 && slices.Contains([]string{"code", "error", "iss", "state"}, name) {
			return "", errors.New("openid: the response has a parameter twice")
		}
	}
	// Before anything of the response is used: a code of another upstream is for its token
	// endpoint, and for no other (RFC 9207 section 2.4).
	switch issuer := values.Get("iss"); {
	case values.Has("iss") && issuer != m.issuer && (c.dialect.names == nil || !c.dialect.names(issuer)):
		return "", errors.New("openid: the response is of another issuer")
	case !values.Has("iss") && m.namesItself:
		return "", errors.New("openid: the response does not name its issuer, as those of the upstream do")
	}
	if values.Has("error") {
		return "", refused(values.Get("error"))
	}
	code := values.Get("code")
	if code == "" || len(code) > maxCode {
		return "", errors.New("openid: the response has no code")
	}
	return code, nil
}

// refused returns the error of an error response (RFC 6749 section 4.1.2.1, OpenID Connect Core
// section 3.1.2.6). Its description is a stranger's text, which nobody reads here.
func refused(name string) error {
	switch name {
	case "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required",
		"user_cancelled_authorize", "user_cancelled_login": // the last two are of Apple and LinkedIn
		return upstream.ErrDenied
	case "server_error", "temporarily_unavailable":
		return fmt.Errorf("%w: %s", upstream.ErrUnavailable, name)
	case "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "invalid_request_uri",
		"request_not_supported", "registration_not_supported", "unmet_authentication_requirements":
		return fmt.Errorf("openid: the upstream refuses the request: %s", name)
	default:
		return errors.New("openid: the upstream refuses the request")
	}
}

// tokens are what is read of a response of the token endpoint. Upstreams write the other members
// in many ways.
type tokens struct {
	Access string `json:"access_token"`
	ID     string `json:"id_token"`
	Error  string `json:"error"`
}

// redeem exchanges a code for tokens.
func (c *Connector) redeem(ctx context.Context, m *metadata, b upstream.Callback, code, verifier string) (tokens, error) {
	secret := c.options.Secret
	if c.dialect.secret != nil {
		var err error
		if secret, err = c.dialect.secret(b.Now); err != nil {
			return tokens{}, err
		}
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {b.Address}, "code_verifier": {verifier}}
	if !m.byHeader {
		form.Set("client_id", c.options.ClientID)
	}
	if !m.byHeader && secret != "" {
		form.Set("client_secret", secret)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.token, strings.NewReader(form.Encode()))
	if err != nil {
		return tokens{}, errors.New("openid: the token endpoint is no address")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if m.byHeader { // RFC 6749 section 2.3.1
		r.SetBasicAuth(url.QueryEscape(c.options.ClientID), url.QueryEscape(secret))
	}
	status, body, err := reply.Read(b.HTTP, r)
	if err != nil {
		return tokens{}, fmt.Errorf("openid: the token endpoint: %w", err)
	}
	var answer tokens
	wrong := json.Unmarshal(body, &answer)
	// Nothing repeats the response, which may repeat the request.
	switch {
	case slices.Contains([]string{"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}, answer.Error):
		return tokens{}, fmt.Errorf("openid: the token endpoint refuses: %s", answer.Error)
	case status != http.StatusOK, answer.Error != "":
		return tokens{}, fmt.Errorf("openid: the token endpoint refuses: status %d", status)
	case wrong != nil, answer.Access == "":
		return tokens{}, errors.New("openid: the token endpoint answers something else than tokens")
	}
	return answer, nil
}

// asksUserInfo reports whether the userinfo endpoint has something to add.
func (c *Connector) asksUserInfo(m *metadata, said claims) bool {
	if m.userinfo == "" || c.dialect.whole {
		return false
	}
	scopes := c.scopes()
	return c.options.UserInfo || slices.Contains(scopes, "email") && said.text("email") == "" || slices.Contains(scopes, "profile") && said.text("name") == ""
}

// userInfo returns the claims of the userinfo endpoint (OpenID Connect Core section 5.3).
func userInfo(ctx context.Context, client *http.Client, address, token string) (claims, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, errors.New("openid: the userinfo endpoint is no address")
	}
	r.Header.Set("Authorization", "Bearer "+token)
	var info claims
	if err := reply.JSON(client, r, &info); err != nil {
		return nil, fmt.Errorf("openid: userinfo: %w", err)
	}
	return info, nil
}
