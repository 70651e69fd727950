package claims_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/ui"
)

// TestDefaultCatalogueIsTranslated tests that every word of the default catalogue is said in
// the language of the screen.
func TestDefaultCatalogueIsTranslated(t *testing.T) {
	t.Parallel()
	c, err := claims.NewCatalogue(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
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
				said(c.ScopeWords(l, s.Name))
			}
			for _, a := range c.Attributes {
				said(c.AttributeWords(l, a.Handle))
			}
			for _, g := range c.Groups {
				said(c.GroupWords(l, g.Name))
				said(c.SubgroupWords(l, g.Name, g.Subgroups)...)
			}
		})
	}
}

// TestHostTranslates tests which of a host's translations a screen takes.
func TestHostTranslates(t *testing.T) {
	t.Parallel()
	c, err := claims.NewCatalogue(
		[]catalogue.Scope{{Name: "club", Title: "Our club", Translations: map[string]catalogue.ScopeTranslation{"de-AT": {Title: "Unser Verein"}}}},
		[]catalogue.Attribute{{Handle: "badge", Name: "Badge", Translations: map[string]string{"ar": "شارة"}}},
		[]catalogue.Group{{Name: "members", Title: "Members", Subgroups: []string{"Board"}, Translations: map[string]catalogue.GroupTranslation{
			"de": {Title: "Mitglieder", Subgroups: map[string]string{"Board": "Vorstand"}},
		}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	german, unknown := ui.MatchLocale("de", ""), ui.Undetermined
	title, text := c.ScopeWords(german, "club")
	for _, got := range []struct{ got, want ui.Label }{
		{title, ui.Label{Text: "Unser Verein"}}, {text, ui.Label{}},
		{c.AttributeWords(german, "badge"), ui.Label{Text: "Badge", Lang: unknown}},
		{c.GroupWords(german, "members"), ui.Label{Text: "Mitglieder"}},
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
