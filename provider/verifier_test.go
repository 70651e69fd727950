package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// office is a verifier that sends users to a page of the host.
type office struct {
	mu    sync.Mutex
	asked []provider.Verification
}

func (d *office) Verify(_ context.Context, v provider.Verification) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, v)
	return "/desk", nil
}

func (d *office) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.asked)
}

// last returns what the verifier was told the last time.
func (d *office) last(t testing.TB) provider.Verification {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		t.Fatal("the verifier was not asked")
	}
	return d.asked[len(d.asked)-1]
}

// withOffice starts a provider with a verifier for the group military, at which the
// application strict takes verified members only.
func withOffice(t testing.TB, change ...func(*provider.Config)) (*fixture, *office) {
	t.Helper()
	d := &office{}
	w := newFixture(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.Verifiers = map[string]provider.Verifier{"military": d}
	}}, change...)...).withClients().withUsers()
	w.ok(w.SaveClient(t.Context(), provider.Client{
		ID: "strict", Name: "Strict Perks", Secret: clientSecret, RedirectURIs: []string{callbackURI}, RequireVerified: true,
	}))
	w.ok(w.SaveClient(t.Context(), provider.Client{
		ID: "own", Name: "Own Perks", Secret: clientSecret, RedirectURIs: []string{callbackURI}, RequireVerified: true, SkipConsent: true,
	}))
	return w, d
}

func (w *fixture) bob() *browser { return w.newBrowser().signIn("bob@example.com", bobPass) }

// record records the status of bob in the group military.
func (w *fixture) record(s provider.Status) {
	w.t.Helper()
	s.Group = "military"
	w.ok(w.SetStatus(w.t.Context(), "bob", s))
}

// consents reports whether bob has allowed an application anything, or was recorded with it.
func (w *fixture) consents(clientID string) bool {
	w.t.Helper()
	_, err := w.store.Consent(w.t.Context(), "bob", clientID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		w.t.Fatal(err)
	}
	return err == nil
}

// verify presses the button beside the group, and returns what the verifier was told.
func (b *browser) verify(d *office, p page) provider.Verification {
	b.t.Helper()
	got := b.submitOnce(p, "action", "verify", "group", "military")
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/desk" {
		b.t.Fatalf("sent to %s %q\n%s", got.Status, got.Header.Get("Location"), got.body)
	}
	return d.last(b.t)
}

// back returns from the verifier.
func (b *browser) back(v provider.Verification) page {
	b.t.Helper()
	return b.open(v.ReturnTo)
}

func TestVerifierIsToldWhoWantsToBeVerifiedAsWhat(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	w.account(provider.Account{ID: "bob", Email: "bob@example.com", EmailVerified: true, Password: bobPass})
	w.ok(w.SetAttributes(t.Context(), "bob", map[string]any{"fname": "Bob", "lname": "Example"}))
	b := w.bob()
	v := b.verify(d, b.open(authorizeURL("ui_locales", "de")))
	want := provider.Verification{UserID: "bob", Group: "military", Email: "bob@example.com", Name: "Bob Example", ClientID: "v3", Language: "de", ReturnTo: v.ReturnTo}
	if diff := cmp.Diff(want, v); diff != "" || !w.IsReturnTo(v.ReturnTo) || !strings.HasPrefix(v.ReturnTo, w.server.URL+"/verify/return?flow=") {
		t.Errorf("(-want +got):\n%s%q", diff, v.ReturnTo)
	}
	if !w.saw(provider.EventVerificationStarted) {
		t.Error("it is not in the audit log")
	}
	v = b.verify(d, b.open("/account/groups"))
	if diff := cmp.Diff(provider.Verification{UserID: "bob", Group: "military", Email: "bob@example.com", Name: "Bob Example", Language: "en", ReturnTo: v.ReturnTo}, v); diff != "" || !w.IsReturnTo(v.ReturnTo) {
		t.Errorf("from the account (-want +got):\n%s", diff)
	}
}

func TestConsentGoesOnWithWhatTheVerificationFound(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"v3", "strict"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			w, d := withOffice(t)
			b := w.bob()
			v := b.verify(d, b.open(authorizeURL("client_id", client)))
			w.record(provider.Status{Verified: true, Subgroups: []string{"Veteran"}})
			p := b.back(v)
			if !strings.Contains(p.body, "Your status is verified.") || !strings.Contains(p.body, "Veteran") {
				t.Errorf("the screen does not say what was found:\n%s", p.body)
			}
			answer := response(t, b.submit(p, "action", "allow"))
			if answer.Get("code") == "" || answer.Get("state") != "xyz" {
				t.Errorf("answer %v", answer)
			}
		})
	}
}

func TestApplicationThatNobodyIsAskedAboutGoesOnAtOnce(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	v := b.verify(d, b.open(authorizeURL("client_id", "own")))
	if w.consents("own") {
		t.Error("it is recorded before anybody is verified")
	}
	w.record(provider.Status{Verified: true})
	if answer := response(t, b.back(v)); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestRequiredVerificationIsOfferedInPlaceOfConsent(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	b := w.bob()
	for _, client := range []string{"strict", "own"} {
		p := b.open(authorizeURL("client_id", client))
		if !strings.Contains(p.body, `value="verify"`) || strings.Contains(p.body, `value="allow"`) {
			t.Fatalf("%s: %s\n%s", client, p.Status, p.body)
		}
		answer := response(t, b.submit(p, "action", "deny"))
		if answer.Get("error") != "access_denied" || answer.Get("error_description") != "The user is not a verified member of the group." {
			t.Errorf("%s: %v", client, answer)
		}
		if w.consents(client) {
			t.Errorf("%s: a consent is recorded", client)
		}
	}
	told(t, w, b.open(authorizeURL("client_id", "own", "prompt", "none")), "access_denied")
}

func TestRememberedConsentOfSomebodyWhoIsVerifiedNoMoreShowsTheScreen(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	w.record(provider.Status{Verified: true, ExpiresAt: w.now().Add(time.Hour)})
	b := w.bob()
	if answer := b.allow("client_id", "strict"); answer.Get("code") == "" {
		t.Fatalf("answer %v", answer)
	}
	w.advance(2 * time.Hour)
	p := b.open(authorizeURL("client_id", "strict"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Expired") || !strings.Contains(p.body, `value="verify"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	told(t, w, b.open(authorizeURL("client_id", "strict", "prompt", "none")), "access_denied")
}

func TestRequiredGroupWithoutAVerifierOnlySaysSo(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	b := w.bob()
	p := b.open(authorizeURL("client_id", "strict", "scope", "student"))
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, `value="verify"`) || strings.Contains(p.body, `value="allow"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	if p := b.submit(p, "action", "verify", "group", "student"); p.StatusCode != http.StatusOK {
		t.Errorf("pressed all the same: %s", p.Status)
	}
}

func TestReturnSaysThatItIsBeingChecked(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	for _, address := range []string{authorizeURL("client_id", "strict"), authorizeURL(), "/account/groups"} {
		w.record(provider.Status{})
		v := b.verify(d, b.open(address))
		w.record(provider.Status{Pending: true})
		p := b.back(v)
		if !strings.Contains(p.body, "In review") || !strings.Contains(p.body, "will let you know") || strings.Contains(p.body, `value="verify"`) {
			t.Errorf("%s: %s\n%s", address, p.Status, p.body)
		}
	}
}

func TestReturnWithoutAResultSaysSo(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	for _, address := range []string{authorizeURL("client_id", "strict"), authorizeURL(), "/account/groups"} {
		p := b.back(b.verify(d, b.open(address)))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Your status isn’t verified yet.") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.body)
		}
	}
}

// TestVerifierThatSendsBackAtOnceSendsNobodyRound has a verifier whose address is the one
// that it was given: every round takes a press of the button.
func TestVerifierThatSendsBackAtOnceSendsNobodyRound(t *testing.T) {
	t.Parallel()
	rounds := 0
	w := newFixture(t, func(c *provider.Config) {
		c.Verifiers = map[string]provider.Verifier{"military": provider.VerifierFunc(func(_ context.Context, v provider.Verification) (string, error) {
			rounds++
			return v.ReturnTo, nil
		})}
	}).withClients().withUsers()
	b := w.bob()
	for _, address := range []string{authorizeURL(), "/account/groups"} {
		p := b.submitOnce(b.open(address), "action", "verify", "group", "military")
		p = b.open(p.Header.Get("Location"))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "isn’t verified yet") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.body)
		}
	}
	if rounds != 2 {
		t.Errorf("the verifier was asked %d times", rounds)
	}
}

func TestAccountListsEveryGroup(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	w.record(provider.Status{
		Verified: true, VerifiedBy: "Veterans Office", Source: "Service records", Method: "document", Subgroups: []string{"Veteran"},
		VerifiedAt: time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC), ExpiresAt: time.Date(2099, 4, 5, 0, 0, 0, 0, time.UTC),
	})
	b := w.bob()
	p := b.open("/account/groups")
	for _, part := range []string{
		"Military", "Student", "Teacher", "Nurse", "First responder", "Government employee",
		"Veterans Office", "Service records", "A document", "March 2025", "April 2099",
	} {
		if !strings.Contains(p.body, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
	if strings.Contains(p.body, `value="verify"`) {
		t.Error("who is verified is asked to")
	}
	w.record(provider.Status{Verified: true, ExpiresAt: w.now().Add(-time.Hour), VerifiedBy: "Veterans Office"})
	p = b.open("/account/groups")
	if !strings.Contains(p.body, "Expired") || !strings.Contains(p.body, "Veterans Office") {
		t.Errorf("expired:\n%s", p.body)
	}
	v := b.verify(d, p)
	w.record(provider.Status{Verified: true})
	if p := b.back(v); !strings.Contains(p.body, "Your status is verified.") {
		t.Errorf("verified again: %s\n%s", p.Status, p.body)
	}
	if home := b.open("/account"); !strings.Contains(home.body, `"/account/groups"`) {
		t.Error("the account page does not lead there")
	}
}

// TestPendingIsReleasedAsNotVerified looks at every place where applications read a status.
func TestPendingIsReleasedAsNotVerified(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.ok(w.SaveClient(t.Context(), provider.Client{
		ID: "jwt", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, AccessTokenFormat: "jwt",
		GrantTypes: []string{"authorization_code", "refresh_token"},
	}))
	b := w.bob()
	w.record(provider.Status{Verified: true, Subgroups: []string{"Veteran"}})
	_, tokens := b.token("client_id", "jwt", "code", b.allow("client_id", "jwt", "scope", "openid military offline_access").Get("code"))
	_, v3 := b.token("code", b.allow().Get("code"))
	w.record(provider.Status{Pending: true, Subgroups: []string{"Veteran"}})
	want := []any{map[string]any{"group": "military", "subgroups": []any{}, "verified": false}}
	check := func(place string, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", place, diff)
		}
	}
	_, userinfo := b.json(bearer(b, "/api/public/v3/userinfo", tokens))
	check("userinfo", userinfo["status"])
	_, attributes := b.json(bearer(b, "/api/public/v3/attributes.json", v3))
	check("attributes", attributes["status"])
	_, tokens = b.token("client_id", "jwt", "grant_type", "refresh_token", "refresh_token", text(t, tokens, "refresh_token"))
	check("refreshed ID token", claimsOf(t, text(t, tokens, "id_token"))["status"])
	if status, ok := claimsOf(t, text(t, tokens, "access_token"))["status"]; ok {
		check("access token", status)
	}
	_, fresh := b.token("client_id", "jwt", "code", b.allow("client_id", "jwt", "scope", "openid military").Get("code"))
	check("ID token", claimsOf(t, text(t, fresh, "id_token"))["status"])
}

func TestStatusIsPendingOrVerified(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	err := w.SetStatus(t.Context(), "bob", provider.Status{Group: "military", Verified: true, Pending: true})
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != "Pending" {
		t.Errorf("%v", err)
	}
}

func TestWhoHasWaitedIsToldByMail(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	ctx := t.Context()
	_, err := w.SaveAccount(ctx, provider.Account{ID: "bob", Email: "bob@example.com", EmailVerified: true, Password: bobPass})
	w.ok(err)
	said := func(what string, want ...string) {
		t.Helper()
		before := w.mails.count()
		if len(want) == 0 {
			return
		}
		mail, _ := w.mails.last(t)
		for _, part := range append(want, w.server.URL+"/account/groups", "Military") {
			if !strings.Contains(mail.Subject+mail.Text, part) {
				t.Errorf("%s: %q is not in %q\n%s", what, part, mail.Subject, mail.Text)
			}
		}
		if mail.To != "bob@example.com" || strings.Contains(mail.Subject, "Military") || w.mails.count() != before {
			t.Errorf("%s: to %q, %q", what, mail.To, mail.Subject)
		}
	}
	expect := func(n int) {
		t.Helper()
		if got := w.mails.count(); got != n {
			t.Fatalf("%d mails, want %d", got, n)
		}
	}
	w.record(provider.Status{Verified: true})
	w.record(provider.Status{Pending: true})
	w.record(provider.Status{Pending: true, Source: "Desk"})
	expect(0) // nobody has waited
	w.record(provider.Status{Verified: true})
	expect(1)
	said("verified", "Your status is verified")
	w.record(provider.Status{Verified: true})
	expect(1) // nobody waits any more
	w.record(provider.Status{Pending: true})
	person, err := w.store.Person(ctx, "bob")
	w.ok(err)
	w.ok(w.SetStatus(ctx, "bob", provider.Status{Group: "military", Revision: person.Statuses[0].Revision}))
	expect(2)
	said("refused", "couldn’t verify this status")
}

func TestStrangersAreNotToldAboutAVerification(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t) // bob's address is not verified
	w.record(provider.Status{Pending: true})
	w.record(provider.Status{Verified: true})
	if n := w.mails.count(); n != 0 {
		t.Errorf("%d mails", n)
	}
}

// hostOf has users of its own, and answers for some groups.
func hostOf(statuses ...provider.Status) func(*provider.Config) {
	return func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL: "/host/signin",
			SignedIn: func(*http.Request) (provider.SignedIn, error) {
				return provider.SignedIn{UserID: "bob", AuthTime: c.Clock()}, nil
			},
			Person: func(context.Context, string, []string, []string) (provider.Person, error) {
				return provider.Person{Attributes: map[string]any{"fname": "Bob"}, Statuses: statuses}, nil
			},
		}
	}
}

func TestGroupThatTheHostDoesNotAnswerForComesFromTheStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host     []provider.Status
		verified bool
	}{
		"no answer":                    {nil, true},
		"an answer for another group":  {[]provider.Status{{Group: "student", Verified: true}}, true},
		"an answer: not verified":      {[]provider.Status{{Group: "military"}}, false},
		"an answer: verified, expired": {[]provider.Status{{Group: "military", Verified: true, ExpiresAt: time.Unix(1, 0)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := withOffice(t, hostOf(c.host...))
			b := w.newBrowser()
			v := b.verify(d, b.open(authorizeURL()))
			w.record(provider.Status{Verified: true})
			_, tokens := b.token("code", response(t, b.submit(b.back(v), "action", "allow")).Get("code"))
			_, got := b.json(bearer(b, "/api/public/v3/attributes.json", tokens))
			want := []any{map[string]any{"group": "military", "subgroups": []any{}, "verified": c.verified}}
			if diff := cmp.Diff(want, got["status"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestVerifierMayBeAnywhereThatALinkLeadsTo looks at what browsers hold the redirect
// against: the policy of the page with the button.
func TestVerifierMayBeAnywhereThatALinkLeadsTo(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"https://desk.test/verify?x=1", "http://localhost:9000/verify", "/desk"} {
		w := newFixture(t, func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"military": provider.VerifierFunc(
				func(context.Context, provider.Verification) (string, error) { return address, nil })}
		}).withClients().withUsers()
		b := w.bob()
		for _, page := range []string{authorizeURL(), "/account/groups"} {
			p := b.open(page)
			policy := p.Header.Get("Content-Security-Policy")
			_, form, _ := strings.Cut(policy, "form-action ")
			if form != "'self' https: http:" {
				t.Errorf("%s: form-action %q", page, form)
			}
			got := b.submitOnce(p, "action", "verify", "group", "military")
			if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != address {
				t.Errorf("%s: %s %q", page, got.Status, got.Header.Get("Location"))
			}
		}
	}
}

// sealedOf returns the sealed value of a return.
func sealedOf(t testing.TB, v provider.Verification) string {
	t.Helper()
	u, err := url.Parse(v.ReturnTo)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("flow")
}
