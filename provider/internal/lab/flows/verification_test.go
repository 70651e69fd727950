package flows

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/ui"
)

// TestAccountLeadsToVerifications tests LinkVerification: the page is there for who mounts it.
func TestAccountLeadsToVerifications(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.Bob()
	if p := b.Open("/account"); strings.Contains(p.Text, "/verification/") {
		t.Errorf("the account leads to what is not mounted:\n%s", p.Text)
	}
	w.Rooms().Pages.LinkVerification("/verification/", nil)
	if p := b.Open("/account"); !strings.Contains(p.Text, `href="/verification/"`) {
		t.Errorf("the account does not lead to verifications:\n%s", p.Text)
	}
	if p := b.Get("/account/groups"); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != "/verification/" {
		t.Errorf("two pages have the groups: %s to %q", p.Status, p.Header.Get("Location"))
	}
}

// TestStatusesAreThoseThatAreReleased tests People.Statuses and the words for them.
func TestStatusesAreThoseThatAreReleased(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.Record(provider.Status{Verified: true, Subgroups: []string{"Veteran"}, ExpiresAt: w.Now().Add(time.Hour)})
	read := func() provider.Status {
		t.Helper()
		all, err := w.People().Statuses(t.Context(), "bob", "student", "military")
		if err != nil || len(all) != 2 || all[0].Group != "student" || all[0].Verified {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[1]
	}
	if s := read(); !s.Verified || s.Subgroups[0] != "Veteran" {
		t.Errorf("got %+v", s)
	}
	w.Advance(2 * time.Hour)
	if s := read(); s.Verified {
		t.Errorf("an expired status is verified: %+v", s)
	}
	if _, err := w.People().Statuses(t.Context(), "nobody", "student"); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("of nobody: %v", err)
	}
	title, parts := w.Rooms().Pages.GroupWords(ui.MatchLocale("", ""), "military", "Veteran")
	if title.Text == "" || title.Text == "military" || len(parts) != 1 || parts[0].Text != "Veteran" {
		t.Errorf("the group is called %q, its subgroups %q", title, parts)
	}
}
