package provider_test

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestTheAddressIsTheUserNameOfWhoHasNone signs in for different scopes: the address is the
// user name only beside the address.
func TestTheAddressIsTheUserNameOfWhoHasNone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	for scope, want := range map[string]any{
		"openid profile email": "alice@example.com",
		"openid profile":       nil,
		"openid email":         nil,
	} {
		_, id, info := released(t, w.alice(), scope)
		if id["preferred_username"] != want || info["preferred_username"] != want {
			t.Errorf("%s: ID token %v, userinfo %v, want %v", scope, id["preferred_username"], info["preferred_username"], want)
		}
	}
	w.ok(w.SetAttributes(t.Context(), "alice", map[string]any{"preferred_username": "mia"}))
	if _, id, _ := released(t, w.alice(), "openid profile email"); id["preferred_username"] != "mia" {
		t.Errorf("recorded: %v", id["preferred_username"])
	}
}

// TestConsentNamesTheUserNameBesideTheAddress looks at the screen: the address stands there
// once, and the user name among what may come to be known.
func TestConsentNamesTheUserNameBesideTheAddress(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	p, _ := w.alice().asked("scope", "openid profile email")
	_, rows, _ := strings.Cut(p.body, "<dl")
	if strings.Count(rows, "alice@example.com") != 1 || !strings.Contains(p.body, "User name") {
		t.Errorf("the screen:\n%s", p.body)
	}
}

func TestAttackReadTheAddressAsAUserName(t *testing.T) {
	t.Parallel()
	leaks := func(t *testing.T, place string, claims map[string]any) {
		t.Helper()
		if claims["preferred_username"] != nil {
			t.Errorf("%s: %v", place, claims)
		}
	}
	t.Run("LeftOut", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withClients().withUsers()
		w.letLeaveOut("email")
		b := w.alice()
		p, _ := b.asked("scope", "openid profile email")
		tokens := b.exchanged(b.allowOnly(p))
		_, id := jwt(t, text(t, tokens, "id_token"))
		leaks(t, "ID token", id)
		leaks(t, "userinfo", b.userinfo(tokens))
		values, _ := attributes(t, b, tokens)
		if values["preferred_username"] != "" {
			t.Errorf("attributes: %v", values)
		}
	})
	t.Run("NarrowedByARefresh", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		tokens, _, _ := released(t, b, "openid profile email")
		_, tokens = b.refresh(text(t, tokens, "refresh_token"), "scope", "openid profile")
		leaks(t, "userinfo", b.userinfo(tokens))
	})
	t.Run("AskedForInOnePlace", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		p := b.open(authorizeURL(askFor(`{"id_token":{"email":null},"userinfo":{"preferred_username":null}}`)...))
		_, tokens := b.token(std("code", response(t, b.submit(p, "action", "allow")).Get("code"))...)
		_, id := jwt(t, text(t, tokens, "id_token"))
		leaks(t, "ID token", id)
		leaks(t, "userinfo", b.userinfo(tokens))
	})
	t.Run("Unverified", func(t *testing.T) {
		t.Parallel()
		d, w := newDirectory(t)
		d.person = provider.Person{Attributes: map[string]any{"email": "alice@example.com"}}
		_, id, info := released(t, w.newBrowser(), "openid profile email")
		leaks(t, "ID token", id)
		leaks(t, "userinfo", info)
	})
}
