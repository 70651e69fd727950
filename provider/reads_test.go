package provider_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What each request asks of the store, while nothing is in memory. A session is read once,
// whatever a page and what it leads to need of it.
func TestReadsOfTheStore(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	u := w.underWay()
	reauthentication := u.b.open(authorizeURL(ask("prompt", "login")...))
	signIn := u.b.absolute(reauthentication.Request.URL.String())

	for name, c := range map[string]struct {
		request func() page
		want    string // the methods that are called, in the order of their names
	}{
		"authorize":                 {func() page { return u.b.get(authorizeURL(ask()...)) }, "Client Consent CreateGrant Session"},
		"authorize, consent":        {func() page { return u.b.get(authorizeURL(ask("prompt", "consent")...)) }, "Client Consent Session"},
		"authorize, login":          {func() page { return u.b.get(authorizeURL(ask("prompt", "login")...)) }, "Client Consent Session"},
		"consent":                   {func() page { return u.b.get(u.consentPage.Request.URL.String()) }, "Client Consent Person Session"},
		"consent, allowed":          {func() page { return u.b.submitOnce(u.consentPage, "action", "allow") }, "AppendEvent Client Consent SaveConsent Session"},
		"reauthentication":          {func() page { return u.b.get(signIn) }, "Client Consent Person Session"},
		"reauthentication, wrong":   {func() page { return u.b.submitOnce(reauthentication, "password", "wrong-password") }, "AccountByEmail AllowAttempt AppendEvent Client Consent Person Session"},
		"sign in, nobody signed in": {func() page { return u.newcomer.get(u.signInPage.Request.URL.String()) }, "Client"},
		"account":                   {func() page { return u.b.get("/account") }, "Person Session"},
		"account sessions":          {func() page { return u.b.get("/account/sessions") }, "Session Sessions"},
		"account password":          {func() page { return u.b.get("/account/password") }, "Session"},
		"account apps":              {func() page { return u.b.get("/account/apps") }, "Client Client Consents Session"},
		"sign out":                  {func() page { return u.b.get("/signout") }, "Person Session"},
		"userinfo":                  {func() page { return u.b.bearer(userinfoPath, u.access) }, "Client Person Token"},
		"attributes":                {func() page { return u.b.bearer(attributesPath, u.access) }, "Client Person Token"},
		"discovery":                 {func() page { return u.b.get(discoveryPath) }, ""},
	} {
		w.advance(2 * time.Second) // nothing comes from memory
		var calls []string
		store.breakBefore(func(_ context.Context, method string) error {
			calls = append(calls, method)
			return nil
		})
		c.request()
		store.breakBefore(nil)
		calls = slices.DeleteFunc(calls, func(method string) bool { return method == "TouchSession" || method == "Keys" })
		slices.Sort(calls)
		if diff := cmp.Diff(c.want, strings.Join(calls, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
