package verification_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// pages is a provider with the pages of a service, behind real HTTP.
type pages struct {
	*lab.Fixture
	*verification.Service
}

// newPages returns the pages of a policy for the group student.
func newPages(t *testing.T, rule verification.Rule, change ...func(*verification.Policy)) *pages {
	t.Helper()
	return newPagesOf(t, func(*provider.Config) {}, rule, change...)
}

// newPagesOf is newPages with another provider.
func newPagesOf(t *testing.T, configure func(*provider.Config), rule verification.Rule, change ...func(*verification.Policy)) *pages {
	t.Helper()
	policy := verification.Policy{Group: "student", Rule: rule}
	for _, c := range change {
		c(&policy)
	}
	policies := verification.Policies{policy}
	return serve(t, lab.New(t, configure, func(c *provider.Config) { c.Verifiers = policies.Verifiers() }), policies)
}

// serve serves the pages of policies beside a provider.
func serve(t *testing.T, w *lab.Fixture, policies verification.Policies) *pages {
	t.Helper()
	w.WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "campus", Dialect: provider.V3, Name: "Campus Shop", Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, RequireVerified: true,
	}))
	service := testkit.Must(verification.New(verification.Config{
		Provider: w.Provider, Store: w.Store.(storage.Verification), Policies: policies, Mailer: w.Mails, Clock: w.Now,
	}))(t)
	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return &pages{w, service}
}

var byEmail = verification.By(verification.EmailDomain(verification.EmailDomainConfig{Domains: []string{"university.example"}}))

// asks is a method that asks for a word, and does what it says.
func asks(name string) verification.Rule {
	return verification.By(verification.Verifier{
		Name: name, Title: verification.Text{English: "Method " + name, Translations: map[string]string{"de": "Weg " + name}},
		CanReview: true,
		Next: func(_ context.Context, c *verification.Case, e verification.Event) (verification.Result, error) {
			ask := verification.Ask{Fields: []verification.Field{{Name: "word", Label: verification.Text{English: "A word"}}}}
			if e.Kind != verification.Answered && e.Kind != verification.Returned {
				return ask, nil
			}
			switch e.Form["word"] {
			case "accept":
				return verification.Accept{Source: "The register"}, nil
			case "review":
				return verification.Review{}, nil
			case "wait":
				return verification.Wait{Until: e.At.Add(time.Hour)}, nil
			case "elsewhere":
				return verification.GoTo{URL: "/office?case=" + c.ID}, nil
			case "refuse":
				return verification.Refuse{Reasons: []verification.Reason{verification.ReasonNotInGroup}}, nil
			case "taken":
				return verification.Refuse{Reasons: []verification.Reason{verification.ReasonTaken}}, nil
			case "fail":
				return nil, context.DeadlineExceeded
			}
			ask.Problem = verification.ReasonNoMatch
			return ask, nil
		},
	})
}

// begin chooses a method for a new case, and returns the page of its first step.
func (w *pages) begin(b *lab.Browser, method string) lab.Page {
	w.T.Helper()
	p := b.Submit(b.Open("/verification/student"), "method", method)
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Request.URL.Path, "/verification/case/") {
		w.T.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	lab.Safe(w.T, p)
	return p
}

// say answers a method of asks.
func say(b *lab.Browser, p lab.Page, word string) lab.Page {
	b.T.Helper()
	return b.Submit(p, "answer_word", word)
}

var eightDigits = regexp.MustCompile(`\b\d{8}\b`)

// mailed returns the code of the latest mail.
func (w *pages) mailed() string {
	w.T.Helper()
	mail, _ := w.Mails.Last(w.T)
	return eightDigits.FindString(mail.Text)
}

func shows(t *testing.T, p lab.Page, status int, parts ...string) {
	t.Helper()
	if p.StatusCode != status {
		t.Errorf("%s: %s, want %d\n%s", p.Request.URL, p.Status, status, p.Text)
	}
	for _, part := range parts {
		if !strings.Contains(p.Text, part) {
			t.Errorf("%s does not say %q:\n%s", p.Request.URL, part, p.Text)
		}
	}
}

// link returns the address of the link with these words.
func link(t *testing.T, p lab.Page, words string) string {
	t.Helper()
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>(?:<bdi>)?` + regexp.QuoteMeta(words)).FindStringSubmatch(p.Text)
	if found == nil {
		t.Fatalf("no link %q:\n%s", words, p.Text)
	}
	return strings.ReplaceAll(found[1], "&amp;", "&")
}

// TestStrangerIsVerifiedInAFlow is what all of this is for: an application asks for a verified
// student, somebody proves to be one by an address, and the application sees it.
func TestStrangerIsVerifiedInAFlow(t *testing.T) {
	t.Parallel()
	w := newPages(t, verification.AnyOf(byEmail, asks("a")))
	b := w.Bob()
	p := b.Open(lab.AuthorizeURL("client_id", "campus", "scope", "student"))
	shows(t, p, http.StatusOK, `value="verify"`)
	p = b.Open(b.SubmitOnce(p, "action", "verify", "group", "student").Header.Get("Location"))
	const back = "Back to Campus"
	shows(t, p, http.StatusOK, back, `<p class="up"><a href="http`, "Verify your status", "institution’s email address", "Fastest", "What you need", "What we keep")
	p = b.Submit(p, "method", "email_domain")
	shows(t, p, http.StatusOK, back, `name="answer_email"`)
	p = b.Submit(p, "answer_email", "bob@mail.elsewhere.example")
	shows(t, p, http.StatusUnprocessableEntity, `value="bob@mail.elsewhere.example"`, `aria-invalid="true"`)
	p = b.Submit(p, "answer_email", "bob@students.university.example")
	shows(t, p, http.StatusOK, back, "Check your email", "bob@students.university.example", `autocomplete="one-time-code"`)
	p = b.Submit(p, "code", w.mailed())
	shows(t, p, http.StatusOK, back, "You’re verified", "Valid until", "Continue to ")
	p = b.Open(link(t, p, "Continue to "))
	shows(t, p, http.StatusOK, "Your status is verified", `value="allow"`)
	response := lab.Response(t, b.Submit(p, "action", "allow"))
	_, tokens := b.Token("client_id", "campus", "code", response.Get("code"))
	data := lab.Bearer(b, "/api/public/v3/attributes.json", tokens)
	shows(t, data, http.StatusOK, `"group":"student"`, `"verified":true`)
	if p := b.Open("/account"); !strings.Contains(p.Text, `href="/verification/"`) {
		t.Error("the account does not lead to the list")
	}
	shows(t, b.Open("/verification/"), http.StatusOK, "Verified", "View status")
}

// A flow that asks for German is in German on the pages of verification, too, and so are the mails of an account that has said
// no language. The browser prefers English.
func TestCaseOfAFlowIsInItsLanguage(t *testing.T) {
	t.Parallel()
	w := newPages(t, verification.AnyOf(byEmail, asks("a")))
	b, before := w.Alice(), w.Mails.Count()
	p := b.Open(lab.AuthorizeURL("client_id", "campus", "scope", "student", "ui_locales", "de"))
	german := `<html lang="de"`
	app, _ := w.AddApp("alice")
	p = b.SubmitOnce(p, "action", "verify", "group", "student")
	w.Advance(20 * time.Minute)
	p = b.Open(p.Header.Get("Location"))
	shows(t, p, http.StatusOK, german, `name="password"`)
	p = b.Submit(p, "password", lab.AlicePass)
	shows(t, p, http.StatusOK, german, `name="code"`)
	p = b.Submit(p, "code", app.Code())
	shows(t, p, http.StatusOK, german, `value="email_domain"`)
	p = b.Submit(p, "method", "email_domain")
	shows(t, p, http.StatusOK, german)
	p = b.Submit(p, "answer_email", "bob@mail.elsewhere.example")
	shows(t, p, http.StatusUnprocessableEntity, german)
	shows(t, b.Submit(p, "answer_email", "bob@students.university.example"), http.StatusOK, german)
	for _, m := range w.Mails.Since(before) {
		if m.Language != "de" {
			t.Errorf("the mail %s is in %q", m.Kind, m.Language)
		}
	}
	if w.Mails.Count() < before+2 {
		t.Error("a mail is missing")
	}
}

// TestOnlyTheOwnerSeesACase: threat 4 and 9, for what pages can do. Others learn not even
// whether there is one.
func TestOnlyTheOwnerSeesACase(t *testing.T) {
	t.Parallel()
	w := newPages(t, asks("a"))
	bob, alice := w.Bob(), w.Alice()
	at := w.begin(bob, "a").Request.URL.Path
	_, form := w.begin(alice, "a").Form(t)
	for _, path := range []string{"", "/withdraw", "/appeal"} {
		for _, address := range []string{at + path, "/verification/case/01900000-0000-7000-8000-000000000000" + path} {
			shows(t, alice.Open(address), http.StatusNotFound)
			shows(t, alice.Post(address, form), http.StatusNotFound)
		}
	}
	shows(t, alice.Open("/verification/return?case="+strings.TrimPrefix(at, "/verification/case/")), http.StatusNotFound)
	shows(t, bob.Open(at), http.StatusOK, "A word")
	if p := w.NewBrowser().Get(at); !strings.Contains(p.Header.Get("Location"), "/signin") {
		t.Errorf("a stranger is sent to %q", p.Header.Get("Location"))
	}
	shows(t, bob.Open("/verification/teacher"), http.StatusNotFound)
}

// TestBeginningNeedsAFreshSignIn: threat 23. An unlocked browser is not enough to be verified
// in somebody's account.
func TestBeginningNeedsAFreshSignIn(t *testing.T) {
	t.Parallel()
	w := newPages(t, asks("a"))
	b := w.Bob()
	p := b.Open("/verification/student")
	w.Advance(16 * time.Minute)
	for _, got := range []lab.Page{b.Get("/verification/student"), b.SubmitOnce(p, "method", "a")} {
		if !strings.Contains(got.Header.Get("Location"), "/signin") {
			t.Errorf("answered %s %q", got.Status, got.Header.Get("Location"))
		}
	}
	if n := w.Count("cases"); n != 0 {
		t.Errorf("%d cases", n)
	}
	p = b.Submit(b.Open("/verification/student"), "password", lab.BobPass)
	shows(t, p, http.StatusOK, "Verify your status", "Method a")
}

// TestReturnDecidesNothing: threat 10. Whatever the address of a return says, the verifier is
// asked; and the way back is that of the person's own flow, or none.
func TestReturnDecidesNothing(t *testing.T) {
	t.Parallel()
	w := newPages(t, asks("a"))
	b := w.Bob()
	p := say(b, w.begin(b, "a"), "elsewhere")
	shows(t, p, http.StatusOK, `href="/office?case=`, "One more page")
	id := strings.TrimPrefix(p.Request.URL.Path, "/verification/case/")
	p = b.Open("/verification/return?case=" + id + "&approved=1&status=verified&word=accept")
	shows(t, p, http.StatusOK, "A word")
	if s, err := w.People().Statuses(t.Context(), "bob", "student"); err != nil || s[0].Verified {
		t.Errorf("the return has verified: %+v, %v", s, err)
	}
	p = b.Open("/verification/student?return_to=" + url.QueryEscape("https://evil.example/verify/return?flow=x"))
	if strings.Contains(p.Text, "evil.example") {
		t.Errorf("a page leads to a forged address:\n%s", p.Text)
	}
	p = say(b, p, "accept")
	shows(t, p, http.StatusOK, "You’re verified")
	if strings.Contains(p.Text, "evil.example") {
		t.Errorf("a forged address is kept:\n%s", p.Text)
	}
}

// TestReturnOfAnotherBrowserIsNoWayBack: threat 10. A flow belongs to the browser in which it
// began.
func TestReturnOfAnotherBrowserIsNoWayBack(t *testing.T) {
	t.Parallel()
	w := newPages(t, asks("a"))
	b := w.Bob()
	p := b.SubmitOnce(b.Open(lab.AuthorizeURL("client_id", "campus", "scope", "student")), "action", "verify", "group", "student")
	other := w.Bob()
	p = other.Submit(other.Open(p.Header.Get("Location")), "method", "a")
	if p = say(other, p, "accept"); strings.Contains(p.Text, "/verify/return") || strings.Contains(p.Text, "Campus Shop") {
		t.Errorf("the flow of another browser leads on:\n%s", p.Text)
	}
}

// TestMailedCodeNeedsThePage: threat 14. Opening an address enters no code, a code is for its
// own case, and five wrong ones end it.
func TestMailedCodeNeedsThePage(t *testing.T) {
	t.Parallel()
	w := newPages(t, byEmail)
	b, other := w.Bob(), w.Alice()
	p := b.Submit(w.begin(b, "email_domain"), "answer_email", "bob@university.example")
	code := w.mailed()
	shows(t, b.Open(p.Request.URL.Path+"?code="+code), http.StatusOK, "Check your email")
	theirs := other.Submit(w.begin(other, "email_domain"), "answer_email", "alice@university.example")
	if got := w.mailed(); got == code {
		t.Skip("both have the same code")
	}
	shows(t, other.Submit(theirs, "code", code), http.StatusUnprocessableEntity, "incorrect or has expired")
	shows(t, b.Submit(p, "code", ""), http.StatusUnprocessableEntity, "Enter the eight digits")
	wrong := "000000"
	if code == wrong {
		wrong = "000001"
	}
	for range 5 {
		p = b.Submit(b.Open(p.Request.URL.Path), "code", wrong)
		shows(t, p, http.StatusUnprocessableEntity, "incorrect or has expired", `aria-invalid="true"`)
	}
	p = b.Submit(b.Open(p.Request.URL.Path), "code", code)
	shows(t, p, http.StatusTooManyRequests, "tried too often")
	p = b.Submit(b.Open(p.Request.URL.Path), "action", "resend")
	shows(t, p, http.StatusOK, "A new code is on its way")
	shows(t, b.Submit(p, "code", w.mailed()), http.StatusOK, "You’re verified")
}

func TestCodeToAnAddressThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newPages(t, byEmail)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.Mails.Refuse("ada@university.example")
	p := b.SubmitOnce(w.begin(b, "email_domain"), "answer_email", "ada@university.example")
	shows(t, p, http.StatusUnprocessableEntity, "Email can’t be delivered to this address", `value="ada@university.example"`)
	shows(t, b.Submit(p, "answer_email", "ada.l@university.example"), http.StatusOK, "ada.l@university.example")
	if w.mailed() == "" {
		t.Error("no code goes to the address that is right")
	}
}

// TestPagesTeachNoForger: threat 24. What would teach a forger reads as a neutral sentence.
func TestPagesTeachNoForger(t *testing.T) {
	t.Parallel()
	w := newPages(t, asks("a"))
	b := w.Bob()
	p := say(b, w.begin(b, "a"), "taken")
	shows(t, p, http.StatusOK, "couldn’t verify your status", "It couldn’t be accepted.")
	for _, word := range []string{"taken", "another account", "someone else"} {
		if strings.Contains(strings.ToLower(p.Text), word) {
			t.Errorf("the page says %q:\n%s", word, p.Text)
		}
	}
}

// TestFormsOfAnOlderPage: a form that is sent twice, or from another tab, gets the present
// page, and no error.
func TestFormsOfAnOlderPage(t *testing.T) {
	t.Parallel()
	w := newPages(t, verification.AnyOf(asks("a"), asks("b")))
	b := w.Bob()
	p := w.begin(b, "a")
	shows(t, say(b, p, "wait"), http.StatusOK, "waiting for the result")
	shows(t, say(b, p, "accept"), http.StatusOK, "waiting for the result")
	shows(t, b.Submit(p, "method", "b"), http.StatusOK, "waiting for the result")
	p = b.Open("/verification/student")
	if !strings.HasPrefix(p.Request.URL.Path, "/verification/case/") {
		t.Errorf("a second start is at %s", p.Request.URL)
	}
	if n := w.Count("cases"); n != 1 {
		t.Errorf("%d cases", n)
	}
}

// TestEachStateHasItsPage walks a case through its states.
func TestEachStateHasItsPage(t *testing.T) {
	t.Parallel()
	t.Run("Problems", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, verification.AnyOf(asks("a"), asks("b")))
		b := w.Bob()
		p := w.begin(b, "a")
		shows(t, say(b, p, ""), http.StatusUnprocessableEntity, "Fill in this field", "<title>Verify your status")
		shows(t, say(b, p, strings.Repeat("x", 501)), http.StatusUnprocessableEntity, "Use up to 500 characters")
		p = say(b, p, "nonsense")
		shows(t, p, http.StatusUnprocessableEntity, "find a match", `value="nonsense"`)
		shows(t, say(b, p, "fail"), http.StatusServiceUnavailable, "couldn’t be completed")
		p = b.Submit(p, "action", "other")
		shows(t, p, http.StatusOK, "Method a", "Method b")
		shows(t, b.Submit(p, "method", "b"), http.StatusOK, "A word")
		shows(t, b.Open(p.Request.URL.Path+"?ui_locales=de"), http.StatusOK, "Weg b", `lang="de"`)
	})
	t.Run("Steps", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, verification.AllOf(asks("a"), verification.AnyOf(asks("b"), asks("c"))))
		b := w.Bob()
		p := b.Open("/verification/student")
		shows(t, p, http.StatusOK, "Step 1 of 2", `aria-current="step"`)
		if strings.Contains(p.Text, `value="b"`) {
			t.Errorf("the second step can begin first:\n%s", p.Text)
		}
		p = say(b, w.begin(b, "a"), "accept")
		shows(t, p, http.StatusOK, "Step 2 of 2", "Done", `value="b"`, `value="c"`)
		p = say(b, b.Submit(p, "method", "c"), "accept")
		shows(t, p, http.StatusOK, "You’re verified", "The register")
	})
	t.Run("Withdrawn", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"))
		b := w.Bob()
		p := say(b, w.begin(b, "a"), "review")
		shows(t, p, http.StatusOK, "in review", "at the latest", "leave this page")
		shows(t, b.Open("/verification/"), http.StatusOK, "In review", "Answer by")
		p = b.Open(link(t, p, "Withdraw this request"))
		shows(t, p, http.StatusOK, "Withdraw this request?", "deleted right away")
		p = b.Submit(p)
		shows(t, p, http.StatusOK, "Request withdrawn", "Start again")
		shows(t, b.Submit(b.Open("/verification/student"), "method", "a"), http.StatusOK, "A word")
	})
	t.Run("Expired", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"), func(p *verification.Policy) { p.Finish = 2 * time.Hour })
		b := w.Bob()
		p := w.begin(b, "a")
		shows(t, b.Open("/verification/"), http.StatusOK, "Not finished", "Finish by", "Continue")
		w.Advance(3 * time.Hour)
		w.Runs()
		lab.Eventually(t, func() bool { return strings.Contains(b.Open(p.Request.URL.Path).Text, "Your time to finish is over") })
		shows(t, b.Open(p.Request.URL.Path), http.StatusOK, "Start again")
		shows(t, b.Open("/verification/"), http.StatusOK, "Not verified", `href="/verification/student"`)
	})
	t.Run("LateReview", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"), func(p *verification.Policy) { p.Promise = time.Hour })
		b := w.Bob()
		p := say(b, w.begin(b, "a"), "review")
		w.Advance(2 * time.Hour)
		shows(t, b.Open(p.Request.URL.Path), http.StatusOK, "longer than promised")
	})
	t.Run("DeclinedAndAppealed", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"))
		b := w.Bob()
		p := say(b, w.begin(b, "a"), "refuse")
		shows(t, p, http.StatusOK, "couldn’t verify your status", "belong to this group", "Not right?", "Start again")
		shows(t, b.Open("/account/groups"), http.StatusOK, "Not approved", "Decided on", "second look until", "View result", "get verified for this here")
		shows(t, b.Open(lab.AuthorizeURL("client_id", "campus", "scope", "student")), http.StatusOK, "Not approved", "Verify now")
		first := p.Request.URL.Path
		w.Advance(time.Second) // IDs sort by the millisecond
		p = b.Open(link(t, p, "Ask for a second look"))
		shows(t, p, http.StatusOK, "Ask for a second look?", "only once")
		p = b.Submit(p)
		shows(t, p, http.StatusOK, "Method a")
		if p.Request.URL.Path == first {
			t.Error("the appeal is the same case")
		}
		if p = b.Open(first); strings.Contains(p.Text, "Not right?") {
			t.Errorf("it can be appealed against twice:\n%s", p.Text)
		}
		if p = b.Get(first + "/appeal"); p.Header.Get("Location") != first {
			t.Errorf("a second appeal: %s %q", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("Renewed", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"))
		b := w.Bob()
		p := say(b, w.begin(b, "a"), "accept")
		shows(t, p, http.StatusOK, "You’re verified", "You can renew it from")
		shows(t, b.Open("/verification/student"), http.StatusOK, "You’re verified")
		w.Advance(330 * 24 * time.Hour)
		b = w.Bob()
		shows(t, b.Open("/verification/"), http.StatusOK, "Ends soon", "Renew it now")
		p = b.Open("/verification/student")
		shows(t, p, http.StatusOK, "Renew your status", "stays valid until")
		p = say(b, b.Submit(p, "method", "a"), "refuse")
		shows(t, p, http.StatusOK, "couldn’t renew your status", "stays valid until")
	})
	t.Run("Closed", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"), func(p *verification.Policy) { p.Ended = true })
		b := w.Bob()
		shows(t, b.Open("/verification/student"), http.StatusOK, "can no longer be verified")
		if p := b.Open("/verification/"); strings.Contains(p.Text, `href="/verification/student"`) {
			t.Errorf("the list leads to what has ended:\n%s", p.Text)
		}
	})
	t.Run("PostsWithoutAForm", func(t *testing.T) {
		t.Parallel()
		w := newPages(t, asks("a"))
		b := w.Bob()
		p := b.Open("/verification/student")
		shows(t, b.SubmitOnce(p, "method", "z"), http.StatusBadRequest)
		_, form := p.Form(t)
		shows(t, b.Post("/verification/", form), http.StatusMethodNotAllowed)
	})
}

// TestAnotherDeviceContinues: a case is where its person signs in.
func TestAnotherDeviceContinues(t *testing.T) {
	t.Parallel()
	w := newPages(t, byEmail)
	b := w.Bob()
	b.Submit(w.begin(b, "email_domain"), "answer_email", "bob@university.example")
	code := w.mailed() // before the notice of a sign-in in another browser
	other := w.Bob()
	p := other.Open("/verification/student")
	shows(t, p, http.StatusOK, "Check your email")
	shows(t, other.Submit(p, "code", code), http.StatusOK, "You’re verified")
}
