package engine

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Requests that come together share the configuration of fosite, whose getters set
// what they find unset. None of it is unset.
func TestConfigurationIsNotWrittenWhenItIsRead(t *testing.T) {
	config := New(Options{Clock: time.Now}).fosite.Config.(*fosite.Config)
	set := func() (fields map[string]bool) {
		fields = map[string]bool{}
		v := reflect.ValueOf(config).Elem()
		for i := range v.NumField() {
			fields[v.Type().Field(i).Name] = !v.Field(i).IsZero()
		}
		return fields
	}
	before := set()
	getters := reflect.ValueOf(config)
	called := 0
	for i := range getters.NumMethod() {
		if m := getters.Method(i); m.Type().NumIn() == 1 && m.Type().In(0) == reflect.TypeFor[context.Context]() {
			m.Call([]reflect.Value{reflect.ValueOf(t.Context())})
			called++
		}
	}
	if called < 40 {
		t.Fatalf("%d getters were called", called)
	}
	if diff := cmp.Diff(before, set()); diff != "" {
		t.Errorf("fields that were set by being read (-before +after):\n%s", diff)
	}
}

// parse parses an authorization request of the engine's test clients.
func parse(t *testing.T, pairs ...string) (*AuthorizeRequest, error) {
	t.Helper()
	e := New(Options{
		Clients: fuzzClients{}, Clock: time.Now,
		ScopeKnown: func(scope string) bool { return scope == "military" },
	})
	form := url.Values{
		"client_id": {"v3"}, "redirect_uri": {"https://rp.test/cb"}, "response_type": {"code"}, "scope": {"openid military"},
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return e.ParseAuthorize(t.Context(), form)
}

// fosite demands a state, and is not followed in that. It must have checked everything
// else by then.
func TestFositeLooksAtTheStateLast(t *testing.T) {
	if r, err := parse(t); err != nil || r.StateSent || r.read.GetState() != "" {
		t.Errorf("a request without state: %+v, %v", r, err)
	}
	if r, err := parse(t, "state", "s"); err != nil || r.State != "s" || r.read.GetState() != "s" {
		t.Errorf("a state of one character: %+v, %v", r, err)
	}
	for name, c := range map[string]struct {
		code  string
		pairs []string
	}{
		"Scope": {protocol.InvalidScope, []string{"scope", "openid unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, c.pairs...)
			var theirs *fosite.RFC6749Error
			if !errors.As(err, &theirs) || protocol.AsError(err).Code != c.code {
				t.Errorf("%v, want %s of fosite", err, c.code)
			}
		})
	}
}

// fosite removes from a scope the spaces of other alphabets, and would allow one value
// while the grant gets another.
func TestScopesAreThoseThatFositeHasRead(t *testing.T) {
	for _, scope := range []string{"openid military\u00a0", "openid \u2003military", "openid\u0085 military"} {
		if _, err := parse(t, "scope", scope); err == nil || protocol.AsError(err).Code != protocol.InvalidScope {
			t.Errorf("scope %q: %v", scope, err)
		}
	}
}

// Both match redirect URIs, and a request must satisfy both: what is registered has to.
func TestFositeMatchesWhatIsRegistered(t *testing.T) {
	for _, uri := range append([]string{"http://127.0.0.1:49152/cb", "http://[::1]:1/cb"}, registeredURIs...) {
		r, err := parse(t, "redirect_uri", uri)
		if err != nil {
			t.Errorf("%s: %v", uri, err)
		} else if got := r.read.GetRedirectURI().String(); got != uri {
			t.Errorf("fosite has read %s as %s", uri, got)
		}
	}
}

func TestClientInTheTermsOfFosite(t *testing.T) {
	standard, _ := registry.DialectNamed(registry.DialectStandard)
	for name, c := range map[string]struct {
		client storage.Client
		grants fosite.Arguments
		types  fosite.Arguments
	}{
		"Registered": {
			storage.Client{ResponseTypes: []string{"token"}, GrantTypes: []string{protocol.GrantRefreshToken}},
			fosite.Arguments{protocol.GrantRefreshToken}, fosite.Arguments{"token"},
		},
		"Defaults": {storage.Client{}, fosite.Arguments{protocol.GrantAuthorizationCode}, fosite.Arguments{"code"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := fositeClient{&registry.Client{Client: c.client, Dialect: standard}}
			if diff := cmp.Diff(c.grants, got.GetGrantTypes()); diff != "" {
				t.Errorf("grant types: %s", diff)
			}
			if diff := cmp.Diff(c.types, got.GetResponseTypes()); diff != "" {
				t.Errorf("response types: %s", diff)
			}
		})
	}
}

func TestSession(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := &session{issue.Batch{Grant: storage.Grant{Subject: "alice"}, Issued: []storage.Token{{Kind: storage.AccessToken, ExpiresAt: now}}}}
	clone := s.Clone()
	s.SetExpiresAt(fosite.AccessToken, now.Add(time.Minute))
	s.SetExpiresAt(fosite.RefreshToken, now) // there is none
	for kind, want := range map[fosite.TokenType]time.Time{
		fosite.AccessToken: now.Add(time.Minute), fosite.RefreshToken: {}, fosite.AuthorizeCode: {},
	} {
		if got := s.GetExpiresAt(kind); !got.Equal(want) {
			t.Errorf("%s expires at %s, want %s", kind, got, want)
		}
	}
	if s.GetSubject() != "alice" || clone.GetSubject() != "alice" {
		t.Error("the subject is not the grant's")
	}
	if got := clone.GetExpiresAt(fosite.AccessToken); !got.Equal(now) {
		t.Errorf("the clone follows the original: %s", got)
	}
}
