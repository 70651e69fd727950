package developer_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// stops switches a webhook off, or on, as the staff does.
func (w *fixture) stops(env string, stopped bool) {
	w.t.Helper()
	of := w.receivers(env, "shop")[0]
	of.Stopped, of.State = stopped, string(storage.ReceiverEnabled)
	if stopped {
		of.State = string(storage.ReceiverDisabled)
	}
	_, _, err := w.provider(env).Signals().Save(w.t.Context(), of)
	w.ok(err)
}

// What the staff has switched off developers switch on in no way: not on its page, nor as a new one with
// the address.
func TestWebhookThatTheStaffHasSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	b.submit(b.open(liveHooksPath), "webhook", "https://hooks.test/in", "action", "add")
	page := liveHooksPath + "/" + w.receivers(storage.Production, "shop")[0].ID
	_, before := b.open(page).form(t, "action", "save")
	w.stops(storage.Production, true)
	p := b.open(page)
	says(t, p, http.StatusOK, "Switched off by an operator", "Only an operator of this service can switch it on again or remove it.")
	says(t, b.open(liveHooksPath), http.StatusOK, "Switched off by an operator")
	for _, button := range []string{"enable", "delete", "test"} {
		if strings.Contains(p.body, `value="`+button+`"`) {
			t.Errorf("the page offers to %s it", button)
		}
	}
	_, form := p.form(t, "action", "save")
	for _, action := range []string{"enable", "delete", "disable", "save", "rotate"} {
		form.Set("action", action)
		forbidden := action == "enable" || action == "delete"
		if got := b.post(page, form); (got.StatusCode == http.StatusForbidden) != forbidden {
			t.Errorf("%s: %s", action, got.Status)
		}
		if of := w.receivers(storage.Production, "shop")[0]; of.State != "disabled" || !of.Stopped || of.Waiting > 1 {
			t.Errorf("%s: %+v", action, of)
		}
	}
	before.Set("action", "enable") // of a page from before
	says(t, b.follow(b.post(page, before)), http.StatusOK, "Someone else changed this")
	says(t, b.post(liveHooksPath, filled(b.open(liveHooksPath), t, "webhook", "https://hooks.test/in")), http.StatusConflict, "Another webhook of this application has this address")
	if of := w.receivers(storage.Production, "shop"); len(of) != 1 || !of[0].Stopped {
		t.Errorf("%+v", of)
	}
	w.stops(storage.Production, false)
	says(t, b.submit(b.open(page), "action", "delete"), http.StatusOK, "Deleted.")
}

// Switching a webhook off and on sends nothing to a host that no operator has read.
func TestWebhookInReviewIsSwitchedOffAndOn(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	b, path := w.as(dev), livePath+"/webhooks"
	b.submit(b.open(path), "webhook", "https://elsewhere.test/hook", "action", "add")
	page := path + "/" + w.receivers(storage.Production, "live")[0].ID
	says(t, b.submit(b.open(page), "action", "disable"), http.StatusOK, "Switched off.")
	says(t, b.submit(b.open(page), "action", "enable"), http.StatusOK, "In review")
	if of := w.receivers(storage.Production, "live")[0]; of.State != "unverified" || of.Waiting > 0 {
		t.Errorf("%+v", of)
	}
}

// A stream of a reviewed application is held to the hosts of webhooks, and asks for others itself.
func TestHostOfAStreamWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	agreed := func(client, address string) bool {
		t.Helper()
		is, err := w.Agreed(t.Context(), storage.Production, client, address)
		w.ok(err)
		return is
	}
	if !agreed("live", "https://app.test/events") || !agreed("of-the-host", "https://elsewhere.test/events") {
		t.Error("the host of a redirect URI, or a client without developers, is to be reviewed")
	}
	if agreed("live", "https://elsewhere.test/events") || agreed("live", "https://elsewhere.test:8443/more") {
		t.Error("a host that nobody has read is agreed to")
	}
	for i := range 20 {
		if agreed("live", fmt.Sprintf("https://host%d.test/", i)) {
			t.Error(i)
		}
	}
	a := w.application(storage.Production, "live")
	if a.Review != storage.ReviewAsked || strings.Contains(string(a.Document), "host9") {
		t.Errorf("it is %s, with %s", a.Review, a.Document)
	}
	o := w.as(operator)
	p := o.open(liveReviewPath)
	says(t, p, http.StatusOK, "https://elsewhere.test", "https://host0.test")
	says(t, o.submit(p, "action", "approve"), http.StatusOK, "People see the changes now.")
	if !agreed("live", "https://elsewhere.test/events") {
		t.Error("an operator has agreed in vain")
	}
	if !slices.ContainsFunc(w.changes(river), func(c storage.Change) bool { return c.What == "changes.ask" && strings.HasSuffix(c.UserID, "live") }) {
		t.Errorf("the activity log has %+v", w.changes(river))
	}
}

// Owners learn that an operator has switched a webhook off.
func TestOwnersAreToldOfAWebhookThatTheStaffStops(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails }).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	b.submit(b.open(liveHooksPath), "webhook", "https://hooks.test/in", "action", "add")
	before := len(mails.all())
	w.stops(storage.Production, true)
	sent := mails.all()[before:]
	if len(sent) != 1 || sent[0].To != owner+"@example.com" || !strings.Contains(sent[0].Text, "only the operator can switch it on again") ||
		!strings.Contains(sent[0].Text, liveHooksPath+"/"+w.receivers(storage.Production, "shop")[0].ID) {
		t.Errorf("the owners get %+v", sent)
	}
}

// The mail to owners leads to a page that there is, also where streams alone are told.
func TestMailAboutAStreamLeadsToAPage(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixtureOf(t, "127.0.0.1", func(c *provider.Config) { c.Signals = signals.Config{SharedSignals: true} }, func(c *developer.Config) { c.Mailer = mails })
	w.withApplication(river, storage.Production, "shop")
	w.Failing(storage.Production, signals.Receiver{ID: "ssf_shop", ClientID: "shop"})
	sent := mails.all()
	if len(sent) != 1 {
		t.Fatalf("%d mails", len(sent))
	}
	_, rest, _ := strings.Cut(sent[0].Text, w.server.URL)
	address := strings.Fields(rest)[0]
	if address != "/developer/o/river/production/shop" {
		t.Errorf("it leads to %s", address)
	}
	says(t, w.as(owner).open(address), http.StatusOK, "App shop")
}
