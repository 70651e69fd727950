package developer_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	hooksPath     = "/developer/o/river/sandbox/shop/webhooks"
	liveHooksPath = "/developer/o/river/production/shop/webhooks"
)

var shownKey = regexp.MustCompile(`whsec_[A-Za-z0-9+/]{32}`)

// receivers are those of an application.
func (w *fixture) receivers(env, client string) []signals.Receiver {
	w.t.Helper()
	found, err := w.provider(env).Signals().List(w.t.Context(), storage.ReceiverFilter{ClientID: client, Counted: true})
	w.ok(err)
	return found
}

// hook is a server that takes webhooks.
type hook struct {
	*httptest.Server
	mu      sync.Mutex
	status  int
	took    []string
	refused func() // is called by a message that is refused
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{status: http.StatusNoContent}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.took = append(h.took, string(body))
		if h.status == http.StatusUnprocessableEntity {
			h.refused()
		}
		w.WriteHeader(h.status)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) answers(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hook) taken() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.took)
}

// tells has the sandbox tell its receivers.
func (w *fixture) tells(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.sandbox.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	h, b := newHook(t), w.as(dev)
	w.tells(t)
	says(t, b.open(hooksPath), http.StatusOK, "No webhooks yet")
	p := b.submit(b.open(hooksPath), "webhook", h.URL+"/in", "description", "Discounts", "names.keys.rotated", "-", "action", "add")
	says(t, p, http.StatusOK, "Your key", h.URL+"/in", "Discounts")
	key := shownKey.FindString(p.body)
	of := w.receivers(storage.Sandbox, "shop")
	if key == "" || len(of) != 1 || len(of[0].Signals) != len(signals.Names())-1 {
		t.Fatalf("%q, %+v", key, of)
	}
	page := hooksPath + "/" + of[0].ID
	eventually(t, func() bool { return w.receivers(storage.Sandbox, "shop")[0].State == string(storage.ReceiverEnabled) })
	p = b.open(page)
	says(t, p, http.StatusOK, "Active", "ping", "Delivered", "204")
	if strings.Contains(p.body, key) {
		t.Error("the key is shown again")
	}
	if took := h.taken(); len(took) != 1 || !strings.Contains(took[0], `"type":"ping"`) {
		t.Errorf("the server took %q", took)
	}
	says(t, b.submit(p, "action", "test"), http.StatusOK, "Test sent.")
	eventually(t, func() bool { return len(h.taken()) == 2 })

	// Only some events, with a public key.
	p = b.submit(b.open(page), "names.status.changed", "-", "v1a", "on", "action", "save")
	says(t, p, http.StatusOK, "Changes saved", "whpk_")
	if of = w.receivers(storage.Sandbox, "shop"); slices.Contains(of[0].Signals, signals.StatusChanged) || !of[0].Asymmetric {
		t.Errorf("%+v", of[0])
	}
	says(t, b.submit(b.open(page), "action", "disable"), http.StatusOK, "Switched off.", "Nothing is sent.")
	p = b.submit(b.open(page), "action", "enable")
	eventually(t, func() bool { return w.receivers(storage.Sandbox, "shop")[0].State == string(storage.ReceiverEnabled) })
	says(t, b.submit(b.open(page), "action", "delete"), http.StatusOK, "Deleted.", "No webhooks yet")
	if of = w.receivers(storage.Sandbox, "shop"); len(of) > 0 {
		t.Errorf("%+v", of)
	}
	var acts []string
	for _, c := range w.changes(river) {
		acts = append(acts, c.What)
	}
	slices.Reverse(acts)
	want := []string{"webhook.add", "webhook.test", "webhook.change", "webhook.disable", "webhook.enable", "webhook.remove"}
	if !slices.Equal(acts, want) {
		t.Errorf("the activity log has %q, want %q", acts, want)
	}
	lines, err := w.sandbox.Events().List(t.Context(), provider.EventFilter{Name: event.ReceiverChanged, ClientID: "shop"})
	if err != nil || len(lines) != len(want) {
		t.Errorf("the audit log has %+v, %v", lines, err)
	}
}

// A message that was refused is shown with what the server said, and is sent again under its ID.
func TestWebhookIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	h, b := newHook(t), w.as(dev)
	h.refused = func() { w.advance(4 * time.Second) } // what is waited for before the next try
	w.tells(t)
	b.submit(b.open(hooksPath), "webhook", h.URL, "action", "add")
	eventually(t, func() bool { return w.receivers(storage.Sandbox, "shop")[0].State == string(storage.ReceiverEnabled) })
	h.answers(http.StatusUnprocessableEntity)
	_, err := w.sandbox.Keys().Rotate(t.Context())
	w.ok(err)
	settled := func(dead bool) func() bool {
		return func() bool {
			of := w.receivers(storage.Sandbox, "shop")[0]
			return of.Waiting == 0 && of.Dead > 0 == dead
		}
	}
	eventually(t, settled(true))
	page := hooksPath + "/" + w.receivers(storage.Sandbox, "shop")[0].ID
	p := b.open(page)
	says(t, p, http.StatusOK, "keys.rotated", "Failed", "422", `&#34;type&#34;:&#34;keys.rotated&#34;`)
	says(t, b.open(hooksPath), http.StatusOK, "failed")
	if viewers := w.as(viewer).open(page); strings.Contains(viewers.body, "&#34;type&#34;") || strings.Contains(viewers.body, `value="replay"`) {
		t.Error("a viewer reads the body of a message, or sends it")
	}
	h.answers(http.StatusOK)
	action, form := p.form(t, "action", "replay")
	one := form.Get("delivery")
	form.Del("delivery") // as the button below the list
	says(t, b.follow(b.post(action, form)), http.StatusOK, "Messages are being sent again.")
	eventually(t, settled(false))
	took := len(h.taken())
	form.Set("delivery", one)
	says(t, b.follow(b.post(action, form)), http.StatusOK, "Messages are being sent again.")
	eventually(t, func() bool { return len(h.taken()) == took+1 })
	form.Set("delivery", "x")
	if p := b.post(action, form); p.StatusCode != http.StatusForbidden {
		t.Errorf("a number that is none: %s", p.Status)
	}
}

func TestInboxOfTheSandbox(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Production, "shop")
	w.tells(t)
	b := w.as(dev)
	says(t, b.submit(b.open(hooksPath), "kind", "inbox", "action", "add"), http.StatusOK, "A test inbox", "Active")
	_, err := w.sandbox.Keys().Rotate(t.Context())
	w.ok(err)
	page := hooksPath + "/" + w.receivers(storage.Sandbox, "shop")[0].ID
	eventually(t, func() bool { return strings.Contains(b.open(page).body, "keys.rotated</code>") })
	says(t, b.post(liveHooksPath, filled(b.open(liveHooksPath), t, "kind", "inbox")), http.StatusUnprocessableEntity, "Enter a full https:// address")
}

// filled is the form of a page for a new webhook with other values.
func filled(p page, t *testing.T, values ...string) map[string][]string {
	t.Helper()
	_, form := p.form(t, "action", "add")
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	return form
}

func TestWebhookRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop").withApplication(lake, storage.Production, "pond")
	b := w.as(dev)
	for _, address := range []string{
		"", "http://hooks.test/", "https://127.0.0.1/", "https://localhost/", "https://169.254.169.254/latest/meta-data/", "https://10.0.0.1/", "https://[::1]/",
		"https://2130706433/", "https://user@hooks.test/", "https://hooks.test/#a", "ftp://hooks.test/", "javascript:alert(1)", "https://hooks.test/" + strings.Repeat("a", 3000),
	} {
		p := b.post(liveHooksPath, filled(b.open(liveHooksPath), t, "webhook", address))
		says(t, p, http.StatusUnprocessableEntity, "Enter a full https:// address")
	}
	none := []string{"webhook", "https://hooks.test/in"}
	for _, name := range signals.Names() {
		none = append(none, "names."+name, "")
	}
	says(t, b.post(liveHooksPath, filled(b.open(liveHooksPath), t, none...)), http.StatusUnprocessableEntity, "Choose at least one event")
	says(t, b.post(liveHooksPath, filled(b.open(liveHooksPath), t, "webhook", "https://hooks.test/in", "description", strings.Repeat("x", 300))), http.StatusUnprocessableEntity)
	if of := w.receivers(storage.Production, "shop"); len(of) > 0 {
		t.Fatalf("%+v", of)
	}
	for i := range signals.MaxReceivers {
		address := "https://hooks.test/in" + strings.Repeat("/in", i)
		says(t, b.submit(b.open(liveHooksPath), "webhook", address, "action", "add"), http.StatusOK, "whsec_")
		if i == 0 {
			says(t, b.post(liveHooksPath, filled(b.open(liveHooksPath), t, "webhook", address)), http.StatusConflict, "Another webhook of this application has this address")
		}
	}
	full := b.open(liveHooksPath)
	says(t, full, http.StatusOK, "An application can have up to 5.")
	of := w.receivers(storage.Production, "shop")
	if len(of) != signals.MaxReceivers {
		t.Fatalf("%d receivers", len(of))
	}

	// A page of another application, or of another organization, has none of these.
	w.withApplication(river, storage.Production, "other")
	if p := b.get("/developer/o/river/production/other/webhooks/" + of[0].ID); p.StatusCode != http.StatusNotFound {
		t.Errorf("by way of another application: %s", p.Status)
	}
	if p := w.as(lakeOwner).get("/developer/o/lake/production/pond/webhooks/" + of[0].ID); p.StatusCode != http.StatusNotFound {
		t.Errorf("by way of another organization: %s", p.Status)
	}
}

// A new key is shown once, and reloading the page that shows it makes no other.
func TestWebhookGetsANewKey(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails }).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	first := shownKey.FindString(b.submit(b.open(liveHooksPath), "webhook", "https://hooks.test/in", "action", "add").body)
	page := liveHooksPath + "/" + w.receivers(storage.Production, "shop")[0].ID
	action, form := b.open(page).form(t, "action", "rotate")
	p := b.post(action, form)
	says(t, p, http.StatusOK, "Your key", "The former key also signs until")
	second := shownKey.FindString(p.body)
	if second == "" || second == first {
		t.Errorf("%q after %q", second, first)
	}
	if again := b.follow(b.post(action, form)); shownKey.MatchString(again.body) || !strings.Contains(again.body, "Someone else changed this") {
		t.Errorf("a form that was sent twice: %s", again.body)
	}
	w.advance(25 * time.Hour)
	if p := w.as(dev).open(page); strings.Contains(p.body, "The former key also signs") || shownKey.MatchString(p.body) {
		t.Error("a day later the former key is still there, or one is shown")
	}
	if sent := mails.all(); len(sent) != 2 || sent[0].To != owner+"@example.com" {
		t.Errorf("the owners have %d mails", len(sent))
	}
}

// The owners learn that a webhook is given up.
func TestOwnersAreToldOfAWebhookThatFails(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails }).withApplication(river, storage.Sandbox, "shop")
	h, b := newHook(t), w.as(dev)
	w.tells(t)
	h.answers(http.StatusGone)
	b.submit(b.open(hooksPath), "webhook", h.URL, "action", "add")
	eventually(t, func() bool {
		return slices.ContainsFunc(mails.all(), func(m provider.Mail) bool {
			return m.To == owner+"@example.com" && strings.Contains(m.Subject, "App shop") && strings.Contains(m.Text, hooksPath+"/rcv_")
		})
	})
}

// A webhook of a reviewed application on a host that no operator has read gets nothing until one
// has.
func TestHostOfAWebhookWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	b, path := w.as(dev), livePath+"/webhooks"
	says(t, b.submit(b.open(path), "webhook", "https://app.test/hook", "action", "add"), http.StatusOK, "Not tested")
	p := b.submit(b.open(path), "webhook", "https://elsewhere.test/hook", "action", "add")
	says(t, p, http.StatusOK, "In review", "whsec_", "Changes are waiting for review.")
	elsewhere := slices.IndexFunc(w.receivers(storage.Production, "live"), func(r signals.Receiver) bool { return r.Address == "https://elsewhere.test/hook" })
	of := w.receivers(storage.Production, "live")[elsewhere]
	if of.Waiting > 0 {
		t.Fatalf("something waits for it: %+v", of)
	}
	_, form := b.open(path+"/"+of.ID).form(t, "action", "save")
	form.Set("action", "test")
	if p := b.post(path+"/"+of.ID, form); p.StatusCode != http.StatusForbidden {
		t.Errorf("a test is sent to a host that nobody has read: %s", p.Status)
	}

	// Other changes neither forget nor publish it.
	b.submitForm(livePath+"/settings", "name", "Other name", "action", "save")
	o := w.as(operator)
	p = o.open(liveReviewPath)
	says(t, p, http.StatusOK, "https://elsewhere.test", "Other name")
	says(t, o.submit(p, "action", "approve"), http.StatusOK, "People see the changes now.")
	p = b.open(path + "/" + of.ID)
	says(t, p, http.StatusOK, "Not tested")
	says(t, b.submit(p, "action", "test"), http.StatusOK, "Test sent.")
	says(t, b.submit(b.open(path), "webhook", "https://elsewhere.test/another", "action", "add"), http.StatusOK, "Not tested")
	if a := w.application(storage.Production, "live"); a.Review != storage.ReviewApproved {
		t.Errorf("it is %q", a.Review)
	}

	// What is refused is not asked for any more.
	b.submit(b.open(path), "webhook", "https://third.test/", "action", "add")
	says(t, o.submit(o.open(liveReviewPath), "reason", "Whose is this?", "action", "refuse"), http.StatusOK)
	if p := b.open(path); !strings.Contains(p.body, "In review") || strings.Contains(p.body, "Changes are waiting") {
		t.Error("a host that was refused is tested, or still waits")
	}
}

func TestNoWebhooksWhereTheHostHasNone(t *testing.T) {
	t.Parallel()
	w := newFixtureOf(t, "127.0.0.1", func(c *provider.Config) { c.Signals = signals.Config{} })
	w.withApplication(river, storage.Production, "shop").withApplication(river, storage.Sandbox, "shop")
	b := w.as(owner)
	if p := b.open("/developer/o/river/production/shop"); strings.Contains(p.body, "Webhooks") {
		t.Error("there is a link")
	}
	if p := b.get(liveHooksPath); p.StatusCode != http.StatusNotFound {
		t.Error("there is a page:", p.Status)
	}
	says(t, b.open("/developer/o/river/sandbox/shop"), http.StatusOK, "Webhooks")
}
