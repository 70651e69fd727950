package developer_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

const tryPath = "/developer/o/river/production/shop/try"

// begun begins a trial and returns the authorization request that it leads to.
func (b *browser) begun(address string, values ...string) string {
	b.t.Helper()
	p := b.submit(b.open(address), append([]string{"action", "try"}, values...)...)
	found := regexp.MustCompile(`href="([^"]*/oauth/authorize\?[^"]*)"`).FindStringSubmatch(p.body)
	if p.StatusCode != http.StatusOK || found == nil {
		b.t.Fatalf("no trial: %s\n%s", p.Status, p.body)
	}
	return html.UnescapeString(found[1])
}

// returned allows what a trial asks for at production, and returns its answer.
func (b *browser) returned(request string) string {
	b.t.Helper()
	p := b.open(request)
	if p.StatusCode == http.StatusOK {
		p = b.submitOnce(p, "action", "allow")
		for strings.HasPrefix(p.Header.Get("Location"), "/") {
			p = b.get(p.Header.Get("Location"))
		}
	}
	location := p.Header.Get("Location")
	if !strings.Contains(location, "/developer/try/callback?") {
		b.t.Fatalf("the trial does not come back: %s %q\n%s", p.Status, location, p.body)
	}
	return location
}

func (w *fixture) hasCallback(env, id string) bool {
	return slices.Contains(w.client(env, id).RedirectURIs, w.server.URL+"/developer/try/callback")
}

func TestATrialGoesThroughAllSteps(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, change := range map[string]func(*provider.Client){
		"Standard":       func(*provider.Client) {},
		"SignedUserinfo": func(c *provider.Client) { c.UserinfoSignedResponseAlg = "RS256" },
		"Post":           func(c *provider.Client) { c.TokenEndpointAuthMethod = "client_secret_post" },
		"Public":         func(c *provider.Client) { c.Public = true },
		"V3":             func(c *provider.Client) { c.Dialect, c.GrantTypes = provider.V3, nil },
	} {
		t.Run(name, func(t *testing.T) {
			w.withApplication(river, storage.Production, name, change)
			b := w.as(dev)
			request := b.begun("/developer/o/river/production/" + name + "/try")
			if !w.hasCallback(storage.Production, name) {
				t.Fatal("the redirect URI of the trial is not registered")
			}
			answer := b.returned(request)
			p := b.get(answer)
			if p.StatusCode != http.StatusOK || strings.Contains(p.body, `class="tag outcome bad"`) {
				t.Fatalf("%s\n%s", p.Status, p.body)
			}
			says(t, p, http.StatusOK,
				"Everything works", "Authorization request", "Token request", "ID token", "Userinfo", "Attributes", "Revocation",
				"at_hash", "signature", "&#34;sub&#34;: &#34;dev&#34;")
			if w.hasCallback(storage.Production, name) {
				t.Error("the redirect URI of the trial is still registered")
			}
		})
	}
}

func TestATrialShowsNoSecretAndLeavesNoToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop", func(c *provider.Client) {
		c.Secret, c.TokenEndpointAuthMethod = "correct-horse-battery-staple-0123456789", "client_secret_post"
	})
	b := w.as(dev)
	answer := b.returned(b.begun(tryPath))
	code := mustParse(t, answer).Query().Get("code")
	p := b.get(answer)
	_, shown, _ := strings.Cut(p.body, `<ol class="trial">`)
	for _, secret := range []string{"correct-horse", code, code[:9]} {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	if long := regexp.MustCompile(`(access_token|refresh_token|id_token|Bearer)\W+[\w-]{9,}`).FindString(html.UnescapeString(shown)); long != "" {
		t.Errorf("a token is shown: %s", long)
	}
	if strings.Contains(w.log.String(), code) {
		t.Error("the code is in the log")
	}
	n := 0
	for _, e := range w.eventsOf(t, "shop") {
		if e.Name == event.Revoked {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d tokens were revoked", n)
	}
}

func TestATrialThatIsDeniedShowsTheErrorAndCleansUp(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	p := b.submitOnce(b.open(b.begun(tryPath)), "action", "deny")
	p = b.get(p.Header.Get("Location"))
	says(t, p, http.StatusOK, "access_denied", "Something did not work")
	if w.hasCallback(storage.Production, "shop") {
		t.Error("the redirect URI of the trial is still registered")
	}
}

func TestATrialOfAScopeThatIsNotRegisteredSaysSo(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	p := b.get(b.begun(tryPath, "scope", "openid student"))
	p = b.get(p.Header.Get("Location"))
	if !strings.Contains(p.body, "invalid_scope") || !strings.Contains(p.body, "Something did not work") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
}

func TestATrialThatIsLeftCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	b.begun(tryPath)
	p := b.open(tryPath)
	if !strings.Contains(p.body, "A test wasn’t finished") {
		t.Error("nobody is told of the redirect URI that is left")
	}
	b.submit(p, "action", "remove")
	if w.hasCallback(storage.Production, "shop") {
		t.Error("the redirect URI is still registered")
	}
	changes := w.changes(river)
	if len(changes) != 2 || changes[0].What != "application.change" || changes[0].Fields[0].Name != "redirect_uris" {
		t.Errorf("recorded %+v", changes)
	}
}

// What is changed between the page and the answer stays.
func TestATrialKeepsWhatSomebodyElseChanges(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	answer := b.returned(b.begun(tryPath))
	c := w.client(storage.Production, "shop")
	c.Name, c.RedirectURIs = "Renamed", append(c.RedirectURIs, "https://app.test/other")
	w.ok(w.id.Clients().Save(t.Context(), c))
	b.get(answer)
	c = w.client(storage.Production, "shop")
	if c.Name != "Renamed" || !slices.Equal(c.RedirectURIs, []string{callbackURI, "https://app.test/other"}) {
		t.Errorf("registration %q %v", c.Name, c.RedirectURIs)
	}
}

// A page that leads a developer to the answer of another one's trial would show the
// developer what is another's.
func TestTheAnswerOfSomebodyElsesTrialIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	answer := w.as(dev).returned(w.as(dev).begun(tryPath))
	for user, status := range map[string]int{owner: http.StatusBadRequest, nobody: http.StatusBadRequest} {
		if p := w.as(user).open(answer); p.StatusCode != status || strings.Contains(p.body, "Token request") {
			t.Errorf("%s: %s", user, p.Status)
		}
	}
}

func TestAForgedOrOldAnswerIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	answer := b.returned(b.begun(tryPath))
	forged := mustParse(t, answer)
	q := forged.Query()
	state := []byte(q.Get("state"))
	state[40] ^= 1
	q.Set("state", string(state))
	forged.RawQuery = q.Encode()
	for _, address := range []string{forged.String(), "/developer/try/callback", "/developer/try/callback?code=x&state=y"} {
		if p := b.get(address); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", address, p.Status)
		}
	}
	w.advance(11 * time.Minute)
	says(t, b.open(answer), http.StatusBadRequest)
}

// A provider that another one is taken for (RFC 9207) gets no code of ours.
func TestAnAnswerOfAnotherIssuerIsNotExchanged(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(dev)
	answer := mustParse(t, b.returned(b.begun(tryPath)))
	q := answer.Query()
	q.Set("iss", "https://evil.test/oidc")
	answer.RawQuery = q.Encode()
	if p := b.get(answer.String()); strings.Contains(p.body, "Token request") || !strings.Contains(p.body, "Something did not work") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

func TestWhoMayOnlyLookCannotTry(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Production, "shop")
	b := w.as(viewer)
	p := b.open(tryPath)
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, `value="try"`) {
		t.Errorf("%s: a viewer is offered a trial", p.Status)
	}
	_, fields := w.as(dev).open(tryPath).form(t, "action", "try")
	if p := b.post(tryPath, fields); p.StatusCode != http.StatusForbidden || w.hasCallback(storage.Production, "shop") {
		t.Errorf("a viewer begins a trial: %s", p.Status)
	}
}

func TestATrialOfTheSandboxLeadsToTheSandbox(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	request := w.as(dev).begun("/developer/o/river/sandbox/shop/try")
	if !strings.HasPrefix(request, w.sandboxServer.URL+"/oauth/authorize?") || !w.hasCallback(storage.Sandbox, "shop") {
		t.Errorf("the trial leads to %s", request)
	}
}

// Personas sign in at the sandbox, and the answer comes to production, where the developer is.
func TestATrialOfTheSandboxComesBackWithAPersona(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	request := b.begun("/developer/o/river/sandbox/shop/try")
	there := *b
	there.home = w.sandboxServer.URL
	p := there.open(request)
	if !strings.Contains(p.body, "persona") {
		t.Fatalf("no personas: %s\n%s", p.Status, p.body)
	}
	action, fields := p.form(t, "persona", sandbox.DefaultPersonas()[0].Name)
	p = there.follow(there.post(action, fields))
	if p.StatusCode == http.StatusOK {
		p = there.follow(there.submitOnce(p, "action", "allow"))
	}
	p = b.get(p.Header.Get("Location"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Everything works") || !strings.Contains(p.body, w.sandboxServer.URL+"/oidc") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	// It is no use of the secret, of which one a minute is recorded.
	w.advance(30 * time.Second)
	began := w.now()
	secret, err := w.sandbox.Clients().Secret(t.Context(), "shop")
	if err != nil || !w.exchanges(secret) {
		t.Fatal("the secret does not work", err)
	}
	lab.Eventually(t, func() bool {
		secrets, err := w.sandbox.Clients().ListSecrets(t.Context(), "shop")
		return err == nil && secrets[0].LastUsedAt.After(began)
	})
	if w.hasCallback(storage.Sandbox, "shop") {
		t.Error("the redirect URI of the trial is still registered")
	}
}

func (w *fixture) eventsOf(t *testing.T, client string) []provider.RecordedEvent {
	t.Helper()
	events := testkit.Must(w.id.Events().List(t.Context(), provider.EventFilter{ClientID: client}))(w.t)
	return events
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u := testkit.Must(url.Parse(address))(t)
	return u
}

// Libraries ask for openid, profile and email; the dialect v3 grants one scope value.
func TestATrialBeginsWithScopesThatMakeSense(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	all := []string{"openid", "offline_access", "profile", "email", "military", "student"}
	for want, change := range map[string]func(*provider.Client){
		"openid profile email military": func(c *provider.Client) { c.Scopes = all },
		"openid military":               func(c *provider.Client) { c.Scopes, c.Dialect = all, provider.V3 },
		"openid profile":                func(c *provider.Client) { c.Scopes, c.Dialect = all[:4], provider.V3 },
		"openid profile email identity": func(c *provider.Client) { c.Scopes = nil },
		"openid":                        func(c *provider.Client) { c.Scopes = all[:1] },
	} {
		id := strings.ReplaceAll(want, " ", "-")
		w.withApplication(river, storage.Sandbox, id, change)
		if p := b.open("/developer/o/river/sandbox/" + id + "/try"); !strings.Contains(p.body, `value="`+want+`"`) {
			t.Errorf("%s: not offered\n%s", want, p.body)
		}
	}
}

// A trial has no key to sign with, and its request goes through the browser.
func TestAnApplicationThatHasToSignOrToPushIsToldThatATrialCannot(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	for name, change := range map[string]func(*provider.Client){
		"Key": func(c *provider.Client) {
			c.TokenEndpointAuthMethod, c.JWKSURI = "private_key_jwt", "https://app.test/keys"
		},
		"Pushed": func(c *provider.Client) { c.RequirePushedAuthorizationRequests = true },
		"Signed": func(c *provider.Client) { c.RequireSignedRequestObject, c.JWKSURI = true, "https://app.test/keys" },
		"Bound":  func(c *provider.Client) { c.DPoPBoundAccessTokens = true },
	} {
		w.withApplication(river, storage.Sandbox, name, change)
		path := "/developer/o/river/sandbox/" + name
		says(t, b.open(path+"/try"), http.StatusOK, "test it with your own code")
		p := b.open(path + "/samples?language=go")
		if name != "Bound" { // the sample proves a key
			says(t, p, http.StatusOK, "your library has to do that instead")
		}
		form := everything("try")
		form.Set("csrf", b.csrfOf(dev))
		if got := b.post(path+"/try", form); got.StatusCode != http.StatusBadRequest || w.hasCallback(storage.Sandbox, name) {
			t.Errorf("%s: begun all the same: %s", name, got.Status)
		}
	}
}
