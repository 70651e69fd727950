package ui

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// TestPeopleReadNoNumbersOfNetworks looks at what tells where something has happened.
func TestPeopleReadNoNumbersOfNetworks(t *testing.T) {
	t.Parallel()
	for _, l := range Locales() {
		page := accountPage(l)
		at := Place{Network: "203.0.113.0/24"}
		for name, html := range map[string]string{
			"history":  string(uitest.Render(t, History(HistoryView{Page: page, Entries: []HistoryEntry{{Act: HistorySignedIn, At: fixedNow, Place: at}}}))),
			"sessions": string(uitest.Render(t, Sessions(SessionsView{Page: page, Sessions: []Session{{Place: at}}}))),
		} {
			if strings.Contains(html, "203.0.113") || !strings.Contains(html, l.Plain(l.OrEnglish().text.Sessions.Elsewhere)) {
				t.Errorf("%s in %s:\n%s", name, l.Lang, html)
			}
		}
	}
}

// TestHistoryMarksWhatMayBeSomebodyElse looks at each act.
func TestHistoryMarksWhatMayBeSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, act := range historyActs {
		html := string(uitest.Render(t, History(HistoryView{Page: accountPage(MatchLocale("en", "")), Entries: []HistoryEntry{{Act: act, At: fixedNow}}})))
		marked := strings.Contains(html, `<li class="wrong"`) && strings.Contains(html, "icon-problem")
		if want := act == HistorySignInFailed || act == HistoryReuse; marked != want {
			t.Errorf("%s: marked %v, want %v", act, marked, want)
		}
	}
}
