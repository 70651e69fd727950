package developer_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// The last owner of an organization wants to leave the service.
func TestAttackLastOwnerDeletesTheAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(owner)
	p := b.open("/account/delete")
	if !strings.Contains(p.body, "Org river") || !strings.Contains(p.body, "/developer/o/river/members") || strings.Contains(p.body, `name="password"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	csrf := b.csrfOf(owner)
	if p := b.post("/account/delete", map[string][]string{"csrf": {csrf}, "password": {everyPassword}}); p.StatusCode != http.StatusConflict {
		t.Errorf("deleted all the same: %s", p.Status)
	}
	if a, err := w.id.Accounts().Get(t.Context(), owner); err != nil || a.ID != owner {
		t.Fatalf("the account: %+v, %v", a, err)
	}
	p = b.submit(b.open("/account/export"), "password", everyPassword)
	if !strings.Contains(p.body, `"organizations"`) || !strings.Contains(p.body, `"Org river"`) {
		t.Errorf("the file has no memberships: %s\n%s", p.Status, p.body)
	}
	w.setRole(dev, storage.RoleOwner)
	if p := b.open("/account/delete"); !strings.Contains(p.body, `name="password"`) {
		t.Errorf("somebody follows, and there is no form: %s", p.Status)
	}
}

// Somebody gets the ID of a member whose account was deleted.
func TestAttackMembershipOfADeletedAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	b.submit(b.open("/developer/o/river/production/shop/settings"), "name", "Till", "action", "save")
	w.ok(w.id.Accounts().Delete(t.Context(), dev))
	if w.roleOf(dev) != "" {
		t.Error("the membership is left")
	}
	if c := w.changes(river)[0]; c.What != "application.change" || !strings.HasPrefix(c.UserID, "deleted-") {
		t.Errorf("the activity log has %+v", c)
	}
	_, err := w.id.Accounts().Save(t.Context(), provider.Account{ID: dev, Email: "another@example.com", EmailVerified: true, Password: everyPassword})
	w.ok(err)
	another := w.newBrowser()
	another.submit(another.open("/signin"), "email", "another@example.com", "password", everyPassword)
	says(t, another.get("/developer/o/river/members"), http.StatusNotFound)
}

// failing is a companion that cannot forget.
type failing struct{ host.Companion }

func (failing) Forget(context.Context, string, string) error { return storage.ErrUnavailable }

// What is kept beside cannot be ended now: the account is gone, and nobody gets its ID until it can.
func TestIDIsNobodysWhileMembershipsCannotEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.id.Rooms().People.KeepWith(failing{})
	if err := w.id.Accounts().Delete(t.Context(), dev); err != nil {
		t.Error(err)
	}
	if _, err := w.id.Accounts().Get(t.Context(), dev); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("the account: %v", err)
	}
	if _, err := w.id.Accounts().Save(t.Context(), provider.Account{ID: dev, Email: "next@example.com"}); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("the next with the ID: %v", err)
	}
}
