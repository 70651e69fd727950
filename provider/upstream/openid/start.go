package openid

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// kept is what Finish needs of an attempt.
type kept struct {
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	Afresh   bool   `json:"afresh,omitempty"`
}

// Start implements [upstream.Connector].
func (c *Connector) Start(ctx context.Context, r upstream.Request) (address string, keep []byte, err error) {
	m, err := c.found.metadata(ctx, c, r.HTTP, r.Now, fresh)
	if err != nil {
		return "", nil, err
	}
	k := kept{Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Afresh: r.Afresh}
	if keep, err = json.Marshal(k); err != nil {
		return "", nil, fmt.Errorf("openid: encode what is kept: %w", err)
	}
	asked := url.Values{}
	for name, value := range c.options.Parameters {
		asked.Set(name, value)
	}
	if r.SelectAccount {
		asked.Set("prompt", "select_account")
	}
	if r.Afresh { // alone: some take one prompt only, and whoever authenticates may be another
		asked.Set("prompt", "login")
		asked.Set("max_age", "0")
	}
	for name, value := range map[string]string{
		"login_hint": r.LoginHint, "ui_locales": strings.Join(r.Languages, " "), "acr_values": strings.Join(r.ACRValues, " "),
	} {
		if value != "" {
			asked.Set(name, value)
		}
	}
	if c.dialect.ask != nil {
		c.dialect.ask(r, asked)
	}
	client := &oauth2.Config{
		ClientID: c.options.ClientID, Endpoint: oauth2.Endpoint{AuthURL: m.authorization}, RedirectURL: r.Callback, Scopes: c.scopes(),
	}
	options := []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("nonce", k.Nonce), oauth2.S256ChallengeOption(k.Verifier)}
	for name := range asked {
		options = append(options, oauth2.SetAuthURLParam(name, asked.Get(name)))
	}
	return client.AuthCodeURL(r.State, options...), keep, nil
}
