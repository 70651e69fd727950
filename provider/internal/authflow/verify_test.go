package authflow

import (
	"net/url"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// A provider in production sends nobody to an address that everybody on the way can read.
func TestVerifierInTheClearIsForDevelopment(t *testing.T) {
	t.Parallel()
	at := func(base string) *Endpoint {
		u := testkit.Must(url.Parse(base))(t)
		return New(Options{Site: &web.Site{Base: u}, Verifiers: map[string]Verifier{"military": nil}})
	}
	for _, answer := range []string{"http://office.test/x", "HTTP://office.test/x"} {
		if at("https://id.test").checkAddress(answer) == nil {
			t.Errorf("%q at https is accepted", answer)
		}
		if err := at("http://localhost:8080").checkAddress(answer); err != nil {
			t.Errorf("%q at http: %v", answer, err)
		}
	}
	if got := at("https://id.test").leadsToVerifier("https://rp.test/cb"); len(got) != 1 {
		t.Errorf("forms of a provider in production lead to %q", got)
	}
}
