package ui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// folder has files of texts.
func folder(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, content := range files {
		all[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return all
}

func overlaid(t *testing.T, files map[string]string) *LocaleSet {
	t.Helper()
	s, err := NewLocaleSet(folder(files))
	ok(t, err)
	return s
}

const dutch = `"Language": {"Name": "Nederlands", "Dir": "ltr"}`

func TestHostSaysItInItsOwnWords(t *testing.T) {
	s := overlaid(t, map[string]string{
		"en.json":   `{"SignIn": {"Heading": "Your library card, please"}, "Mails": {"sign_up": {"Subject": "Welcome, {brand}"}}}`,
		"de.json":   `{"Problems": {"email_missing": "Bitte die Adresse."}, "Date": {"DaysAgo": {"one": "gestern", "other": "vor {n} Tagen"}}}`,
		"notes.txt": "not read",
	})
	en, de := s.Match("en", ""), s.Match("de", "")
	for _, c := range []struct{ got, want string }{
		{en.Plain(en.OrEnglish().text.SignIn.Heading), "Your library card, please"},
		{en.Plain(en.OrEnglish().text.SignIn.Submit), "Sign in"},
		{de.Plain(de.OrEnglish().text.SignIn.Heading), MatchLocale("de", "").Plain(MatchLocale("de", "").OrEnglish().text.SignIn.Heading)},
		{de.Problem(Problem{Code: EmailMissing}), "Bitte die Adresse."},
		{de.ago(fixedNow.Add(-25*time.Hour), fixedNow), "gestern"},
		{Compose(MailView{Kind: MailSignUp, Brand: Brand{Name: "Acme"}, Locale: en}).Subject, "Welcome, Acme"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if body := Compose(MailView{Kind: MailSignUp, Brand: Brand{Name: "Acme"}, Locale: en}).Body; body == "" {
		t.Error("a mail with another subject has lost its body")
	}
	if len(Locales()) != len(s.All()) || MatchLocale("en", "").Plain(MatchLocale("en", "").OrEnglish().text.SignIn.Heading) != "Sign in" {
		t.Error("the words of one host are those of others")
	}
}

func TestHostAddsALanguage(t *testing.T) {
	s := overlaid(t, map[string]string{
		"nl.json":    `{` + dutch + `, "SignIn": {"Heading": "Inloggen"}, "Date": {"MinutesAgo": "{n} minuten geleden"}}`,
		"de-AT.json": `{"Language": {"Name": "Deutsch (Österreich)", "Dir": "ltr"}, "SignIn": {"Heading": "Servus"}}`,
		"fa.json":    `{"Language": {"Name": "فارسی", "Dir": "rtl"}}`,
	})
	nl := s.Match("nl-BE", "")
	if nl.Lang != "nl" || nl.Name != "Nederlands" || nl.Dir != "ltr" {
		t.Errorf("got %s, %s, %s", nl.Lang, nl.Name, nl.Dir)
	}
	page := string(uitest.Render(t, SignIn(SignInView{Page: Page{Locale: nl, Brand: Brand{Name: "Acme"}}})))
	for _, want := range []string{`<html lang="nl" dir="ltr"`, ">Inloggen</h1>", ">Password<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	missing := nl.Missing()
	for key, want := range map[string]bool{"SignIn.Heading": false, "SignIn.Submit": true, "Date.MinutesAgo": false, "Date.MinutesAgo.one": true, "Date.Months.0": true} {
		if got := bytes.Contains([]byte("\n"+strings.Join(missing, "\n")+"\n"), []byte("\n"+key+"\n")); got != want {
			t.Errorf("%s is missing: %v, want %v", key, got, want)
		}
	}
	if got := nl.Word("Veteran"); got != (Label{Text: "Veteran", Lang: "en"}) {
		t.Errorf("a word of the catalogue is %+v", got)
	}
	at := s.Match("de-AT", "")
	if got := at.Plain(at.OrEnglish().text.SignIn.Submit); at.Lang != "de-AT" || got != "Anmelden" || len(at.Missing()) > 0 {
		t.Errorf("%s says %q and lacks %d sentences; it stands on German", at.Lang, got, len(at.Missing()))
	}
}

// In a page from right to left an English sentence keeps its full stop at its end, and is
// said to be English where it is HTML.
func TestEnglishStandsInForWhatALanguageLacks(t *testing.T) {
	fa := overlaid(t, map[string]string{"fa.json": `{"Language": {"Name": "فارسی", "Dir": "rtl"}, "Problems": {"email_missing": "نشانی"}}`}).Match("fa", "")
	if got := fa.Plain(fa.OrEnglish().text.Problems[CredentialsWrong]); !strings.HasPrefix(got, "\u2066") || !strings.HasSuffix(got, "\u2069") {
		t.Errorf("got %q", got)
	}
	if got := fa.Problem(Problem{Code: EmailMissing}); got != "نشانی" {
		t.Errorf("got %q", got)
	}
	if got := string(uitest.Render(t, fa.Say(fa.OrEnglish().text.SignIn.ContinueAs, With("persona", "لیلا")))); got != `<span lang="en" dir="ltr">Continue as <bdi>لیلا</bdi></span>` {
		t.Errorf("got %s", got)
	}
	if got := fa.Plain(fa.OrEnglish().text.Date.DaysAgo, Count(1)); got != "\u20661 day ago\u2069" { // fa has no form of its own for it
		t.Errorf("got %q", got)
	}
}

func TestTextsThatCannotWork(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"no JSON", "de.json", `{`, "de.json: unexpected end of JSON input"},
		{"a file of no language", "german.json", `{}`, "german.json: is not called after a language, as de.json and pt-BR.json are"},
		{"a language nobody speaks", "und.json", `{}`, "und.json: is not called after a language, as de.json and pt-BR.json are"},
		{"another name of a language", "pt-br.json", `{}`, "pt-br.json: is called pt-BR.json in BCP 47"},
		{"a list", "de.json", `[]`, "de.json: the file: is an object"},
		{"an unknown section", "de.json", `{"Sign": {}}`, "de.json: Sign: is not a key of en.json"},
		{"an unknown key", "de.json", `{"SignIn": {"Headin": "x"}}`, "de.json: SignIn.Headin: is not a key of en.json"},
		{"a key in another case", "de.json", `{"SignIn": {"heading": "x"}}`, "de.json: SignIn.heading: is not a key of en.json"},
		{"an unknown code", "de.json", `{"Problems": {"email_gone": "x"}}`, "de.json: Problems.email_gone: is not a key of en.json"},
		{"a section for a sentence", "de.json", `{"SignIn": "x"}`, "de.json: SignIn: is an object"},
		{"a number for a sentence", "de.json", `{"SignIn": {"Heading": 1}}`, "de.json: SignIn.Heading: is a sentence, or one for each plural form"},
		{"nothing to say", "de.json", `{"SignIn": {"Heading": " "}}`, "de.json: SignIn.Heading: is empty"},
		{"a line break", "de.json", `{"Mails": {"sign_up": {"Subject": "a\r\nBcc: b"}}}`, "de.json: Mails.sign_up.Subject: has a line break or another control character"},
		{"what nobody fills", "de.json", `{"SignIn": {"Heading": "Bei {client}"}}`, `de.json: SignIn.Heading: has {client}, which is not filled in; what is: []`},
		{"a typing error in it", "de.json", `{"SignIn": {"ContinueAs": "Als {Persona}"}}`, `de.json: SignIn.ContinueAs: has {Persona}, which is not filled in; what is: ["{persona}"]`},
		{"a form that nobody has", "de.json", `{"Date": {"DaysAgo": {"some": "x", "other": "y"}}}`, `de.json: Date.DaysAgo: has a plural form "some", which no language has`},
		{"a form that the language lacks", "de.json", `{"Date": {"DaysAgo": {"few": "x", "other": "y"}}}`, `de.json: Date.DaysAgo: has the plural form "few", which the language does not have`},
		{"no form for the others", "de.json", `{"Date": {"DaysAgo": {"one": "x"}}}`, `de.json: Date.DaysAgo: lacks the plural form "other"`},
		{"forms of what counts nothing", "de.json", `{"SignIn": {"Heading": {"one": "x", "other": "y"}}}`, "de.json: SignIn.Heading: has plural forms and counts nothing"},
		{"eleven months", "de.json", `{"Date": {"Months": ["1","2","3","4","5","6","7","8","9","10","11"]}}`, "de.json: Date.Months: has 11 elements of 12"},
		{"a new language without a name", "nl.json", `{"Language": {"Dir": "ltr"}}`, "nl.json: Language.Name: is missing: what the language is called in itself"},
		{"a direction that there is not", "de.json", `{"Language": {"Dir": "up"}}`, `de.json: Language.Dir: must be "ltr" or "rtl"`},
		{"a new language without a direction", "nl.json", `{"Language": {"Name": "Nederlands"}}`, `nl.json: Language.Dir: must be "ltr" or "rtl"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewLocaleSet(folder(map[string]string{c.file: c.content}))
			if err == nil {
				t.Fatal("it is accepted")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whoever writes the texts of a host writes text: a translator's file that says HTML says
// it to readers.
func TestTextsCannotInjectMarkup(t *testing.T) {
	const hostile = `</title></p><script>alert(1)</script><img src=x onerror="alert(1)">`
	content, err := json.Marshal(everywhere(english(t), hostile))
	ok(t, err)
	page := samplePage(overlaid(t, map[string]string{"en.json": string(content)}).Match("en", ""))
	for _, f := range fixtures {
		got := uitest.Render(t, f.render(page))
		for _, markup := range []string{"<script>", "<img src=x", `onerror="`} {
			if bytes.Contains(got, []byte(markup)) {
				t.Errorf("%s has %s", f.name, markup)
			}
		}
	}
}

// english returns what en.json says.
func english(t *testing.T) any {
	t.Helper()
	for _, text := range uitest.Texts(t) {
		if text.Lang == "en" {
			return text.Content
		}
	}
	t.Fatal("there is no English")
	return nil
}

// everywhere returns a file with one sentence in place of all.
func everywhere(content any, sentence string) any {
	switch v := content.(type) {
	case map[string]any:
		for key, value := range v {
			if key != "Language" {
				v[key] = everywhere(value, sentence)
			}
		}
	case []any:
		for i := range v {
			v[i] = everywhere(v[i], sentence)
		}
	default:
		return sentence
	}
	return content
}

// A sentence may leave out what is filled in.
func TestTextsMayLeaveOutAPlaceholder(t *testing.T) {
	l := overlaid(t, map[string]string{"en.json": `{"SignIn": {"ContinueAs": "Go on"}}`}).Match("en", "")
	if got := l.Plain(l.OrEnglish().text.SignIn.ContinueAs, With("persona", "Ada")); got != "Go on" {
		t.Errorf("got %q", got)
	}
}
