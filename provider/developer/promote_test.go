package developer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

const ownMachine = "http://localhost:3000/cb"

func worksOnItsOwnMachine(c *provider.Client) {
	c.RedirectURIs = append(c.RedirectURIs, ownMachine, "https://127.0.0.1/cb")
	c.InitiateLoginURI, c.PostLogoutRedirectURIs, c.Origins = ownMachine, []string{"http://localhost:3000/bye"}, []string{"http://localhost:3000", "https://app.test"}
}

func wantPromoted(t *testing.T, c provider.Client) {
	t.Helper()
	if !slices.Equal(c.RedirectURIs, []string{callbackURI}) || c.InitiateLoginURI != "" || len(c.PostLogoutRedirectURIs) > 0 || !slices.Equal(c.Origins, []string{"https://app.test"}) {
		t.Errorf("in production it has %q, %q and %q", c.RedirectURIs, c.PostLogoutRedirectURIs, c.Origins)
	}
}

func TestTheSandboxKeepsTheAddressesOfAnOwnMachine(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, worksOnItsOwnMachine)
	b := w.as(dev)
	says(t, b.open(accessPath), http.StatusOK, "These stay in the sandbox", ownMachine, "https://127.0.0.1/cb", "http://localhost:3000/bye")
	says(t, b.submitForm(accessPath, "note", "", "action", "ask"), http.StatusOK, "Waiting for review")
	judge := w.as(operator)
	p := judge.open(reviewPath)
	if says(t, p, http.StatusOK, callbackURI); strings.Contains(p.body, "localhost") {
		t.Error("the operator reads of addresses that production does not get")
	}
	says(t, judge.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")
	wantPromoted(t, w.client(storage.Production, w.live()[0].ClientID))
	if c := w.client(storage.Sandbox, "shop"); !slices.Contains(c.RedirectURIs, ownMachine) {
		t.Errorf("the sandbox has %q", c.RedirectURIs)
	}
}

func TestCopyLeavesTheAddressesOfAnOwnMachineBehind(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", worksOnItsOwnMachine)
	b := w.as(dev)
	p := b.open(shopPath)
	says(t, p, http.StatusOK, "People can sign in to it right away", "These stay in the sandbox", ownMachine)
	says(t, b.submit(p, "action", "copy"), http.StatusOK, "This is the copy.")
	_, copied := w.registered(river, storage.Production)
	wantPromoted(t, copied)
}

func TestCopyNeedsAnAddressForPeopleToComeBackTo(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.RedirectURIs = []string{ownMachine} })
	b := w.as(dev)
	p := b.open(shopPath)
	if says(t, p, http.StatusOK, "add a redirect URI with https"); strings.Contains(p.body, `value="copy"`) {
		t.Error("a copy is offered")
	}
	_, fields := p.form(t, "action", "reveal")
	fields.Set("action", "copy")
	says(t, b.post(shopPath, fields), http.StatusUnprocessableEntity, "Enter at least one address")
	if len(w.live()) > 0 {
		t.Error("it was copied")
	}
}

func TestOptionalScopesAreChosenInTheSettings(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) {
		c.Scopes, c.OptionalScopes = []string{"openid", "military", "student"}, []string{"student"}
	})
	b, settings := w.as(dev), shopPath+"/settings"
	save := func(values ...string) page {
		return b.submit(b.open(settings), append(values, "action", "save")...)
	}
	optional := func(want ...string) {
		t.Helper()
		if got := w.client(storage.Sandbox, "shop").OptionalScopes; !slices.Equal(got, want) {
			t.Errorf("optional: %q, want %q", got, want)
		}
	}
	says(t, save(), http.StatusOK, "saved and active")
	optional("student")
	says(t, save(screens.FieldOptionalScopes+".military", "on"), http.StatusOK, "saved and active")
	optional("military", "student")
	if what := w.changes(river)[0]; what.Fields[0].Name != screens.FieldOptionalScopes || !slices.Equal(what.Fields[0].Added, []string{"military"}) {
		t.Errorf("recorded: %+v", what)
	}
	says(t, save(screens.FieldOptionalScopes+".student", "-", screens.FieldOptionalScopes+".military", "-"), http.StatusOK, "saved and active")
	optional()
	// Not asked for, and not a scope that can be left out.
	_, fields := b.open(settings).form(t, "action", "save")
	fields.Set(screens.FieldOptionalScopes+".teacher", "on")
	fields.Set(screens.FieldOptionalScopes+".openid", "on")
	says(t, b.post(settings, fields), http.StatusSeeOther)
	optional()
	// What everybody has to be cannot be left out.
	save(screens.FieldOptionalScopes+".student", "on")
	says(t, save("require_verified", "on"), http.StatusUnprocessableEntity)
}

func TestOlderProtocolsHaveNoOptionalScopes(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Dialect = provider.V3 })
	if p := w.as(dev).open(shopPath + "/settings"); strings.Contains(p.body, screens.FieldOptionalScopes) {
		t.Error("they are offered")
	}
}
