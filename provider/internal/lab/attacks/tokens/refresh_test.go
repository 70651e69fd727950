package tokens

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func strict(c *provider.Config) { c.Lifetimes.RefreshGrace = -1 }

func TestRefreshRace(t *testing.T) {
	t.Parallel()
	t.Run("WithinTheGraceAllGetTokensOfOneGrant", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		first := lab.Member(t, b.StandardTokens(), "refresh_token")
		pages := lab.Race(10, func(int) lab.Page { p, _ := b.Refresh(first); return p })
		var last map[string]any
		for _, p := range pages {
			if p.StatusCode != http.StatusOK {
				t.Fatalf("answer: %s %s", p.Status, p.Text)
			}
			_, last = b.JSON(p)
			lab.Works(t, b, lab.Member(t, last, "access_token"), true)
		}
		// One grant: ending it through any of them ends them all.
		b.Post(lab.RevokePath, lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", lab.Member(t, last, "refresh_token")))
		for _, p := range pages {
			_, tokens := b.JSON(p)
			lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
		}
	})

	t.Run("WithinTheGraceRepeatsAreBounded", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		other := w.Twin()
		b, elsewhere := w.Alice(), other.NewBrowser()
		first := lab.Member(t, b.StandardTokens(), "refresh_token")
		pages := lab.Race(60, func(i int) lab.Page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.Refresh(first)
			return p
		})
		if counts := answers(t, b, pages); counts["200"] != 10 || counts["400 invalid_grant"] != 50 {
			t.Fatalf("answers: %v", counts)
		}
		// The first of the ten that is used goes on; the next to come ends them all.
		var usable []string
		for _, p := range pages {
			if p.StatusCode == http.StatusOK {
				_, tokens := b.JSON(p)
				usable = append(usable, lab.Member(t, tokens, "refresh_token"))
			}
		}
		p, next := b.Refresh(usable[3])
		if p.StatusCode != http.StatusOK {
			t.Fatalf("the first to be used: %s %s", p.Status, p.Text)
		}
		w.Advance(time.Second)
		p, _ = b.Refresh(usable[7])
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.Refresh(lab.Member(t, next, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.Saw(event.Reuse) {
			t.Error("no audit event")
		}
	})

	t.Run("WithoutGraceOneWinsAndTheGrantEnds", func(t *testing.T) {
		w := lab.New(t, strict).WithClients().WithUsers()
		other := w.Twin(strict)
		b, elsewhere := w.Alice(), other.NewBrowser()
		bystander := b.StandardTokens()
		first := lab.Member(t, b.StandardTokens(), "refresh_token")
		pages := lab.Race(20, func(i int) lab.Page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.Refresh(first)
			return p
		})
		if counts := answers(t, b, pages); counts["200"] != 1 || counts["400 invalid_grant"] != 19 {
			t.Fatalf("answers: %v", counts)
		}
		i := slices.IndexFunc(pages, func(p lab.Page) bool { return p.StatusCode == http.StatusOK })
		_, winner := b.JSON(pages[i])
		w.Advance(time.Second) // the other process may have ended the grant
		lab.Works(t, b, lab.Member(t, winner, "access_token"), false)
		lab.Works(t, b, lab.Member(t, bystander, "access_token"), true)
	})
}

func TestRefreshToken(t *testing.T) {
	t.Parallel()
	t.Run("OfBeforeTheLastEndsTheGrantEvenWithinTheGrace", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		first := b.StandardTokens()
		_, second := b.Refresh(lab.Member(t, first, "refresh_token"))
		_, third := b.Refresh(lab.Member(t, second, "refresh_token"))
		w.Advance(time.Second)
		p, _ := b.Refresh(lab.Member(t, first, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.Refresh(lab.Member(t, third, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.Saw(event.Reuse) {
			t.Error("no audit event")
		}
	})
	t.Run("OfALostAnswerIsAnsweredAgainWithinAMinute", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		first := b.StandardTokens()
		b.Refresh(lab.Member(t, first, "refresh_token")) // the answer is lost
		w.Advance(59 * time.Second)
		p, second := b.Refresh(lab.Member(t, first, "refresh_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.Text)
		}
		w.Advance(time.Hour)
		if p, _ := b.Refresh(lab.Member(t, second, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its successor: %s %s", p.Status, p.Text)
		}
	})
	t.Run("OfAForkIsFoundOutHoweverSlowlyBothGoOn", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		first := b.StandardTokens()
		_, owner := b.Refresh(lab.Member(t, first, "refresh_token"))
		_, thief := b.Refresh(lab.Member(t, first, "refresh_token"))
		w.Advance(6 * 24 * time.Hour)
		if p, _ := b.Refresh(lab.Member(t, owner, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.Text)
		}
		p, _ := b.Refresh(lab.Member(t, thief, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.Saw(event.Reuse) {
			t.Error("no audit event")
		}
	})
	t.Run("UsedBeforeTheClockWentBackIsNotWithinTheGrace", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		first := b.StandardTokens()
		b.Refresh(lab.Member(t, first, "refresh_token"))
		w.Advance(-time.Hour)
		p, _ := b.Refresh(lab.Member(t, first, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("UsedAgainAfterTheGraceEndsItsGrantAndNoOther", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		device := b.StandardTokens()
		first := b.StandardTokens()
		_, second := b.Refresh(lab.Member(t, first, "refresh_token"))
		w.Advance(61 * time.Second)
		p, _ := b.Refresh(lab.Member(t, first, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.Refresh(lab.Member(t, second, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		lab.Works(t, b, lab.Member(t, first, "access_token"), false)
		lab.Works(t, b, lab.Member(t, second, "access_token"), false)
		lab.Works(t, b, lab.Member(t, device, "access_token"), true)
		if !w.Saw(event.Reuse) {
			t.Error("no audit event")
		}
	})

	t.Run("PresentedByAnotherApplicationHarmsNobody", func(t *testing.T) {
		_, b := lab.WithAlice(t, strict)
		first := b.StandardTokens()
		_, second := b.Refresh(lab.Member(t, first, "refresh_token"))
		for _, token := range []string{lab.Member(t, first, "refresh_token"), lab.Member(t, second, "refresh_token")} {
			p, _ := b.Refresh(token, "client_id", "std2", "client_secret", lab.ClientSecret+"2")
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		lab.Works(t, b, lab.Member(t, second, "access_token"), true)
		if p, _ := b.Refresh(lab.Member(t, second, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its owner: %s %s", p.Status, p.Text)
		}
	})

	t.Run("CannotBeProlongedBeyondTheGrant", func(t *testing.T) {
		w, b := lab.WithAlice(t, func(c *provider.Config) {
			c.Lifetimes.RefreshToken, c.Lifetimes.Grant = 2*time.Hour, 6*time.Hour
		})
		token := lab.Member(t, b.StandardTokens(), "refresh_token")
		for begun := w.Now(); ; {
			w.Advance(50 * time.Minute)
			p, next := b.Refresh(token)
			if p.StatusCode != http.StatusOK {
				lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
				if lived := w.Now().Sub(begun); lived < 6*time.Hour {
					t.Errorf("ended after %v", lived)
				}
				return
			}
			lived := w.Now().Sub(begun)
			if lived > 6*time.Hour+2*time.Minute {
				t.Fatalf("refreshed after %v", lived)
			}
			if left := next["refresh_expires_in"].(float64); left > (6*time.Hour + 2*time.Minute - lived).Seconds() {
				t.Errorf("after %v it promises %v s", lived, left)
			}
			token = lab.Member(t, next, "refresh_token")
		}
	})

	t.Run("OfTheOlderInterfaceCannotBeUsedUnlessRegistered", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		token := lab.Member(t, b.V3Tokens(), "refresh_token")
		p, _ := b.Token("grant_type", "refresh_token", "refresh_token", token)
		lab.Refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
	})

	t.Run("IsNotIssuedToThoseWhoMayNotUseIt", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		if got := b.Allow("response_type", "token"); got.Get("refresh_token") != "" || got.Get("access_token") == "" {
			t.Errorf("from the authorization endpoint: %v", got)
		}
		err := w.Clients().Save(t.Context(), provider.Client{ID: "norefresh", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}})
		testkit.OK(t, err)
		_, tokens := b.Token("client_id", "norefresh", "code", b.Allow(lab.Ask("client_id", "norefresh")...).Get("code"))
		if tokens["refresh_token"] != nil || tokens["access_token"] == nil {
			t.Errorf("without the grant: %v", tokens)
		}
	})

	t.Run("CannotWiden", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		first := lab.Member(t, b.StandardTokens(), "refresh_token")
		p, _ := b.Refresh(first, "scope", "openid military student")
		lab.Refused(t, p, http.StatusBadRequest, "invalid_scope")
		_, narrow := b.Refresh(first, "scope", "openid")
		if narrow["scope"] != "openid" {
			t.Fatalf("narrowed: %v", narrow)
		}
		lab.Refused(t, b.Bearer(lab.AttributesPath, lab.Member(t, narrow, "access_token")), http.StatusForbidden, "insufficient_scope")
	})
}

// What happened since the user consented decides whether refreshing goes on.
func TestRefreshAfterTheWorldHasChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *lab.Fixture) error{
		"UserDisabled": func(w *lab.Fixture) error { return w.Accounts().SetDisabled(w.T.Context(), "alice", true) },
		"UserDeleted":  func(w *lab.Fixture) error { return w.Accounts().Delete(w.T.Context(), "alice") },
		"PasswordChanged": func(w *lab.Fixture) error {
			_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: "alice", Email: "alice@example.com", Password: "another-glacier-tulip-43"})
			return err
		},
		"ScopeRemoved": func(w *lab.Fixture) error {
			return w.Clients().Save(w.T.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
				GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"student"}})
		},
		"ConsentWithdrawn": func(w *lab.Fixture) error { return w.Store.RevokeConsent(w.T.Context(), "alice", "std", w.Now()) },
		"EverythingBeforeRevoked": func(w *lab.Fixture) error {
			return w.People().RevokeIssuedBefore(w.T.Context(), w.Now().Add(time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := lab.WithAlice(t)
			tokens := b.StandardTokens()
			plain := b.V3Tokens() // without an ID token, which would ask for the user
			saveV3WithRefresh(w)
			testkit.OK(t, change(w))
			p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
			if name == "ScopeRemoved" || name == "ConsentWithdrawn" {
				return // concerns the other application only
			}
			p, _ = b.Token("grant_type", "refresh_token", "refresh_token", lab.Member(t, plain, "refresh_token"), "redirect_uri", "")
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
			lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
		})
	}

	t.Run("ApplicationDisabled", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		tokens := b.StandardTokens()
		testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Disabled: true}))
		p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	})
}

// saveV3WithRefresh lets the older client refresh.
func saveV3WithRefresh(w *lab.Fixture) {
	w.T.Helper()
	err := w.Clients().Save(w.T.Context(), provider.Client{ID: "v3", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}})
	testkit.OK(w.T, err)
}

func TestRefreshedIDToken(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	_, first := b.Token(lab.Std("code", b.Allow(lab.Ask("nonce", "n-1")...).Get("code"))...)
	w.Advance(2 * time.Minute)
	_, second := b.Refresh(lab.Member(t, first, "refresh_token"))
	_, before := lab.JWT(t, lab.Member(t, first, "id_token"))
	_, after := lab.JWT(t, lab.Member(t, second, "id_token"))
	for _, name := range []string{"iss", "sub", "aud", "auth_time"} {
		if before[name] != after[name] || after[name] == nil {
			t.Errorf("%s was %v and is %v", name, before[name], after[name])
		}
	}
	if after["iat"].(float64) < before["iat"].(float64)+100 {
		t.Errorf("iat was %v and is %v", before["iat"], after["iat"])
	}
	if after["nonce"] != nil || after["c_hash"] != nil {
		t.Errorf("stale claims: %v", after)
	}
	if want := lab.HalfHash(lab.Member(t, second, "access_token")); after["at_hash"] != want {
		t.Errorf("at_hash %v, want %s", after["at_hash"], want)
	}
}
