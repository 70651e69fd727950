package developer_test

import (
	"context"
	"errors"
	"image/color"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// newReviewedFixture returns a dashboard whose applications ask for production, with an
// organization that has a contact and an application that has everything it needs.
func newReviewedFixture(t *testing.T, change ...func(*provider.Client)) *fixture {
	t.Helper()
	return newReviewedFixtureOf(t, nil, change...)
}

func newReviewedFixtureOf(t *testing.T, configure []func(*developer.Config), change ...func(*provider.Client)) *fixture {
	t.Helper()
	return newFixture(t, append([]func(*developer.Config){reviewed}, configure...)...).askable(change...)
}

// askable adds the application and the contact.
func (w *fixture) askable(change ...func(*provider.Client)) *fixture {
	w.t.Helper()
	w.as(owner).submitForm("/developer/o/river/settings", "name", "Org river", "contact", "hello@river.test")
	return w.withApplication(river, storage.Sandbox, "shop", append([]func(*provider.Client){func(c *provider.Client) {
		c.TermsURL, c.PolicyURL = "https://app.test/terms", "https://app.test/privacy"
		c.Logo = square(w.t, 40, color.White)
	}}, change...)...)
}

// submitForm fills in the form of a page.
func (b *browser) submitForm(address string, values ...string) page {
	b.t.Helper()
	return b.submit(b.open(address), values...)
}

const (
	accessPath = "/developer/o/river/sandbox/shop/access"
	reviewPath = "/developer/review/sandbox/shop"
)

// live returns the applications of the organization in production.
func (w *fixture) live() []storage.Application {
	w.t.Helper()
	list := testkit.Must(w.store.Applications(w.t.Context(), storage.ApplicationFilter{Environment: storage.Production, OrganizationID: river}))(w.t)
	return list
}

func (w *fixture) application(env, id string) storage.Application {
	w.t.Helper()
	a := testkit.Must(w.store.Application(w.t.Context(), env, id))(w.t)
	return a
}

// says ends the test unless a page has a status, and these words.
func says(t testing.TB, p page, status int, what ...string) {
	t.Helper()
	if p.StatusCode != status {
		t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
	for _, s := range what {
		if !strings.Contains(p.body, s) {
			t.Fatalf("%s at %s, does not say %q\n%s", p.Status, p.Request.URL, s, p.body)
		}
	}
}

func TestProductionIsAskedForAndApproved(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, func(c *provider.Client) { c.SkipConsent = true })
	says(t, w.as(dev).submitForm(accessPath, "note", "Discounts for veterans.", "action", "ask"), http.StatusOK, "Waiting for review")
	if len(w.live()) > 0 {
		t.Fatal("it is in production before anybody has decided")
	}
	b := w.as(operator)
	says(t, b.open("/developer/start"), http.StatusOK, `href="/developer/review"`)
	says(t, b.open("/developer/review"), http.StatusOK, reviewPath, "Org river", `src="`+reviewPath+`/approved/logo"`)
	if logo := b.get(reviewPath + "/approved/logo"); logo.StatusCode != http.StatusOK {
		t.Errorf("logo in the list: %s", logo.Status)
	}
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, "Discounts for veterans.", "dev@example.com", "hello@river.test", callbackURI, "https://app.test/terms")
	if logo := b.get(reviewPath + "/wanted/logo"); logo.StatusCode != http.StatusOK || logo.Header.Get("Content-Type") != "image/png" {
		t.Errorf("logo: %s", logo.Status)
	}
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")

	list := w.live()
	if len(list) != 1 || list[0].Review != storage.ReviewApproved || list[0].CreatedBy != dev || list[0].ClientID == "shop" {
		t.Fatalf("in production: %+v", list)
	}
	c := w.client(storage.Production, list[0].ClientID)
	secret, err := w.id.Clients().Secret(t.Context(), c.ID)
	tried, _ := w.sandbox.Clients().Secret(t.Context(), "shop")
	if err != nil || secret == "" || secret == tried {
		t.Errorf("its secret is that of the sandbox: %v, %v", secret == tried, err)
	}
	if c.Unreviewed || c.SkipConsent || c.Disabled || c.TermsURL == "" || len(c.Logo) == 0 || len(c.Scopes) != 2 {
		t.Errorf("the copy: %+v", c)
	}
	says(t, w.as(viewer).open(accessPath), http.StatusOK, "In production", "/production/"+c.ID)

	var acts []string
	for _, change := range w.changes(river) {
		acts = append(acts, change.UserID+" "+change.What)
	}
	if got := strings.Join(acts, ", "); !strings.HasPrefix(got, "operator production.approve, dev production.ask") {
		t.Errorf("recorded: %s", got)
	}
}

func TestProductionNeedsWhatIsOnTheList(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	whole := w.client(storage.Sandbox, "shop")
	for name, change := range map[string]func(*provider.Client){
		"no logo":          func(c *provider.Client) { c.Logo = nil },
		"no terms":         func(c *provider.Client) { c.TermsURL = "" },
		"no policy":        func(c *provider.Client) { c.PolicyURL = "" },
		"a loopback name":  func(c *provider.Client) { c.RedirectURIs = []string{"http://localhost:3000/cb"} },
		"a loopback IP":    func(c *provider.Client) { c.RedirectURIs = []string{"https://127.0.0.1/cb"} },
		"another loopback": func(c *provider.Client) { c.RedirectURIs = []string{"https://[::1]/cb"} },
		"a name below it":  func(c *provider.Client) { c.RedirectURIs = []string{"https://app.localhost/cb"} },
		"a scheme of apps": func(c *provider.Client) { c.RedirectURIs = []string{"com.example.app:/cb"} },
	} {
		t.Run(name, func(t *testing.T) {
			c := whole
			change(&c)
			c.Revision = w.client(storage.Sandbox, "shop").Revision
			w.ok(w.sandbox.Clients().Save(t.Context(), c))
			b := w.as(dev)
			says(t, b.open(accessPath), http.StatusOK, "Missing", "Complete this list")
			// The form of a moment ago.
			_, fields := b.open(brandingPath).form(t, "action", "preview")
			fields.Set("action", "ask")
			says(t, b.post(accessPath, fields), http.StatusUnprocessableEntity, "Something on the list is still missing")
			if a := w.application(storage.Sandbox, "shop"); a.Review != storage.ReviewNone {
				t.Errorf("it is %q", a.Review)
			}
		})
	}
}

func TestProductionIsRefusedWithAReasonAndAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	member, b := w.as(dev), w.as(operator)
	member.submitForm(accessPath, "note", "Hello", "action", "ask")
	says(t, b.submitForm(reviewPath, "action", "refuse", "reason", "  "), http.StatusUnprocessableEntity, "Enter a reason")
	says(t, b.submitForm(reviewPath, "action", "refuse", "reason", strings.Repeat("x", 2001)), http.StatusUnprocessableEntity, "up to 2000")
	says(t, b.submitForm(reviewPath, "action", "refuse", "reason", "The terms are empty. <b>"), http.StatusOK, "can see what to change")
	says(t, member.open(accessPath), http.StatusOK, "Not approved yet", "The terms are empty. &lt;b&gt;")
	says(t, member.submitForm(accessPath, "note", "Now?", "action", "ask"), http.StatusOK, "Waiting for review")
	says(t, member.submitForm(accessPath, "action", "withdraw"), http.StatusOK, "Requirements")
	says(t, b.open(reviewPath), http.StatusNotFound)
}

// TestRegistrationIsNotSwitchedWhileItIsReviewed has one that an operator would not have
// approved.
func TestRegistrationIsNotSwitchedWhileItIsReviewed(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	b := w.as(operator)
	p := b.open(reviewPath)
	c := w.client(storage.Sandbox, "shop")
	c.RedirectURIs = []string{"https://evil.test/cb"}
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Someone else changed this", "https://evil.test/cb")
	if len(w.live()) > 0 {
		t.Error("it is in production, unseen")
	}
}

func TestOfTwoOperatorsOneDecides(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	first, second := w.as(operator), w.as(operator)
	one, other := first.open(reviewPath), second.open(reviewPath)
	says(t, first.submit(one, "action", "refuse", "reason", "Not yet"), http.StatusOK, "can see what to change")
	says(t, second.submit(other, "action", "approve"), http.StatusOK, "Someone else changed this")
	if a := w.application(storage.Sandbox, "shop"); a.Review != storage.ReviewRefused || len(w.live()) > 0 {
		t.Errorf("it is %q, and %d are in production", a.Review, len(w.live()))
	}
}

// TestApprovalsAtOnceMakeOneCopy posts what four operators have seen in the same moment.
func TestApprovalsAtOnceMakeOneCopy(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 4 {
		b := w.as(operator)
		action, fields := b.open(reviewPath).form(t, "action", "approve")
		fields.Set("action", "approve")
		r := b.request(http.MethodPost, action, strings.NewReader(fields.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		all.Go(func() {
			<-start
			if p, err := b.http.Do(r); err != nil || p.StatusCode != http.StatusSeeOther || p.Body.Close() != nil {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
	close(start)
	all.Wait()
	if list := w.live(); len(list) != 1 {
		t.Errorf("in production: %+v", list)
	}
	approvals := 0
	for _, change := range w.changes(river) {
		if change.What == "production.approve" {
			approvals++
		}
	}
	if approvals != 1 {
		t.Errorf("%d approvals are recorded", approvals)
	}
}

// TestApprovalThatWasInterruptedIsFinished begins where a process has ended after it claimed
// the application.
func TestApprovalThatWasInterruptedIsFinished(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	a := w.application(storage.Sandbox, "shop")
	a.Review, a.Document = storage.ReviewApproved, []byte(`{"live":"live1","review":{"asked_by":"dev"}}`)
	w.ok(w.store.SaveApplication(t.Context(), a))
	says(t, w.as(dev).open(accessPath), http.StatusOK, "almost ready")
	b := w.as(operator)
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, "Finish the approval")
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Someone else changed this")
	if list := w.live(); len(list) != 1 || list[0].ClientID != "live1" {
		t.Errorf("in production: %+v", list)
	}
	w.client(storage.Production, "live1")
}

func TestOperatorStopsAnApplication(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t).withApplication(river, storage.Production, "till", func(c *provider.Client) { c.Unreviewed = true })
	b := w.as(operator)
	const page, members = "/developer/review/production/till", "/developer/o/river/production/till/access"
	says(t, w.as(owner).open(members), http.StatusNotFound)
	says(t, b.open("/developer/review?q=till"), http.StatusOK, page)
	says(t, b.submitForm(page, "action", "stop", "reason", "It is no shop."), http.StatusOK, "Application suspended.")
	if c, a := w.client(storage.Production, "till"), w.application(storage.Production, "till"); !c.Disabled || a.Review != storage.ReviewRefused {
		t.Errorf("disabled %v, %q", c.Disabled, a.Review)
	}
	says(t, w.as(viewer).open(members), http.StatusOK, "It is no shop.")
	says(t, w.as(owner).submitForm("/developer/o/river/production/till/settings", "action", "enable"), http.StatusOK, "It is no shop.")
	if !w.client(storage.Production, "till").Disabled {
		t.Error("its owner has started it again")
	}
	says(t, b.submitForm(page, "action", "start"), http.StatusOK, "Application reactivated.")
	if c, a := w.client(storage.Production, "till"), w.application(storage.Production, "till"); c.Disabled || !c.Unreviewed || a.Review != storage.ReviewNone {
		t.Errorf("disabled %v, unreviewed %v, %q", c.Disabled, c.Unreviewed, a.Review)
	}
}

func TestReviewsAreForOperatorsAlone(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	member := w.as(owner)
	member.submitForm(accessPath, "note", "", "action", "ask")
	_, fields := w.as(operator).open(reviewPath).form(t, "action", "approve")
	_, own := member.open(accessPath).form(t, "action", "withdraw")
	fields.Set("csrf", own.Get("csrf"))
	fields.Set("action", "approve")
	for _, address := range []string{"/developer/review", reviewPath, reviewPath + "/wanted/logo"} {
		says(t, member.get(address), http.StatusNotFound)
		says(t, w.newBrowser().get(address), http.StatusSeeOther)
	}
	if p := member.post(reviewPath, fields); p.StatusCode != http.StatusNotFound || len(w.live()) > 0 {
		t.Errorf("an owner approves: %s", p.Status)
	}
	if strings.Contains(member.open("/developer/").body, "/developer/review") {
		t.Error("an owner is led to the reviews")
	}
	w.withApplication(lake, storage.Sandbox, "boat")
	says(t, w.as(operator).get("/developer/review/sandbox/boat"), http.StatusNotFound)
}

func TestOwnersAreToldWhatWasDecided(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) {
		c.Mailer = mails
		c.Operator = func(_ context.Context, userID string) (bool, error) { return userID == operator, nil }
	}).withApplication(river, storage.Production, "till", func(c *provider.Client) { c.Name = "River Till" })
	w.as(operator).submitForm("/developer/review/production/till", "action", "stop", "reason", "No")
	sent := mails.all()
	if len(sent) != 1 || sent[0].To != "owner@example.com" || !strings.Contains(sent[0].Text, w.server.URL+"/developer/o/river/production/till/access") {
		t.Fatalf("sent: %+v", sent)
	}
	if !strings.Contains(sent[0].Subject, "River Till") || !strings.Contains(sent[0].Text, "River Till") {
		t.Errorf("which application it is about is not in it: %+v", sent[0])
	}
}

// brokenMailer sends nothing.
type brokenMailer struct{}

func (brokenMailer) Send(context.Context, provider.Mail) error { return errors.New("no route to host") }

func TestDecisionStandsWhenNoMailGoesOut(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) {
		c.Mailer = brokenMailer{}
		c.Operator = func(_ context.Context, userID string) (bool, error) { return userID == operator, nil }
	}).withApplication(river, storage.Production, "till")
	says(t, w.as(operator).submitForm("/developer/review/production/till", "action", "stop", "reason", "No"), http.StatusOK, "Application suspended.")
	if !w.client(storage.Production, "till").Disabled || !strings.Contains(w.log.String(), "no route to host") {
		t.Error("it runs, or nobody is told why no mail went out")
	}
}
