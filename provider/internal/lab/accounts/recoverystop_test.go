package accounts

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/ui"
)

func TestRecoveryIsStopped(t *testing.T) {
	t.Parallel()
	begun := func(t *testing.T) (w *lab.Fixture, app *lab.App, codes []string, link string) {
		w, app, codes = withApp(t)
		b := w.NewBrowser()
		b.Submit(to(b, prove(b), "/recover/wait"))
		mail, _ := w.Mails.Last(t)
		_, rest, ok := strings.Cut(mail.Text, w.Server.URL+"/recover/stop?")
		link, _, _ = strings.Cut(rest, "\n")
		if has(w).Recovery == nil || !ok {
			t.Fatalf("no recovery, or no link:\n%s", mail.Text)
		}
		return w, app, codes, "/recover/stop?" + link
	}
	isOver := func(t *testing.T, w *lab.Fixture, by string) {
		t.Helper()
		if has(w).Recovery != nil {
			t.Error("it is running")
		}
		if got := events(w, event.RecoveryStopped); len(got) != 1 || got[0] != by {
			t.Errorf("events %q", got)
		}
		if mail, _ := w.Mails.Last(t); mail.Kind != ui.MailRecoveryStopped {
			t.Errorf("the last mail is %s", mail.Kind)
		}
		w.Advance(wholeWait + time.Hour)
		if p := prove(w.NewBrowser()); p.Request.URL.Path != "/recover/ways" {
			t.Errorf("it can be finished: %s", p.Request.URL.Path)
		}
	}
	t.Run("ByTheLinkOfTheMail", func(t *testing.T) {
		w, _, _, link := begun(t)
		owner := w.NewBrowser()
		p := owner.Open(link)
		if !strings.Contains(p.Text, "Stop the recovery?") || has(w).Recovery == nil {
			t.Fatalf("opening the link does something:\n%s", p.Text)
		}
		if p := owner.Submit(p); !strings.Contains(p.Text, "The recovery is stopped") {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
		if p := owner.Open(link); !strings.Contains(p.Text, "There is nothing to stop") {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
		isOver(t, w, "by the link of a mail")
		t.Run("AndNotTheNextOne", func(t *testing.T) {
			b := w.NewBrowser()
			b.Submit(to(b, prove(b), "/recover/wait"))
			if p := owner.Submit(p); !strings.Contains(p.Text, "There is nothing to stop") || has(w).Recovery == nil {
				t.Errorf("%s\n%s", p.Status, p.Text)
			}
		})
		lab.Shown(t, owner.Get(link[:len(link)-3]), http.StatusBadRequest)
	})
	t.Run("OnThePageOfTheWait", func(t *testing.T) {
		w, _, _, _ := begun(t)
		b := w.NewBrowser()
		at(t, b.Submit(prove(b), "action", "stop"), "/recover")
		isOver(t, w, "by a reader of the mailbox")
	})
	t.Run("ByASignInWithTheApp", func(t *testing.T) {
		w, app, _, _ := begun(t)
		b := w.NewBrowser()
		p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		b.Submit(p, "code", app.Code())
		if !b.IsSignedIn() {
			t.Fatal("the app does not sign in")
		}
		isOver(t, w, "by a sign-in")
	})
	for name, end := range map[string]func(w *lab.Fixture){
		"ByANewPasswordOfTheHost": func(w *lab.Fixture) {
			w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.NewPassword})
		},
		"ByANewAddressOfTheHost": func(w *lab.Fixture) {
			w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.org", EmailVerified: true})
			w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true})
		},
		"ByALock": func(w *lab.Fixture) {
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true))
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", false))
		},
		"ByTheEndOfWhatWasIssued": func(w *lab.Fixture) { w.OK(w.People().Revoke(w.T.Context(), "alice")) },
	} {
		t.Run(name, func(t *testing.T) {
			w, _, _, _ := begun(t)
			end(w)
			w.Advance(wholeWait)
			if p := prove(w.NewBrowser()); p.Request.URL.Path != "/recover/ways" || has(w).Recovery != nil {
				t.Errorf("it goes on: %s", p.Request.URL.Path)
			}
		})
	}
	t.Run("ByItsEnd", func(t *testing.T) {
		w, _, _, _ := begun(t)
		w.Advance(wholeWait + 7*24*time.Hour)
		b := w.NewBrowser()
		if p := prove(b); p.Request.URL.Path != "/recover/ways" || has(w).Recovery != nil {
			t.Errorf("it goes on: %s", p.Request.URL.Path)
		}
	})
}

func TestHostHelpsAnOwner(t *testing.T) {
	t.Parallel()
	t.Run("ByEndingTheWait", func(t *testing.T) {
		w, _, _ := withApp(t)
		if err := w.Accounts().ApproveRecovery(t.Context(), "alice"); err != provider.ErrNoRecovery {
			t.Fatalf("without one: %v", err)
		}
		b := w.NewBrowser()
		p := b.Submit(to(b, prove(b), "/recover/wait"))
		w.OK(w.Accounts().ApproveRecovery(t.Context(), "alice"))
		if mail, _ := w.Mails.Last(t); mail.Kind != ui.MailRecoveryApproved || !strings.Contains(mail.Text, "/recover/stop?") {
			t.Errorf("the last mail is %s:\n%s", mail.Kind, mail.Text)
		}
		if run := has(w).Recovery; run == nil || run.ApprovedAt.IsZero() {
			t.Errorf("the recovery is %+v", run)
		}
		p = at(t, b.Open(p.Request.URL.String()), "/recover/finish")
		at(t, b.Submit(p, "new_password", lab.NewPassword), "/signin")
		if got := events(w, event.Recovered); len(got) != 1 || got[0] != "approved by the host" || len(events(w, event.RecoveryApproved)) != 1 {
			t.Errorf("events %q", got)
		}
		if err := w.Accounts().ApproveRecovery(t.Context(), "alice"); err != provider.ErrNoRecovery {
			t.Errorf("twice: %v", err)
		}
	})
	t.Run("ByRemovingWhatIsLost", func(t *testing.T) {
		w, _, _ := withApp(t)
		w.OK(w.Accounts().ResetAuthenticators(t.Context(), "alice"))
		if set := has(w); !set.AppSince.IsZero() || set.RecoveryCodes > 0 || set.SecondStep {
			t.Errorf("what is left is %+v", set)
		}
		if mail, _ := w.Mails.Last(t); mail.Kind != ui.MailAuthenticatorsReset || len(events(w, event.AuthenticatorsReset)) != 1 {
			t.Errorf("the last mail is %s", mail.Kind)
		}
		if !signsIn(w, lab.AlicePass) {
			t.Error("the password does not sign in")
		}
		b := w.NewBrowser()
		p := at(t, prove(b), "/recover/finish")
		at(t, b.Submit(p, "new_password", lab.NewPassword), "/signin")
	})
	t.Run("WhoHasAnAccount", func(t *testing.T) {
		w := lab.New(t)
		for name, err := range map[string]error{
			"approve": w.Accounts().ApproveRecovery(t.Context(), "nobody"), "reset": w.Accounts().ResetAuthenticators(t.Context(), "nobody"),
		} {
			if err != provider.ErrNoUser {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := w.Accounts().Authenticators(t.Context(), "nobody"); err != provider.ErrNoUser {
			t.Errorf("authenticators: %v", err)
		}
	})
}

// leadsToSignIn reports whether a page leads to the sign-in page, as it does after a new password.
func leadsToSignIn(p lab.Page) bool { return strings.HasPrefix(p.Header.Get("Location"), "/signin?") }

// Of requests that race, one wins, and what it leaves is whole.
func TestRecoveryRaces(t *testing.T) {
	t.Parallel()
	t.Run("TwoFinishes", func(t *testing.T) {
		w, _, codes := withApp(t)
		b := w.NewBrowser()
		p := to(b, prove(b), "/recover/codes")
		action, form := at(t, b.Submit(p, "code", codes[0]), "/recover/finish").Form(t)
		form.Set("new_password", lab.NewPassword)
		won := 0
		for _, p := range lab.Race(8, func(int) lab.Page { return b.Post(action, form) }) {
			if leadsToSignIn(p) {
				won++
			}
		}
		if won != 1 || len(events(w, event.Recovered)) != 1 {
			t.Errorf("%d won", won)
		}
	})
	t.Run("FinishAgainstStop", func(t *testing.T) {
		w, _, _ := withApp(t)
		b := w.NewBrowser()
		b.Submit(to(b, prove(b), "/recover/wait"))
		w.Advance(wholeWait)
		b = w.NewBrowser()
		action, form := prove(b).Form(t)
		form.Set("new_password", lab.NewPassword)
		stopped := false
		pages := lab.Race(2, func(i int) lab.Page {
			if i == 0 {
				return b.Post(action, form)
			}
			var err error
			stopped, err = w.Store.CancelRecovery(t.Context(), "alice")
			w.OK(err)
			return lab.Page{}
		})
		if finished := leadsToSignIn(pages[0]); finished == stopped || finished != has(w).AppSince.IsZero() {
			t.Errorf("stopped %v, and %s", stopped, pages[0].Status)
		}
	})
	t.Run("FinishAgainstSignIn", func(t *testing.T) {
		w, app, _ := withApp(t)
		b := w.NewBrowser()
		b.Submit(to(b, prove(b), "/recover/wait"))
		w.Advance(wholeWait)
		b = w.NewBrowser()
		action, form := prove(b).Form(t)
		form.Set("new_password", lab.NewPassword)
		owner := w.NewBrowser()
		p := owner.Submit(owner.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		enter, code := p.Form(t)
		code.Set("code", app.Code())
		pages := lab.Race(2, func(i int) lab.Page {
			if i == 0 {
				return b.Post(action, form)
			}
			return owner.Post(enter, code)
		})
		finished := leadsToSignIn(pages[0])
		if finished == !has(w).AppSince.IsZero() || finished == owner.IsSignedIn() {
			t.Errorf("finished %v, signed in %v, what is left %+v", finished, owner.IsSignedIn(), has(w))
		}
	})
}
