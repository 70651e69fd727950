package operations

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// What each request asks of the store, while nothing is in memory. A session is read once,
// whatever a page and what it leads to need of it.
func TestReadsOfTheStore(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	u := newUnderWay(w)
	reauthentication := u.b.Open(lab.AuthorizeURL(lab.Ask("prompt", "login")...))
	signIn := u.b.Absolute(reauthentication.Request.URL.String())

	for name, c := range map[string]struct {
		request func() lab.Page
		want    string // the methods that are called, in the order of their names
	}{
		"authorize":                 {func() lab.Page { return u.b.Get(lab.AuthorizeURL(lab.Ask()...)) }, "Client Consent CreateGrant Session"},
		"authorize, consent":        {func() lab.Page { return u.b.Get(lab.AuthorizeURL(lab.Ask("prompt", "consent")...)) }, "Client Consent Session"},
		"authorize, login":          {func() lab.Page { return u.b.Get(lab.AuthorizeURL(lab.Ask("prompt", "login")...)) }, "Authenticators Client Consent Session"},
		"consent":                   {func() lab.Page { return u.b.Get(u.consentPage.Request.URL.String()) }, "Client Consent Person Session"},
		"consent, allowed":          {func() lab.Page { return u.b.SubmitOnce(u.consentPage, "action", "allow") }, "Client Consent SaveConsent Session"},
		"reauthentication":          {func() lab.Page { return u.b.Get(signIn) }, "Authenticators Authenticators Client Consent Person Session"},
		"reauthentication, wrong":   {func() lab.Page { return u.b.SubmitOnce(reauthentication, "password", "wrong-password") }, "AccountByEmail AllowAttempt AppendEvent Authenticators Authenticators Client Consent Person Session"},
		"sign in, nobody signed in": {func() lab.Page { return u.newcomer.Get(u.signInPage.Request.URL.String()) }, "Client"},
		"account":                   {func() lab.Page { return u.b.Get("/account") }, "Authenticators Person Session"},
		"account sessions":          {func() lab.Page { return u.b.Get("/account/sessions") }, "Authenticators Session Sessions"},
		"account password":          {func() lab.Page { return u.b.Get("/account/password") }, "Authenticators Session"},
		"account apps":              {func() lab.Page { return u.b.Get("/account/apps") }, "Authenticators Client Client Consents Session"},
		"sign out":                  {func() lab.Page { return u.b.Get("/signout") }, "Person Session"},
		"userinfo":                  {func() lab.Page { return u.b.Bearer(lab.UserinfoPath, u.access) }, "Client Person Token"},
		"attributes":                {func() lab.Page { return u.b.Bearer(lab.AttributesPath, u.access) }, "Client Person Token"},
		"discovery":                 {func() lab.Page { return u.b.Get(lab.DiscoveryPath) }, ""},
	} {
		w.Advance(2 * time.Second) // nothing comes from memory
		var calls []string
		store.BreakBefore(func(_ context.Context, method string) error {
			calls = append(calls, method)
			return nil
		})
		c.request()
		store.BreakBefore(nil)
		calls = slices.DeleteFunc(calls, func(method string) bool { return method == "TouchSession" || method == "Keys" })
		slices.Sort(calls)
		if diff := cmp.Diff(c.want, strings.Join(calls, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
