package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// stolen is an account that a thief, who knows the password and has read the mailbox for a
// moment, has moved to an address of his own.
type stolen struct {
	*fixture
	id, email string // of the owner
	thief     *browser
	at        string // where the thief has moved it
	link      string // that the owner was mailed
}

var returnLink = regexp.MustCompile(`http\S+/email/return\?\S+`)

// steal makes an account and moves it.
func (w *fixture) steal(t *testing.T, id string) *stolen {
	t.Helper()
	s := &stolen{fixture: w, id: id, email: id + "@example.com"}
	w.account(provider.Account{ID: id, Email: s.email, EmailVerified: true, Password: oldPassword})
	s.thief = w.newBrowser()
	s.thief.t = t
	s.thief.signIn(s.email, oldPassword)
	s.at = s.email
	s.link = s.move(t, id+"@evil.example")
	return s
}

// move has the thief move the account on, and returns the link in the mail to the address
// before.
func (s *stolen) move(t *testing.T, to string) string {
	t.Helper()
	p, mailed := s.thief.askToMove(to, oldPassword)
	s.thief.submit(p, "code", mailed[to], "old_code", mailed[s.at])
	mail, _ := s.mails.last(t)
	if s.emailOf(s.id) != to || mail.To != s.at || mail.Kind != ui.MailEmailReturn {
		t.Fatalf("moved to %s, and %s got %s", s.emailOf(s.id), mail.To, mail.Kind)
	}
	s.at = to
	return returnLink.FindString(mail.Text)
}

// takeBack opens a link in a new browser and posts its form with a password.
func (s *stolen) takeBack(t *testing.T, link, chosen string) (*browser, page) {
	t.Helper()
	b := s.newBrowser()
	b.t = t
	p := b.open(link)
	if p.StatusCode != http.StatusOK {
		return b, p
	}
	return b, b.submitOnce(p, "new_password", chosen)
}

// isOver reports unless a link is answered with a page that says so, and changes nothing.
func (s *stolen) isOver(t *testing.T, link, heading string) {
	t.Helper()
	email := s.emailOf(s.id)
	_, p := s.takeBack(t, link, "cobalt-heron-lattice-31")
	shown(t, p, http.StatusBadRequest)
	if said := saidOn(mainOf(t, p)); !strings.HasPrefix(said, heading) {
		t.Errorf("says %s", said)
	}
	if s.emailOf(s.id) != email {
		t.Error("the account has moved")
	}
}

// mayReturn lets tests on one fixture send as many mails as they like.
func mayReturn(c *provider.Config) {
	unlimited(c)
	c.Limits.Mail = provider.Limit{Burst: -1}
}

func TestEmailReturn(t *testing.T) {
	t.Parallel()
	const over, taken = "This link no longer works", "Another account uses this address"
	onBothDatabases(t, mayReturn, func(t *testing.T, w, elsewhere *fixture) {
		t.Run("GivesTheAccountBack", func(t *testing.T) {
			s := w.steal(t, "given")
			tokens := s.thief.standardTokens()
			reset := s.newBrowser()
			form := reset.submit(reset.open("/reset"), "email", s.at)
			_, code := w.mails.last(t)
			before := w.mails.count()
			b, p := s.takeBack(t, s.link, newPassword)
			if p.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s\n%s", p.Status, p.body)
			}
			p = b.follow(p)
			if said := saidOn(mainOf(t, p)); !strings.Contains(said, "You have your account back") || !strings.Contains(p.body, `value="given@example.com"`) {
				t.Errorf("the sign-in page says %s", said)
			}
			if s.emailOf(s.id) != s.email || !w.saw(provider.EventEmailReturned) {
				t.Errorf("the address is %s", s.emailOf(s.id))
			}
			w.advance(2 * time.Second)
			if s.thief.isSignedIn() || !s.thief.isDead(tokens) {
				t.Error("the thief has a session or a token")
			}
			shown(t, reset.submitOnce(form, "code", code, "new_password", "cobalt-heron-lattice-31"), http.StatusBadRequest)
			for _, email := range []string{s.email, s.at} {
				if p := s.newBrowser().attempt(email, oldPassword); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s still signs in: %s", email, p.Status)
				}
			}
			told := map[string]ui.MailKind{}
			for _, mail := range w.mails.since(before) {
				told[mail.To] = mail.Kind
			}
			if want := map[string]ui.MailKind{s.email: ui.MailEmailReturned, s.at: ui.MailEmailReturned}; fmt.Sprint(told) != fmt.Sprint(want) {
				t.Errorf("mails %v, want %v", told, want)
			}
			owner := s.newBrowser().signIn(s.email, newPassword)
			if said := saidOn(mainOf(t, owner.open("/account/history"))); !strings.Contains(said, "Email address changed back") {
				t.Errorf("the history says %s", said)
			}
			s.isOver(t, s.link, over)
		})
		t.Run("IsNothingThatLookingDoes", func(t *testing.T) {
			s := w.steal(t, "looked")
			for _, b := range []*browser{s.newBrowser(), s.thief} {
				p := b.get(s.link)
				shown(t, p, http.StatusOK)
				if said := saidOn(mainOf(t, p)); !strings.Contains(said, "looked@example.com is your address again") {
					t.Errorf("says %s", said)
				}
				b.ask(http.MethodHead, s.link)
			}
			if s.emailOf(s.id) != s.at || !s.thief.isSignedIn() {
				t.Error("something has changed")
			}
		})
		t.Run("HoldsPasswordsToTheRules", func(t *testing.T) {
			s := w.steal(t, "ruled")
			for range 8 { // which costs no attempt
				for _, chosen := range []string{"", "short", "password1234567", "ruled@example.com"} {
					_, p := s.takeBack(t, s.link, chosen)
					shown(t, p, http.StatusUnprocessableEntity)
				}
			}
			if s.emailOf(s.id) != s.at {
				t.Error("the account has moved")
			}
			if _, p := s.takeBack(t, s.link, newPassword); p.StatusCode != http.StatusSeeOther {
				t.Errorf("%s", p.Status)
			}
		})
		t.Run("OfTheFirstChangeWinsOverLaterOnes", func(t *testing.T) {
			s := w.steal(t, "twice")
			own := s.move(t, "twice@worse.example") // the thief has a link himself
			s.takeBack(t, s.link, newPassword)
			if s.emailOf(s.id) != s.email {
				t.Fatalf("the address is %s", s.emailOf(s.id))
			}
			s.isOver(t, own, over)
		})
		t.Run("OutlastsThatOfALaterChange", func(t *testing.T) {
			s := w.steal(t, "later")
			own := s.move(t, "later@worse.example")
			if _, p := s.takeBack(t, own, "cobalt-heron-lattice-31"); p.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s", p.Status)
			}
			s.takeBack(t, s.link, newPassword)
			if s.emailOf(s.id) != s.email {
				t.Errorf("the address is %s", s.emailOf(s.id))
			}
		})
		t.Run("IsOverAfterAWeek", func(t *testing.T) {
			s := w.steal(t, "week")
			w.advance(7*24*time.Hour - time.Minute)
			shown(t, s.newBrowser().get(s.link), http.StatusOK)
			w.advance(time.Minute)
			s.isOver(t, s.link, over)
		})
		t.Run("StealsNoAddress", func(t *testing.T) {
			s := w.steal(t, "freed")
			w.account(provider.Account{ID: "heir", Email: s.email, EmailVerified: true, Password: oldPassword})
			s.isOver(t, s.link, taken)
			if w.emailOf("heir") != s.email {
				t.Error("the address is another's no more")
			}
			w.account(provider.Account{ID: "heir", Email: "heir@example.com", EmailVerified: true})
			s.takeBack(t, s.link, newPassword)
			if s.emailOf(s.id) != s.email {
				t.Error("it is free, and not given back")
			}
		})
		t.Run("LeavesWhatTheHostHasDecided", func(t *testing.T) {
			s := w.steal(t, "locked")
			w.ok(w.SetAccountDisabled(t.Context(), s.id, true))
			s.isOver(t, s.link, over)
			w.ok(w.SetAccountDisabled(t.Context(), s.id, false))
			w.account(provider.Account{ID: s.id, Email: "locked@new.example", EmailVerified: true})
			s.isOver(t, s.link, over)
		})
		t.Run("BringsNoDeletedAccountBack", func(t *testing.T) {
			s := w.steal(t, "gone")
			w.ok(w.DeleteAccount(t.Context(), s.id))
			_, p := s.takeBack(t, s.link, newPassword)
			shown(t, p, http.StatusBadRequest)
			w.account(provider.Account{ID: s.id, Email: "someone@example.com", EmailVerified: true, Password: oldPassword})
			s.isOver(t, s.link, over)
		})
		t.Run("ShowsTheDeletionThatTheThiefHasAskedFor", func(t *testing.T) {
			s := w.steal(t, "doomed")
			s.thief.askToBeDeleted(oldPassword)
			b, p := s.takeBack(t, s.link, newPassword)
			b.follow(p)
			p = b.follow(b.attempt(s.email, newPassword))
			if p.Request.URL.Path != "/signin/deletion" {
				t.Fatalf("%s %s", p.Status, p.Request.URL.Path)
			}
			b.submit(p, "action", "keep")
			if !b.isSignedIn() {
				t.Error("the account is not kept")
			}
		})
		t.Run("IsNeededByNobodyForAnAddressThatNobodyHasProved", func(t *testing.T) {
			w.account(provider.Account{ID: "typo", Email: "typo@exmaple.com", Password: oldPassword})
			b := w.newBrowser().signIn("typo@exmaple.com", oldPassword)
			p, mailed := b.askToMove("typo@example.com", oldPassword)
			b.submit(p, "code", mailed["typo@example.com"])
			mail, _ := w.mails.last(t)
			if mail.To != "typo@exmaple.com" || mail.Kind != ui.MailEmailChanged || strings.Contains(mail.Text, "/email/return") {
				t.Errorf("%s got %s:\n%s", mail.To, mail.Kind, mail.Text)
			}
		})
		t.Run("CannotBeForged", func(t *testing.T) {
			s := w.steal(t, "forged")
			other := w.steal(t, "other")
			flow := s.newBrowser().submitOnce(s.newBrowser().open("/reset"), "email", s.at)
			_, reset, _ := strings.Cut(flow.Header.Get("Location"), "ticket=")
			base, ticket, _ := strings.Cut(s.link, "ticket=")
			for _, forged := range []string{
				"", "x", ticket[1:], ticket[:len(ticket)-2], strings.ToUpper(ticket), ticket + "A", reset,
				ticket[:len(ticket)/2] + other.link[len(base)+len("ticket=")+len(ticket)/2:],
			} {
				_, p := s.takeBack(t, base+"ticket="+forged, newPassword)
				shown(t, p, http.StatusBadRequest)
			}
			// The ticket of a way back is none of a reset.
			shown(t, s.newBrowser().get("/reset/finish?ticket="+ticket), http.StatusBadRequest)
			if s.emailOf(s.id) != s.at || w.emailOf(other.id) != other.at {
				t.Error("an account has moved")
			}
		})
		t.Run("IsPostedByItsPageAlone", func(t *testing.T) {
			s := w.steal(t, "posted")
			p := s.newBrowser().open(s.link)
			_, fields := p.form(t)
			fields.Set("new_password", newPassword)
			shown(t, s.newBrowser().post("/email/return", fields), http.StatusForbidden)
			fields.Del("csrf")
			shown(t, s.newBrowser().post("/email/return", fields), http.StatusForbidden)
			if s.emailOf(s.id) != s.at {
				t.Error("the account has moved")
			}
		})
		t.Run("HasOneWinner", func(t *testing.T) {
			for round := range *endRounds {
				s := w.steal(t, fmt.Sprint("raced", round))
				own := s.move(t, s.id+"@worse.example")
				links := []string{s.link, own}
				won := race(8, func(i int) bool {
					b := w.newBrowser()
					if i%2 == 1 {
						b.w = elsewhere
					}
					p := b.open(links[i/4])
					return p.StatusCode == http.StatusOK && b.submitOnce(p, "new_password", fmt.Sprint(newPassword, i)).StatusCode == http.StatusSeeOther
				})
				winners := [2]int{}
				for i, is := range won {
					if is {
						winners[i/4]++
					}
				}
				// The thief's may go first; the owner's goes in any case, once, and last.
				if winners[0] != 1 || winners[1] > 1 || s.emailOf(s.id) != s.email {
					t.Errorf("round %d: %v have won, and the address is %s", round, winners, s.emailOf(s.id))
				}
				for i, is := range won {
					wants := map[bool]int{true: http.StatusSeeOther, false: http.StatusUnauthorized}[is && i < 4]
					if p := w.newBrowser().attempt(s.email, fmt.Sprint(newPassword, i)); p.StatusCode != wants {
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
	var store *faultyStore
	w := newFixture(t, faulty(&store))
	s := w.steal(t, "alice")
	store.breakBefore(func(_ context.Context, method string) error {
		if method == "ReturnEmail" {
			return storage.ErrUnavailable
		}
		return nil
	})
	for range 5 {
		_, p := s.takeBack(t, s.link, newPassword)
		shown(t, p, http.StatusServiceUnavailable)
	}
	_, p := s.takeBack(t, s.link, newPassword)
	shown(t, p, http.StatusTooManyRequests)
	store.down(nil)
	other := w.steal(t, "bob") // whom that does not keep waiting
	other.takeBack(t, other.link, newPassword)
	w.advance(24 * time.Hour)
	b, p := s.takeBack(t, s.link, newPassword)
	if p.StatusCode != http.StatusSeeOther || w.emailOf("alice") != s.email || w.emailOf("bob") != other.email {
		t.Errorf("%s, and the addresses are %s and %s", p.Status, w.emailOf("alice"), w.emailOf("bob"))
	}
	if b.cookie(session.Session) != "" {
		t.Error("the link has signed somebody in")
	}
}
