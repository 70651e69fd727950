package developer_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

func TestAnOrganizationIsMadeAndHasAnOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(nobody)
	p := b.open("/developer/")
	says(t, p, http.StatusOK, "Let people sign in")
	p = b.submit(b.open("/developer/new"), "name", "Meadow", "contact", "hello@meadow.test")
	says(t, p, http.StatusOK, "Register an application", "Meadow")
}

func TestAnInvitationIsMailedWhereThereIsAMailer(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails })
	b := w.as(owner)
	p := b.submit(b.open("/developer/o/river/members"), "email", "Nobody@EXAMPLE.com", "role", "viewer", "action", "invite")
	if !strings.Contains(p.body, "Invitation sent.") || strings.Contains(p.body, "/developer/join/") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	sent := mails.all()
	if len(sent) != 1 || sent[0].To != "Nobody@EXAMPLE.com" {
		t.Fatalf("sent %+v", sent)
	}
	_, rest, _ := strings.Cut(sent[0].Text, w.server.URL)
	link, _, _ := strings.Cut(rest, "\n")
	friend := w.as(nobody)
	says(t, friend.submit(friend.open(link)), http.StatusOK, "Welcome!")
}

func TestInvitationToAnAddressThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Mailer = &mailbox{fails: provider.ErrRecipientRefused} })
	b := w.as(owner)
	p := b.submit(b.open("/developer/o/river/members"), "email", "nobody@example.com", "role", "viewer", "action", "invite")
	says(t, p, http.StatusUnprocessableEntity, "Email can’t be delivered to this address", `value="nobody@example.com"`)
	if waiting, err := w.store.Invitations(t.Context(), storage.TokenFilter{OrganizationID: "river", Now: w.now()}); err != nil || len(waiting) > 0 {
		t.Errorf("%d invitations that nobody has, %v", len(waiting), err)
	}
}

// Who creates, leaves to others and creates again has as many as everybody in a day.
func TestOrganizationsOfADayHaveALimit(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Quotas.OrganizationsPerDay = 3 })
	b := w.as(nobody)
	for i := range 3 {
		p := b.submit(b.open("/developer/new"), "name", "Mine")
		if p.StatusCode != http.StatusOK {
			t.Fatalf("the organization %d: %s", i, p.Status)
		}
		memberships, err := w.store.Memberships(t.Context(), nobody)
		if err != nil || len(memberships) != 1 {
			t.Fatalf("%d memberships, %v", len(memberships), err)
		}
		w.ok(w.store.DeleteOrganization(t.Context(), memberships[0].ID))
	}
	if p := b.submit(b.open("/developer/new"), "name", "Mine"); p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %s", p.Status)
	}
	w.advance(8 * time.Hour)
	b = w.as(nobody)
	if p := b.submit(b.open("/developer/new"), "name", "Mine"); p.StatusCode != http.StatusOK {
		t.Errorf("a third of a day later: %s", p.Status)
	}
}
