package verification_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// newOffice returns a sandbox whose students are verified by an address or a roster.
func newOffice(t *testing.T) *providertest.Server {
	t.Helper()
	roster := verification.Roster(verification.RosterConfig{Roster: "students", Columns: []verification.RosterColumn{
		{Name: "number", Label: verification.Text{English: "Student number"}},
		{Name: "born", Label: verification.Text{English: "Date of birth"}, Kind: "date"},
	}})
	email := verification.EmailDomain(verification.EmailDomainConfig{Domains: []string{"stanford.edu"}})
	return providertest.New(t, providertest.Config{Policies: verification.Policies{{
		Group: "student", Rule: verification.AnyOf(verification.By(email), verification.By(roster), verification.By(verification.Invitation())),
		Tries: verification.Tries{Short: 100, Long: 1000},
	}}})
}

// begins returns a browser of a persona, and the case that it has begun.
func begins(t *testing.T, s *providertest.Server, persona, method string) (*providertest.Browser, verification.RecordedCase) {
	t.Helper()
	b := s.NewBrowser()
	c, err := b.Verify(t.Context(), persona, "student", method)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// TestAttackEmailOverHTTP sends addresses through the form: a code goes to mailboxes of the
// institution alone.
func TestAttackEmailOverHTTP(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	b, c := begins(t, s, "new-user", "email_domain")
	before := len(s.Mails())
	for _, address := range []string{
		"x@evil.edu.attacker.com", "x@stanford.edu.attacker.com", "x@evilstanford.edu", "x@attacker.com@stanford.edu", `"x@attacker.com"@stanford.edu`,
		"x%attacker.com@stanford.edu", "x(a)@stanford.edu", "x@stаnford.edu", "x@stanford.edu.", "<x@stanford.edu>", "x@alumni.stanford.edu",
		"x@attacker.com,y@stanford.edu", "x@stanford.edu\r\nBcc: y@attacker.com",
	} {
		after, err := b.Answer(t.Context(), c, map[string]string{"email": address})
		if after.ID == "" {
			t.Fatal(err)
		}
		if ask, ok := after.Step.(verification.Ask); err == nil || !ok || ask.Problem == "" && !strings.Contains(address, "\n") {
			t.Errorf("%q: %+v, %v", address, after.Step, err)
		}
		c = after
	}
	if mails := s.Mails(); len(mails) != before {
		t.Fatalf("mailed to %s", mails[len(mails)-1].To)
	}
	c, err := b.Answer(t.Context(), c, map[string]string{"email": " Ada+x@CS.Stanford.EDU "})
	if err != nil {
		t.Fatal(err)
	}
	mail := s.Mails()[len(s.Mails())-1]
	if mail.To != "Ada+x@cs.stanford.edu" {
		t.Errorf("mailed to %s", mail.To)
	}
	if c, err = b.Answer(t.Context(), c, map[string]string{"code": mail.Code}); err != nil || c.State != storage.CaseApproved {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestAttackRosterOverHTTP enters what others have: all that does not match has one answer,
// and a stranger who tries uses up no tries but their own.
func TestAttackRosterOverHTTP(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	_, err := s.Verification.ImportRoster(t.Context(), verification.RosterFile{
		Roster: "students", Content: strings.NewReader("number,born\nS1,1990-12-31\nS2,1991-01-01\n"),
		Canaries: []map[string]string{{"number": "S3", "born": "1990-12-31"}},
	}, "registrar", false)
	if err != nil {
		t.Fatal(err)
	}
	eve, c := begins(t, s, "new-user", "roster")
	var want verification.Result
	for i, row := range [][2]string{{"S9", "1990-12-31"}, {"S1", "1990-12-30"}, {"S2", "1990-12-31"}, {"S3", "1990-12-31"}} {
		var err error
		if c, err = eve.Answer(t.Context(), c, map[string]string{"number": row[0], "born": row[1]}); err == nil {
			t.Errorf("%v is accepted", row)
		}
		if i == 0 {
			want = c.Step
		}
		if diff := cmp.Diff(want, c.Step); diff != "" || want.(verification.Ask).Problem != verification.ReasonNoMatch {
			t.Errorf("%v is answered otherwise: %s", row, diff)
		}
	}
	for range 20 {
		if c, _ = eve.Answer(t.Context(), c, map[string]string{"number": "S9", "born": "1990-12-31"}); c.Step == nil {
			break
		}
	}
	if c.Step != nil || c.State == storage.CaseApproved {
		t.Errorf("nothing ends the guesses: %+v", c)
	}
	owner, c := begins(t, s, "emt", "roster")
	if c, err = owner.Answer(t.Context(), c, map[string]string{"number": "s-1", "born": "1990-12-31"}); err != nil || c.State != storage.CaseApproved {
		t.Errorf("the owner: %+v, %v", c, err)
	}
}

// TestAttackCodeOverHTTP guesses invitation codes.
func TestAttackCodeOverHTTP(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	codes, _, err := s.Verification.IssueCodes(t.Context(), verification.Codes{Group: "student"})
	if err != nil {
		t.Fatal(err)
	}
	eve, c := begins(t, s, "new-user", "code")
	for range 20 {
		if c, _ = eve.Answer(t.Context(), c, map[string]string{"code": "0000-0000-0000-0000"}); c.Step == nil {
			break
		}
	}
	if c.Step != nil || c.State == storage.CaseApproved {
		t.Errorf("nothing ends the guesses: %+v", c)
	}
	owner, c := begins(t, s, "emt", "code")
	if c, err = owner.Answer(t.Context(), c, map[string]string{"code": strings.ToLower(codes[0])}); err != nil || c.State != storage.CaseApproved {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestAttackEgress has a verifier call what only this machine can reach.
func TestAttackEgress(t *testing.T) {
	t.Parallel()
	reached := false
	inner := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(inner.Close)
	var to string
	v := verification.Redirect(verification.RedirectConfig{
		Name: "elsewhere", Egress: verification.Egress{Timeout: time.Second},
		Start: func(ctx context.Context, client *http.Client, _ *verification.Case) (verification.Destination, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, http.NoBody)
			if err != nil {
				return verification.Destination{}, err
			}
			res, err := client.Do(r)
			if err == nil {
				_ = res.Body.Close()
			}
			return verification.Destination{URL: "https://elsewhere.example/", Reference: "r"}, err
		},
		Fetch: func(context.Context, *http.Client, string) ([]byte, error) { return []byte("yes"), nil },
	})
	for _, to = range []string{
		inner.URL, strings.Replace(inner.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/latest/meta-data/", "https://[::1]/",
		"https://10.0.0.1/", "https://2130706433/", "file:///etc/passwd",
	} {
		if _, err := v.Next(t.Context(), &verification.Case{}, verification.Event{Kind: verification.Begun}); err == nil || reached {
			t.Errorf("%s is called", to)
		}
	}
}
