package unknown

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAdmitRegistered tests that a policy that is narrower than that of the registration ends
// what it allowed.
func TestAdmitRegistered(t *testing.T) {
	t.Parallel()
	wide := Policy{Register: RegisterOpen, Scopes: []string{"openid", "work"}, Allow: []string{"app.example"}}
	record, err := wide.register(selfMetadata{RedirectURIs: []string{"https://app.example/cb", "example.app:/cb", "http://[::1]/cb"}, Scope: "work"}, time.Now())
	if err != nil || record.Name != "app.example, example.app, ::1" {
		t.Fatal(record.Name, err)
	}
	for name, c := range map[string]struct {
		policy Policy
		scopes []string
	}{
		"the same":   {wide, []string{"work"}},
		"off":        {Policy{Scopes: wide.Scopes, Allow: wide.Allow}, nil},
		"documents":  {Policy{Documents: true, Scopes: wide.Scopes, Allow: wide.Allow}, nil},
		"no host":    {Policy{Register: RegisterOpen, Scopes: wide.Scopes}, nil},
		"denied":     {Policy{Register: RegisterOpen, Scopes: wide.Scopes, Allow: wide.Allow, Deny: wide.Allow}, nil},
		"less scope": {Policy{Register: RegisterOpen, Scopes: []string{"openid"}, Allow: wide.Allow}, []string{"openid"}},
	} {
		client := &registry.Client{Client: record}
		c.policy.Denial = denying("other.example")
		err := c.policy.Admit(t.Context(), client)
		if c.scopes == nil && !errors.Is(err, registry.ErrDisabled) || c.scopes != nil && (err != nil || !slices.Equal(client.Scopes, c.scopes)) {
			t.Errorf("%s: %v, %q", name, err, client.Scopes)
		}
		if client.Trusted {
			t.Errorf("%s: it is trusted", name)
		}
	}
	for _, host := range []string{"app.example", "::1"} {
		wide.Denial = denying(host)
		if err := wide.Admit(t.Context(), &registry.Client{Client: record}); !errors.Is(err, registry.ErrDisabled) {
			t.Errorf("with a denial of %s: %v", host, err)
		}
	}
	wide.Denial = func(context.Context, ...string) (storage.HostDenial, error) {
		return storage.HostDenial{}, storage.ErrUnavailable
	}
	if err := wide.Admit(t.Context(), &registry.Client{Client: record}); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("without a database: %v", err)
	}
	if err := wide.Admit(t.Context(), &registry.Client{}); err != nil {
		t.Errorf("one that somebody has registered: %v", err)
	}
}

// denying is a denial of one host.
func denying(host string) func(context.Context, ...string) (storage.HostDenial, error) {
	return func(_ context.Context, hosts ...string) (storage.HostDenial, error) {
		if slices.Contains(hosts, host) {
			return storage.HostDenial{Host: host}, nil
		}
		return storage.HostDenial{}, storage.ErrNotFound
	}
}
