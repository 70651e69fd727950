package pages

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// stolen is an account that a thief, who knows the password and has read the mailbox for a
// moment, has moved to an address of his own.
type stolen struct {
	*lab.Fixture
	id, email string // of the owner
	thief     *lab.Browser
	at        string // where the thief has moved it
	link      string // that the owner was mailed
}

// steal makes an account and moves it.
func steal(w *lab.Fixture, t *testing.T, id string) *stolen {
	t.Helper()
	s := &stolen{Fixture: w, id: id, email: id + "@example.com"}
	w.AddAccount(provider.Account{ID: id, Email: s.email, EmailVerified: true, Password: lab.OldPassword})
	s.thief = w.NewBrowser()
	s.thief.T = t
	s.thief.SignIn(s.email, lab.OldPassword)
	s.at = s.email
	s.link = s.move(t, id+"@evil.example")
	return s
}

// move has the thief move the account on, and returns the link in the mail to the address
// before.
func (s *stolen) move(t *testing.T, to string) string {
	t.Helper()
	p, mailed := s.thief.AskToMove(to, lab.OldPassword)
	s.thief.Submit(p, "code", mailed[to], "old_code", mailed[s.at])
	mail, _ := s.Mails.Last(t)
	if s.EmailOf(s.id) != to || mail.To != s.at || mail.Kind != ui.MailEmailReturn {
		t.Fatalf("moved to %s, and %s got %s", s.EmailOf(s.id), mail.To, mail.Kind)
	}
	s.at = to
	return lab.ReturnLink.FindString(mail.Text)
}

// takeBack opens a link in a new browser and posts its form with a password.
func (s *stolen) takeBack(t *testing.T, link, chosen string) (*lab.Browser, lab.Page) {
	t.Helper()
	b := s.NewBrowser()
	b.T = t
	p := b.Open(link)
	if p.StatusCode != http.StatusOK {
		return b, p
	}
	return b, b.SubmitOnce(p, "new_password", chosen)
}

// isOver reports unless a link is answered with a page that says so, and changes nothing.
func (s *stolen) isOver(t *testing.T, link, heading string) {
	t.Helper()
	email := s.EmailOf(s.id)
	_, p := s.takeBack(t, link, "cobalt-heron-lattice-31")
	lab.Shown(t, p, http.StatusBadRequest)
	if said := testkit.Text(lab.MainOf(t, p)); !strings.HasPrefix(said, heading) {
		t.Errorf("says %s", said)
	}
	if s.EmailOf(s.id) != email {
		t.Error("the account has moved")
	}
}

// mayReturn lets tests on one fixture send as many mails as they like.
func mayReturn(c *provider.Config) {
	lab.Unlimited(c)
	c.Limits.Mail = provider.Limit{Burst: -1}
}

func TestEmailReturn(t *testing.T) {
	t.Parallel()
	const over, taken = "This link no longer works", "Another account uses this address"
	onBothDatabases(t, mayReturn, func(t *testing.T, w, elsewhere *lab.Fixture) {
		t.Run("GivesTheAccountBack", func(t *testing.T) {
			s := steal(w, t, "given")
			tokens := s.thief.StandardTokens()
			reset := s.NewBrowser()
			form := reset.Submit(reset.Open("/reset"), "email", s.at)
			_, code := w.Mails.Last(t)
			before := w.Mails.Count()
			b, p := s.takeBack(t, s.link, lab.NewPassword)
			if p.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s\n%s", p.Status, p.Text)
			}
			p = b.Follow(p)
			if said := testkit.Text(lab.MainOf(t, p)); !strings.Contains(said, "You have your account back") || !strings.Contains(p.Text, `value="given@example.com"`) {
				t.Errorf("the sign-in page says %s", said)
			}
			if s.EmailOf(s.id) != s.email || !w.Saw(event.EmailReturned) {
				t.Errorf("the address is %s", s.EmailOf(s.id))
			}
			w.Advance(2 * time.Second)
			if s.thief.IsSignedIn() || !isDead(s.thief, tokens) {
				t.Error("the thief has a session or a token")
			}
			lab.Shown(t, reset.SubmitOnce(form, "code", code, "new_password", "cobalt-heron-lattice-31"), http.StatusBadRequest)
			for _, email := range []string{s.email, s.at} {
				if p := s.NewBrowser().Attempt(email, lab.OldPassword); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s still signs in: %s", email, p.Status)
				}
			}
			told := map[string]ui.MailKind{}
			for _, mail := range w.Mails.Since(before) {
				told[mail.To] = mail.Kind
			}
			if want := map[string]ui.MailKind{s.email: ui.MailEmailReturned, s.at: ui.MailEmailReturned}; fmt.Sprint(told) != fmt.Sprint(want) {
				t.Errorf("mails %v, want %v", told, want)
			}
			owner := s.NewBrowser().SignIn(s.email, lab.NewPassword)
			if said := testkit.Text(lab.MainOf(t, owner.Open("/account/history"))); !strings.Contains(said, "Email address changed back") {
				t.Errorf("the history says %s", said)
			}
			s.isOver(t, s.link, over)
		})
		t.Run("IsNothingThatLookingDoes", func(t *testing.T) {
			s := steal(w, t, "looked")
			for _, b := range []*lab.Browser{s.NewBrowser(), s.thief} {
				p := b.Get(s.link)
				lab.Shown(t, p, http.StatusOK)
				if said := testkit.Text(lab.MainOf(t, p)); !strings.Contains(said, "looked@example.com is your address again") {
					t.Errorf("says %s", said)
				}
				b.Ask(http.MethodHead, s.link)
			}
			if s.EmailOf(s.id) != s.at || !s.thief.IsSignedIn() {
				t.Error("something has changed")
			}
		})
		t.Run("HoldsPasswordsToTheRules", func(t *testing.T) {
			s := steal(w, t, "ruled")
			for range 8 { // which costs no attempt
				for _, chosen := range []string{"", "short", "password1234567", "ruled@example.com"} {
					_, p := s.takeBack(t, s.link, chosen)
					lab.Shown(t, p, http.StatusUnprocessableEntity)
				}
			}
			if s.EmailOf(s.id) != s.at {
				t.Error("the account has moved")
			}
			if _, p := s.takeBack(t, s.link, lab.NewPassword); p.StatusCode != http.StatusSeeOther {
				t.Errorf("%s", p.Status)
			}
		})
		t.Run("OfTheFirstChangeWinsOverLaterOnes", func(t *testing.T) {
			s := steal(w, t, "twice")
			own := s.move(t, "twice@worse.example") // the thief has a link himself
			s.takeBack(t, s.link, lab.NewPassword)
			if s.EmailOf(s.id) != s.email {
				t.Fatalf("the address is %s", s.EmailOf(s.id))
			}
			s.isOver(t, own, over)
		})
		t.Run("OutlastsThatOfALaterChange", func(t *testing.T) {
			s := steal(w, t, "later")
			own := s.move(t, "later@worse.example")
			if _, p := s.takeBack(t, own, "cobalt-heron-lattice-31"); p.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s", p.Status)
			}
			s.takeBack(t, s.link, lab.NewPassword)
			if s.EmailOf(s.id) != s.email {
				t.Errorf("the address is %s", s.EmailOf(s.id))
			}
		})
		t.Run("IsOverAfterAWeek", func(t *testing.T) {
			s := steal(w, t, "week")
			w.Advance(7*24*time.Hour - time.Minute)
			lab.Shown(t, s.NewBrowser().Get(s.link), http.StatusOK)
			w.Advance(time.Minute)
			s.isOver(t, s.link, over)
		})
		t.Run("StealsNoAddress", func(t *testing.T) {
			s := steal(w, t, "freed")
			w.AddAccount(provider.Account{ID: "heir", Email: s.email, EmailVerified: true, Password: lab.OldPassword})
			s.isOver(t, s.link, taken)
			if w.EmailOf("heir") != s.email {
				t.Error("the address is another's no more")
			}
			w.AddAccount(provider.Account{ID: "heir", Email: "heir@example.com", EmailVerified: true})
			s.takeBack(t, s.link, lab.NewPassword)
			if s.EmailOf(s.id) != s.email {
				t.Error("it is free, and not given back")
			}
		})
		t.Run("LeavesWhatTheHostHasDecided", func(t *testing.T) {
			s := steal(w, t, "locked")
			w.OK(w.Accounts().SetDisabled(t.Context(), s.id, true))
			s.isOver(t, s.link, over)
			w.OK(w.Accounts().SetDisabled(t.Context(), s.id, false))
			w.AddAccount(provider.Account{ID: s.id, Email: "locked@new.example", EmailVerified: true})
			s.isOver(t, s.link, over)
		})
		t.Run("BringsNoDeletedAccountBack", func(t *testing.T) {
			s := steal(w, t, "gone")
			w.OK(w.Accounts().Delete(t.Context(), s.id))
			_, p := s.takeBack(t, s.link, lab.NewPassword)
			lab.Shown(t, p, http.StatusBadRequest)
			w.AddAccount(provider.Account{ID: s.id, Email: "someone@example.com", EmailVerified: true, Password: lab.OldPassword})
			s.isOver(t, s.link, over)
		})
		t.Run("ShowsTheDeletionThatTheThiefHasAskedFor", func(t *testing.T) {
			s := steal(w, t, "doomed")
			s.thief.AskToBeDeleted(lab.OldPassword)
			b, p := s.takeBack(t, s.link, lab.NewPassword)
			b.Follow(p)
			p = b.Follow(b.Attempt(s.email, lab.NewPassword))
			if p.Request.URL.Path != "/signin/deletion" {
				t.Fatalf("%s %s", p.Status, p.Request.URL.Path)
			}
			b.Submit(p, "action", "keep")
			if !b.IsSignedIn() {
				t.Error("the account is not kept")
			}
		})
		t.Run("IsNeededByNobodyForAnAddressThatNobodyHasProved", func(t *testing.T) {
			w.AddAccount(provider.Account{ID: "typo", Email: "typo@exmaple.com", Password: lab.OldPassword})
			b := w.NewBrowser().SignIn("typo@exmaple.com", lab.OldPassword)
			p, mailed := b.AskToMove("typo@example.com", lab.OldPassword)
			b.Submit(p, "code", mailed["typo@example.com"])
			mail, _ := w.Mails.Last(t)
			if mail.To != "typo@exmaple.com" || mail.Kind != ui.MailEmailChanged || strings.Contains(mail.Text, "/email/return") {
				t.Errorf("%s got %s:\n%s", mail.To, mail.Kind, mail.Text)
			}
		})
		t.Run("CannotBeForged", func(t *testing.T) {
			s := steal(w, t, "forged")
			other := steal(w, t, "other")
			flow := s.NewBrowser().SubmitOnce(s.NewBrowser().Open("/reset"), "email", s.at)
			_, reset, _ := strings.Cut(flow.Header.Get("Location"), "ticket=")
			base, ticket, _ := strings.Cut(s.link, "ticket=")
			for _, forged := range []string{
				"", "x", ticket[1:], ticket[:len(ticket)-2], strings.ToUpper(ticket), ticket + "A", reset,
				ticket[:len(ticket)/2] + other.link[len(base)+len("ticket=")+len(ticket)/2:],
			} {
				_, p := s.takeBack(t, base+"ticket="+forged, lab.NewPassword)
				lab.Shown(t, p, http.StatusBadRequest)
			}
			// The ticket of a way back is none of a reset.
			lab.Shown(t, s.NewBrowser().Get("/reset/finish?ticket="+ticket), http.StatusBadRequest)
			if s.EmailOf(s.id) != s.at || w.EmailOf(other.id) != other.at {
				t.Error("an account has moved")
			}
		})
		t.Run("IsPostedByItsPageAlone", func(t *testing.T) {
			s := steal(w, t, "posted")
			p := s.NewBrowser().Open(s.link)
			_, fields := p.Form(t)
			fields.Set("new_password", lab.NewPassword)
			lab.Shown(t, s.NewBrowser().Post("/email/return", fields), http.StatusForbidden)
			fields.Del("csrf")
			lab.Shown(t, s.NewBrowser().Post("/email/return", fields), http.StatusForbidden)
			if s.EmailOf(s.id) != s.at {
				t.Error("the account has moved")
			}
		})
		t.Run("HasOneWinner", func(t *testing.T) {
			for round := range *endRounds {
				s := steal(w, t, fmt.Sprint("raced", round))
				own := s.move(t, s.id+"@worse.example")
				links := []string{s.link, own}
				won := lab.Race(8, func(i int) bool {
					b := w.NewBrowser()
					if i%2 == 1 {
						b.Fixture = elsewhere
					}
					p := b.Open(links[i/4])
					return p.StatusCode == http.StatusOK && b.SubmitOnce(p, "new_password", fmt.Sprint(lab.NewPassword, i)).StatusCode == http.StatusSeeOther
				})
				winners := [2]int{}
				for i, is := range won {
					if is {
						winners[i/4]++
					}
				}
				// The thief's may go first; the owner's goes in any case, once, and last.
				if winners[0] != 1 || winners[1] > 1 || s.EmailOf(s.id) != s.email {
					t.Errorf("round %d: %v have won, and the address is %s", round, winners, s.EmailOf(s.id))
				}
				for i, is := range won {
					wants := map[bool]int{true: http.StatusSeeOther, false: http.StatusUnauthorized}[is && i < 4]
					if p := w.NewBrowser().Attempt(s.email, fmt.Sprint(lab.NewPassword, i)); p.StatusCode != wants {
						t.Errorf("round %d: the password of %d, who won: %v, is answered %s", round, i, is, p.Status)
					}
				}
			}
		})
	})
}

// Each attempt that gets as far as a hash counts, as do those to enter a code; a database
// that fails is told as what it is, and the link stays.
func TestEmailReturnIsLimited(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store))
	s := steal(w, t, "alice")
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "ReturnEmail" {
			return storage.ErrUnavailable
		}
		return nil
	})
	for range 5 {
		_, p := s.takeBack(t, s.link, lab.NewPassword)
		lab.Shown(t, p, http.StatusServiceUnavailable)
	}
	_, p := s.takeBack(t, s.link, lab.NewPassword)
	lab.Shown(t, p, http.StatusTooManyRequests)
	store.Down(nil)
	other := steal(w, t, "bob") // whom that does not keep waiting
	other.takeBack(t, other.link, lab.NewPassword)
	w.Advance(24 * time.Hour)
	b, p := s.takeBack(t, s.link, lab.NewPassword)
	if p.StatusCode != http.StatusSeeOther || w.EmailOf("alice") != s.email || w.EmailOf("bob") != other.email {
		t.Errorf("%s, and the addresses are %s and %s", p.Status, w.EmailOf("alice"), w.EmailOf("bob"))
	}
	if b.Cookie(session.Session) != "" {
		t.Error("the link has signed somebody in")
	}
}
