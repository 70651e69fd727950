package verification

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// TestMethodsOfThisPackageSpeakEveryLanguage tests that the screens translate what its
// verifiers say, and leave what a host says as it is.
func TestMethodsOfThisPackageSpeakEveryLanguage(t *testing.T) {
	document := DocumentConfig{Require: []Requirement{{Name: "card", Title: Text{English: "Your card"}}}}
	methods := []Verifier{
		EmailDomain(EmailDomainConfig{Domains: []string{"university.example"}}),
		EmailDomain(EmailDomainConfig{Domains: []string{"a.example", "b.example", "c.example", "d.example"}}), Invitation(), HostPage("/office"), Document(document), Roster(students()),
	}
	said := 0
	for _, v := range methods {
		texts := []Text{v.Title, v.Asks, v.Keeps}
		begun := testkit.Must(v.Next(t.Context(), &Case{}, Event{Kind: Begun}))(t)
		if ask, ok := begun.(Ask); ok {
			for _, f := range ask.Fields {
				texts = append(texts, f.Label, f.Hint)
			}
		}
		for _, text := range texts {
			for _, l := range ui.Locales() {
				if got := translated(l, text); text.English != "" && (got.Text == "" || got.Lang != "") {
					t.Errorf("%s: %s says %q as %+v", l.Lang, v.Name, text.English, got)
				}
			}
			if text.English != "" {
				said++
			}
		}
	}
	if said < 15 {
		t.Errorf("%d texts", said)
	}
	german := ui.MatchLocale("de", "")
	if got := translated(german, Text{English: "My club"}); got.Text != "My club" || got.Lang != ui.Undetermined {
		t.Errorf("a text of the host is %+v", got)
	}
	if got := translated(german, Text{English: "My club", Translations: map[string]string{"de": "Mein Verein"}}); got != (ui.Label{Text: "Mein Verein"}) {
		t.Errorf("its translation is %+v", got)
	}
}

// TestNoGroupIsCalledAsAPage tests that every group with a policy can be reached.
func TestNoGroupIsCalledAsAPage(t *testing.T) {
	for group, refused := range map[string]bool{returnPath: true, "case": false, "callback": false} {
		err := Policies{{Group: group, Rule: By(scripted("a"))}}.withDefaults().check([]catalogue.Group{{Name: group}})
		if (err != nil) != refused {
			t.Errorf("%s: %v", group, err)
		}
	}
}
