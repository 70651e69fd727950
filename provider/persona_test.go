package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// cast makes a sandbox of a provider, in which every application of realms has a set of
// its own; others have none.
func cast(realms map[string]string, personas ...provider.Persona) func(*provider.Config) {
	if len(personas) == 0 {
		personas = provider.DefaultPersonas()
	}
	return func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(_ context.Context, clientID string) (provider.PersonaSet, error) {
			realm, ok := realms[clientID]
			if !ok {
				return provider.PersonaSet{}, nil
			}
			return provider.PersonaSet{Realm: realm, Personas: personas}, nil
		}
	}
}

// oneRealm is where most tests play.
var oneRealm = map[string]string{"std": "acme", "v3": "acme"}

// hinted is an authorization request of the standard client as a persona.
func hinted(name string, pairs ...string) string {
	return authorizeURL(ask(append([]string{"login_hint", "persona:" + name}, pairs...)...)...)
}

// described returns what the data endpoint tells about whom a response is about.
func (b *browser) described(answer url.Values) string {
	b.t.Helper()
	p, tokens := b.token(std("code", answer.Get("code"))...)
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("%v: token: %s %s", answer, p.Status, p.body)
	}
	return b.bearer(attributesPath, text(b.t, tokens, "access_token")).body
}

func TestEveryDefaultPersonaAnswersWithoutAScreen(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	if err := w.CheckPersonas(provider.PersonaSet{Personas: provider.DefaultPersonas()}); err != nil {
		t.Errorf("the default personas do not fit the default catalogue: %v", err)
	}
	refusals := map[string]string{"denies": "access_denied", "locked": "access_denied"}
	for _, persona := range provider.DefaultPersonas() {
		p := w.newBrowser().get(hinted(persona.Name))
		answer := response(t, p)
		if answer.Get("error") != refusals[persona.Name] || (answer.Get("code") != "") == (refusals[persona.Name] != "") {
			t.Errorf("%s: answered %v", persona.Name, answer)
		}
	}
}

func TestPersonasAreChosenOnTheSignInScreen(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	p := b.open(authorizeURL(ask()...))
	safe(t, p)
	if !strings.Contains(p.body, "Maria – verified veteran") || !strings.Contains(p.body, `name="persona" value="veteran"`) {
		t.Fatalf("no personas:\n%s", p.body)
	}
	if !strings.Contains(p.body, `name="password"`) {
		t.Error("personas take the place of the sign-in form")
	}
	p = b.submit(p, "persona", "veteran")
	if !strings.Contains(p.body, "Maria Alvarez") || !strings.Contains(p.body, "allow") {
		t.Fatalf("no consent screen: %s\n%s", p.Status, p.body)
	}
	if told := b.described(response(t, b.submit(p, "action", "allow"))); !strings.Contains(told, "Veteran") || !strings.Contains(told, "veteran@acme.sandbox.test") {
		t.Errorf("told %s", told)
	}
}

func TestALockedPersonaIsRefusedAsALockedAccountIs(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	p := b.submit(b.open(authorizeURL(ask()...)), "persona", "locked")
	shown(t, p, http.StatusUnauthorized)
	if !w.saw(provider.EventSignInFailed) {
		t.Error("not recorded")
	}
}

func TestAPersonaIsWhatItsDefinitionSaysNow(t *testing.T) {
	t.Parallel()
	persona := provider.Persona{
		Name: "kim", Attributes: map[string]any{"fname": "Kim", "zip": "22030"},
		Statuses: []provider.PersonaStatus{{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}},
	}
	w := newFixture(t, func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(context.Context, string) (provider.PersonaSet, error) {
			return provider.PersonaSet{Personas: []provider.Persona{persona}}, nil
		}
	}).withClients()
	b := w.newBrowser()
	if told := b.described(response(t, b.get(hinted("kim")))); !strings.Contains(told, "22030") || !strings.Contains(told, "Veteran") {
		t.Fatalf("told %s", told)
	}
	persona.Attributes, persona.Statuses, persona.Email = map[string]any{"fname": "Kimberly"}, nil, "kim@example.com"
	told := b.described(response(t, b.get(hinted("kim"))))
	if strings.Contains(told, "22030") || strings.Contains(told, "Veteran") || !strings.Contains(told, "Kimberly") || !strings.Contains(told, "kim@example.com") {
		t.Errorf("told %s", told)
	}
}

func TestEverySecondSignInFindsWhatIsNext(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	var found []string
	for range 3 {
		told := b.described(response(t, b.get(hinted("changes"))))
		for _, subgroup := range []string{"Active Duty", "Veteran"} {
			if strings.Contains(told, subgroup) {
				found = append(found, subgroup)
			}
		}
	}
	if diff := cmp.Diff([]string{"Active Duty", "Veteran", "Active Duty"}, found); diff != "" {
		t.Error(diff)
	}
}

func TestAStatusThatIsRevokedMidSessionEndsWithinTheMinute(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	_, tokens := b.token(std("code", response(t, b.get(hinted("revoked"))).Get("code"))...)
	access := text(t, tokens, "access_token")
	if told := b.bearer(attributesPath, access).body; !strings.Contains(told, `"verified":true`) {
		t.Fatalf("told %s", told)
	}
	w.advance(time.Minute)
	if told := b.bearer(attributesPath, access).body; strings.Contains(told, `"verified":true`) {
		t.Errorf("told %s", told)
	}
}

func TestAPersonaThatAsksIsShownTheConsentScreen(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm, provider.Persona{Name: "asks", Consent: "ask", AMR: []string{"hwk", "pin"}})).withClients()
	b := w.newBrowser()
	p := b.open(hinted("asks", "prompt", "login"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, `value="allow"`) {
		t.Fatalf("no consent screen: %s\n%s", p.Status, p.body)
	}
	_, tokens := b.token(std("code", response(t, b.submit(p, "action", "allow")).Get("code"))...)
	if _, claims := jwt(t, text(t, tokens, "id_token")); !cmp.Equal(claims["amr"], []any{"hwk", "pin"}) {
		t.Errorf("amr is %v", claims["amr"])
	}
}

func TestAHintOfAPersonaSwitchesTheAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients().withUsers()
	b := w.alice()
	before := b.cookie(session.Session)
	if told := b.described(response(t, b.get(hinted("student")))); !strings.Contains(told, "Leo") {
		t.Errorf("told %s", told)
	}
	thief := b.thief()
	thief.setCookie(session.Session, before)
	if thief.isSignedIn() {
		t.Error("the session before goes on")
	}
	if told := b.described(response(t, b.get(hinted("veteran", "prompt", "login consent", "max_age", "0")))); !strings.Contains(told, "Maria") {
		t.Errorf("told %s", told)
	}
	if answer := response(t, b.get(hinted("student", "prompt", "none"))); answer.Get("code") == "" {
		t.Errorf("prompt=none is answered %v where somebody is signed in who has consented", answer)
	}
}

func TestPromptNoneSignsInNoPersona(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	if answer := response(t, w.newBrowser().get(hinted("veteran", "prompt", "none"))); answer.Get("error") != "login_required" {
		t.Errorf("answered %v", answer)
	}
}

func TestTheApplicationHearsThatThereIsNoSuchPersona(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	answer := response(t, w.newBrowser().get(hinted("nobody")))
	if answer.Get("error") != "invalid_request" || !strings.Contains(answer.Get("error_description"), "persona") || answer.Get("state") != "xyz" {
		t.Errorf("answered %v", answer)
	}
}

// A persona that is signed in again, as prompt=login demands, is chosen again: it has no
// password.
func TestReauthenticationOfAPersonaShowsThePersonas(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	b.get(hinted("veteran"))
	p := b.open(authorizeURL(ask("prompt", "login")...))
	if !strings.Contains(p.body, `value="veteran"`) {
		t.Fatalf("no personas: %s\n%s", p.Status, p.body)
	}
	if answer := response(t, b.submit(p, "persona", "veteran")); answer.Get("code") == "" {
		t.Errorf("answered %v", answer)
	}
}

func TestAPersonaOfAnotherOrganizationIsNobodyHere(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(map[string]string{"std": "acme", "std2": "globex"})).withClients()
	b := w.newBrowser()
	b.described(response(t, b.get(hinted("veteran"))))
	other := []string{"client_id", "std2", "scope", "openid military", "redirect_uri", "https://other.test/cb"}
	if answer := response(t, b.get(authorizeURL(append(other, "prompt", "none")...))); answer.Get("error") != "login_required" {
		t.Errorf("a persona of another organization is answered for: %v", answer)
	}
	p := b.open(authorizeURL(other...))
	if !strings.Contains(p.body, `name="persona"`) {
		t.Fatalf("does not ask who it is: %s\n%s", p.Status, p.body)
	}
	p = b.submit(p, "persona", "veteran")
	answer := response(t, b.submit(p, "action", "allow"))
	if subject := b.subject(answer.Get("code"), "std2", clientSecret+"2", "https://other.test/cb"); subject != "persona.globex.veteran" {
		t.Errorf("subject is %s", subject)
	}
	if answer := response(t, b.get(authorizeURL(ask("prompt", "none")...))); answer.Get("error") != "login_required" {
		t.Errorf("and back: %v", answer)
	}
}

// Without Config.Testing a login_hint is a hint, and the field of a form nothing.
func TestOutsideOfASandboxNoHintSignsIn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider.Config){
		"Production":           func(*provider.Config) {},
		"SandboxWithoutAny":    func(c *provider.Config) { c.Sandbox = true },
		"ApplicationWithNoSet": cast(map[string]string{"other": "x"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, change).withClients()
			b := w.newBrowser()
			p := b.open(hinted("veteran"))
			if name == "ApplicationWithNoSet" {
				if response(t, p).Get("error") != "invalid_request" {
					t.Fatalf("answered %s", p.Header.Get("Location"))
				}
				p = b.open(authorizeURL(ask()...))
			}
			if strings.Contains(p.body, "Maria") || strings.Contains(p.body, `name="persona"`) {
				t.Errorf("personas on the screen:\n%s", p.body)
			}
			b.submit(p, "persona", "veteran")
			if b.isSignedIn() || b.cookie(session.Session) != "" || w.count("accounts") != 0 {
				t.Error("somebody is signed in")
			}
		})
	}
}

func TestTestingIsForASandboxWithAccounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	d := &directory{}
	for name, change := range map[string]func(*provider.Config){
		"Testing":          func(c *provider.Config) { cast(nil)(c); c.Sandbox = false },
		"Testing.Personas": func(c *provider.Config) { cast(nil)(c); d.configure(c) },
	} {
		cfg := provider.Config{BaseURL: w.server.URL, Secret: testSecret(t), Store: w.store}
		change(&cfg)
		_, err := provider.New(t.Context(), cfg)
		var wrong *provider.FieldError
		if !errors.As(err, &wrong) || wrong.Field != name {
			t.Errorf("error is %v, want one of the field %s", err, name)
		}
	}
}

// Nobody gets hold of a persona by its e-mail address, and the address of a person is
// free although a persona has it.
func TestTheAddressOfAPersonaSignsNobodyIn(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(map[string]string{"std": "acme", "std2": "globex"}, provider.Persona{Name: "al", Email: "alice@example.com"})).withClients()
	for _, client := range []string{"std", "std2"} { // one address in two realms
		callback := map[string]string{"std": callbackURI, "std2": "https://other.test/cb"}[client]
		if answer := response(t, w.newBrowser().get(hinted("al", "client_id", client, "redirect_uri", callback))); answer.Get("code") == "" {
			t.Errorf("%s: answered %v", client, answer)
		}
	}
	w.withUsers() // alice signs up with the same address
	if told := w.alice().attributes(t); strings.Contains(fmt.Sprint(told), "persona") {
		t.Errorf("told %v", told)
	}
}

func TestWhatTheCatalogueDoesNotKnowIsLeftOut(t *testing.T) {
	t.Parallel()
	personas := provider.DefaultPersonas()
	w := newFixture(t, cast(oneRealm), func(c *provider.Config) {
		c.Groups = []provider.Group{{Name: "military", Title: "Military", Subgroups: []string{"Veteran"}}}
		c.Scopes = []provider.Scope{{Name: "military", Attributes: []string{"fname"}, Groups: []string{"military"}}}
	}).withClients()
	var wrong *provider.FieldError
	if err := w.CheckPersonas(provider.PersonaSet{Personas: personas}); !errors.As(err, &wrong) || wrong.Field != "Personas[1].Statuses" {
		t.Errorf("CheckPersonas says %v", err)
	}
	b := w.newBrowser()
	if told := b.described(response(t, b.get(hinted("multi-group")))); !strings.Contains(told, "Veteran") || strings.Contains(told, "Military Family") {
		t.Errorf("told %s", told)
	}
	if answer := response(t, b.get(hinted("student"))); answer.Get("code") == "" {
		t.Errorf("answered %v", answer)
	}
}

func TestCheckPersonasNamesTheField(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(nil))
	for field, set := range map[string]provider.PersonaSet{
		"Realm":                         {Realm: "a.b"},
		"Personas":                      {Personas: make([]provider.Persona, 65)},
		"Personas[0].Name":              {Personas: []provider.Persona{{Name: "Kim"}}},
		"Personas[1].Name":              {Personas: []provider.Persona{{Name: "kim"}, {Name: "kim"}}},
		"Personas[0].Email":             {Personas: []provider.Persona{{Name: "kim", Email: "Kim <kim@example.com>"}}},
		"Personas[0].Title":             {Personas: []provider.Persona{{Name: "kim", Title: strings.Repeat("x", 101)}}},
		"Personas[0].Consent":           {Personas: []provider.Persona{{Name: "kim", Consent: "maybe"}}},
		"Personas[0].AMR[0]":            {Personas: []provider.Persona{{Name: "kim", AMR: []string{"p w d"}}}},
		"Personas[0].Attributes[age]":   {Personas: []provider.Persona{{Name: "kim", Attributes: map[string]any{"age": "old"}}}},
		"Personas[0].Attributes[email]": {Personas: []provider.Persona{{Name: "kim", Attributes: map[string]any{"email": "x"}}}},
		"Personas[0].Statuses[1].Group": {Personas: []provider.Persona{{Name: "kim", Statuses: []provider.PersonaStatus{{Group: "student"}, {Group: "student"}}}}},
		"Personas[0].Next.Statuses[0].Group": {Personas: []provider.Persona{{Name: "kim",
			Next: &provider.PersonaChange{Statuses: []provider.PersonaStatus{{}}}}}},
		"Personas[0].Statuses[0].Pending": {Personas: []provider.Persona{{Name: "kim",
			Statuses: []provider.PersonaStatus{{Group: "student", Pending: true, Verified: true}}}}},
		"Personas[0].Statuses[0].ExpiresIn": {Personas: []provider.Persona{{Name: "kim",
			Statuses: []provider.PersonaStatus{{Group: "student", ExpiresIn: 1 << 40}}}}},
	} {
		var wrong *provider.FieldError
		if err := w.CheckPersonas(set); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("error is %v, want one of the field %s", err, field)
		}
	}
}

func TestAPersonaIsTheSameAfterItsJSON(t *testing.T) {
	t.Parallel()
	want := provider.PersonaSet{Realm: "acme", Personas: provider.DefaultPersonas()}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got provider.PersonaSet
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPersonasThatCannotBeReadAreNotNobody(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(context.Context, string) (provider.PersonaSet, error) {
			return provider.PersonaSet{}, errors.New("the disk is gone")
		}
	}).withClients()
	if p := w.newBrowser().open(hinted("veteran")); p.StatusCode != http.StatusServiceUnavailable &&
		!strings.Contains(p.Header.Get("Location"), "temporarily_unavailable") {
		t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
	}
}

// Another site must not sign a browser in as a persona by a form of its own.
func TestAForgedFormSignsNobodyInAsAPersona(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	b := w.newBrowser()
	action, fields := b.open(authorizeURL(ask()...)).form(t)
	fields.Set("persona", "veteran")
	for name := range fields {
		if strings.Contains(name, "csrf") {
			fields.Del(name)
		}
	}
	p := b.post(action, fields)
	if p.StatusCode < 400 || b.isSignedIn() || w.count("accounts") != 0 {
		t.Errorf("answered %s", p.Status)
	}
}

func TestManyTestsSignInAsOnePersonaAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(oneRealm)).withClients()
	var all sync.WaitGroup
	for range 8 {
		b := w.newBrowser()
		all.Go(func() {
			for range 3 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.absolute(hinted("veteran")), nil)
				if err != nil {
					t.Error(err)
					return
				}
				response, err := b.http.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_ = response.Body.Close()
				if location := response.Header.Get("Location"); !strings.Contains(location, "code=") {
					t.Errorf("answered %s %s", response.Status, location)
				}
			}
		})
	}
	all.Wait()
}
