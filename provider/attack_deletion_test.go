package provider_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

const deletionGrace = 14 * 24 * time.Hour

// askToBeDeleted has the account of a browser be deleted.
func (b *browser) askToBeDeleted(password string) {
	b.t.Helper()
	p := b.submitOnce(b.open("/account/delete"), "password", password)
	if p.StatusCode != http.StatusOK || !b.w.saw(provider.EventDeletionRequested) {
		b.t.Fatalf("deletion: %s\n%s", p.Status, p.body)
	}
}

// runsUntil has Run, which has gone on until now, work until something is so.
func (w *fixture) runsUntil(so func() bool) {
	w.t.Helper()
	w.agreeOnTime()
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	eventually(w.t, so)
	cancel()
	if err := <-ended; err != nil {
		w.t.Error(err)
	}
}

func (w *fixture) exists(id string) bool {
	_, err := w.Account(w.t.Context(), id)
	return err == nil
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	t.Run("EndsWhatWasIssuedAtOnce", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b, elsewhere := w.newBrowser().signIn("alice@example.com", alicePass), w.newBrowser().signIn("alice@example.com", alicePass)
		_, tokens := b.token("code", w.code(b, "client_id", "std"), "client_id", "std")
		code := w.code(b)
		b.askToBeDeleted(alicePass)
		if mail, _ := w.mails.last(t); mail.To != "alice@example.com" {
			t.Errorf("the mail went to %s", mail.To)
		}
		if b.isSignedIn() || elsewhere.isSignedIn() {
			t.Error("a session lives on")
		}
		if p := bearer(b, attributesPath, tokens); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token lives on: %s", p.Status)
		}
		if p, _ := b.token("grant_type", "refresh_token", "client_id", "std", "refresh_token", text(t, tokens, "refresh_token")); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a refresh token lives on: %s", p.Status)
		}
		if p, _ := b.token("code", code); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a code lives on: %s", p.Status)
		}
	})
	t.Run("IssuesNothingDuringTheGrace", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.allow() // remembered
		b.askToBeDeleted(alicePass)
		p := b.submit(b.open(authorizeURL()), "email", "alice@example.com", "password", alicePass)
		if p.Request.URL.Path != "/signin/deletion" || b.cookie(session.Session) != "" {
			t.Fatalf("signed in: %s %s", p.Status, p.Request.URL)
		}
		shown(t, b.submitOnce(p, "action", "go_on"), http.StatusOK)
		if p := b.open(authorizeURL()); p.Request.URL.Path != "/signin" {
			t.Errorf("the application went on to %s", p.Request.URL)
		}
		if p := w.newBrowser(); p.submit(p.open("/reset"), "email", "alice@example.com").StatusCode != http.StatusOK {
			t.Error("a forgotten password cannot be chosen anew")
		}
	})
	t.Run("IsTakenBackAndTheApplicationGoesOn", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.allow()
		b.askToBeDeleted(alicePass)
		p := b.submit(b.open(authorizeURL()), "email", "alice@example.com", "password", alicePass)
		if answer := response(t, b.submit(p, "action", "keep")); answer.Get("code") == "" || !w.saw(provider.EventDeletionWithdrawn) {
			t.Errorf("answered %v", answer)
		}
		w.advance(2 * deletionGrace)
		w.runsUntil(func() bool { return w.count("sessions") == 0 }) // swept after that
		if !w.exists("alice") {
			t.Error("the account that was kept is gone")
		}
	})
	t.Run("DecisionIsNoSignInForALaterRequest", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.askToBeDeleted(alicePass)
		p := b.submit(b.open("/signin"), "email", "alice@example.com", "password", alicePass)
		flow := flowOf(t, b.get(authorizeURL("prompt", "login")))
		action, fields := p.form(t)
		fields.Set("flow", flow)
		fields.Set("action", "keep")
		shown(t, b.post(action, fields), http.StatusBadRequest)
		if p := b.open(resume(flow)); p.Request.URL.Path != "/signin" {
			t.Errorf("the application went on to %s", p.Request.URL)
		}
	})
	t.Run("DecisionIsOfOneBrowserOnceAndNotForLong", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.askToBeDeleted(alicePass)
		p := b.submit(b.open("/signin"), "email", "alice@example.com", "password", alicePass)
		thief := w.newBrowser()
		thief.get("/signin")
		shown(t, thief.get(p.Request.URL.RequestURI()), http.StatusBadRequest)
		again := b.submit(p, "action", "keep")
		if again.Request.URL.Path != "/account" {
			t.Fatalf("kept: %s %s", again.Status, again.Request.URL)
		}
		b.askToBeDeleted(alicePass)
		shown(t, b.submitOnce(p, "action", "keep"), http.StatusBadRequest) // of the first time
		late := b.submit(b.open("/signin"), "email", "alice@example.com", "password", alicePass)
		w.advance(16 * time.Minute)
		shown(t, b.submitOnce(late, "action", "keep"), http.StatusBadRequest)
	})
	t.Run("HappensAfterTheGraceAndIsToldOnce", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.allow()
		b.askToBeDeleted(alicePass)
		w.advance(deletionGrace - time.Hour)
		bob := w.newBrowser().signIn("bob@example.com", bobPass)
		bob.askToBeDeleted(bobPass)
		before := w.mails.count()
		w.advance(2 * time.Hour)
		w.runsUntil(func() bool { return w.mails.count() > before })
		if w.exists("alice") || !w.exists("bob") {
			t.Errorf("alice exists: %t, bob: %t", w.exists("alice"), w.exists("bob"))
		}
		if mail, _ := w.mails.last(t); mail.To != "alice@example.com" || w.mails.count() != before+1 {
			t.Errorf("%d mails, the last to %s", w.mails.count()-before, mail.To)
		}
		events, err := w.Events(t.Context(), provider.EventFilter{UserID: "alice"})
		if err != nil || len(events) > 0 || !w.saw(provider.EventAccountDeleted) {
			t.Errorf("%d events name who is gone: %v", len(events), err)
		}
	})
	t.Run("NeedsThePasswordInAnOpenBrowser", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		for _, password := range []string{"", "not-the-password"} {
			shown(t, b.submitOnce(b.open("/account/delete"), "password", password), http.StatusUnprocessableEntity)
		}
		if !b.isSignedIn() {
			t.Error("the session has ended")
		}
	})
	t.Run("IsNotForPersonasNorUsersOfTheHost", func(t *testing.T) {
		played := newFixture(t, cast(oneRealm)).withClients()
		b := played.newBrowser()
		b.get(hinted("veteran"))
		host := newFixture(t, (&directory{user: provider.SignedIn{UserID: "carol", AuthTime: time.Now().Add(-time.Minute)}}).configure)
		for _, path := range []string{"/account/delete", "/account/export", "/account/email"} {
			shown(t, b.get(path), http.StatusNotFound)
			shown(t, host.newBrowser().get(path), http.StatusNotFound)
		}
		for _, path := range []string{"/account/sessions", "/account/history", "/account/language", "/account/data"} {
			shown(t, b.get(path), http.StatusNotFound) // a persona is everybody who plays it
		}
		if home := b.open("/account"); strings.Contains(home.body, "/account/sessions") || strings.Contains(home.body, "/account/history") {
			t.Error("the account of a persona leads to what others have done")
		}
		for _, home := range []page{b.open("/account"), host.newBrowser().open("/account")} {
			shown(t, home, http.StatusOK)
			if strings.Contains(home.body, "/account/delete") || strings.Contains(home.body, "/account/password") {
				t.Errorf("the account leads to what it does not have:\n%s", home.body)
			}
		}
	})
}
