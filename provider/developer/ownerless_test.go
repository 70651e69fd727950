package developer_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const ownerlessPath = "/developer/review/organization/river"

// newOwnerlessFixture returns a dashboard where the last owner of river is gone.
func newOwnerlessFixture(t *testing.T, change ...func(*developer.Config)) *fixture {
	t.Helper()
	w := newFixture(t, append([]func(*developer.Config){reviewed}, change...)...)
	w.withApplication(river, storage.Production, "shop")
	w.ok(w.id.Accounts().Delete(t.Context(), owner))
	return w
}

// appoints has an operator invite an owner of river, and returns the link.
func (w *fixture) appoints(b *browser, email string) string {
	w.t.Helper()
	p := b.submitForm(ownerlessPath, "email", email, "action", "invite")
	_, rest, ok := strings.Cut(p.body, w.server.URL+"/developer/join/")
	if !ok {
		w.t.Fatalf("no link: %s\n%s", p.Status, p.body)
	}
	token, _, _ := strings.Cut(rest, "<")
	return "/developer/join/" + token
}

func TestOrganizationWithoutOwner(t *testing.T) {
	t.Parallel()
	t.Run("IsListedForOperators", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		p := w.as(operator).open("/developer/review")
		says(t, p, http.StatusOK, "Organizations without an owner", "Org river", "Members: 2 · Applications: 1", `href="`+ownerlessPath+`"`)
		if strings.Contains(p.body, "Org lake") {
			t.Error("lists an organization with an owner")
		}
		says(t, w.as(operator).open(ownerlessPath), http.StatusOK, "dev@example.com", "viewer@example.com", "App shop")
	})
	t.Run("TellsItsMembers", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		says(t, w.as(dev).open("/developer/o/river/members"), http.StatusOK, "This organization no longer has an owner.", "can see this and appoint one.")
		if p := w.as(lakeOwner).open("/developer/o/lake/members"); strings.Contains(p.body, "has no owner") {
			t.Error("another one has an owner, and its members read that it has none")
		}
	})
	t.Run("GetsTheOneWhomAnOperatorAppoints", func(t *testing.T) {
		t.Parallel()
		for _, user := range []string{nobody, dev} {
			w := newOwnerlessFixture(t)
			o := w.as(operator)
			link := w.appoints(o, user+"@example.com")
			if p := w.as(viewer).open(link); p.StatusCode != http.StatusForbidden || strings.Contains(p.body, "Org river") {
				t.Errorf("another opens the link: %s", p.Status)
			}
			b := w.as(user)
			b.submit(b.open(link))
			if w.roleOf(user) != storage.RoleOwner {
				t.Fatalf("%s is %q", user, w.roleOf(user))
			}
			if p := o.open(ownerlessPath); strings.Contains(p.body, "Appoint an owner") || strings.Contains(p.body, "viewer@example.com") {
				t.Errorf("an operator decides about the members of an organization with an owner:\n%s", p.body)
			}
			if p := o.open("/developer/review"); strings.Contains(p.body, "Organizations without an owner") {
				t.Error("it is still listed")
			}
			if c := w.changes(river); c[1].What != "member.invite" || c[1].UserID != operator || c[0].What != "member.join" {
				t.Errorf("the activity log has %+v", c[:2])
			}
		}
	})
	t.Run("HasOneOwnerOfTwoThatWereInvited", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		o := w.as(operator)
		links := map[string]string{dev: w.appoints(o, "dev@example.com"), nobody: w.appoints(o, "nobody@example.com")}
		b, late := w.as(dev), w.as(nobody)
		opened := late.open(links[nobody])
		b.submit(b.open(links[dev]))
		if p := late.submit(opened); p.StatusCode != http.StatusNotFound || w.roleOf(nobody) != "" {
			t.Errorf("%s, now %q", p.Status, w.roleOf(nobody))
		}
	})
	t.Run("MailsTheInvitationWithinTheBounds", func(t *testing.T) {
		t.Parallel()
		mails := &mailbox{}
		w := newOwnerlessFixture(t, func(c *developer.Config) { c.Mailer = mails })
		o := w.as(operator)
		for range 3 {
			says(t, o.submitForm(ownerlessPath, "email", "nobody@example.com", "action", "invite"), http.StatusOK)
		}
		p := o.submitForm(ownerlessPath, "email", "nobody@example.com", "action", "invite")
		if p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || len(mails.all()) != 3 {
			t.Errorf("%d mails, then %s", len(mails.all()), p.Status)
		}
		for _, m := range mails.all() {
			if m.Kind != ui.MailInvitation || m.To != "nobody@example.com" {
				t.Errorf("%s to %s", m.Kind, m.To)
			}
		}
	})
	t.Run("ForgetsAnInvitationThatIsWithdrawn", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		o := w.as(operator)
		link := w.appoints(o, "nobody@example.com")
		says(t, o.submitForm(ownerlessPath, "action", "withdraw"), http.StatusOK)
		says(t, w.as(nobody).open(link), http.StatusNotFound)
	})
	t.Run("RejectsTheInvitationOfAFormerOperator", func(t *testing.T) {
		t.Parallel()
		var former atomic.Bool
		w := newOwnerlessFixture(t, func(c *developer.Config) {
			c.Operator = func(_ context.Context, userID string) (bool, error) { return userID == operator && !former.Load(), nil }
		})
		link, b := w.appoints(w.as(operator), "nobody@example.com"), w.as(nobody)
		opened := b.open(link)
		former.Store(true)
		if p := b.submit(opened); p.StatusCode != http.StatusNotFound || w.roleOf(nobody) != "" {
			t.Errorf("%s, now %q", p.Status, w.roleOf(nobody))
		}
	})
	t.Run("RejectsAnOldSignIn", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		o := w.as(operator)
		page := o.open(ownerlessPath)
		w.advance(10 * time.Minute)
		p := o.submit(page, "email", "nobody@example.com", "action", "invite")
		says(t, p, http.StatusForbidden, `href="?confirm=yes"`, "nobody@example.com")
		if waiting, err := w.store.Invitations(t.Context(), storage.TokenFilter{OrganizationID: river, Now: w.now()}); err != nil || len(waiting) > 0 {
			t.Errorf("%d invitations, %v", len(waiting), err)
		}
	})
	t.Run("RejectsWhatIsNoAddress", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		for _, email := range []string{"", "nobody"} {
			if p := w.as(operator).submitForm(ownerlessPath, "email", email, "action", "invite"); p.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%q: %s", email, p.Status)
			}
		}
	})
	t.Run("IsNotOneThatHasAnOwner", func(t *testing.T) {
		t.Parallel()
		w := newOwnerlessFixture(t)
		o := w.as(operator)
		csrf := o.csrfOf(operator)
		form := everything("invite")
		form.Set("csrf", csrf)
		unchanged := w.unchanged()
		for _, id := range []string{lake, "deleted", "none"} {
			address := "/developer/review/organization/" + id
			if got := o.get(address); id != lake && got.StatusCode != http.StatusNotFound {
				t.Errorf("opens %s: %s", address, got.Status)
			}
			says(t, o.post(address, form), http.StatusNotFound)
		}
		unchanged("what owners answer for")
	})
}
