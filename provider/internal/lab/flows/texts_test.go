package flows

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// dutchTexts is a language that this module does not have.
var dutchTexts = fstest.MapFS{"nl.json": {Data: []byte(`{
	"Language": {"Name": "Nederlands", "Dir": "ltr"},
	"SignIn": {"Heading": "Inloggen"},
	"Mails": {"reset_password": {"Subject": "Uw code voor {brand}"}}
}`)}}

// TestLanguageOfTheHost tests that a language in Config.Texts is one like all others: in
// discovery, in the menu, in the memory of the browser, and in mails.
func TestLanguageOfTheHost(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Texts = dutchTexts }).WithClients().WithUsers()
	b := w.NewBrowser()
	var discovery struct {
		Languages []string `json:"ui_locales_supported"`
	}
	if err := json.Unmarshal([]byte(b.Get("/oidc/.well-known/openid-configuration").Text), &discovery); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(discovery.Languages, "nl") || discovery.Languages[0] != "en" {
		t.Errorf("discovery has %q", discovery.Languages)
	}
	if p := b.Get("/signin"); !strings.Contains(p.Text, ">Nederlands</button>") || strings.Contains(p.Text, "Inloggen") {
		t.Errorf("the menu lacks the language, or it was chosen without a wish:\n%s", p.Text)
	}
	b.Get("/signin?ui_locales=nl")
	if p := b.Get("/signin"); !strings.Contains(p.Text, "<h1>Inloggen</h1>") || !strings.Contains(p.Text, `<html lang="nl"`) {
		t.Errorf("the browser is not remembered to have chosen it:\n%s", p.Text)
	}
	b.Submit(b.Open("/reset"), "email", "alice@example.com")
	if mail, code := w.Mails.Last(t); mail.Subject != "Uw code voor Bonafide" || code == "" {
		t.Errorf("the mail is %q", mail)
	}
	if !strings.Contains(w.Log.String(), "texts of a language are partly in English") {
		t.Errorf("that a part is in English is not logged:\n%s", w.Log)
	}
	if p := lab.New(t).NewBrowser().Get("/signin?ui_locales=nl"); strings.Contains(p.Text, "Inloggen") {
		t.Error("the words of one provider are those of another")
	}
}

// TestTextsAreRefusedByFileAndKey tests the error of New.
func TestTextsAreRefusedByFileAndKey(t *testing.T) {
	t.Parallel()
	cfg := provider.Config{
		BaseURL: "https://id.example.com", Secret: lab.Secret(t), Store: lab.New(t).Store,
		Texts: fstest.MapFS{"de.json": {Data: []byte(`{"SignIn": {"Headin": "x"}, "Code": {"Sent": "{mail}"}}`)}},
	}
	_, err := provider.New(t.Context(), cfg)
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != "Texts" {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"de.json: SignIn.Headin: ", "de.json: Code.Sent: has {mail}"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestMailsThatNobodyAskedForAreInTheLanguageOfTheAccount tests Remembered.
func TestMailsThatNobodyAskedForAreInTheLanguageOfTheAccount(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Texts = dutchTexts }).WithUsers()
	w.MustExec(`UPDATE accounts SET language = 'nl' WHERE id = 'alice'`)
	for id, want := range map[string]string{"alice": "nl", "bob": "en", "nobody": "en"} {
		l, err := w.Rooms().People.Locale(t.Context(), id)
		if err != nil || l.Lang != want {
			t.Errorf("%s: got %v, %v, want %s", id, l, err, want)
		}
	}
}

// TestScopesAreChosenInTheLanguageOfTheScreen tests ScopeWords with a host's own
// translation, and without one.
func TestScopesAreChosenInTheLanguageOfTheScreen(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Scopes = []catalogue.Scope{
			{Name: "club", Title: "Our club", Translations: map[string]catalogue.ScopeTranslation{"de": {Title: "Unser Verein"}}, Attributes: []string{"uuid"}},
			{Name: "other", Title: "Another club", Attributes: []string{"uuid"}},
		}
	}).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	p := b.Follow(b.Get(lab.AuthorizeURL("client_id", "v3", "scope", "openid", "ui_locales", "de")))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "Unser Verein") || !strings.Contains(p.Text, `<span lang="" dir="auto">Another club</span>`) {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
	i := w.Rooms().Installation()
	i.Scopes[0].Translations["de"] = catalogue.ScopeTranslation{}
	if got := w.Rooms().Installation().Scopes[0].Translations["de"].Title; got != "Unser Verein" {
		t.Errorf("whoever reads the installation has changed it: %q", got)
	}
}
