package developer_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	livePath       = "/developer/o/river/production/live"
	liveReviewPath = "/developer/review/production/live"
)

// newApprovedFixture returns a dashboard with an application that an operator has approved.
func newApprovedFixture(t *testing.T, change ...func(*developer.Config)) *fixture {
	t.Helper()
	w := newReviewedFixtureOf(t, change)
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	a := w.application(storage.Sandbox, "shop")
	a.Document = []byte(strings.Replace(string(a.Document), "{", `{"live":"live",`, 1))
	w.ok(w.store.SaveApplication(t.Context(), a))
	says(t, w.as(operator).submitForm(reviewPath, "action", "approve"), http.StatusOK, "Approved and in production.")
	return w
}

// seen is what people see of an application, and where they are sent.
func (w *fixture) seen() string {
	c := w.client(storage.Production, "live")
	return strings.Join([]string{
		c.Name, c.TermsURL, c.PolicyURL, c.InitiateLoginURI, strings.Join(c.RedirectURIs, " "), strings.Join(c.PostLogoutRedirectURIs, " "),
		strings.Join(c.Origins, " "), strings.Join(slices.DeleteFunc(c.ResponseTypes, func(t string) bool { return t == "code" }), ", "), string(c.Logo), string(c.LogoDark), string(c.Wordmark), string(c.WordmarkDark),
	}, "\n")
}

func TestWhatPeopleSeeOfAnApprovedApplicationWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	for name, fields := range map[string][]string{
		"Name":          {"name", "Bank of Evil"},
		"RedirectHost":  {"redirect_uris", callbackURI + "\nhttps://evil.test/callback"},
		"PostLogout":    {"post_logout_redirect_uris", "https://bye.test/"},
		"Start":         {"initiate_login_uri", "https://start.test/"},
		"Origin":        {"origins", "https://origin.test"},
		"Terms":         {"tos_uri", "https://terms.test/"},
		"Policy":        {"policy_uri", "https://policy.test/"},
		"FrontChannel":  {"response_types.id_token", "on"},
		"TokenInOrigin": {"response_types.token", "on"},
	} {
		t.Run(name, func(t *testing.T) {
			before, b := w.seen(), w.as(dev)
			says(t, b.submitForm(livePath+"/settings", append(fields, "action", "save")...), http.StatusOK,
				"Changes people see are waiting for review.", "Changes are waiting for review.")
			if diff := cmp.Diff(before, w.seen()); diff != "" {
				t.Fatalf("people see: %s", diff)
			}
			// The form has what was entered: saving it again neither repeats nor forgets it.
			says(t, b.submitForm(livePath+"/settings", "action", "save"), http.StatusOK, "waiting for review.")
			o := w.as(operator)
			p := o.open(liveReviewPath)
			says(t, p, http.StatusOK, "Requested changes")
			says(t, o.submit(p, "action", "approve"), http.StatusOK, "People see the changes now.")
			if w.seen() == before {
				t.Error("what was approved is not served")
			}
			if p := b.open(livePath + "/settings"); strings.Contains(p.body, "waiting for review") {
				t.Error("it still waits")
			}
			if a := w.application(storage.Production, "live"); a.Review != storage.ReviewApproved || a.Name != w.client(storage.Production, "live").Name {
				t.Errorf("it is %q and called %q", a.Review, a.Name)
			}
		})
	}
}

func TestPicturesOfAnApprovedApplicationWaitForAnOperator(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	before, b := w.seen(), w.as(dev)
	says(t, b.uploads(b.open(livePath+"/branding"), fourPictures(t), "action", "publish"), http.StatusOK, "waiting for review.")
	if w.seen() != before {
		t.Fatal("people see them")
	}
	o := w.as(operator)
	p := o.open(liveReviewPath)
	now, wanted := w.client(storage.Production, "live").Logo, map[string]bool{}
	for field := range fourPictures(t) {
		picture := o.get(liveReviewPath + "/wanted/" + field)
		if picture.StatusCode != http.StatusOK || wanted[picture.body] || !strings.Contains(p.body, liveReviewPath+"/wanted/"+field) {
			t.Errorf("the operator is not shown %s: %s", field, picture.Status)
		}
		wanted[picture.body] = true
	}
	if shown := o.get(liveReviewPath + "/approved/logo"); shown.body != string(now) {
		t.Error("the operator does not see what people see")
	}
	// Settings that are saved meanwhile leave them waiting.
	says(t, b.submitForm(livePath+"/settings", "action", "save"), http.StatusOK, "waiting for review.")
	says(t, o.submitForm(liveReviewPath, "action", "approve"), http.StatusOK, "People see the changes now.")
	for field, picture := range picturesOf(w.client(storage.Production, "live")) {
		if !wanted[string(picture)] {
			t.Errorf("people do not see %s", field)
		}
	}
	// What is taken away is gone at once, and what comes back waits.
	says(t, b.uploads(b.open(livePath+"/branding"), nil, "remove_wordmark", "on", "remove_wordmark_dark", "on", "action", "publish"), http.StatusOK, "Published.")
	if c := w.client(storage.Production, "live"); len(c.Wordmark)+len(c.WordmarkDark) > 0 {
		t.Error("what was taken away is still there")
	}
	says(t, b.submitForm(livePath+"/branding", "action", "undo"), http.StatusOK, "waiting for review.")
	if c := w.client(storage.Production, "live"); len(c.Wordmark)+len(c.WordmarkDark) > 0 {
		t.Error("it is back unseen")
	}
}

func TestPathsAndWhatIsTakenAwayNeedNoReview(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	b := w.as(dev)
	says(t, b.submitForm(livePath+"/settings", "action", "save", "redirect_uris", callbackURI+"\nhttps://app.test:8443/other",
		"post_logout_redirect_uris", "https://app.test/bye", "tos_uri", "https://app.test/terms/2"), http.StatusOK, "saved and active")
	c := w.client(storage.Production, "live")
	if diff := cmp.Diff([]string{callbackURI, "https://app.test:8443/other"}, c.RedirectURIs); diff != "" || len(c.PostLogoutRedirectURIs) != 1 || c.TermsURL != "https://app.test/terms/2" {
		t.Errorf("%s\n%+v", diff, c)
	}
	// What waits beside it does not hold it up.
	says(t, b.submitForm(livePath+"/settings", "action", "save", "redirect_uris", "https://app.test:8443/other\nhttps://new.test/cb"), http.StatusOK, "waiting for review.")
	if diff := cmp.Diff([]string{"https://app.test:8443/other"}, w.client(storage.Production, "live").RedirectURIs); diff != "" {
		t.Error(diff)
	}
	says(t, b.submitForm(livePath+"/settings", "action", "save", "redirect_uris", "https://new.test/cb"), http.StatusUnprocessableEntity, "Keep one that’s already approved")
}

func TestWhatProductionRequiresStaysRequired(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	before, b := w.seen(), w.as(dev)
	for name, fields := range map[string][]string{
		"Terms":      {"tos_uri", ""},
		"Policy":     {"policy_uri", ""},
		"Loopback":   {"redirect_uris", callbackURI + "\nhttp://localhost:3000/cb"},
		"PostLogout": {"post_logout_redirect_uris", "http://127.0.0.1/bye"},
		"Start":      {"initiate_login_uri", "http://localhost:3000/start"},
		"Origin":     {"origins", "http://localhost:3000"},
	} {
		if p := b.submitForm(livePath+"/settings", append(fields, "action", "save")...); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s", name, p.Status)
		}
	}
	says(t, b.uploads(b.open(livePath+"/branding"), nil, "remove_logo", "on", "action", "publish"), http.StatusUnprocessableEntity, "Production requires a logo")
	says(t, w.as(owner).submitForm("/developer/o/river/settings", "contact", ""), http.StatusUnprocessableEntity, "Production requires")
	if diff := cmp.Diff(before, w.seen()); diff != "" {
		t.Error(diff)
	}
}

func TestChangesAreWithdrawn(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	b := w.as(dev)
	b.submitForm(livePath+"/settings", "action", "save", "name", "Bank of Evil")
	o := w.as(operator)
	says(t, o.open("/developer/review"), http.StatusOK, liveReviewPath)
	seen := o.open(liveReviewPath)
	says(t, b.open(livePath+"/access"), http.StatusOK, "Bank of Evil", "Waiting for review")
	says(t, b.submitForm(livePath+"/access", "action", "withdraw"), http.StatusOK, "No changes are waiting")
	says(t, o.submit(seen, "action", "approve"), http.StatusOK, "Someone else changed this")
	if w.client(storage.Production, "live").Name == "Bank of Evil" {
		t.Error("what was withdrawn is served")
	}
	if p := w.as(viewer).post(livePath+"/access", url.Values{}); p.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer: %s", p.Status)
	}
}

func TestChangesAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newApprovedFixture(t, func(c *developer.Config) { c.Mailer = mails })
	before, b := w.seen(), w.as(dev)
	b.submitForm(livePath+"/settings", "action", "save", "name", "Bank of Evil")
	says(t, w.as(operator).submitForm(liveReviewPath, "action", "refuse", "reason", "You are no bank."), http.StatusOK, "can see what to change")
	says(t, b.open(livePath+"/access"), http.StatusOK, "You are no bank.", "Not approved yet", "No changes are waiting")
	if w.seen() != before {
		t.Error("it is served")
	}
	sent := mails.all()
	if last := sent[len(sent)-1]; last.To != "owner@example.com" || !strings.Contains(last.Text, livePath+"/access") || strings.Contains(last.Text, "Evil") {
		t.Errorf("sent: %+v", last)
	}
}

// TestOnlyWhatWasSeenIsApproved has developers who change what waits, and what does not, while
// an operator reads it.
func TestOnlyWhatWasSeenIsApproved(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string][]string{
		"AnotherName":  {"name", "Bank of More Evil"},
		"AnotherTerms": {"tos_uri", "https://app.test/other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newApprovedFixture(t)
			b, o := w.as(dev), w.as(operator)
			b.submitForm(livePath+"/settings", "action", "save", "name", "Bank of Evil")
			seen := o.open(liveReviewPath)
			b.submitForm(livePath+"/settings", append(fields, "action", "save")...)
			says(t, o.submit(seen, "action", "approve"), http.StatusOK, "Someone else changed this")
			if got := w.client(storage.Production, "live").Name; got != "App shop" {
				t.Errorf("people see %q", got)
			}
			if a := w.application(storage.Production, "live"); a.Review != storage.ReviewAsked {
				t.Errorf("it is %q", a.Review)
			}
		})
	}
}

// TestApprovalOfChangesThatWasInterruptedIsFinished begins where a process has ended after it
// claimed what waits.
func TestApprovalOfChangesThatWasInterruptedIsFinished(t *testing.T) {
	t.Parallel()
	w := newApprovedFixture(t)
	w.as(dev).submitForm(livePath+"/settings", "action", "save", "name", "Shop & More")
	a := w.application(storage.Production, "live")
	a.Review = storage.ReviewApproved
	w.ok(w.store.SaveApplication(t.Context(), a))
	says(t, w.as(operator).submitForm(liveReviewPath, "action", "approve"), http.StatusOK, "People see the changes now.")
	if got := w.client(storage.Production, "live").Name; got != "Shop & More" {
		t.Errorf("people see %q", got)
	}
}

func TestNobodyApprovesTheirOwn(t *testing.T) {
	t.Parallel()
	everyone := func(c *developer.Config) {
		c.Operator = func(_ context.Context, userID string) (bool, error) {
			return slices.Contains([]string{operator, dev, owner}, userID), nil
		}
	}
	t.Run("WhoAsks", func(t *testing.T) {
		t.Parallel()
		w := newReviewedFixtureOf(t, []func(*developer.Config){everyone})
		b := w.as(dev)
		b.submitForm(accessPath, "note", "", "action", "ask")
		if err := w.store.RemoveMember(t.Context(), river, dev); err != nil { // and is a member no more
			t.Fatal(err)
		}
		says(t, b.open(reviewPath), http.StatusOK, "someone else must decide")
		_, fields := w.as(operator).open(reviewPath).form(t, "action", "approve")
		_, own := b.open("/developer/new").form(t, "name", "x")
		fields.Set("csrf", own.Get("csrf"))
		fields.Set("action", "approve")
		says(t, b.post(reviewPath, fields), http.StatusForbidden, "This is your own")
		if len(w.live()) > 0 {
			t.Error("it is in production")
		}
	})
	t.Run("WhoIsAMemberByNow", func(t *testing.T) {
		t.Parallel()
		w := newApprovedFixture(t, everyone)
		w.as(dev).submitForm(livePath+"/settings", "action", "save", "name", "Bank of Evil")
		b := w.as(operator)
		p := b.open(liveReviewPath)
		link := w.invite(w.as(owner), operator, "viewer")
		b.submitForm(link)
		says(t, b.submit(p, "action", "approve"), http.StatusForbidden, "This is your own")
		if w.client(storage.Production, "live").Name == "Bank of Evil" {
			t.Error("it is served")
		}
	})
	t.Run("WhoStartsWhatWasStopped", func(t *testing.T) {
		t.Parallel()
		w := newApprovedFixture(t, everyone)
		w.as(operator).submitForm(liveReviewPath, "action", "stop", "reason", "No")
		says(t, w.as(owner).open(liveReviewPath), http.StatusOK, "someone else must decide")
		if !w.client(storage.Production, "live").Disabled {
			t.Error("it runs")
		}
	})
}

func TestTheOperatorIsShownAllThatIsRegistered(t *testing.T) {
	t.Parallel()
	pictures := fourPictures(t)
	w := newReviewedFixtureOf(t, nil, func(c *provider.Client) {
		c.Name = strings.Repeat("x", 100) + " of nobody"
		c.Logo, c.LogoDark, c.Wordmark, c.WordmarkDark = pictures["logo"], pictures["logo_dark"], pictures["wordmark"], pictures["wordmark_dark"]
		c.PostLogoutRedirectURIs, c.Origins = []string{"https://app.test/bye"}, []string{"https://spa.test"}
		c.BackchannelLogoutURI, c.JWKSURI = "https://app.test/out", "https://app.test/keys"
		c.ResponseTypes = []string{"code", "id_token token"}
	})
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	b := w.as(operator)
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, " of nobody", "https://app.test/bye", "https://spa.test", "https://app.test/out", "https://app.test/keys", "id_token token", "refresh_token")
	for field := range pictures {
		if got := strings.Count(p.body, reviewPath+"/wanted/"+field+`"`); got != 2 { // by day and by night
			t.Errorf("%s is shown %d times", field, got)
		}
	}
	// After a decision, what was changed since is marked.
	b.submit(p, "action", "refuse", "reason", "No")
	c := w.client(storage.Sandbox, "shop")
	c.Origins = append(c.Origins, "https://more.test")
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	says(t, b.open(reviewPath), http.StatusOK, "Changes since the last decision are marked.", "<ins><bdi>https://more.test</bdi></ins>")
}

func TestActivityShowsWhatWasAddedAndTakenAway(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) {
		c.RedirectURIs = nil
		for i := range 12 {
			c.RedirectURIs = append(c.RedirectURIs, "https://app.test/"+strings.Repeat("a", 40)+string(rune('a'+i)))
		}
	})
	b := w.as(dev)
	c := w.client(storage.Sandbox, "shop")
	b.submitForm(shopPath+"/settings", "action", "save", "redirect_uris", strings.Join(c.RedirectURIs[1:], "\n")+"\nhttps://evil.test/cb")
	p := b.open("/developer/o/river/activity")
	says(t, p, http.StatusOK, "<ins><bdi>https://evil.test/cb</bdi></ins>", "<del><bdi>"+c.RedirectURIs[0]+"</bdi></del>")
	if strings.Contains(p.body, c.RedirectURIs[5]) {
		t.Error("it is hidden among what has stayed")
	}
}

func TestAChangeOfManyAddressesIsALineOfFewBytes(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	lines := []string{callbackURI}
	for i := range 90 {
		lines = append(lines, "https://app.test/"+strings.Repeat("x", 1000)+string(rune('A'+i%26))+string(rune('a'+i/26)))
	}
	b := w.as(dev)
	says(t, b.submitForm(shopPath+"/settings", "action", "save", "redirect_uris", strings.Join(lines, "\n")), http.StatusOK, "saved")
	change, bytes, cut := w.changes(river)[0], 0, 0
	for _, f := range change.Fields {
		bytes += len(f.Before) + len(f.After) + len(strings.Join(f.Added, "")) + len(strings.Join(f.Removed, ""))
		cut += f.Cut
	}
	if bytes > 10_000 || cut == 0 {
		t.Errorf("%d bytes, %d left out: %s", bytes, cut, change.What)
	}
	says(t, b.open("/developer/o/river/activity"), http.StatusOK, "more")
}
