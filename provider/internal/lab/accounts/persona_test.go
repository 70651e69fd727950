package accounts

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
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// withName are scopes with the name of who is signed in, which a status alone does not give.
const withName = "openid login military"

// described returns what the data endpoint tells about whom a response is about.
func described(b *lab.Browser, answer url.Values) string {
	b.T.Helper()
	p, tokens := b.Token(lab.Std("code", answer.Get("code"))...)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("%v: token: %s %s", answer, p.Status, p.Text)
	}
	return b.Bearer(lab.AttributesPath, lab.Member(b.T, tokens, "access_token")).Text
}

func TestEveryDefaultPersonaAnswersWithoutAScreen(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	if err := w.Rooms().Sandbox.CheckPersonas(sandbox.PersonaSet{Personas: sandbox.DefaultPersonas()}); err != nil {
		t.Errorf("the default personas do not fit the default catalogue: %v", err)
	}
	refusals := map[string]string{"denies": "access_denied", "locked": "access_denied"}
	for _, persona := range sandbox.DefaultPersonas() {
		p := w.NewBrowser().Get(lab.Hinted(persona.Name))
		answer := lab.Response(t, p)
		if answer.Get("error") != refusals[persona.Name] || (answer.Get("code") != "") == (refusals[persona.Name] != "") {
			t.Errorf("%s: answered %v", persona.Name, answer)
		}
	}
}

func TestPersonasAreChosenOnTheSignInScreen(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	p := b.Open(lab.AuthorizeURL(lab.Ask("scope", withName)...))
	lab.Safe(t, p)
	if !strings.Contains(p.Text, "Maria – verified veteran") || !strings.Contains(p.Text, `name="persona" value="veteran"`) {
		t.Fatalf("no personas:\n%s", p.Text)
	}
	if !strings.Contains(p.Text, `name="password"`) {
		t.Error("personas take the place of the sign-in form")
	}
	p = b.Submit(p, "persona", "veteran")
	if !strings.Contains(p.Text, "Maria Alvarez") || !strings.Contains(p.Text, "allow") {
		t.Fatalf("no consent screen: %s\n%s", p.Status, p.Text)
	}
	if told := described(b, lab.Response(t, b.Submit(p, "action", "allow"))); !strings.Contains(told, "Veteran") || !strings.Contains(told, "veteran@acme.sandbox.test") {
		t.Errorf("told %s", told)
	}
}

func TestALockedPersonaIsRefusedAsALockedAccountIs(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	p := b.Submit(b.Open(lab.AuthorizeURL(lab.Ask()...)), "persona", "locked")
	lab.Shown(t, p, http.StatusForbidden)
	if !w.Saw(event.SignInFailed) || !strings.Contains(p.Text, isLocked) {
		t.Errorf("not recorded, or not said:\n%s", p.Text)
	}
}

const isLocked = "This account is locked"

// Who has the right password of a locked account would try others, and nobody else learns it.
func TestOwnerOfALockedAccountIsToldSo(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true))
	b := w.NewBrowser()
	for chosen, status := range map[string]int{lab.AlicePass: http.StatusForbidden, "wrong": http.StatusUnauthorized} {
		p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", chosen)
		lab.Shown(t, p, status)
		if strings.Contains(p.Text, isLocked) != (status == http.StatusForbidden) {
			t.Errorf("%q: %s", chosen, p.Text)
		}
	}
}

func TestAPersonaIsWhatItsDefinitionSaysNow(t *testing.T) {
	t.Parallel()
	persona := sandbox.Persona{
		Name: "kim", Attributes: map[string]any{"fname": "Kim", "lname": "Smith"},
		Statuses: []sandbox.Status{{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}},
	}
	w := lab.New(t, func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(context.Context, string) (sandbox.PersonaSet, error) {
			return sandbox.PersonaSet{Personas: []sandbox.Persona{persona}}, nil
		}
	}).WithClients()
	b := w.NewBrowser()
	if told := described(b, lab.Response(t, b.Get(lab.Hinted("kim", "scope", withName)))); !strings.Contains(told, "Smith") || !strings.Contains(told, "Veteran") {
		t.Fatalf("told %s", told)
	}
	persona.Attributes, persona.Statuses, persona.Email = map[string]any{"fname": "Kimberly"}, nil, "kim@example.com"
	told := described(b, lab.Response(t, b.Get(lab.Hinted("kim", "scope", withName))))
	if strings.Contains(told, "Smith") || strings.Contains(told, "Veteran") || !strings.Contains(told, "Kimberly") || !strings.Contains(told, "kim@example.com") {
		t.Errorf("told %s", told)
	}
}

func TestEverySecondSignInFindsWhatIsNext(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	var found []string
	for range 3 {
		told := described(b, lab.Response(t, b.Get(lab.Hinted("changes"))))
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
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Get(lab.Hinted("revoked"))).Get("code"))...)
	access := lab.Member(t, tokens, "access_token")
	if told := b.Bearer(lab.AttributesPath, access).Text; !strings.Contains(told, `"verified":true`) {
		t.Fatalf("told %s", told)
	}
	w.Advance(time.Minute)
	if told := b.Bearer(lab.AttributesPath, access).Text; strings.Contains(told, `"verified":true`) {
		t.Errorf("told %s", told)
	}
}

func TestAPersonaThatAsksIsShownTheConsentScreen(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm, sandbox.Persona{Name: "asks", Consent: "ask", AMR: []string{"hwk", "pin"}})).WithClients()
	b := w.NewBrowser()
	p := b.Open(lab.Hinted("asks", "prompt", "login"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, `value="allow"`) {
		t.Fatalf("no consent screen: %s\n%s", p.Status, p.Text)
	}
	_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))...)
	if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); !cmp.Equal(claims["amr"], []any{"hwk", "pin"}) {
		t.Errorf("amr is %v", claims["amr"])
	}
}

func TestAHintOfAPersonaSwitchesTheAccount(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t, lab.Cast(lab.OneRealm))
	before := b.Cookie(session.Session)
	if told := described(b, lab.Response(t, b.Get(lab.Hinted("student", "scope", withName)))); !strings.Contains(told, "Leo") {
		t.Errorf("told %s", told)
	}
	thief := b.Thief()
	thief.SetCookie(session.Session, before)
	if thief.IsSignedIn() {
		t.Error("the session before goes on")
	}
	if told := described(b, lab.Response(t, b.Get(lab.Hinted("veteran", "scope", withName, "prompt", "login consent", "max_age", "0")))); !strings.Contains(told, "Maria") {
		t.Errorf("told %s", told)
	}
	if answer := lab.Response(t, b.Get(lab.Hinted("student", "prompt", "none"))); answer.Get("code") == "" {
		t.Errorf("prompt=none is answered %v where somebody is signed in who has consented", answer)
	}
}

func TestPromptNoneSignsInNoPersona(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	if answer := lab.Response(t, w.NewBrowser().Get(lab.Hinted("veteran", "prompt", "none"))); answer.Get("error") != "login_required" {
		t.Errorf("answered %v", answer)
	}
}

func TestTheApplicationHearsThatThereIsNoSuchPersona(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	answer := lab.Response(t, w.NewBrowser().Get(lab.Hinted("nobody")))
	if answer.Get("error") != "invalid_request" || !strings.Contains(answer.Get("error_description"), "persona") || answer.Get("state") != "xyz" {
		t.Errorf("answered %v", answer)
	}
}

// A persona that is signed in again, as prompt=login demands, is chosen again: it has no
// password.
func TestReauthenticationOfAPersonaShowsThePersonas(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	b.Get(lab.Hinted("veteran"))
	p := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "login")...))
	if !strings.Contains(p.Text, `value="veteran"`) {
		t.Fatalf("no personas: %s\n%s", p.Status, p.Text)
	}
	if answer := lab.Response(t, b.Submit(p, "persona", "veteran")); answer.Get("code") == "" {
		t.Errorf("answered %v", answer)
	}
}

func TestAPersonaOfAnotherOrganizationIsNobodyHere(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(map[string]string{"std": "acme", "std2": "globex"})).WithClients()
	b := w.NewBrowser()
	described(b, lab.Response(t, b.Get(lab.Hinted("veteran"))))
	other := []string{"client_id", "std2", "scope", "openid military", "redirect_uri", "https://other.test/cb"}
	if answer := lab.Response(t, b.Get(lab.AuthorizeURL(append(other, "prompt", "none")...))); answer.Get("error") != "login_required" {
		t.Errorf("a persona of another organization is answered for: %v", answer)
	}
	p := b.Open(lab.AuthorizeURL(other...))
	if !strings.Contains(p.Text, `name="persona"`) {
		t.Fatalf("does not ask who it is: %s\n%s", p.Status, p.Text)
	}
	p = b.Submit(p, "persona", "veteran")
	answer := lab.Response(t, b.Submit(p, "action", "allow"))
	if subject := b.Subject(answer.Get("code"), "std2", lab.ClientSecret+"2", "https://other.test/cb"); subject != "persona.globex.veteran" {
		t.Errorf("subject is %s", subject)
	}
	if answer := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...))); answer.Get("error") != "login_required" {
		t.Errorf("and back: %v", answer)
	}
}

// Without Config.Testing a login_hint is a hint, and the field of a form nothing.
func TestOutsideOfASandboxNoHintSignsIn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider.Config){
		"Production":           func(*provider.Config) {},
		"SandboxWithoutAny":    func(c *provider.Config) { c.Sandbox = true },
		"ApplicationWithNoSet": lab.Cast(map[string]string{"other": "x"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t, change).WithClients()
			b := w.NewBrowser()
			p := b.Open(lab.Hinted("veteran"))
			if name == "ApplicationWithNoSet" {
				if lab.Response(t, p).Get("error") != "invalid_request" {
					t.Fatalf("answered %s", p.Header.Get("Location"))
				}
				p = b.Open(lab.AuthorizeURL(lab.Ask()...))
			}
			if strings.Contains(p.Text, "Maria") || strings.Contains(p.Text, `name="persona"`) {
				t.Errorf("personas on the screen:\n%s", p.Text)
			}
			b.Submit(p, "persona", "veteran")
			if b.IsSignedIn() || b.Cookie(session.Session) != "" || w.Count("accounts") != 0 {
				t.Error("somebody is signed in")
			}
		})
	}
}

func TestTestingIsForASandboxWithAccounts(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	d := &lab.Directory{}
	for name, change := range map[string]func(*provider.Config){
		"Testing":          func(c *provider.Config) { lab.Cast(nil)(c); c.Sandbox = false },
		"Testing.Personas": func(c *provider.Config) { lab.Cast(nil)(c); d.Configure(c) },
	} {
		cfg := provider.Config{BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: w.Store}
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
	w := lab.New(t, lab.Cast(map[string]string{"std": "acme", "std2": "globex"}, sandbox.Persona{Name: "al", Email: "alice@example.com"})).WithClients()
	for _, client := range []string{"std", "std2"} { // one address in two realms
		callback := map[string]string{"std": lab.CallbackURI, "std2": "https://other.test/cb"}[client]
		if answer := lab.Response(t, w.NewBrowser().Get(lab.Hinted("al", "client_id", client, "redirect_uri", callback))); answer.Get("code") == "" {
			t.Errorf("%s: answered %v", client, answer)
		}
	}
	w.WithUsers() // alice signs up with the same address
	if told := w.Alice().Attributes(t); strings.Contains(fmt.Sprint(told), "persona") {
		t.Errorf("told %v", told)
	}
}

func TestWhatTheCatalogueDoesNotKnowIsLeftOut(t *testing.T) {
	t.Parallel()
	personas := sandbox.DefaultPersonas()
	w := lab.New(t, lab.Cast(lab.OneRealm), func(c *provider.Config) {
		c.Groups = []catalogue.Group{{Name: "military", Title: "Military", Subgroups: []string{"Veteran"}}}
		c.Scopes = []catalogue.Scope{{Name: "military", Attributes: []string{"fname"}, Groups: []string{"military"}}}
	}).WithClients()
	var wrong *provider.FieldError
	if err := w.Rooms().Sandbox.CheckPersonas(sandbox.PersonaSet{Personas: personas}); !errors.As(err, &wrong) || wrong.Field != "Personas[1].Statuses" {
		t.Errorf("CheckPersonas says %v", err)
	}
	b := w.NewBrowser()
	if told := described(b, lab.Response(t, b.Get(lab.Hinted("multi-group")))); !strings.Contains(told, "Veteran") || strings.Contains(told, "Military Family") {
		t.Errorf("told %s", told)
	}
	if answer := lab.Response(t, b.Get(lab.Hinted("student"))); answer.Get("code") == "" {
		t.Errorf("answered %v", answer)
	}
}

func TestCheckPersonasNamesTheField(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(nil))
	for _, set := range []sandbox.PersonaSet{{Realm: strings.Repeat("x", 64)}, {Personas: []sandbox.Persona{{Name: strings.Repeat("x", 41)}}}} {
		if w.Rooms().Sandbox.CheckPersonas(set) == nil {
			t.Errorf("%+v is not too long", set)
		}
	}
	for field, set := range map[string]sandbox.PersonaSet{
		"Realm":                         {Realm: "a.b"},
		"Personas":                      {Personas: make([]sandbox.Persona, 65)},
		"Personas[0].Name":              {Personas: []sandbox.Persona{{Name: "Kim"}}},
		"Personas[1].Name":              {Personas: []sandbox.Persona{{Name: "kim"}, {Name: "kim"}}},
		"Personas[0].Email":             {Personas: []sandbox.Persona{{Name: "kim", Email: "Kim <kim@example.com>"}}},
		"Personas[0].Title":             {Personas: []sandbox.Persona{{Name: "kim", Title: strings.Repeat("x", 101)}}},
		"Personas[0].Consent":           {Personas: []sandbox.Persona{{Name: "kim", Consent: "maybe"}}},
		"Personas[0].AMR[0]":            {Personas: []sandbox.Persona{{Name: "kim", AMR: []string{"p w d"}}}},
		"Personas[0].Attributes[age]":   {Personas: []sandbox.Persona{{Name: "kim", Attributes: map[string]any{"age": "old"}}}},
		"Personas[0].Attributes[email]": {Personas: []sandbox.Persona{{Name: "kim", Attributes: map[string]any{"email": "x"}}}},
		"Personas[0].Statuses[1].Group": {Personas: []sandbox.Persona{{Name: "kim", Statuses: []sandbox.Status{{Group: "student"}, {Group: "student"}}}}},
		"Personas[0].Next.Statuses[0].Group": {Personas: []sandbox.Persona{{Name: "kim",
			Next: &sandbox.Change{Statuses: []sandbox.Status{{}}}}}},
		"Personas[0].Statuses[0].Pending": {Personas: []sandbox.Persona{{Name: "kim",
			Statuses: []sandbox.Status{{Group: "student", Pending: true, Verified: true}}}}},
		"Personas[0].Statuses[0].ExpiresIn": {Personas: []sandbox.Persona{{Name: "kim",
			Statuses: []sandbox.Status{{Group: "student", ExpiresIn: 1 << 40}}}}},
	} {
		var wrong *provider.FieldError
		if err := w.Rooms().Sandbox.CheckPersonas(set); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("error is %v, want one of the field %s", err, field)
		}
	}
}

func TestAPersonaIsTheSameAfterItsJSON(t *testing.T) {
	t.Parallel()
	want := sandbox.PersonaSet{Realm: "acme", Personas: sandbox.DefaultPersonas()}
	raw := testkit.Must(json.Marshal(want))(t)
	var got sandbox.PersonaSet
	testkit.OK(t, json.Unmarshal(raw, &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPersonasThatCannotBeReadAreNotNobody(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(context.Context, string) (sandbox.PersonaSet, error) {
			return sandbox.PersonaSet{}, errors.New("the disk is gone")
		}
	}).WithClients()
	if p := w.NewBrowser().Open(lab.Hinted("veteran")); p.StatusCode != http.StatusServiceUnavailable &&
		!strings.Contains(p.Header.Get("Location"), "temporarily_unavailable") {
		t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
	}
}

// Another site must not sign a browser in as a persona by a form of its own.
func TestAForgedFormSignsNobodyInAsAPersona(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	b := w.NewBrowser()
	action, fields := b.Open(lab.AuthorizeURL(lab.Ask()...)).Form(t)
	fields.Set("persona", "veteran")
	for name := range fields {
		if strings.Contains(name, "csrf") {
			fields.Del(name)
		}
	}
	p := b.Post(action, fields)
	if p.StatusCode < 400 || b.IsSignedIn() || w.Count("accounts") != 0 {
		t.Errorf("answered %s", p.Status)
	}
}

func TestManyTestsSignInAsOnePersonaAtOnce(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	var all sync.WaitGroup
	for range 8 {
		b := w.NewBrowser()
		all.Go(func() {
			for range 3 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.Absolute(lab.Hinted("veteran")), nil)
				if err != nil {
					t.Error(err)
					return
				}
				response, err := b.HTTP.Do(r)
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
