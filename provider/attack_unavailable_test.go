package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackDatabaseThatHiccups brings an ordinary request for an application that has to
// push or to sign its requests in the moment in which its registration cannot be read.
func TestAttackDatabaseThatHiccups(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"pusher", "signer"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			var store *faultyStore
			w := newFixture(t, faulty(&store)).withUsers().withSigners()
			b := w.alice()
			w.advance(2 * time.Second)
			read := 0
			store.breakBefore(func(_ context.Context, method string) error {
				if method != "Client" {
					return nil
				}
				if read++; read == 1 {
					return storage.ErrUnavailable
				}
				return nil
			})
			unavailable(t, b.get(authorizeURL("client_id", id, "scope", "openid military")))
		})
	}
}

// TestDatabaseFailsWhereApplicationsPushAndSign has one method of the store fail at a time.
func TestDatabaseFailsWhereApplicationsPushAndSign(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := withResources(t, faulty(&store)).withSigners()
	b, key := w.alice(), clientKeys()["ES256"]
	b.allow("client_id", "key", "scope", "openid military")
	token := text(t, b.tokensFor("agent", []string{toolsURI}, []string{toolsURI}), "access_token")
	ways := map[string]func(requestURI string) page{
		"push": func(string) page { p, _ := b.push(); return p },
		"push by key": func(string) page {
			p, _ := b.asserted(parPath, key.sign(t, w.assertion("key")), "redirect_uri", callbackURI, "response_type", "code", "scope", "openid military")
			return p
		},
		"push of an object": func(string) page {
			p, _ := b.asserted(parPath, key.sign(t, w.assertion("key")), "request", key.sign(t, with(w.assertion("key"), "sub", nil,
				"redirect_uri", callbackURI, "response_type", "code", "scope", "openid military")))
			return p
		},
		"pushed request": func(requestURI string) page { return b.get(pushedURL("std", requestURI)) },
		"request object": func(string) page {
			return b.get(objectURL("key", key.sign(t, with(w.object("key"), "jti", w.assertion("key")["jti"]))))
		},
		"bearer grant": func(string) page { p, _ := b.bearerToken(w.assertionAbout("alice")); return p },
		"machine": func(string) page {
			p, _ := b.asserted(tokenPath, key.sign(t, w.assertion("key")), machineGrant...)
			return p
		},
		"introspection by a resource": func(string) page {
			return b.post(introspectPath, url.Values{"client_id": {"tools-api"}, "client_secret": {clientSecret}, "token": {token}})
		},
		"revocation by key": func(string) page {
			p, _ := b.asserted(revokePath, key.sign(t, w.assertion("key")), "token", token)
			return p
		},
	}
	for _, method := range []string{"Client", "SavePushedRequest", "PushedRequest", "UseID", "Consent", "CreateGrant", "Token", "Person"} {
		t.Run(method, func(t *testing.T) {
			met := 0
			for name, ask := range ways {
				requestURI := b.pushed()
				w.advance(2 * time.Second) // nothing is remembered any more
				reached := false
				store.breakBefore(func(_ context.Context, m string) error {
					if m != method {
						return nil
					}
					reached = true
					return fmt.Errorf("%s: %w", m, storage.ErrUnavailable)
				})
				p := ask(requestURI)
				store.down(nil)
				if !reached {
					continue
				}
				met++
				if told := p.body + p.Header.Get("Location"); p.StatusCode != http.StatusServiceUnavailable || strings.Contains(told, "invalid_") {
					t.Errorf("%s: %s %s", name, p.Status, told)
				}
			}
			if met == 0 {
				t.Error("nothing asks for it")
			}
		})
	}
}
