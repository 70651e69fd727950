package developer_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// mildForms are the pages whose forms decide neither who may do what nor where the data of
// people goes. A page that is missing here has to ask for a fresh sign-in.
var mildForms = map[string]func(env string, form url.Values) bool{
	"/new":              always,
	"/o/{org}/personas": always,
	"/o/{org}/clock":    always,
	"/o/{org}/members": func(_ string, form url.Values) bool {
		switch form.Get("action") {
		case "invite":
			return form.Get("role") == "viewer"
		case "remove":
			return form.Get("user") == owner
		}
		return form.Get("action") == "withdraw"
	},
	"/o/{org}/{env}/new":               inSandbox,
	"/o/{org}/{env}/document":          always,
	"/o/{org}/{env}/{client}/branding": always,
	"/o/{org}/{env}/{client}/access":   always,
	"/o/{org}/{env}/{client}/faults":   always,
	"/o/{org}/{env}/{client}/try":      always,
	"/o/{org}/{env}/{client}/webhooks": inSandbox,
	"/o/{org}/{env}/{client}/webhooks/{receiver}": func(env string, form url.Values) bool {
		return env == storage.Sandbox || slices.Contains([]string{"test", "replay", "disable"}, form.Get("action"))
	},
}

func always(string, url.Values) bool { return true }

func inSandbox(env string, _ url.Values) bool { return env == storage.Sandbox }

// Somebody finds the browser of an owner or of an operator open, ten minutes after the
// sign-in, and tries everything.
func TestAttackPowersFromAnOpenBrowser(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed)
	w.withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Production, "shop")
	for _, user := range []string{owner, operator} {
		b := w.as(user)
		w.advance(10 * time.Minute)
		csrf := b.csrfOf(user)
		unchanged := w.unchanged()
		for _, p := range w.Pages() {
			if p.Posts == "" || (p.Posts == "operators") != (user == operator) {
				continue
			}
			for _, env := range []string{storage.Sandbox, storage.Production} {
				for _, action := range append([]string{"approve", "stop", "start", "refuse", "end", "enable", "withdraw"}, actions...) {
					for _, change := range []string{"", "role", "user"} {
						form := everything(action)
						form.Set("csrf", csrf)
						form.Set("reason", "Because")
						switch change {
						case "role":
							form.Set("role", "viewer")
						case "user":
							form.Set("user", owner)
						}
						if mild, ok := mildForms[p.Path]; ok && mild(env, form) {
							continue
						}
						got := b.post(strings.Replace(addressOf(p), "/sandbox/", "/"+env+"/", 1), form)
						asked := strings.HasPrefix(got.Header.Get("Location"), "/signin")
						kept := got.StatusCode == http.StatusForbidden && strings.Contains(got.body, `href="?confirm=yes"`)
						if !asked && !kept && got.StatusCode != http.StatusNotFound {
							t.Errorf("%s posts %q to %s in %s: %s, led to %q", user, action, p.Path, env, got.Status, got.Header.Get("Location"))
						}
					}
				}
			}
		}
		unchanged("what needs a fresh sign-in")
	}
}

// What is no power is not held up by an old session, and nobody who has just signed in is
// asked to do so again.
func TestPowers(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed).withApplication(river, storage.Sandbox, "shop")
	t.Run("AViewerIsInvitedByAnOldSession", func(t *testing.T) {
		b := w.as(owner)
		w.advance(10 * time.Minute)
		p := b.submit(b.open("/developer/o/river/members"), "email", "friend@example.com", "role", "viewer", "action", "invite")
		says(t, p, http.StatusOK, "/developer/join/")
	})
	t.Run("WhoHasConfirmedInAnotherTabGoesOn", func(t *testing.T) {
		b := w.as(operator)
		w.asksForProduction(t)
		review := b.open("/developer/review/sandbox/shop")
		w.advance(10 * time.Minute)
		p := b.submit(review, "reason", "The terms are of somebody else.", "action", "refuse")
		says(t, p, http.StatusForbidden, `href="?confirm=yes"`, "The terms are of somebody else.")
		if tab := b.signIn(b.open("/developer/review/sandbox/shop?confirm=yes"), operator); !strings.Contains(tab.body, "Confirmed.") {
			t.Fatalf("%s at %s\n%s", tab.Status, tab.Request.URL, tab.body)
		}
		b.submit(p, "action", "refuse")
		if a, err := w.store.Application(t.Context(), storage.Sandbox, "shop"); err != nil || a.Review != storage.ReviewRefused {
			t.Errorf("%q, %v", a.Review, err)
		}
	})
}

// asksForProduction has the application shop of the sandbox wait for an operator.
func (w *fixture) asksForProduction(t *testing.T) {
	t.Helper()
	a, err := w.store.Application(t.Context(), storage.Sandbox, "shop")
	w.ok(err)
	a.Review = storage.ReviewAsked
	w.ok(w.store.SaveApplication(t.Context(), a))
}
