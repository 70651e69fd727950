package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// TestConsentSentenceLeavesNothingOut tests that whatever the list has is named in the
// sentence or counted there, and what calls for caution is always named.
func TestConsentSentenceLeavesNothingOut(t *testing.T) {
	t.Parallel()
	for _, l := range Locales() {
		for most := range 12 {
			v := ConsentView{Page: Page{Locale: l, Client: Client{Name: "River Bikes"}}}
			for i := range most {
				v.Attributes = append(v.Attributes, ConsentAttribute{Label: Label{Text: fmt.Sprintf("fact%d.", i)}, Values: []string{"x"}})
			}
			v.Attributes = append(v.Attributes,
				ConsentAttribute{Label: Label{Text: "health."}, Sensitive: true}, ConsentAttribute{Label: Label{Text: "unknown."}})
			v.Groups = []ConsentGroup{{Label: Label{Text: "club."}}}
			said := string(uitest.Render(t, v.receives()))
			named := 0
			for i := range most {
				named += strings.Count(said, fmt.Sprintf("fact%d.", i))
			}
			rest := l.Plain(l.OrEnglish().text.Consent.More, Count(most-named))
			if named < most && !strings.Contains(said, rest) || named == most && strings.Contains(said, rest) {
				t.Errorf("%s: %d of %d are named in %q", l.Lang, named, most, said)
			}
			if !strings.Contains(said, "health.") || !strings.Contains(said, "club.") || strings.Contains(said, "unknown.") {
				t.Errorf("%s: %q", l.Lang, said)
			}
		}
	}
}

// TestConsentSentenceNamesGroupsTogether tests that groups without a phrase make one part of
// the sentence.
func TestConsentSentenceNamesGroupsTogether(t *testing.T) {
	t.Parallel()
	v := ConsentView{Page: Page{Client: Client{Name: "River Bikes"}}, Groups: []ConsentGroup{
		{Label: Label{Text: "Rider"}}, {Label: Label{Text: "Student"}, Phrase: Label{Text: "your student status"}}, {Label: Label{Text: "Club member"}},
	}}
	const want = "<bdi>River Bikes</bdi> receives your student status and your “Rider” and “Club member” status."
	if got := string(uitest.Render(t, v.receives())); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAnswerSaysWhetherAStatusIsVerified tests what the answers are called, and which of
// them leads.
func TestAnswerSaysWhetherAStatusIsVerified(t *testing.T) {
	t.Parallel()
	verified, pending := ConsentGroup{Name: "a", State: GroupVerified}, ConsentGroup{Name: "b", State: GroupPending, CanVerify: true}
	unverified, open := ConsentGroup{Name: "c", State: GroupUnverified}, ConsentGroup{Name: "d", State: GroupExpired, CanVerify: true}
	const allow, share = `class="primary" name="action" value="allow">Allow<`, `class="primary" name="action" value="allow">Share without verification<`
	const second = `class="secondary" name="action" value="allow">Share without verification<`
	for name, c := range map[string]struct {
		groups []ConsentGroup
		answer string
		lead   bool
	}{
		"None":       {nil, allow, false},
		"Verified":   {[]ConsentGroup{verified}, allow, false},
		"OneOfTwo":   {[]ConsentGroup{open, verified}, allow, false},
		"NoWay":      {[]ConsentGroup{unverified}, share, false},
		"Pending":    {[]ConsentGroup{pending}, share, false},
		"Expired":    {[]ConsentGroup{open}, second, true},
		"OneCan":     {[]ConsentGroup{unverified, open}, second, true},
		"OneOfThree": {[]ConsentGroup{pending, unverified, open}, second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := ConsentView{Page: Page{Client: Client{Name: "River Bikes"}}, Groups: c.groups, Attributes: []ConsentAttribute{{Label: Label{Text: "Name"}, Values: []string{"Ada"}}}}
			screen := string(uitest.Render(t, Consent(v)))
			if !strings.Contains(screen, c.answer) {
				t.Errorf("no %s in:\n%s", c.answer, screen)
			}
			if lead := strings.Contains(screen, `class="primary" name="action" value="verify"`); lead != c.lead {
				t.Errorf("the way to a verification leads: %v", lead)
			}
			if warns := strings.Contains(screen, "sees that you aren’t verified"); warns != strings.Contains(c.answer, "Share") {
				t.Errorf("it says what is seen: %v", warns)
			}
		})
	}
}

func TestNumbersAndTimesAreWrittenAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	english, german := MatchLocale("en", ""), MatchLocale("de", "")
	at := time.Date(2021, time.May, 14, 22, 30, 0, 0, time.FixedZone("", -4*3600))
	for _, c := range []struct{ got, want string }{
		{english.Number(0), "0"}, {english.Number(-1815), "-1815"}, {english.Number(12345), "12,345"}, {german.Number(-1234567), "-1.234.567"},
		{english.Date(at.UTC()), "15 May 2021"}, {english.DateTime(at), "14 May 2021, 22:30"}, {german.DateTime(at), "14. Mai 2021, 22:30 Uhr"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
