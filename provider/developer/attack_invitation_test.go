package developer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// roleOf returns the role that a user has in river, or "".
func (w *fixture) roleOf(user string) storage.Role {
	m, _ := storage.One(w.store.Members(w.t.Context(), river, user))
	return m.Role
}

func (w *fixture) setRole(user string, role storage.Role) {
	w.t.Helper()
	w.ok(w.store.SetRole(w.t.Context(), river, user, role))
}

// An owner who is about to be thrown out leaves invitations behind.
func TestAttackInvitationOfAFormerOwner(t *testing.T) {
	t.Parallel()
	for what, change := range map[string][]string{
		"Removed": {"user", dev, "action", "remove"}, "Demoted": {"user", dev, "role", "developer", "action", "role"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.setRole(dev, storage.RoleOwner)
			thrownOut := w.as(dev)
			links := []string{w.invite(thrownOut, dev, "owner"), w.invite(thrownOut, "", "developer"), w.invite(thrownOut, nobody, "owner")}
			friend := w.as(nobody)
			opened := friend.open(links[2])
			b := w.as(owner)
			b.submit(b.open("/developer/o/river/members"), change...)
			for _, link := range links {
				says(t, thrownOut.open(link), http.StatusNotFound)
			}
			if p := friend.submit(opened); p.StatusCode != http.StatusNotFound || w.roleOf(nobody) != "" {
				t.Errorf("the accomplice: %s, now %q", p.Status, w.roleOf(nobody))
			}
		})
	}
}

// Who was thrown out has kept a link that another owner has made for anybody.
func TestAttackReturnByALinkOfBefore(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	by := w.as(owner)
	link := w.invite(by, "", "developer")
	thrownOut := w.as(dev)
	opened := thrownOut.open(link)
	by.submit(by.open("/developer/o/river/members"), "user", dev, "action", "remove")
	if p := thrownOut.submit(opened); p.StatusCode != http.StatusNotFound || w.roleOf(dev) != "" {
		t.Errorf("%s, now %q", p.Status, w.roleOf(dev))
	}
	friend := w.as(nobody)
	if friend.submit(friend.open(link)); w.roleOf(nobody) != storage.RoleDeveloper {
		t.Error("the link is of no use to those whom it was made for")
	}
}

// Somebody else opens the link that was mailed to one person.
func TestAttackInvitationOfAnother(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	link := w.invite(w.as(owner), nobody, "owner")
	for _, user := range []string{hillOwner, dev} {
		b := w.as(user)
		p := b.open(link)
		if p.StatusCode != http.StatusForbidden || strings.Contains(p.body, "Org river") || strings.Contains(p.body, "nobody@") {
			t.Errorf("%s reads %s\n%s", user, p.Status, p.body)
		}
		before := w.roleOf(user)
		_, fields := b.open("/developer/new").form(t)
		if p := b.post(link, map[string][]string{"csrf": {fields.Get("csrf")}}); p.StatusCode != http.StatusForbidden || w.roleOf(user) != before {
			t.Errorf("%s joins: %s, now %q", user, p.Status, w.roleOf(user))
		}
	}
	b := w.as(nobody)
	if b.submit(b.open(link)); w.roleOf(nobody) != storage.RoleOwner {
		t.Errorf("who was invited is %q", w.roleOf(nobody))
	}
	who := w.changes(river)[0]
	invited := w.changes(river)[1]
	if who.UserID != nobody || who.What != "member.join" || invited.What != "member.invite" || !cmp.Equal(who.Fields, invited.Fields) {
		t.Errorf("the activity log has %+v\n%+v", who, invited)
	}
	if log := fmt.Sprint(w.changes(river)); strings.Contains(log, "nobody@") {
		t.Error("the activity log has the address in clear")
	}
}

// An owner makes a link by which anybody becomes an owner.
func TestAttackLinkForAnOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(owner)
	p := b.submit(b.open("/developer/o/river/members"), "email", "", "role", "owner", "action", "invite")
	if p.StatusCode != http.StatusUnprocessableEntity || strings.Contains(p.body, "/developer/join/") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	if p := b.submit(b.open("/developer/o/river/members"), "email", "", "role", "viewer", "action", "invite"); !strings.Contains(p.body, "Anyone who opens it and signs in") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	if p := b.open("/developer/o/river/members"); !strings.Contains(p.body, "Anyone with the link") || !strings.Contains(p.body, "invited by") {
		t.Error("the list does not say for whom the link is, and who has made it")
	}
}

// Somebody fills the inbox of a stranger with invitations, and withdraws each.
func TestAttackMailBomb(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails })
	b := w.as(owner)
	var last page
	for range 8 {
		last = b.submit(b.open("/developer/o/river/members"), "email", "Victim@Bank.example", "role", "viewer", "action", "invite")
		if p := b.open("/developer/o/river/members"); strings.Contains(p.body, `value="withdraw"`) {
			b.submit(p, "action", "withdraw")
		}
	}
	if got := len(mails.all()); got != 3 || last.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%d mails to one stranger, then %s", got, last.Status)
	}
	for i := range 40 {
		last = b.submit(b.open("/developer/o/river/members"), "email", fmt.Sprintf("v%d@bank.example", i), "role", "viewer", "action", "invite")
	}
	if got := len(mails.all()); got > 20 || last.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%d mails of one sender, then %s", got, last.Status)
	}
}

// An account whose address is not verified has no power over others.
func TestAttackUnverifiedAddress(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	by := w.as(owner)
	link := w.invite(by, nobody, "owner")
	for _, user := range []string{nobody, dev} {
		_, err := w.id.Accounts().Save(t.Context(), provider.Account{ID: user, Email: user + "@example.com", EmailVerified: false})
		w.ok(err)
	}
	b, d := w.as(nobody), w.as(dev)
	says(t, b.submit(b.open("/developer/new"), "name", "Mine"), http.StatusForbidden, "email address first")
	says(t, b.open(link), http.StatusForbidden)
	says(t, d.register(storage.Production), http.StatusForbidden)
	says(t, d.register(storage.Sandbox), http.StatusOK)
	app, _ := w.registered(river, storage.Sandbox)
	says(t, d.submit(d.open("/developer/o/river/sandbox/"+app.ClientID), "action", "copy"), http.StatusForbidden)
	if p := by.submit(by.open("/developer/o/river/members"), "user", dev, "role", "owner", "action", "role"); p.StatusCode != http.StatusUnprocessableEntity || w.roleOf(dev) == storage.RoleOwner {
		t.Errorf("becomes an owner: %s", p.Status)
	}
}

// A member does what decides who gets the data of people, and the other owners hear of it.
func TestOwnersAreWarned(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails })
	w.withApplication(river, storage.Sandbox, "shop")
	w.setRole(viewer, storage.RoleOwner)
	told := func(what, kind string, to ...string) {
		t.Helper()
		var got []string
		for _, m := range mails.all() {
			if string(m.Kind) == kind {
				got = append(got, m.To)
				if m.HTML == "" || !strings.Contains(m.Text, w.server.URL+"/developer/o/river/") || strings.Contains(m.Text+m.Subject, "App shop") {
					t.Errorf("%s: %s\n%s", what, m.Subject, m.Text)
				}
			}
		}
		if !cmp.Equal(got, to) {
			t.Errorf("%s: told %q, want %q", what, got, to)
		}
		mails.mu.Lock()
		defer mails.mu.Unlock()
		mails.sent = nil
	}
	both := []string{"owner@example.com", "viewer@example.com"}
	b := w.as(dev)
	b.submit(b.open(shopPath), "action", "reveal")
	told("a secret shown", "secret_shown", both...)
	b.submit(b.open(shopPath+"/secrets"), "overlap", "hour", "action", "rotate")
	told("a secret made", "secret_shown", both...)
	b.submit(b.open(shopPath+"/settings"), "redirect_uris", "https://app.test/other", "action", "save")
	told("an address", "addresses_changed", both...)
	b.submit(b.open(shopPath+"/settings"), "policy_uri", "https://app.test/policy", "action", "save")
	told("a link", "addresses_changed")
	o := w.as(owner)
	o.submit(o.open("/developer/o/river/members"), "user", dev, "role", "owner", "action", "role")
	told("a new owner", "owner_added", "dev@example.com", "owner@example.com", "viewer@example.com")
	for range 9 {
		b.submit(b.open(shopPath), "action", "reveal")
	}
	if got := len(mails.all()); got > 15 {
		t.Errorf("%d mails about one member", got)
	}
}
