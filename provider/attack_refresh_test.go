package provider_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

func strict(c *provider.Config) { c.Lifetimes.RefreshGrace = -1 }

func TestRefreshRace(t *testing.T) {
	t.Parallel()
	t.Run("WithinTheGraceAllGetTokensOfOneGrant", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := text(t, b.standardTokens(), "refresh_token")
		pages := race(10, func(int) page { p, _ := b.refresh(first); return p })
		var last map[string]any
		for _, p := range pages {
			if p.StatusCode != http.StatusOK {
				t.Fatalf("answer: %s %s", p.Status, p.body)
			}
			_, last = b.json(p)
			works(t, b, text(t, last, "access_token"), true)
		}
		// One grant: ending it through any of them ends them all.
		b.post(revokePath, form("client_id", "std", "client_secret", clientSecret, "token", text(t, last, "refresh_token")))
		for _, p := range pages {
			_, tokens := b.json(p)
			works(t, b, text(t, tokens, "access_token"), false)
		}
	})

	t.Run("WithinTheGraceRepeatsAreBounded", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		other := w.twin()
		b, elsewhere := w.alice(), other.newBrowser()
		first := text(t, b.standardTokens(), "refresh_token")
		pages := race(60, func(i int) page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.refresh(first)
			return p
		})
		if counts := answers(t, b, pages); counts["200"] != 10 || counts["400 invalid_grant"] != 50 {
			t.Fatalf("answers: %v", counts)
		}
		// The first of the ten that is used goes on; the next to come ends them all.
		var usable []string
		for _, p := range pages {
			if p.StatusCode == http.StatusOK {
				_, tokens := b.json(p)
				usable = append(usable, text(t, tokens, "refresh_token"))
			}
		}
		p, next := b.refresh(usable[3])
		if p.StatusCode != http.StatusOK {
			t.Fatalf("the first to be used: %s %s", p.Status, p.body)
		}
		w.advance(time.Second)
		p, _ = b.refresh(usable[7])
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.refresh(text(t, next, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.saw(provider.EventReuse) {
			t.Error("no audit event")
		}
	})

	t.Run("WithoutGraceOneWinsAndTheGrantEnds", func(t *testing.T) {
		w := newFixture(t, strict).withClients().withUsers()
		other := w.twin(strict)
		b, elsewhere := w.alice(), other.newBrowser()
		bystander := b.standardTokens()
		first := text(t, b.standardTokens(), "refresh_token")
		pages := race(20, func(i int) page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.refresh(first)
			return p
		})
		if counts := answers(t, b, pages); counts["200"] != 1 || counts["400 invalid_grant"] != 19 {
			t.Fatalf("answers: %v", counts)
		}
		i := slices.IndexFunc(pages, func(p page) bool { return p.StatusCode == http.StatusOK })
		_, winner := b.json(pages[i])
		w.advance(time.Second) // the other process may have ended the grant
		works(t, b, text(t, winner, "access_token"), false)
		works(t, b, text(t, bystander, "access_token"), true)
	})
}

func TestRefreshToken(t *testing.T) {
	t.Parallel()
	t.Run("OfBeforeTheLastEndsTheGrantEvenWithinTheGrace", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := b.standardTokens()
		_, second := b.refresh(text(t, first, "refresh_token"))
		_, third := b.refresh(text(t, second, "refresh_token"))
		w.advance(time.Second)
		p, _ := b.refresh(text(t, first, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.refresh(text(t, third, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.saw(provider.EventReuse) {
			t.Error("no audit event")
		}
	})
	t.Run("OfALostAnswerIsAnsweredAgainWithinAMinute", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := b.standardTokens()
		b.refresh(text(t, first, "refresh_token")) // the answer is lost
		w.advance(59 * time.Second)
		p, second := b.refresh(text(t, first, "refresh_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.body)
		}
		w.advance(time.Hour)
		if p, _ := b.refresh(text(t, second, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its successor: %s %s", p.Status, p.body)
		}
	})
	t.Run("OfAForkIsFoundOutHoweverSlowlyBothGoOn", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := b.standardTokens()
		_, owner := b.refresh(text(t, first, "refresh_token"))
		_, thief := b.refresh(text(t, first, "refresh_token"))
		w.advance(6 * 24 * time.Hour)
		if p, _ := b.refresh(text(t, owner, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.body)
		}
		p, _ := b.refresh(text(t, thief, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		if !w.saw(provider.EventReuse) {
			t.Error("no audit event")
		}
	})
	t.Run("UsedBeforeTheClockWentBackIsNotWithinTheGrace", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := b.standardTokens()
		b.refresh(text(t, first, "refresh_token"))
		w.advance(-time.Hour)
		p, _ := b.refresh(text(t, first, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("UsedAgainAfterTheGraceEndsItsGrantAndNoOther", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		device := b.standardTokens()
		first := b.standardTokens()
		_, second := b.refresh(text(t, first, "refresh_token"))
		w.advance(61 * time.Second)
		p, _ := b.refresh(text(t, first, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = b.refresh(text(t, second, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		works(t, b, text(t, first, "access_token"), false)
		works(t, b, text(t, second, "access_token"), false)
		works(t, b, text(t, device, "access_token"), true)
		if !w.saw(provider.EventReuse) {
			t.Error("no audit event")
		}
	})

	t.Run("PresentedByAnotherApplicationHarmsNobody", func(t *testing.T) {
		w := newFixture(t, strict).withClients().withUsers()
		b := w.alice()
		first := b.standardTokens()
		_, second := b.refresh(text(t, first, "refresh_token"))
		for _, token := range []string{text(t, first, "refresh_token"), text(t, second, "refresh_token")} {
			p, _ := b.refresh(token, "client_id", "std2", "client_secret", clientSecret+"2")
			refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		works(t, b, text(t, second, "access_token"), true)
		if p, _ := b.refresh(text(t, second, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its owner: %s %s", p.Status, p.body)
		}
	})

	t.Run("CannotBeProlongedBeyondTheGrant", func(t *testing.T) {
		w := newFixture(t, func(c *provider.Config) {
			c.Lifetimes.RefreshToken, c.Lifetimes.Grant = 2*time.Hour, 6*time.Hour
		}).withClients().withUsers()
		b := w.alice()
		token := text(t, b.standardTokens(), "refresh_token")
		for begun := w.now(); ; {
			w.advance(50 * time.Minute)
			p, next := b.refresh(token)
			if p.StatusCode != http.StatusOK {
				refused(t, p, http.StatusBadRequest, "invalid_grant")
				if lived := w.now().Sub(begun); lived < 6*time.Hour {
					t.Errorf("ended after %v", lived)
				}
				return
			}
			lived := w.now().Sub(begun)
			if lived > 6*time.Hour+2*time.Minute {
				t.Fatalf("refreshed after %v", lived)
			}
			if left := next["refresh_expires_in"].(float64); left > (6*time.Hour + 2*time.Minute - lived).Seconds() {
				t.Errorf("after %v it promises %v s", lived, left)
			}
			token = text(t, next, "refresh_token")
		}
	})

	t.Run("OfTheOlderInterfaceCannotBeUsedUnlessRegistered", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		token := text(t, b.v3Tokens(), "refresh_token")
		p, _ := b.token("grant_type", "refresh_token", "refresh_token", token)
		refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
	})

	t.Run("IsNotIssuedToThoseWhoMayNotUseIt", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		if got := b.allow("response_type", "token"); got.Get("refresh_token") != "" || got.Get("access_token") == "" {
			t.Errorf("from the authorization endpoint: %v", got)
		}
		err := w.SaveClient(t.Context(), provider.Client{ID: "norefresh", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}})
		if err != nil {
			t.Fatal(err)
		}
		_, tokens := b.token("client_id", "norefresh", "code", b.allow(ask("client_id", "norefresh")...).Get("code"))
		if tokens["refresh_token"] != nil || tokens["access_token"] == nil {
			t.Errorf("without the grant: %v", tokens)
		}
	})

	t.Run("CannotWiden", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		first := text(t, b.standardTokens(), "refresh_token")
		p, _ := b.refresh(first, "scope", "openid military student")
		refused(t, p, http.StatusBadRequest, "invalid_scope")
		_, narrow := b.refresh(first, "scope", "openid")
		if narrow["scope"] != "openid" {
			t.Fatalf("narrowed: %v", narrow)
		}
		refused(t, b.bearer(attributesPath, text(t, narrow, "access_token")), http.StatusForbidden, "insufficient_scope")
	})
}

// What happened since the user consented decides whether refreshing goes on.
func TestRefreshAfterTheWorldHasChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *fixture) error{
		"UserDisabled": func(w *fixture) error { return w.SetAccountDisabled(w.t.Context(), "alice", true) },
		"UserDeleted":  func(w *fixture) error { return w.DeleteAccount(w.t.Context(), "alice") },
		"PasswordChanged": func(w *fixture) error {
			_, err := w.SaveAccount(w.t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", Password: "another-glacier-tulip-43"})
			return err
		},
		"ScopeRemoved": func(w *fixture) error {
			return w.SaveClient(w.t.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
				GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"student"}})
		},
		"ConsentWithdrawn": func(w *fixture) error { return w.store.RevokeConsent(w.t.Context(), "alice", "std", w.now()) },
		"EverythingBeforeRevoked": func(w *fixture) error {
			return w.RevokeIssuedBefore(w.t.Context(), w.now().Add(time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			b := w.alice()
			tokens := b.standardTokens()
			plain := b.v3Tokens() // without an ID token, which would ask for the user
			w.saveV3WithRefresh()
			if err := change(w); err != nil {
				t.Fatal(err)
			}
			p, _ := b.refresh(text(t, tokens, "refresh_token"))
			refused(t, p, http.StatusBadRequest, "invalid_grant")
			if name == "ScopeRemoved" || name == "ConsentWithdrawn" {
				return // concerns the other application only
			}
			p, _ = b.token("grant_type", "refresh_token", "refresh_token", text(t, plain, "refresh_token"), "redirect_uri", "")
			refused(t, p, http.StatusBadRequest, "invalid_grant")
			works(t, b, text(t, tokens, "access_token"), false)
		})
	}

	t.Run("ApplicationDisabled", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		tokens := b.standardTokens()
		err := w.SaveClient(t.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, Disabled: true})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := b.refresh(text(t, tokens, "refresh_token"))
		refused(t, p, http.StatusUnauthorized, "invalid_client")
		works(t, b, text(t, tokens, "access_token"), false)
	})
}

// saveV3WithRefresh lets the older client refresh.
func (w *fixture) saveV3WithRefresh() {
	w.t.Helper()
	err := w.SaveClient(w.t.Context(), provider.Client{ID: "v3", RedirectURIs: []string{callbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestRefreshedIDToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	_, first := b.token(std("code", b.allow(ask("nonce", "n-1")...).Get("code"))...)
	w.advance(2 * time.Minute)
	_, second := b.refresh(text(t, first, "refresh_token"))
	_, before := jwt(t, text(t, first, "id_token"))
	_, after := jwt(t, text(t, second, "id_token"))
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
	if want := halfHash(text(t, second, "access_token")); after["at_hash"] != want {
		t.Errorf("at_hash %v, want %s", after["at_hash"], want)
	}
}
