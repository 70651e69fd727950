package verification_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackEmailOverHTTP sends addresses through the form: a code goes to mailboxes of the
// institution alone.
func TestAttackEmailOverHTTP(t *testing.T) {
	t.Parallel()
	email := verification.EmailDomain(verification.EmailDomainConfig{Domains: []string{"stanford.edu"}})
	s := providertest.New(t, providertest.Config{Policies: verification.Policies{{
		Group: "student", Rule: verification.By(email), Tries: verification.Tries{Short: 100, Long: 1000},
	}}})
	b := s.NewBrowser()
	c, err := b.Verify(t.Context(), "new-user", "student", "email_domain")
	testkit.OK(t, err)
	before := len(s.Mails())
	for _, address := range []string{
		"x@stanford.edu.attacker.com", "x@attacker.com@stanford.edu", "x@attacker.com,y@stanford.edu", "x@stanford.edu\r\nBcc: y@attacker.com",
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
	c = testkit.Must(b.Answer(t.Context(), c, map[string]string{"email": " Ada+x@CS.Stanford.EDU "}))(t)
	mail := s.Mails()[len(s.Mails())-1]
	if mail.To != "Ada+x@cs.stanford.edu" {
		t.Errorf("mailed to %s", mail.To)
	}
	if c, err = b.Answer(t.Context(), c, map[string]string{"code": mail.Code}); err != nil || c.State != storage.CaseApproved {
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
