package developer_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

func TestProgramManagesItsRegistration(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newFixture(t, func(c *developer.Config) { c.Mailer = mails })
	said := w.managed()
	uri, token, id := said.text("registration_client_uri"), said.text("registration_access_token"), said.text("client_id")

	p, read := w.program(http.MethodGet, uri, token, nil)
	if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	for name, value := range said {
		if !same(read[name], value) {
			t.Errorf("%s was %v and is %v", name, value, read[name])
		}
	}

	p, changed := w.program(http.MethodPut, uri, token, again(said, "client_name", "Store", "redirect_uris", []string{"https://new.app.test/cb"}, "scope", "openid military"))
	if p.StatusCode != http.StatusOK || changed.text("client_name") != "Store" || changed.text("scope") != "openid military" ||
		changed.text("client_secret") != said.text("client_secret") || changed.text("registration_access_token") != token {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	c := w.client(storage.Production, id)
	if c.Name != "Store" || !slices.Equal(c.RedirectURIs, []string{"https://new.app.test/cb"}) || !c.Unreviewed || w.application(storage.Production, id).Name != "Store" {
		t.Errorf("%+v", c)
	}
	if l := w.changes(river)[0]; l.What != "application.change" || l.UserID != "program:"+id {
		t.Errorf("the log has %+v", l)
	}
	if sent := mails.all(); len(sent) != 1 || sent[0].Kind != ui.MailAddressesChanged || sent[0].To != "owner@example.com" {
		t.Error("the owner is not told that data goes elsewhere")
	}

	// What is left out has its default (RFC 7592 section 2.2).
	p, changed = w.program(http.MethodPut, uri, token, members{"client_id": id, "redirect_uris": []string{callbackURI}})
	if p.StatusCode != http.StatusOK || changed.text("client_name") != id || !slices.Equal(changed.values("grant_types"), []string{"authorization_code"}) ||
		changed.text("scope") != "openid profile email" {
		t.Errorf("%s %s", p.Status, p.body)
	}

	// A key in the place of the secret ends that, and the other way round there is another.
	p, changed = w.program(http.MethodPut, uri, token, again(said, "client_secret", nil, "token_endpoint_auth_method", "private_key_jwt", "jwks_uri", "https://app.test/keys"))
	if p.StatusCode != http.StatusOK || changed["client_secret"] != nil {
		t.Errorf("with a key: %s %s", p.Status, p.body)
	}
	p, changed = w.program(http.MethodPut, uri, token, again(said, "client_secret", nil))
	if p.StatusCode != http.StatusOK || changed.text("client_secret") == "" || changed.text("client_secret") == said.text("client_secret") {
		t.Errorf("with a secret again: %s %s", p.Status, p.body)
	}

	if p, _ := w.program(http.MethodDelete, uri, token, nil); p.StatusCode != http.StatusNoContent || p.body != "" {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	if l := w.changes(river)[0]; l.What != "application.delete" {
		t.Errorf("the log has %+v", l)
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		if p, said := w.program(method, uri, token, again(said)); p.StatusCode != http.StatusUnauthorized || said.text("error") != "invalid_token" {
			t.Errorf("%s of what is gone: %s %s", method, p.Status, p.body)
		}
	}
}

func same(a, b any) bool {
	if list, is := a.([]any); is {
		other, _ := b.([]any)
		return slices.EqualFunc(list, other, same)
	}
	return a == b
}

// Whatever is wrong with a token, the answer is one.
func TestAttackManagementWithAnotherToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.withApplication(river, storage.Production, "shop")
	initial := w.makesToken(storage.Production)
	_, mine := w.registers(initial)
	_, other := w.registers(initial)
	answers := map[string]bool{}
	for name, c := range map[string][2]string{
		"of another client":     {mine.text("registration_client_uri"), other.text("registration_access_token")},
		"guessed":               {mine.text("registration_client_uri"), "GUESS"},
		"the initial one":       {mine.text("registration_client_uri"), initial},
		"its secret":            {mine.text("registration_client_uri"), mine.text("client_secret")},
		"of nothing":            {w.server.URL + "/oauth/register/nothing", mine.text("registration_access_token")},
		"of a page's":           {w.server.URL + "/oauth/register/shop", mine.text("registration_access_token")},
		"with an impossible ID": {w.server.URL + "/oauth/register/%00", mine.text("registration_access_token")},
		"at another provider":   {strings.Replace(mine.text("registration_client_uri"), w.server.URL, w.sandboxServer.URL, 1), mine.text("registration_access_token")},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			p, said := w.program(method, c[0], c[1], again(mine, "client_name", "Evil"))
			says(t, p, http.StatusUnauthorized)
			answers[p.body+p.Header.Get("WWW-Authenticate")] = true
			if said.text("error") != "invalid_token" {
				t.Errorf("%s, %s: %s", name, method, p.body)
			}
		}
	}
	if len(answers) != 1 {
		t.Errorf("there are %d answers: %v", len(answers), answers)
	}
	if c := w.client(storage.Production, mine.text("client_id")); c.Name != "Shop" {
		t.Errorf("%+v", c)
	}
	for _, header := range []string{"", "Basic " + mine.text("registration_access_token"), "Bearer a b", "Bearer"} {
		b := w.newBrowser()
		r := b.request(http.MethodGet, mine.text("registration_client_uri")+"?access_token="+mine.text("registration_access_token"), nil)
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		if p := b.do(r); p.StatusCode != http.StatusUnauthorized && p.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %s %s", header, p.Status, p.body)
		}
	}
	if strings.Contains(w.log.String(), mine.text("registration_access_token")) {
		t.Error("a token is in the log")
	}
}

// A program cannot give its application what a developer cannot, nor take it elsewhere.
func TestAttackManagementForMore(t *testing.T) {
	t.Parallel()
	w := newFixture(t, withOperatorScope)
	said := w.managed()
	uri, token, id := said.text("registration_client_uri"), said.text("registration_access_token"), said.text("client_id")
	for name, pairs := range map[string][]any{
		"another ID":          {"client_id", "shop"},
		"no ID":               {"client_id", nil},
		"a secret of its own": {"client_secret", strings.Repeat("a", 40)},
		"a foreign host":      {"redirect_uris", []string{callbackURI, "https://evil.test/cb"}},
		"foreign keys":        {"jwks_uri", "https://evil.test/keys"},
		"a device":            {"grant_types", []string{"urn:ietf:params:oauth:grant-type:device_code"}},
		"no secret at all":    {"token_endpoint_auth_method", "none"},
		"no address":          {"redirect_uris", nil, "grant_types", []string{"client_credentials"}, "response_types", nil},
		"operators' scope":    {"scope", "teacher"},
		"no signature":        {"id_token_signed_response_alg", "none"},
	} {
		if p, _ := w.program(http.MethodPut, uri, token, again(said, pairs...)); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s %s", name, p.Status, p.body)
		}
	}
	w.program(http.MethodPut, uri, token, again(said, "scope", "openid teacher military", "skip_consent", true, "unreviewed", false, "disabled", false, "dialect", "v3", "organization", lake))
	c := w.client(storage.Production, id)
	if c.SkipConsent || !c.Unreviewed || c.Dialect != provider.Standard || !slices.Equal(c.Scopes, []string{"openid", "military"}) {
		t.Errorf("%+v", c)
	}
	if a := w.application(storage.Production, id); a.OrganizationID != river {
		t.Errorf("%+v", a)
	}

	// What an operator has given stays, and is not the program's to take or to spread.
	c.SkipConsent, c.Scopes, c.Unreviewed = true, append(c.Scopes, "teacher"), false
	c.GrantTypes, c.JWKSURI = append(c.GrantTypes, jwtBearer), "https://app.test/keys"
	w.ok(w.id.Clients().Save(t.Context(), c))
	p, changed := w.program(http.MethodPut, uri, token, again(said, "scope", "openid", "jwks_uri", c.JWKSURI))
	if p.StatusCode != http.StatusOK || changed.text("scope") != "openid teacher" || !slices.Contains(changed.values("grant_types"), jwtBearer) || !w.client(storage.Production, id).SkipConsent {
		t.Errorf("%s %s", p.Status, p.body)
	}
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// Changes of a reviewed application wait for an operator, whoever makes them.
func TestManagementOfAReviewedApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	said := w.managed("tos_uri", "https://app.test/terms")
	uri, token, id := said.text("registration_client_uri"), said.text("registration_access_token"), said.text("client_id")
	w.Config.Review, w.Config.Operator = true, isOperator // as after a restart with a review
	c := w.client(storage.Production, id)
	c.Unreviewed = false
	w.ok(w.id.Clients().Save(t.Context(), c))
	p, changed := w.program(http.MethodPut, uri, token, again(said, "client_name", "Bank", "redirect_uris", []string{callbackURI, "https://app.test/other", "https://b.app.test/cb"}))
	if p.StatusCode != http.StatusOK || changed.text("client_name") != "Shop" || !slices.Equal(changed.values("redirect_uris"), []string{callbackURI, "https://app.test/other"}) {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	if a := w.application(storage.Production, id); a.Review != storage.ReviewAsked || !strings.Contains(string(a.Document), "https://b.app.test/cb") {
		t.Errorf("%+v %s", a, a.Document)
	}
	if p, _ := w.program(http.MethodPut, uri, token, again(said, "tos_uri", nil)); p.StatusCode != http.StatusForbidden {
		t.Errorf("without terms: %s %s", p.Status, p.body)
	}
	if p, _ := w.registers(w.makesToken(storage.Sandbox)); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s %s", p.Status, p.body)
	}
}

// An owner takes the registration from its program.
func TestOwnerTakesTheRegistrationFromItsProgram(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	said := w.managed()
	uri, token := said.text("registration_client_uri"), said.text("registration_access_token")
	secrets := "/developer/o/river/production/" + said.text("client_id") + "/secrets"
	b := w.as(dev)
	says(t, b.open(secrets), http.StatusOK, "A program manages this application")
	says(t, b.submitForm(secrets, "action", "revoke"), http.StatusOK, "Token revoked.")
	if p, _ := w.program(http.MethodGet, uri, token, nil); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s %s", p.Status, p.body)
	}
	if p := b.open(secrets); strings.Contains(p.body, "A program manages") {
		t.Error("the page says that there is a program")
	}
}

// Of two changes at once none is lost.
func TestManagementAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	said := w.managed()
	uri, token := said.text("registration_client_uri"), said.text("registration_access_token")
	var wait sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		wait.Go(func() {
			p, _ := w.program(http.MethodPut, uri, token, again(said, "client_name", "Shop "+string(rune('A'+i))))
			statuses[i] = p.StatusCode
		})
	}
	wait.Wait()
	if slices.ContainsFunc(statuses, func(s int) bool { return s != http.StatusOK && s != http.StatusConflict }) || !slices.Contains(statuses, http.StatusOK) {
		t.Errorf("%v", statuses)
	}
	if p, _ := w.program(http.MethodGet, uri, token, nil); p.StatusCode != http.StatusOK {
		t.Errorf("%s %s", p.Status, p.body)
	}
}

// overtaken is a registrar whose registrations change after they are read, before they are written.
type overtaken struct {
	room.Registrar[provider.Client]
	by func(ctx context.Context, id string) error
}

func (o overtaken) Manages(ctx context.Context, id string) error {
	return errors.Join(o.Registrar.Manages(ctx, id), o.by(ctx, id))
}

// A token that is revoked while its request is under way neither replaces nor removes anything.
func TestManagementOfWhatHasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		w := newFixture(t)
		said := w.managed()
		uri, token, id := said.text("registration_client_uri"), said.text("registration_access_token"), said.text("client_id")
		clients := w.provider(storage.Production).Rooms().Clients
		clients.RegisterWith(overtaken{w.Registrar(storage.Production), clients.RevokeRegistrationToken})
		if p, _ := w.program(method, uri, token, again(said, "client_name", "Store")); p.StatusCode != http.StatusConflict {
			t.Errorf("%s: %s %s", method, p.Status, p.body)
		}
		if c, a := w.client(storage.Production, id), w.application(storage.Production, id); c.Name != "Shop" || a.Deleting {
			t.Errorf("%s: %+v %+v", method, c, a)
		}
		if l := w.changes(river)[0]; l.What != "application.register" {
			t.Errorf("%s: the log has %+v", method, l)
		}
	}
}
