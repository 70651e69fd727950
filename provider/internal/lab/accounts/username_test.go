package accounts

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestTheAddressIsTheUserNameOfWhoHasNone signs in for different scopes: the address is the
// user name only beside the address.
func TestTheAddressIsTheUserNameOfWhoHasNone(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	for scope, want := range map[string]any{
		"openid profile email": "alice@example.com",
		"openid profile":       nil,
		"openid email":         nil,
	} {
		_, id, info := lab.Released(t, w.Alice(), scope)
		if id["preferred_username"] != want || info["preferred_username"] != want {
			t.Errorf("%s: ID token %v, userinfo %v, want %v", scope, id["preferred_username"], info["preferred_username"], want)
		}
	}
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"preferred_username": "mia"}))
	if _, id, _ := lab.Released(t, w.Alice(), "openid profile email"); id["preferred_username"] != "mia" {
		t.Errorf("recorded: %v", id["preferred_username"])
	}
}

// TestConsentNamesTheUserNameBesideTheAddress looks at the screen: the address stands there
// once, and the user name among what may come to be known.
func TestConsentNamesTheUserNameBesideTheAddress(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	p, _ := w.Alice().Asked("scope", "openid profile email")
	_, rows, _ := strings.Cut(p.Text, "<dl")
	if strings.Count(rows, "alice@example.com") != 1 || !strings.Contains(p.Text, "User name") {
		t.Errorf("the screen:\n%s", p.Text)
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
		w := lab.New(t).WithClients().WithUsers()
		w.LetLeaveOut("email")
		b := w.Alice()
		p, _ := b.Asked("scope", "openid profile email")
		tokens := b.Exchanged(b.AllowOnly(p))
		_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		leaks(t, "ID token", id)
		leaks(t, "userinfo", b.Userinfo(tokens))
		values, _ := lab.Attributes(t, b, tokens)
		if values["preferred_username"] != "" {
			t.Errorf("attributes: %v", values)
		}
	})
	t.Run("NarrowedByARefresh", func(t *testing.T) {
		t.Parallel()
		_, b := lab.WithAlice(t)
		tokens, _, _ := lab.Released(t, b, "openid profile email")
		_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"), "scope", "openid profile")
		leaks(t, "userinfo", b.Userinfo(tokens))
	})
	t.Run("AskedForInOnePlace", func(t *testing.T) {
		t.Parallel()
		_, b := lab.WithAlice(t)
		p := b.Open(lab.AuthorizeURL(lab.AskFor(`{"id_token":{"email":null},"userinfo":{"preferred_username":null}}`)...))
		_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))...)
		_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		leaks(t, "ID token", id)
		leaks(t, "userinfo", b.Userinfo(tokens))
	})
	t.Run("Unverified", func(t *testing.T) {
		t.Parallel()
		d, w := lab.NewDirectory(t)
		d.Person = provider.Person{Attributes: map[string]any{"email": "alice@example.com"}}
		_, id, info := lab.Released(t, w.NewBrowser(), "openid profile email")
		leaks(t, "ID token", id)
		leaks(t, "userinfo", info)
	})
}
