package developer_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// Every name that somebody can choose is markup.
func TestAttackStoredMarkup(t *testing.T) {
	t.Parallel()
	const markup = `"><svg onload=alert(1)>`
	w := newFixture(t)
	b := w.as(owner)
	b.submit(b.open("/developer/o/river/settings"), "name", markup, "action", "save")
	b.register(storage.Sandbox, "name", markup, "redirect_uris", callbackURI+"?x=%22%3E")
	app, _ := w.registered(river, storage.Sandbox)
	here := "/developer/o/river/sandbox/" + app.ClientID
	b.submit(b.open("/developer/o/river/members"), "email", "a@example.com", "role", "viewer", "action", "invite")
	b.submit(b.open(here+"/settings"), "name", markup+"2", "policy_uri", "https://app.test/%22%3E%3Csvg", "action", "save")
	for _, p := range w.Pages() {
		address := strings.Replace(addressOf(p), "/shop", "/"+app.ClientID, 1)
		got := b.open(address)
		if strings.Contains(got.body, "<svg onload") || strings.Contains(got.body, `"><svg`) && !strings.Contains(got.body, `class="icon`) {
			t.Errorf("%s has markup of somebody", address)
		}
	}
	// What is refused is shown again.
	p := b.submit(b.open(here+"/settings"), "name", markup, "redirect_uris", "</textarea>"+markup, "origins", markup, "action", "save")
	if p.StatusCode != http.StatusUnprocessableEntity || strings.Contains(p.body, "<svg onload") || strings.Contains(p.body, "</textarea>\"") {
		t.Errorf("%s: what was entered is markup", p.Status)
	}
	p = b.get("/developer/o/river/sandbox/check?field=redirect_uris&value=%3Cscript%3Ealert(1)%3C/script%3E")
	if !strings.HasPrefix(p.Header.Get("Content-Type"), "text/plain") || p.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the check is sent as %q, %q", p.Header.Get("Content-Type"), p.Header.Get("X-Content-Type-Options"))
	}
}

// Somebody makes as much as there is room for.
func TestAttackQuotas(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) {
		c.Quotas = developer.Quotas{Organizations: 2, Applications: 2, Invitations: 2}
	})
	b := w.as(owner)
	last := func(make func(i int) page) int {
		for i := range 2 {
			make(i)
		}
		return make(2).StatusCode
	}
	if got := last(func(i int) page { return b.submit(b.open("/developer/new"), "name", fmt.Sprint("More ", i)) }); got != http.StatusTooManyRequests {
		t.Errorf("organizations: %d", got)
	}
	if got := last(func(int) page { return b.register(storage.Sandbox) }); got != http.StatusTooManyRequests {
		t.Errorf("applications: %d", got)
	}
	if list, err := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: river}); err != nil || len(list) != 2 {
		t.Errorf("%d applications, %v", len(list), err)
	}
	clients, err := w.sandbox.Clients().List(t.Context(), "", 10)
	if err != nil || len(clients) != 2 {
		t.Errorf("%d clients, %v", len(clients), err)
	}
	if got := last(func(i int) page {
		return b.submit(b.open("/developer/o/river/members"), "email", fmt.Sprintf("a%d@example.com", i), "role", "viewer", "action", "invite")
	}); got != http.StatusTooManyRequests {
		t.Errorf("invitations: %d", got)
	}
	w.withApplication(river, storage.Production, "a").withApplication(river, storage.Production, "b")
	app, _ := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: river, Environment: storage.Sandbox})
	if p := b.submit(b.open("/developer/o/river/sandbox/"+app[0].ClientID), "action", "copy"); p.StatusCode != http.StatusTooManyRequests {
		t.Errorf("copies: %s", p.Status)
	}
}

// invite makes an invitation as an owner, for a user or, with "", for anybody, and returns
// its link.
func (w *fixture) invite(b *browser, user, role string) string {
	w.t.Helper()
	email := ""
	if user != "" {
		email = user + "@example.com"
	}
	p := b.submit(b.open("/developer/o/river/members"), "email", email, "role", role, "action", "invite")
	_, rest, ok := strings.Cut(p.body, w.server.URL+"/developer/join/")
	token, _, _ := strings.Cut(rest, "<")
	if !ok {
		w.t.Fatalf("no link: %s\n%s", p.Status, p.body)
	}
	return "/developer/join/" + token
}

// An invitation is opened by more people than one, or long afterwards, or after it was
// withdrawn.
func TestAttackInvitations(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	by := w.as(owner)
	role := func(user string) storage.Role {
		m, _ := storage.One(w.store.Members(t.Context(), river, user))
		return m.Role
	}
	t.Run("TwoBrowsersAtOnce", func(t *testing.T) {
		link := w.invite(by, "", "developer")
		var accepts []func()
		for _, user := range []string{nobody, lakeOwner, hillOwner, operator} {
			b := w.as(user)
			p := b.open(link)
			if role(user) != "" {
				t.Errorf("%s is a member by looking", user)
			}
			action, fields := p.form(t)
			accepts = append(accepts, func() { b.post(action, fields) })
		}
		var joined sync.WaitGroup
		for _, accept := range accepts {
			joined.Go(accept)
		}
		joined.Wait()
		members, err := w.store.Members(t.Context(), river)
		if err != nil || len(members) != 4 {
			t.Errorf("%d members, %v", len(members), err)
		}
		if p := w.as(nobody).open(link); p.StatusCode != http.StatusNotFound {
			t.Errorf("opened again: %s", p.Status)
		}
	})
	t.Run("WhoIsAMemberKeepsTheRole", func(t *testing.T) {
		b := w.as(viewer)
		b.submit(b.open(w.invite(by, viewer, "owner")))
		if got := role(viewer); got != storage.RoleViewer {
			t.Errorf("a viewer has become %s", got)
		}
	})
	t.Run("Withdrawn", func(t *testing.T) {
		link := w.invite(by, hillOwner, "owner")
		b := w.as(hillOwner)
		p := b.open(link)
		by.submit(by.open("/developer/o/river/members"), "action", "withdraw")
		before := role(hillOwner)
		if p := b.submit(p); p.StatusCode != http.StatusNotFound || role(hillOwner) != before {
			t.Errorf("%s, now %s", p.Status, role(hillOwner))
		}
	})
	t.Run("Expired", func(t *testing.T) {
		link := w.invite(by, hillOwner, "owner")
		b := w.as(hillOwner)
		p := b.open(link)
		w.advance(7*24*time.Hour + time.Minute)
		before := role(hillOwner)
		if p := b.submit(p); p.StatusCode != http.StatusNotFound && !strings.HasPrefix(p.Request.URL.Path, "/signin") || role(hillOwner) != before {
			t.Errorf("%s, now %s", p.Status, role(hillOwner))
		}
	})
}

// The owners of an organization leave it, both at once.
func TestAttackLastOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first := w.as(owner)
	for what, pairs := range map[string][]string{"leaves": {"user", owner, "action", "remove"}, "becomes a viewer": {"user", owner, "role", "viewer", "action", "role"}} {
		if p := first.submit(first.open("/developer/o/river/members"), pairs...); p.StatusCode != http.StatusConflict {
			t.Errorf("the last owner %s: %s", what, p.Status)
		}
	}
	w.ok(w.store.SetRole(t.Context(), river, dev, storage.RoleOwner))
	var left sync.WaitGroup
	for _, user := range []string{owner, dev} {
		b := w.as(user)
		action, fields := b.open("/developer/o/river/members").form(t, "user", user, "action", "remove")
		left.Go(func() { b.post(action, fields) })
	}
	left.Wait()
	members, err := w.store.Members(t.Context(), river)
	w.ok(err)
	owners := 0
	for _, m := range members {
		if m.Role == storage.RoleOwner {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("%d owners are left", owners)
	}
}

// A developer decides about members.
func TestAttackDeveloperAmongOwners(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	csrf := b.csrfOf(dev)
	unchanged := w.unchanged()
	for _, pairs := range [][]string{
		{"action", "role", "user", dev, "role", "owner"}, {"action", "remove", "user", owner}, {"action", "invite", "email", "a@example.com", "role", "owner"},
		{"action", "withdraw", "code", strings.Repeat("00", 32)},
	} {
		form := everything("")
		form.Set("csrf", csrf)
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		if p := b.post("/developer/o/river/members", form); p.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %s", pairs, p.Status)
		}
	}
	unchanged("the organization")
}
