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
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Let people sign in") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	p = b.submit(b.open("/developer/new"), "name", "Meadow", "contact", "hello@meadow.test")
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Register an application") || !strings.Contains(p.body, "Meadow") {
		t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
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
	if p := friend.submit(friend.open(link)); p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Welcome!") {
		t.Errorf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
}

func TestInvitationToAnAddressThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Mailer = &mailbox{fails: provider.ErrRecipientRefused} })
	b := w.as(owner)
	p := b.submit(b.open("/developer/o/river/members"), "email", "nobody@example.com", "role", "viewer", "action", "invite")
	if p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.body, "Email can’t be delivered to this address") || !strings.Contains(p.body, `value="nobody@example.com"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
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
		if err := w.store.DeleteOrganization(t.Context(), memberships[0].ID); err != nil {
			t.Fatal(err)
		}
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
