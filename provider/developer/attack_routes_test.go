package developer_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// rankIn is what a user may do in river at most.
var rankIn = map[string]int{"": 0, nobody: 1, lakeOwner: 1, operator: 1, viewer: 2, dev: 3, owner: 4}

// rankOf is what a page asks for.
var rankOf = map[string]int{"everybody": 0, "users": 1, "viewers": 2, "developers": 3, "owners": 4}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// addressOf returns the address of a page, about the application shop of river.
func addressOf(p developer.Page) string {
	return "/developer" + wildcard.ReplaceAllStringFunc(p.Path, func(w string) string {
		known, ok := map[string]string{"{$}": "", "{org}": river, "{env}": storage.Sandbox, "{client}": "shop"}[w]
		if !ok {
			return "x"
		}
		return known
	})
}

// answerTo returns the status that a user gets who may not open a page, and zero for one
// who may.
func answerTo(user, need string) int {
	switch {
	case need == "everybody":
		return 0
	case user == "":
		return http.StatusSeeOther
	case need == "operators" && user == operator:
		return 0
	case need == "operators" || rankOf[need] > 1 && rankIn[user] < 2:
		return http.StatusNotFound
	case rankIn[user] < rankOf[need]:
		return http.StatusForbidden
	default:
		return 0
	}
}

// state is all that an attack could change.
func (w *fixture) state() any {
	w.t.Helper()
	ctx := w.t.Context()
	type state struct {
		Organizations []storage.Organization
		Members       [][]storage.Member
		Invitations   [][]storage.Invitation
		Tokens        [][]storage.RegistrationToken
		Changes       [][]storage.Change
		Settings      []storage.SandboxSettings
		Faults        []storage.Fault
		Applications  []storage.Application
		Clients       []provider.Client
		Secrets       [][]provider.SecretInfo
		Receivers     [][]signals.Receiver
	}
	var s state
	for _, id := range []string{river, lake} {
		o, err1 := w.store.Organization(ctx, id)
		members, err2 := w.store.Members(ctx, id)
		invitations, err3 := w.store.Invitations(ctx, storage.TokenFilter{OrganizationID: id, Now: w.now()})
		tokens, err6 := w.store.RegistrationTokens(ctx, storage.TokenFilter{OrganizationID: id, Now: w.now()})
		settings, err4 := w.store.SandboxSettings(ctx, id)
		applications, err5 := w.store.Applications(ctx, storage.ApplicationFilter{OrganizationID: id})
		for _, err := range []error{err1, err2, err3, err4, err5, err6} {
			w.ok(err)
		}
		s.Organizations, s.Members, s.Invitations = append(s.Organizations, o), append(s.Members, members), append(s.Invitations, invitations)
		s.Tokens = append(s.Tokens, tokens)
		s.Changes, s.Settings, s.Applications = append(s.Changes, w.changes(id)), append(s.Settings, settings), append(s.Applications, applications...)
	}
	for _, a := range s.Applications {
		fault, err := w.store.Fault(ctx, a.ClientID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			w.t.Fatal(err)
		}
		s.Faults = append(s.Faults, fault)
		secrets, err := w.provider(a.Environment).Clients().ListSecrets(ctx, a.ClientID)
		w.ok(err)
		s.Receivers = append(s.Receivers, w.receivers(a.Environment, a.ClientID))
		s.Clients, s.Secrets = append(s.Clients, w.client(a.Environment, a.ClientID)), append(s.Secrets, secrets)
	}
	return s
}

// unchanged returns a function that reports what has changed since.
func (w *fixture) unchanged() func(what string) {
	before := w.state()
	return func(what string) {
		w.t.Helper()
		if diff := cmp.Diff(before, w.state()); diff != "" {
			w.t.Errorf("%s has changed (-before +after):\n%s", what, diff)
		}
	}
}

// everything is a form that does something on every page, for those who may.
func everything(action string) url.Values {
	return url.Values{
		"action": {action}, "name": {"Mine"}, "confirm": {"App shop"}, "role": {"owner"}, "user": {viewer}, "email": {"mallory@example.com"},
		"kind": {"web"}, "redirect_uris": {"https://evil.test/cb"}, "grant_types.authorization_code": {"on"}, "response_types.code": {"on"},
		"webhook": {"https://evil.test/hook"}, "names.status.changed": {"on"}, "overlap": {"none"}, "version": {"1"}, "color": {"#ff0000"}, "personas": {"[]"}, "step": {"1h"}, "fault": {"token_slow"}, "count": {"1"}, "days": {"1"}, "registration_token": {"00"}, "scopes.military": {"on"},
	}
}

// actions are the values of the field action of all forms.
var actions = []string{"save", "delete", "invite", "role", "remove", "reveal", "copy", "disable", "rotate", "publish", "reset", "make", "end", "revoke", "add", "test", "replay", "enable", ""}

// csrfOf returns the value without which no form of a browser is accepted.
func (b *browser) csrfOf(user string) string {
	b.t.Helper()
	address := "/developer/new"
	if user == "" {
		address = "/signin"
	}
	_, fields := b.open(address).form(b.t)
	return fields.Get("csrf")
}

// Somebody opens the pages of others, and posts their forms.
func TestAttackPagesOfOthers(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed)
	w.withApplication(river, storage.Sandbox, "shop")
	pages := w.Pages()
	if len(pages) < 15 {
		t.Fatalf("only %d pages", len(pages))
	}
	for user := range rankIn {
		b := w.newBrowser()
		if user != "" {
			b = w.as(user)
		}
		csrf := b.csrfOf(user)
		unchanged := w.unchanged()
		for _, p := range pages {
			address := addressOf(p)
			got, want := b.get(address), answerTo(user, p.Looks)
			led := strings.HasPrefix(got.Header.Get("Location"), "/signin")
			if want != 0 && (got.StatusCode != want || led != (want == http.StatusSeeOther)) || want == 0 && (got.StatusCode == http.StatusForbidden || led) {
				t.Errorf("%q opens %s: %s, led to %q", user, p.Path, got.Status, got.Header.Get("Location"))
			}
			want = answerTo(user, p.Posts)
			if p.Posts != "" && want == 0 {
				continue // may do it
			}
			for _, action := range actions {
				form := everything(action)
				form.Set("csrf", csrf)
				got := b.post(address, form)
				if p.Posts == "" && got.StatusCode < 300 || p.Posts != "" && got.StatusCode != want {
					t.Errorf("%q posts %q to %s: %s, want %d", user, action, p.Path, got.Status, want)
				}
			}
		}
		unchanged(fmt.Sprintf("what belongs to others, by %q,", user))
	}
}

// What somebody has been shown stays in no cache, for whoever has the browser after him.
func TestEveryAnswerSaysWhetherItIsKept(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed)
	w.withApplication(river, storage.Sandbox, "shop")
	for user := range rankIn {
		b := w.newBrowser()
		if user != "" {
			b = w.as(user)
		}
		for _, p := range w.Pages() {
			addresses := []string{addressOf(p)}
			if strings.HasSuffix(p.Path, "/check") {
				addresses = append(addresses, addresses[0]+"?field=redirect_uris&value=https://app.test/cb")
			}
			for _, address := range addresses {
				got := b.get(address)
				if cache := got.Header.Get("Cache-Control"); !strings.Contains(cache, "no-store") && p.Looks != "everybody" || cache == "" {
					t.Errorf("%q opens %s: %s, Cache-Control %q", user, address, got.Status, cache)
				}
			}
		}
	}
}

// Another site has the browser of an owner post each form.
func TestAttackForgedForms(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed)
	w.withApplication(river, storage.Sandbox, "shop")
	b := w.as(owner)
	csrf, ofAnother := b.csrfOf(owner), w.as(dev).csrfOf(dev)
	unchanged := w.unchanged()
	for _, p := range w.Pages() {
		if p.Posts == "" || p.Posts == "operators" {
			continue
		}
		for name, c := range map[string]struct{ csrf, origin string }{
			"WithoutTheHiddenField": {"", w.server.URL}, "WithThatOfAnotherBrowser": {ofAnother, w.server.URL}, "FromAnotherOrigin": {csrf, "https://evil.test"},
		} {
			for _, action := range actions {
				form := everything(action)
				form.Set("csrf", c.csrf)
				r := b.request(http.MethodPost, addressOf(p), strings.NewReader(form.Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", c.origin)
				if got := b.do(r); got.StatusCode != http.StatusForbidden {
					t.Errorf("%s, %q to %s: %s", name, action, p.Path, got.Status)
				}
			}
		}
	}
	unchanged("what the owner has")
}

// The owner of an organization puts the application of another into the paths of his own,
// or one of the sandbox into those of production.
func TestAttackApplicationOfAnotherInOnesOwnPath(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.withApplication(river, storage.Sandbox, "shop").withApplication(lake, storage.Sandbox, "boats")
	b := w.as(lakeOwner)
	csrf := b.csrfOf(lakeOwner)
	unchanged := w.unchanged()
	for _, p := range w.Pages() {
		if !strings.Contains(p.Path, "{client}") {
			continue
		}
		for _, way := range []string{"/o/lake/sandbox/shop", "/o/lake/production/boats", "/o/lake/staging/boats", "/o/lake/Sandbox/boats"} {
			address := strings.Replace(addressOf(p), "/o/river/sandbox/shop", way, 1)
			if got := b.get(address); got.StatusCode != http.StatusNotFound {
				t.Errorf("opens %s: %s", address, got.Status)
			}
			if p.Posts == "" {
				continue
			}
			for _, action := range actions {
				form := everything(action)
				form.Set("csrf", csrf)
				if got := b.post(address, form); got.StatusCode != http.StatusNotFound {
					t.Errorf("posts %q to %s: %s", action, address, got.Status)
				}
			}
		}
	}
	unchanged("what belongs to others")
}
