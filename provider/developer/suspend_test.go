package developer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const riverReview = "/developer/review/organization/river"

// suspends has an operator suspend river.
func (w *fixture) suspends(b *browser) {
	w.t.Helper()
	says(w.t, b.submitForm(riverReview, "reason", "It passes for a bank.", "action", "stop"), http.StatusOK, "Organization suspended.")
}

// inUse are the applications of river, and whether each is in use.
func (w *fixture) inUse() map[string]bool {
	w.t.Helper()
	list := testkit.Must(w.store.Applications(w.t.Context(), storage.ApplicationFilter{OrganizationID: river}))(w.t)
	use := map[string]bool{}
	for _, a := range list {
		use[a.Environment+" "+a.ClientID] = !w.client(a.Environment, a.ClientID).Disabled
	}
	return use
}

// withAll has applications of all kinds: two in use, one that a member has disabled, and one
// that an operator has suspended.
func (w *fixture) withAll() *fixture {
	w.t.Helper()
	disabled := func(c *provider.Client) { c.Disabled = true }
	w.withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Production, "shop")
	w.withApplication(river, storage.Sandbox, "off", disabled).withApplication(river, storage.Production, "stopped", disabled)
	a := w.application(storage.Production, "stopped")
	a.Review = storage.ReviewRefused
	w.ok(w.store.SaveApplication(w.t.Context(), a))
	return w
}

var (
	allInUse  = map[string]bool{"sandbox shop": true, "production shop": true, "sandbox off": false, "production stopped": false}
	noneInUse = map[string]bool{"sandbox shop": false, "production shop": false, "sandbox off": false, "production stopped": false}
)

func equalUse(t *testing.T, got, want map[string]bool) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in use (-want +got):\n%s", diff)
	}
}

func TestAnOrganizationIsSuspendedAndReactivated(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, reviewed, func(c *developer.Config) { c.Mailer = mails }).withAll()
	o := w.as(operator)
	says(t, o.open("/developer/review?q=RIVER"), http.StatusOK, "Org river", `href="`+riverReview+`"`)
	says(t, o.submitForm(riverReview, "reason", " ", "action", "stop"), http.StatusUnprocessableEntity, "Enter a reason")
	equalUse(t, w.inUse(), allInUse)
	w.suspends(o)
	equalUse(t, w.inUse(), noneInUse)
	says(t, o.open("/developer/review"), http.StatusOK, "Suspended organizations", "Org river")
	says(t, o.open(riverReview), http.StatusOK, "It passes for a bank.", "operator@example.com")
	for _, path := range []string{"/o/river/sandbox", "/o/river/members", "/o/river/activity", "/o/river/settings", "/o/river/sandbox/shop", "/o/river/production/shop/settings"} {
		says(t, w.as(viewer).open("/developer"+path), http.StatusOK, "This organization is suspended", "It passes for a bank.")
	}
	if c := w.changes(river)[0]; c.What != "organization.suspend" || c.UserID != operator || c.Fields[0].After != "It passes for a bank." {
		t.Errorf("recorded %+v", c)
	}
	says(t, o.submitForm(riverReview, "action", "start"), http.StatusOK, "Organization reactivated.")
	equalUse(t, w.inUse(), allInUse)
	for _, a := range w.live() {
		if a.Halt != storage.HaltNone {
			t.Errorf("%s is %q", a.ClientID, a.Halt)
		}
	}
	if c := w.changes(river)[0]; c.What != "organization.reactivate" || c.UserID != operator {
		t.Errorf("recorded %+v", c)
	}
	var kinds []ui.MailKind
	for _, m := range mails.all() {
		if m.To == "owner@example.com" {
			kinds = append(kinds, m.Kind)
		}
	}
	if !slices.Equal(kinds, []ui.MailKind{ui.MailOrganizationSuspended, ui.MailOrganizationReactivated}) {
		t.Errorf("the owner is mailed %q", kinds)
	}
}

func TestASuspensionEndsByNoMember(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed, func(c *developer.Config) {
		c.Operator = func(_ context.Context, userID string) (bool, error) {
			return userID == operator || userID == owner, nil
		}
	}).withAll()
	w.suspends(w.as(operator))
	b := w.as(owner)
	says(t, b.open(riverReview), http.StatusOK, "someone else must decide")
	o := testkit.Must(w.store.Organization(t.Context(), river))(w.t)
	form := everything("start")
	form.Set("csrf", b.csrfOf(owner))
	form.Set("version", fmt.Sprint(storage.UnixMicro(o.Stopped.At)))
	says(t, b.post(riverReview, form), http.StatusForbidden)
	equalUse(t, w.inUse(), noneInUse)
}

// takes are the acts by which a suspended organization gets nothing.
var takes = map[string][]string{
	"/o/{org}/members":                            {"role", "remove", "withdraw"},
	"/o/{org}/{env}/{client}":                     {"reveal"},
	"/o/{org}/{env}/{client}/settings":            {"disable"},
	"/o/{org}/{env}/tokens":                       {"end"},
	"/o/{org}/{env}/{client}/secrets":             {"end", "revoke"},
	"/o/{org}/{env}/{client}/delete":              {"", "delete"},
	"/o/{org}/{env}/{client}/access":              {"withdraw"},
	"/o/{org}/{env}/{client}/webhooks/{receiver}": {"disable", "delete"},
}

// The owner of an organization that is suspended posts every form of it, in both environments.
func TestAttackFromASuspendedOrganization(t *testing.T) {
	t.Parallel()
	for _, change := range [][]func(*developer.Config){nil, {reviewed}} {
		w := newFixture(t, append(change, func(c *developer.Config) { c.Operator = isOperator })...).withAll()
		w.suspends(w.as(operator))
		unchanged := w.unchanged()
		for _, p := range w.Pages() {
			if p.Posts == "" || p.Posts == "users" || p.Posts == "operators" {
				continue
			}
			for _, env := range []string{storage.Sandbox, storage.Production} {
				b := w.as(owner) // has just signed in
				csrf := b.csrfOf(owner)
				for _, action := range append([]string{"ask", "enable", "withdraw", "undo", "discard", "end", "move", "set"}, actions...) {
					if slices.Contains(takes[p.Path], action) {
						continue
					}
					form := everything(action)
					form.Set("csrf", csrf)
					form.Set("confirm", "Org river")
					w.advance(7 * time.Second) // as many forms are no more than a user may post
					got := b.post(strings.Replace(addressOf(p), "/sandbox/", "/"+env+"/", 1), form)
					if led := got.Header.Get("Location"); !strings.HasPrefix(led, "/developer/o/river?notice=nothing_while_suspended.") {
						t.Errorf("%q to %s in %s: %s, led to %q", action, p.Path, env, got.Status, led)
					}
				}
			}
		}
		unchanged("what a suspended organization has")
		says(t, w.as(owner).submitForm("/developer/new", "name", "Next"), http.StatusForbidden, "You own a suspended organization.")
		says(t, w.as(viewer).submitForm("/developer/new", "name", "Hers"), http.StatusOK, "Hers")
		w.leavesAndDeletes(t)
	}
}

// leavesAndDeletes is what members may do while their organization is suspended.
func (w *fixture) leavesAndDeletes(t *testing.T) {
	t.Helper()
	b := w.as(owner)
	says(t, b.submitForm("/developer/o/river/production/shop/delete", "confirm", "App shop", "action", "delete"), http.StatusOK, "The application is being deleted.")
	form := everything("remove")
	v := w.as(viewer)
	form.Set("csrf", v.csrfOf(viewer))
	form.Set("user", viewer)
	v.post("/developer/o/river/members", form)
	if w.roleOf(viewer) != "" {
		t.Error("a member of a suspended organization cannot leave")
	}
}

// Whoever has opened a form before the suspension posts it after, and the check before the write
// has seen nothing of it.
func TestAFormFromBeforeTheSuspensionIsNotAccepted(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withAll()
	ctx := t.Context()
	c, off := w.client(storage.Production, "shop"), w.client(storage.Sandbox, "off")
	a := w.application(storage.Sandbox, "shop")
	w.ok(w.store.StopOrganization(ctx, river, storage.Stop{At: w.now(), Reason: "x", By: operator}))
	w.GoOn(ctx)
	c.RedirectURIs, off.Disabled, a.Review = []string{"https://evil.test/cb"}, false, storage.ReviewAsked
	for what, err := range map[string]error{
		"registration": w.id.Clients().Save(ctx, c), "enabling": w.sandbox.Clients().Save(ctx, off), "asking": w.store.SaveApplication(ctx, a),
	} {
		if !errors.Is(err, provider.ErrChanged) && !errors.Is(err, storage.ErrChanged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	equalUse(t, w.inUse(), noneInUse)
}

// cutOff is a store that is gone after so many marks.
type cutOff struct {
	storage.Developers
	left atomic.Int64
}

func (s *cutOff) MarkApplication(ctx context.Context, environment, clientID string, m storage.ApplicationMark) error {
	if s.left.Add(-1) < 0 {
		return storage.ErrUnavailable
	}
	return s.Developers.MarkApplication(ctx, environment, clientID, m)
}

// Whatever ends in the middle of a suspension or of its end, Run goes on with it.
func TestASuspensionThatWasInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	store := &cutOff{}
	w := newFixture(t, func(c *developer.Config) {
		c.Operator = isOperator
		store.Developers, c.Store = c.Store, store
	}).withAll()
	o := w.as(operator)
	for n := range int64(7) {
		store.left.Store(n)
		w.suspends(o)
		store.left.Store(n)
		w.GoOn(t.Context())
		store.left.Store(100)
		w.GoOn(t.Context())
		equalUse(t, w.inUse(), noneInUse)
		store.left.Store(n / 2)
		o.submitForm(riverReview, "action", "start")
		store.left.Store(100)
		w.GoOn(t.Context())
		equalUse(t, w.inUse(), allInUse)
	}
}

// Whatever ends once an operator has decided to stop an application alone, or to start it, Run goes
// on with it.
func TestAStopThatWasInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withAll()
	for _, review := range []storage.Review{storage.ReviewRefused, storage.ReviewApproved} {
		a := w.application(storage.Production, "shop")
		a.Review = review
		w.ok(w.store.SaveApplication(t.Context(), a))
		w.GoOn(t.Context())
		if c := w.client(storage.Production, "shop"); c.Disabled != (review == storage.ReviewRefused) {
			t.Errorf("with the review %q disabled is %v", review, c.Disabled)
		}
		if a := w.application(storage.Production, "shop"); a.Halt != storage.HaltNone {
			t.Errorf("its halt is %q", a.Halt)
		}
	}
}

// Two processes carry out what operators decide at the same time, while a member registers
// applications.
func TestSuspensionsInTwoProcessesAndRegistrations(t *testing.T) {
	t.Parallel()
	var cfg developer.Config
	w := newFixture(t, func(c *developer.Config) { c.Operator, cfg = isOperator, *c }).withAll()
	cfg.Operator, cfg.Trials = isOperator, nil
	other := testkit.Must(developer.New(cfg))(w.t)
	b := w.as(dev)
	form := b.open("/developer/o/river/sandbox/new")
	for round := range 10 {
		w.advance(time.Minute)
		stop := storage.Stop{At: w.now(), Reason: "x", By: operator}
		var all sync.WaitGroup
		all.Go(func() {
			b.submitOnce(form, "name", fmt.Sprint("New ", round), "kind", "web", "redirect_uris", callbackURI)
		})
		all.Go(func() {
			if err := w.store.StopOrganization(t.Context(), river, stop); err != nil {
				t.Error(err)
			}
			w.GoOn(t.Context())
		})
		all.Go(func() { other.GoOn(t.Context()) })
		all.Wait()
		w.GoOn(t.Context())
		for app, used := range w.inUse() {
			if used {
				t.Fatalf("round %d: %s is in use in an organization that is suspended", round, app)
			}
		}
		all.Go(func() { other.GoOn(t.Context()) })
		w.ok(w.store.StartOrganization(t.Context(), river, stop.At, operator))
		all.Go(func() { w.GoOn(t.Context()) })
		all.Wait()
		w.GoOn(t.Context())
		for app, used := range w.inUse() {
			if want, known := allInUse[app]; known && used != want {
				t.Fatalf("round %d: %s is in use: %t", round, app, used)
			}
		}
	}
}
