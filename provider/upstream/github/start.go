package github

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// scope lets read the profile and the addresses. A GitHub App has permissions instead.
const scope = "read:user user:email"

// Start implements [upstream.Connector]. What is kept is a PKCE verifier (RFC 7636 section 4.1).
func (c *Connector) Start(_ context.Context, r upstream.Request) (address string, keep []byte, err error) {
	var random [32]byte
	_, _ = rand.Read(random[:])
	verifier := base64.RawURLEncoding.EncodeToString(random[:])
	challenge := sha256.Sum256([]byte(verifier))
	asked := url.Values{
		"client_id": {c.options.ClientID}, "redirect_uri": {r.Callback}, "scope": {scope}, "state": {r.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}
	if r.LoginHint != "" {
		asked.Set("login", r.LoginHint)
	}
	if r.Afresh || r.SelectAccount {
		asked.Set("prompt", "select_account")
	}
	return c.site + "/login/oauth/authorize?" + asked.Encode(), []byte(verifier), nil
}
