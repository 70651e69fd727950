package flows

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestVerifierIsToldWhoWantsToBeVerifiedAsWhat(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	w.AddAccount(provider.Account{ID: "bob", Email: "bob@example.com", EmailVerified: true, Password: lab.BobPass})
	w.OK(w.People().SetAttributes(t.Context(), "bob", map[string]any{"fname": "Bob", "lname": "Example"}))
	b := w.Bob()
	v := b.Verify(d, b.Open(lab.AuthorizeURL("ui_locales", "de")))
	want := provider.Verification{UserID: "bob", Group: "military", Email: "bob@example.com", Name: "Bob Example", ClientID: "v3", Language: "de", ReturnTo: v.ReturnTo}
	if diff := cmp.Diff(want, v); diff != "" || !w.Pages().IsReturnTo(v.ReturnTo) || !strings.HasPrefix(v.ReturnTo, w.Server.URL+"/verify/return?flow=") {
		t.Errorf("(-want +got):\n%s%q", diff, v.ReturnTo)
	}
	if !w.Saw(event.VerificationStarted) {
		t.Error("it is not in the audit log")
	}
	v = b.Verify(d, b.Open("/account/groups"))
	if diff := cmp.Diff(provider.Verification{UserID: "bob", Group: "military", Email: "bob@example.com", Name: "Bob Example", Language: "en", ReturnTo: v.ReturnTo}, v); diff != "" || !w.Pages().IsReturnTo(v.ReturnTo) {
		t.Errorf("from the account (-want +got):\n%s", diff)
	}
}

func TestConsentGoesOnWithWhatTheVerificationFound(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"v3", "strict"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			w, d := lab.WithOffice(t)
			b := w.Bob()
			v := b.Verify(d, b.Open(lab.AuthorizeURL("client_id", client)))
			w.Record(provider.Status{Verified: true, Subgroups: []string{"Veteran"}})
			p := b.Back(v)
			if !strings.Contains(p.Text, "Your status is verified.") || !strings.Contains(p.Text, "Veteran") {
				t.Errorf("the screen does not say what was found:\n%s", p.Text)
			}
			answer := lab.Response(t, b.Submit(p, "action", "allow"))
			if answer.Get("code") == "" || answer.Get("state") != "xyz" {
				t.Errorf("answer %v", answer)
			}
		})
	}
}

func TestApplicationThatNobodyIsAskedAboutGoesOnAtOnce(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	v := b.Verify(d, b.Open(lab.AuthorizeURL("client_id", "own")))
	if w.Consents("own") {
		t.Error("it is recorded before anybody is verified")
	}
	w.Record(provider.Status{Verified: true})
	if answer := lab.Response(t, b.Back(v)); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestRequiredVerificationIsOfferedInPlaceOfConsent(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	b := w.Bob()
	for _, client := range []string{"strict", "own"} {
		p := b.Open(lab.AuthorizeURL("client_id", client))
		if !strings.Contains(p.Text, `value="verify"`) || strings.Contains(p.Text, `value="allow"`) {
			t.Fatalf("%s: %s\n%s", client, p.Status, p.Text)
		}
		answer := lab.Response(t, b.Submit(p, "action", "deny"))
		if answer.Get("error") != "access_denied" || answer.Get("error_description") != "The user is not a verified member of the group." {
			t.Errorf("%s: %v", client, answer)
		}
		if w.Consents(client) {
			t.Errorf("%s: a consent is recorded", client)
		}
	}
	lab.Told(t, w, b.Open(lab.AuthorizeURL("client_id", "own", "prompt", "none")), "access_denied")
}

func TestRememberedConsentOfSomebodyWhoIsVerifiedNoMoreShowsTheScreen(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	w.Record(provider.Status{Verified: true, ExpiresAt: w.Now().Add(time.Hour)})
	b := w.Bob()
	if answer := b.Allow("client_id", "strict"); answer.Get("code") == "" {
		t.Fatalf("answer %v", answer)
	}
	w.Advance(2 * time.Hour)
	p := b.Open(lab.AuthorizeURL("client_id", "strict"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "Expired") || !strings.Contains(p.Text, `value="verify"`) {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
	lab.Told(t, w, b.Open(lab.AuthorizeURL("client_id", "strict", "prompt", "none")), "access_denied")
}

func TestRequiredGroupWithoutAVerifierOnlySaysSo(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	b := w.Bob()
	p := b.Open(lab.AuthorizeURL("client_id", "strict", "scope", "student"))
	if p.StatusCode != http.StatusOK || strings.Contains(p.Text, `value="verify"`) || strings.Contains(p.Text, `value="allow"`) {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
	if p := b.Submit(p, "action", "verify", "group", "student"); p.StatusCode != http.StatusOK {
		t.Errorf("pressed all the same: %s", p.Status)
	}
}

func TestReturnSaysThatItIsBeingChecked(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	for _, address := range []string{lab.AuthorizeURL("client_id", "strict"), lab.AuthorizeURL(), "/account/groups"} {
		w.Record(provider.Status{})
		v := b.Verify(d, b.Open(address))
		w.Record(provider.Status{Pending: true})
		p := b.Back(v)
		if !strings.Contains(p.Text, "In review") || strings.Count(p.Text, "will let you know") != 1 || strings.Contains(p.Text, `value="verify"`) {
			t.Errorf("%s: %s\n%s", address, p.Status, p.Text)
		}
	}
}

// TestApplicationLearnsThatAVerificationIsPending tests the error of a user who goes back to
// an application that requires verified users while a verification is under way.
func TestApplicationLearnsThatAVerificationIsPending(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	b := w.Bob()
	for pending, want := range map[bool]string{
		true: "The user is not verified yet (verification_pending).", false: "The user is not a verified member of the group.",
	} {
		w.Record(provider.Status{Pending: pending})
		p := b.SubmitOnce(b.Open(lab.AuthorizeURL("client_id", "strict")), "action", "deny")
		if got := lab.Told(t, w, p, "access_denied").Get("error_description"); got != want {
			t.Errorf("pending %v: %q", pending, got)
		}
	}
}

func TestReturnWithoutAResultSaysSo(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	for _, address := range []string{lab.AuthorizeURL("client_id", "strict"), lab.AuthorizeURL(), "/account/groups"} {
		p := b.Back(b.Verify(d, b.Open(address)))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "Your status isn’t verified yet.") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.Text)
		}
	}
}

// TestVerifierThatSendsBackAtOnceSendsNobodyRound has a verifier whose address is the one
// that it was given: every round takes a press of the button.
func TestVerifierThatSendsBackAtOnceSendsNobodyRound(t *testing.T) {
	t.Parallel()
	rounds := 0
	w := lab.New(t, func(c *provider.Config) {
		c.Verifiers = map[string]provider.Verifier{"military": func(_ context.Context, v provider.Verification) (string, error) {
			rounds++
			return v.ReturnTo, nil
		}}
	}).WithClients().WithUsers()
	b := w.Bob()
	for _, address := range []string{lab.AuthorizeURL(), "/account/groups"} {
		p := b.SubmitOnce(b.Open(address), "action", "verify", "group", "military")
		p = b.Open(p.Header.Get("Location"))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "isn’t verified yet") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.Text)
		}
	}
	if rounds != 2 {
		t.Errorf("the verifier was asked %d times", rounds)
	}
}

func TestAccountListsEveryGroup(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	w.Record(provider.Status{
		Verified: true, VerifiedBy: "Veterans Office", Source: "Service records", Method: "document", Subgroups: []string{"Veteran"},
		VerifiedAt: time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC), ExpiresAt: time.Date(2099, 4, 5, 0, 0, 0, 0, time.UTC),
	})
	b := w.Bob()
	p := b.Open("/account/groups")
	for _, part := range []string{
		"Military", "Student", "Teacher", "Nurse", "First responder", "Government employee",
		"Veterans Office", "Service records", "A document", "March 2025", "April 2099",
	} {
		if !strings.Contains(p.Text, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
	if strings.Contains(p.Text, `value="verify"`) {
		t.Error("who is verified is asked to")
	}
	w.Record(provider.Status{Verified: true, ExpiresAt: w.Now().Add(-time.Hour), VerifiedBy: "Veterans Office"})
	p = b.Open("/account/groups")
	if !strings.Contains(p.Text, "Expired") || !strings.Contains(p.Text, "Veterans Office") {
		t.Errorf("expired:\n%s", p.Text)
	}
	v := b.Verify(d, p)
	w.Record(provider.Status{Verified: true})
	if p := b.Back(v); !strings.Contains(p.Text, "Your status is verified.") {
		t.Errorf("verified again: %s\n%s", p.Status, p.Text)
	}
	if home := b.Open("/account"); !strings.Contains(home.Text, `"/account/groups"`) {
		t.Error("the account page does not lead there")
	}
}

// TestPendingIsReleasedAsNotVerified looks at every place where applications read a status.
func TestPendingIsReleasedAsNotVerified(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "jwt", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, AccessTokenFormat: "jwt",
		GrantTypes: []string{"authorization_code", "refresh_token"},
	}))
	b := w.Bob()
	w.Record(provider.Status{Verified: true, Subgroups: []string{"Veteran"}})
	_, tokens := b.Token("client_id", "jwt", "code", b.Allow("client_id", "jwt", "scope", "openid military offline_access").Get("code"))
	_, v3 := b.Token("code", b.Allow().Get("code"))
	w.Record(provider.Status{Pending: true, Subgroups: []string{"Veteran"}})
	want := []any{map[string]any{"group": "military", "subgroups": []any{}, "verified": false}}
	check := func(place string, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", place, diff)
		}
	}
	_, userinfo := b.JSON(lab.Bearer(b, "/api/public/v3/userinfo", tokens))
	check("userinfo", userinfo["status"])
	_, attributes := b.JSON(lab.Bearer(b, "/api/public/v3/attributes.json", v3))
	check("attributes", attributes["status"])
	_, tokens = b.Token("client_id", "jwt", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"))
	check("refreshed ID token", lab.ClaimsOf(t, lab.Member(t, tokens, "id_token"))["status"])
	if status, ok := lab.ClaimsOf(t, lab.Member(t, tokens, "access_token"))["status"]; ok {
		check("access token", status)
	}
	_, fresh := b.Token("client_id", "jwt", "code", b.Allow("client_id", "jwt", "scope", "openid military").Get("code"))
	check("ID token", lab.ClaimsOf(t, lab.Member(t, fresh, "id_token"))["status"])
}

func TestStatusIsPendingOrVerified(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	err := w.People().SetStatus(t.Context(), "bob", provider.Status{Group: "military", Verified: true, Pending: true})
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != "Pending" {
		t.Errorf("%v", err)
	}
}

func TestWhoHasWaitedIsToldByMail(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	ctx := t.Context()
	_, err := w.Accounts().Save(ctx, provider.Account{ID: "bob", Email: "bob@example.com", EmailVerified: true, Password: lab.BobPass})
	w.OK(err)
	said := func(what string, want ...string) {
		t.Helper()
		before := w.Mails.Count()
		if len(want) == 0 {
			return
		}
		mail, _ := w.Mails.Last(t)
		for _, part := range append(want, w.Server.URL+"/account/groups", "Military") {
			if !strings.Contains(mail.Subject+mail.Text, part) {
				t.Errorf("%s: %q is not in %q\n%s", what, part, mail.Subject, mail.Text)
			}
		}
		if mail.To != "bob@example.com" || strings.Contains(mail.Subject, "Military") || w.Mails.Count() != before {
			t.Errorf("%s: to %q, %q", what, mail.To, mail.Subject)
		}
	}
	expect := func(n int) {
		t.Helper()
		if got := w.Mails.Count(); got != n {
			t.Fatalf("%d mails, want %d", got, n)
		}
	}
	w.Record(provider.Status{Verified: true})
	w.Record(provider.Status{Pending: true})
	w.Record(provider.Status{Pending: true, Source: "Desk"})
	expect(0) // nobody has waited
	w.Record(provider.Status{Verified: true})
	expect(1)
	said("verified", "Your status is verified")
	w.Record(provider.Status{Verified: true})
	expect(1) // nobody waits any more
	w.Record(provider.Status{Pending: true})
	person, err := w.Store.Person(ctx, "bob")
	w.OK(err)
	w.OK(w.People().SetStatus(ctx, "bob", provider.Status{Group: "military", Revision: person.Statuses[0].Revision}))
	expect(2)
	said("refused", "couldn’t verify this status")
}

func TestStrangersAreNotToldAboutAVerification(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t) // bob's address is not verified
	w.Record(provider.Status{Pending: true})
	w.Record(provider.Status{Verified: true})
	if n := w.Mails.Count(); n != 0 {
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
			w, d := lab.WithOffice(t, hostOf(c.host...))
			b := w.NewBrowser()
			v := b.Verify(d, b.Open(lab.AuthorizeURL()))
			w.Record(provider.Status{Verified: true})
			_, tokens := b.Token("code", lab.Response(t, b.Submit(b.Back(v), "action", "allow")).Get("code"))
			_, got := b.JSON(lab.Bearer(b, "/api/public/v3/attributes.json", tokens))
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
		w := lab.New(t, func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"military": func(context.Context, provider.Verification) (string, error) { return address, nil }}
		}).WithClients().WithUsers()
		b := w.Bob()
		for _, page := range []string{lab.AuthorizeURL(), "/account/groups"} {
			p := b.Open(page)
			policy := p.Header.Get("Content-Security-Policy")
			_, form, _ := strings.Cut(policy, "form-action ")
			if form != "'self' https: http:" {
				t.Errorf("%s: form-action %q", page, form)
			}
			got := b.SubmitOnce(p, "action", "verify", "group", "military")
			if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != address {
				t.Errorf("%s: %s %q", page, got.Status, got.Header.Get("Location"))
			}
		}
	}
}
