package claims_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/ui"
)

// TestDefaultCatalogueIsTranslated tests that every word of the default catalogue is said in
// the language of the screen.
func TestDefaultCatalogueIsTranslated(t *testing.T) {
	t.Parallel()
	c := testkit.Must(claims.NewCatalogue(nil, nil, nil))(t)
	for _, l := range ui.Locales() {
		t.Run(l.Lang, func(t *testing.T) {
			t.Parallel()
			said := func(labels ...ui.Label) {
				t.Helper()
				for _, label := range labels {
					if label.Lang != "" {
						t.Errorf("%q is not translated", label.Text)
					}
				}
			}
			for _, s := range c.Scopes {
				title, text := c.ScopeWords(l, s.Name, true)
				said(title, text)
				for _, handle := range c.Facts(slices.Concat(s.Attributes, s.V3Attributes)) {
					if name := c.AttributeWords(l, handle).Text; !c.IsComposed(handle) && !strings.Contains(text.Text, name) {
						t.Errorf("%s promises %q, and gives %s", s.Name, text.Text, name)
					}
				}
			}
			if _, text := c.ScopeWords(l, "military", false); strings.Contains(text.Text, c.AttributeWords(l, "zip").Text) {
				t.Errorf("of a status a standard application gets %q", text.Text)
			}
			for _, a := range c.Attributes {
				said(c.AttributeWords(l, a.Handle))
				for _, name := range a.MemberNames {
					said(l.Word(name))
				}
				if isFact := a.SameAs == "" && a.Verifies == ""; isFact && l.Phrase(a.Name).Text == "" {
					t.Errorf("%s has no phrase", a.Name)
				}
			}
			for _, g := range c.Groups {
				said(c.GroupWords(l, g.Name))
				if l.Phrase(g.Title).Text == "" {
					t.Errorf("%s has no phrase", g.Title)
				}
				said(c.SubgroupWords(l, g.Name, g.Subgroups)...)
			}
		})
	}
}

// TestHostTranslates tests which of a host's translations a screen takes.
func TestHostTranslates(t *testing.T) {
	t.Parallel()
	c := testkit.Must(claims.NewCatalogue(
		[]catalogue.Scope{{Name: "club", Title: "Our club", Translations: map[string]catalogue.ScopeTranslation{"de-AT": {Title: "Unser Verein"}}}},
		[]catalogue.Attribute{{Handle: "badge", Name: "Badge", Translations: map[string]string{"ar": "شارة"}}},
		[]catalogue.Group{{Name: "members", Title: "Members", Subgroups: []string{"Board"}, Translations: map[string]catalogue.GroupTranslation{
			"de": {Title: "Mitglieder", Phrase: "Ihre Mitgliedschaft", Subgroups: map[string]string{"Board": "Vorstand"}},
		}}},
	))(t)
	german, unknown := ui.MatchLocale("de", ""), ui.Undetermined
	title, text := c.ScopeWords(german, "club", true)
	for _, got := range []struct{ got, want ui.Label }{
		{title, ui.Label{Text: "Unser Verein"}}, {text, ui.Label{}},
		{c.AttributeWords(german, "badge"), ui.Label{Text: "Badge", Lang: unknown}},
		{c.GroupWords(german, "members"), ui.Label{Text: "Mitglieder"}},
		{c.GroupPhrase(german, "members"), ui.Label{Text: "Ihre Mitgliedschaft"}},
		{c.GroupPhrase(ui.MatchLocale("en", ""), "members"), ui.Label{}},
		{c.SubgroupWords(german, "members", []string{"Board"})[0], ui.Label{Text: "Vorstand"}},
		{c.GroupWords(ui.MatchLocale("ar", ""), "members"), ui.Label{Text: "Members", Lang: unknown}},
	} {
		if got.got != got.want {
			t.Errorf("got %+v, want %+v", got.got, got.want)
		}
	}
}

// TestDefaultPersonasAreTranslated tests that those who can be signed in as in a sandbox are
// introduced in the language of the screen.
func TestDefaultPersonasAreTranslated(t *testing.T) {
	t.Parallel()
	for _, l := range ui.Locales() {
		for _, p := range sandbox.DefaultPersonas() {
			if l.Word(p.Title).Lang != "" {
				t.Errorf("%s: %q is not translated", l.Lang, p.Title)
			}
		}
	}
}

// TestTranslationIsTheClosest tests which of several translations a screen takes, every time.
func TestTranslationIsTheClosest(t *testing.T) {
	t.Parallel()
	translations := map[string]string{
		"en-GB": "Colour", "pt": "Cor", "pt-PT": "Cor de Portugal", "zh-TW": "顏色", "zh-SG": "颜色", "de-CH": "Farbe (CH)", "de-AT": "Farbe (AT)",
	}
	c := testkit.Must(claims.NewCatalogue(nil, []catalogue.Attribute{{Handle: "color", Name: "Color", Translations: translations}}, nil))(t)
	for lang, want := range map[string]string{"en": "Colour", "de": "Farbe (AT)", "pt": "Cor", "zh": "颜色", "ar": "Color", "fr": "Color"} {
		if got := c.AttributeWords(&ui.Locale{Lang: lang}, "color").Text; got != want {
			t.Errorf("%s: got %q, want %q", lang, got, want)
		}
	}
}

// TestTranslationsThatNobodyWouldSeeAreRefused tests that the field is named.
func TestTranslationsThatNobodyWouldSeeAreRefused(t *testing.T) {
	t.Parallel()
	group := func(tag, subgroup string) []catalogue.Group {
		return []catalogue.Group{{Name: "crew", Subgroups: []string{"Skipper"}, Translations: map[string]catalogue.GroupTranslation{
			tag: {Subgroups: map[string]string{subgroup: "x"}},
		}}}
	}
	for _, c := range []struct {
		name       string
		scopes     []catalogue.Scope
		attributes []catalogue.Attribute
		groups     []catalogue.Group
		want       string
	}{
		{"scope", []catalogue.Scope{{Name: "a", Translations: map[string]catalogue.ScopeTranslation{"german": {}}}}, nil, nil,
			`Scopes[0].Translations: "german" is no language, as de and pt-BR are`},
		{"attribute", nil, []catalogue.Attribute{{Handle: "a", Translations: map[string]string{"pt-br": ""}}}, nil,
			`Attributes[0].Translations: "pt-br" is "pt-BR" in BCP 47`},
		{"group", nil, nil, group("", "Skipper"), `Groups[0].Translations: "" is no language, as de and pt-BR are`},
		{"subgroup", nil, nil, group("de", "Skippr"), `Groups[0].Translations: de: group "crew" has no subgroup "Skippr"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := claims.NewCatalogue(c.scopes, c.attributes, c.groups); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
