package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const deletionGrace = 14 * 24 * time.Hour

// runsUntil has Run, which has gone on until now, work until something is so.
func runsUntil(w *lab.Fixture, so func() bool) {
	w.T.Helper()
	w.AgreeOnTime()
	ctx, cancel := context.WithCancel(w.T.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	lab.Eventually(w.T, so)
	cancel()
	if err := <-ended; err != nil {
		w.T.Error(err)
	}
}

// companion has data about everybody, and forgets when it may. It counts its part of the
// rounds of Run, which comes after the deletions.
type companion struct {
	host.Companion
	forgets atomic.Bool
	rounds  atomic.Int64
}

func (c *companion) Duties(context.Context, string) ([]ui.Duty, error) { return nil, nil }

func (c *companion) Forget(context.Context, string, string) error {
	if !c.forgets.Load() {
		return storage.ErrUnavailable
	}
	return nil
}

func (c *companion) RemoveEnded(context.Context, time.Time, int) (int, error) {
	c.rounds.Add(1)
	return 0, nil
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	t.Run("EndsWhatWasIssuedAtOnce", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b, elsewhere := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass), w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b, "client_id", "std"), "client_id", "std")
		code := w.Code(b)
		b.AskToBeDeleted(lab.AlicePass)
		if mail, _ := w.Mails.Last(t); mail.To != "alice@example.com" {
			t.Errorf("the mail went to %s", mail.To)
		}
		if b.IsSignedIn() || elsewhere.IsSignedIn() {
			t.Error("a session lives on")
		}
		if p := lab.Bearer(b, lab.AttributesPath, tokens); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token lives on: %s", p.Status)
		}
		if p, _ := b.Token("grant_type", "refresh_token", "client_id", "std", "refresh_token", lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a refresh token lives on: %s", p.Status)
		}
		if p, _ := b.Token("code", code); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a code lives on: %s", p.Status)
		}
	})
	t.Run("IssuesNothingDuringTheGrace", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Allow() // remembered
		b.AskToBeDeleted(lab.AlicePass)
		p := b.Submit(b.Open(lab.AuthorizeURL()), "email", "alice@example.com", "password", lab.AlicePass)
		if p.Request.URL.Path != "/signin/deletion" || b.Cookie(session.Session) != "" {
			t.Fatalf("signed in: %s %s", p.Status, p.Request.URL)
		}
		lab.Shown(t, b.SubmitOnce(p, "action", "go_on"), http.StatusOK)
		if p := b.Open(lab.AuthorizeURL()); p.Request.URL.Path != "/signin" {
			t.Errorf("the application went on to %s", p.Request.URL)
		}
		if p := w.NewBrowser(); p.Submit(p.Open("/reset"), "email", "alice@example.com").StatusCode != http.StatusOK {
			t.Error("a forgotten password cannot be chosen anew")
		}
	})
	t.Run("IsTakenBackAndTheApplicationGoesOn", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Allow()
		b.AskToBeDeleted(lab.AlicePass)
		p := b.Submit(b.Open(lab.AuthorizeURL()), "email", "alice@example.com", "password", lab.AlicePass)
		if answer := lab.Response(t, b.Submit(p, "action", "keep")); answer.Get("code") == "" || !w.Saw(event.DeletionWithdrawn) {
			t.Errorf("answered %v", answer)
		}
		w.Advance(2 * deletionGrace)
		runsUntil(w, func() bool { return w.Count("sessions") == 0 }) // swept after that
		if !w.Exists("alice") {
			t.Error("the account that was kept is gone")
		}
	})
	t.Run("DecisionIsNoSignInForALaterRequest", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.AskToBeDeleted(lab.AlicePass)
		p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		flow := lab.FlowOf(t, b.Get(lab.AuthorizeURL("prompt", "login")))
		action, fields := p.Form(t)
		fields.Set("flow", flow)
		fields.Set("action", "keep")
		lab.Shown(t, b.Post(action, fields), http.StatusBadRequest)
		if p := b.Open(resume(flow)); p.Request.URL.Path != "/signin" {
			t.Errorf("the application went on to %s", p.Request.URL)
		}
	})
	t.Run("DecisionIsOfOneBrowserOnceAndNotForLong", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.AskToBeDeleted(lab.AlicePass)
		p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		thief := w.NewBrowser()
		thief.Get("/signin")
		lab.Shown(t, thief.Get(p.Request.URL.RequestURI()), http.StatusBadRequest)
		again := b.Submit(p, "action", "keep")
		if again.Request.URL.Path != "/account" {
			t.Fatalf("kept: %s %s", again.Status, again.Request.URL)
		}
		b.AskToBeDeleted(lab.AlicePass)
		lab.Shown(t, b.SubmitOnce(p, "action", "keep"), http.StatusBadRequest) // of the first time
		late := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		w.Advance(16 * time.Minute)
		lab.Shown(t, b.SubmitOnce(late, "action", "keep"), http.StatusBadRequest)
	})
	t.Run("HappensAfterTheGraceAndIsToldOnce", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Allow()
		b.AskToBeDeleted(lab.AlicePass)
		w.Advance(deletionGrace - time.Hour)
		bob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		bob.AskToBeDeleted(lab.BobPass)
		before := w.Mails.Count()
		w.Advance(2 * time.Hour)
		runsUntil(w, func() bool { return w.Mails.Count() > before })
		if w.Exists("alice") || !w.Exists("bob") {
			t.Errorf("alice exists: %t, bob: %t", w.Exists("alice"), w.Exists("bob"))
		}
		if mail, _ := w.Mails.Last(t); mail.To != "alice@example.com" || w.Mails.Count() != before+1 {
			t.Errorf("%d mails, the last to %s", w.Mails.Count()-before, mail.To)
		}
		events, err := w.Events().List(t.Context(), provider.EventFilter{UserID: "alice"})
		if err != nil || len(events) > 0 || !w.Saw(event.AccountDeleted) {
			t.Errorf("%d events name who is gone: %v", len(events), err)
		}
	})
	t.Run("OfOthersIsNotDelayedByADamagedRow", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).AskToBeDeleted(lab.AlicePass)
		w.NewBrowser().SignIn("bob@example.com", lab.BobPass).AskToBeDeleted(lab.BobPass)
		a, err := w.Store.Account(t.Context(), "alice")
		w.OK(err)
		w.OK(w.Store.SetEmail(t.Context(), "alice", a.EmailKey, "damaged", a.EmailKey, true))
		all, err := w.Accounts().List(t.Context(), "", 10)
		if err != nil || len(all) < 2 || !all[0].Unreadable || all[1].Unreadable || all[1].Email != "bob@example.com" {
			t.Errorf("listed as %+v, %v", all, err)
		}
		before := w.Mails.Count()
		w.Advance(deletionGrace + time.Hour)
		runsUntil(w, func() bool {
			left, err := w.Accounts().List(t.Context(), "", 10)
			return err == nil && len(left) == len(all)-2 && w.Mails.Count() > before
		})
		if mail, _ := w.Mails.Last(t); mail.To != "bob@example.com" || w.Mails.Count() != before+1 {
			t.Errorf("%d mails, the last to %s", w.Mails.Count()-before, mail.To)
		}
	})
	t.Run("WaitsForACompanionThatCannotForget", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		beside := &companion{}
		w.Rooms().People.KeepWith(beside)
		w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).AskToBeDeleted(lab.AlicePass)
		w.Advance(deletionGrace + time.Hour)
		runsUntil(w, func() bool { return beside.rounds.Load() > 0 })
		next := provider.Account{ID: "alice", Email: "next@example.com"}
		if _, err := w.Accounts().Save(t.Context(), next); w.Exists("alice") || !errors.Is(err, storage.ErrUnavailable) {
			t.Fatalf("her data would pass to the next user with her ID: %v", err)
		}
		beside.forgets.Store(true)
		w.Advance(time.Minute)
		w.Until(func() bool {
			_, err := w.Accounts().Save(t.Context(), next)
			return err == nil
		})
	})
	t.Run("NeedsThePasswordInAnOpenBrowser", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		for _, password := range []string{"", "not-the-password"} {
			lab.Shown(t, b.SubmitOnce(b.Open("/account/delete"), "password", password), http.StatusUnprocessableEntity)
		}
		if !b.IsSignedIn() {
			t.Error("the session has ended")
		}
	})
	t.Run("IsNotForPersonasNorUsersOfTheHost", func(t *testing.T) {
		played := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
		b := played.NewBrowser()
		b.Get(lab.Hinted("veteran"))
		host := lab.New(t, (&lab.Directory{User: provider.SignedIn{UserID: "carol", AuthTime: time.Now().Add(-time.Minute)}}).Configure)
		for _, path := range []string{"/account/delete", "/account/export", "/account/email"} {
			lab.Shown(t, b.Get(path), http.StatusNotFound)
			lab.Shown(t, host.NewBrowser().Get(path), http.StatusNotFound)
		}
		for _, path := range []string{"/account/sessions", "/account/history", "/account/language", "/account/data"} {
			lab.Shown(t, b.Get(path), http.StatusNotFound) // a persona is everybody who plays it
		}
		if home := b.Open("/account"); strings.Contains(home.Text, "/account/sessions") || strings.Contains(home.Text, "/account/history") {
			t.Error("the account of a persona leads to what others have done")
		}
		for _, home := range []lab.Page{b.Open("/account"), host.NewBrowser().Open("/account")} {
			lab.Shown(t, home, http.StatusOK)
			if strings.Contains(home.Text, "/account/delete") || strings.Contains(home.Text, "/account/password") {
				t.Errorf("the account leads to what it does not have:\n%s", home.Text)
			}
		}
	})
}
