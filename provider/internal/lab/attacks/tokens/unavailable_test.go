package tokens

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackDatabaseThatHiccups brings an ordinary request for an application that has to
// push or to sign its requests in the moment in which its registration cannot be read.
func TestAttackDatabaseThatHiccups(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"pusher", "signer"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			var store *lab.FaultyStore
			w := lab.New(t, lab.Faulty(&store)).WithUsers().WithSigners()
			b := w.Alice()
			w.Advance(2 * time.Second)
			read := 0
			store.BreakBefore(func(_ context.Context, method string) error {
				if method != "Client" {
					return nil
				}
				if read++; read == 1 {
					return storage.ErrUnavailable
				}
				return nil
			})
			lab.Unavailable(t, b.Get(lab.AuthorizeURL("client_id", id, "scope", "openid military")))
		})
	}
}

// TestDatabaseFailsWhereApplicationsPushAndSign has one method of the store fail at a time.
func TestDatabaseFailsWhereApplicationsPushAndSign(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.WithResources(t, lab.Faulty(&store)).WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	b.Allow("client_id", "key", "scope", "openid military")
	token := lab.Member(t, b.TokensFor("agent", []string{lab.ToolsURI}, []string{lab.ToolsURI}), "access_token")
	ways := map[string]func(requestURI string) lab.Page{
		"push": func(string) lab.Page { p, _ := b.Push(); return p },
		"push by key": func(string) lab.Page {
			p, _ := b.Asserted(lab.PARPath, key.Sign(t, w.Assertion("key")), "redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid military")
			return p
		},
		"push of an object": func(string) lab.Page {
			p, _ := b.Asserted(lab.PARPath, key.Sign(t, w.Assertion("key")), "request", key.Sign(t, lab.With(w.Assertion("key"), "sub", nil,
				"redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid military")))
			return p
		},
		"pushed request": func(requestURI string) lab.Page { return b.Get(lab.PushedURL("std", requestURI)) },
		"request object": func(string) lab.Page {
			return b.Get(objectURL("key", key.Sign(t, lab.With(w.Object("key"), "jti", w.Assertion("key")["jti"]))))
		},
		"bearer grant": func(string) lab.Page { p, _ := b.BearerToken(w.AssertionAbout("alice")); return p },
		"machine": func(string) lab.Page {
			p, _ := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), machineGrant...)
			return p
		},
		"introspection by a resource": func(string) lab.Page {
			return b.Post(lab.IntrospectPath, url.Values{"client_id": {"tools-api"}, "client_secret": {lab.ClientSecret}, "token": {token}})
		},
		"revocation by key": func(string) lab.Page {
			p, _ := b.Asserted(lab.RevokePath, key.Sign(t, w.Assertion("key")), "token", token)
			return p
		},
	}
	for _, method := range []string{"Client", "SavePushedRequest", "PushedRequest", "UseID", "Consent", "CreateGrant", "Token", "Person"} {
		t.Run(method, func(t *testing.T) {
			met := 0
			for name, ask := range ways {
				requestURI := b.Pushed()
				w.Advance(2 * time.Second) // nothing is remembered any more
				reached := false
				store.BreakBefore(func(_ context.Context, m string) error {
					if m != method {
						return nil
					}
					reached = true
					return fmt.Errorf("%s: %w", m, storage.ErrUnavailable)
				})
				p := ask(requestURI)
				store.Down(nil)
				if !reached {
					continue
				}
				met++
				if told := p.Text + p.Header.Get("Location"); p.StatusCode != http.StatusServiceUnavailable || strings.Contains(told, "invalid_") {
					t.Errorf("%s: %s %s", name, p.Status, told)
				}
			}
			if met == 0 {
				t.Error("nothing asks for it")
			}
		})
	}
}
