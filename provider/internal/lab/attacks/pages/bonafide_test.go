package pages

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

// TestBonafideIsTheUpstream signs in at one provider by another, in the flow of an application.
func TestBonafideIsTheUpstream(t *testing.T) {
	t.Parallel()
	var up *providertest.Server
	w := lab.New(t, func(c *provider.Config) {
		up = providertest.New(t, providertest.Config{Client: provider.Client{RedirectURIs: []string{c.BaseURL + "/signin/with/sandbox/callback"}}})
		c.AllowPrivateNetworks = true
		c.Upstreams = []provider.Upstream{{ID: "sandbox", Title: "Sandbox", Connector: openid.New(openid.Options{
			Issuer: up.Issuer(), ClientID: up.ClientID, Secret: up.ClientSecret,
		})}}
	}).WithClients().WithUsers()
	subjects := map[string]string{}
	for _, persona := range []string{"student", "student", "veteran"} {
		b := w.NewBrowser()
		page := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid"))
		back := up.SignIn(t, sentTo(b, leave(b, page, "sandbox")), persona)
		p := b.Open(back.RequestURI())
		if subjects[persona] == "" { // whose address is proved once
			nobody(t, b)
			p = b.Submit(p, "code", w.Mails.LastCode(t))
		}
		if p.StatusCode == 200 && strings.Contains(p.Request.URL.Path, "/oauth/consent") {
			p = b.Submit(p, "action", "allow")
		}
		_, tokens := b.Token("client_id", "std", "code", lab.CodeOf(p))
		_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		subject, _ := claims["sub"].(string)
		if subject == "" || subjects[persona] != "" && subjects[persona] != subject {
			t.Errorf("%s is %q, and was %q", persona, subject, subjects[persona])
		}
		subjects[persona] = subject
	}
	if subjects["student"] == subjects["veteran"] {
		t.Error("two people have one account")
	}
}
