package ui

import (
	"strings"
	"testing"
	"time"
)

func TestMatchLocale(t *testing.T) {
	for _, c := range []struct{ name, uiLocales, acceptLanguage, want string }{
		{"nothing asked for is English", "", "", "en"},
		{"the browser is asked", "", "de-AT,de;q=0.9,en;q=0.5", "de"},
		{"the application goes before the browser", "ar", "de", "ar"},
		{"the first that there is wins", "xx sv-FI de ar", "en", "de"},
		{"an unknown wish gives way to the browser", "sv-FI", "de", "de"},
		{"a region falls back to its language", "ar-EG", "", "ar"},
		{"Brazil reads Portuguese", "pt-BR", "", "pt"},
		{"Britain reads English", "en-GB", "de", "en"},
		{"Taiwan reads Chinese rather than nothing of its own", "zh-TW", "", "zh"},
		{"Taiwan reads what it knows better", "", "zh-TW,en;q=0.9", "en"},
		{"weights count", "", "en;q=0.3, ar;q=0.8", "ar"},
		{"paths are no language", "../../etc/passwd", "", "en"},
		{"a broken header is English", "", "de;q=x;;,\x00", "en"},
		{"a megabyte is cut", strings.Repeat("de-", 1<<19), strings.Repeat("x", 1<<20), "en"},
		{"a long list counts as far as it is read", "", "de," + strings.Repeat("sv,", 1<<18), "de"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MatchLocale(c.uiLocales, c.acceptLanguage).Lang; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzMatchLocaleAlwaysAnswers(f *testing.F) {
	f.Add("de en", "ar;q=0.1")
	f.Add("x-y-z-1", "*")
	f.Fuzz(func(t *testing.T, uiLocales, acceptLanguage string) {
		if MatchLocale(uiLocales, acceptLanguage) == nil {
			t.Error("no language")
		}
	})
}

func TestDates(t *testing.T) {
	at := time.Date(2026, time.March, 12, 23, 30, 0, 0, time.FixedZone("", 5*3600))
	for lang, want := range map[string][3]string{
		"en": {"12 March 2026", "12 March 2026, 18:30 UTC", "2 hours ago"},
		"de": {"12. März 2026", "12. März 2026, 18:30 Uhr UTC", "vor 2 Stunden"},
		"es": {"12 de marzo de 2026", "12 de marzo de 2026, 18:30 UTC", "hace 2 horas"},
		"fr": {"12 mars 2026", "12 mars 2026 à 18:30 UTC", "il y a 2 heures"},
		"ar": {"12 مارس 2026", "12 مارس 2026، 18:30 بالتوقيت العالمي", "قبل ساعتين"},
		"it": {"12 marzo 2026", "12 marzo 2026, ore 18:30 UTC", "2 ore fa"},
		"pt": {"12 de março de 2026", "12 de março de 2026, 18:30 UTC", "há 2 horas"},
		"zh": {"2026年3月12日", "2026年3月12日 18:30 UTC", "2 小时前"},
	} {
		l := MatchLocale(lang, "")
		if got := [3]string{l.Date(at), l.Moment(at), l.ago(at, at.Add(2*time.Hour))}; got != want {
			t.Errorf("%s: got %q, want %q", lang, got, want)
		}
	}
}

// Many languages say the first of a month in a way of its own.
func TestFirstOfTheMonth(t *testing.T) {
	for lang, want := range map[string]string{"en": "1 May 2026", "fr": "1er mai 2026", "it": "1º maggio 2026", "pt": "1º de maio de 2026", "es": "1 de mayo de 2026"} {
		if got := MatchLocale(lang, "").Date(date(2026, time.May, 1)); got != want {
			t.Errorf("%s: got %q, want %q", lang, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	l := MatchLocale("en", "")
	for d, want := range map[time.Duration]string{
		-time.Minute:        "just now", // clocks differ
		59 * time.Second:    "just now",
		time.Minute:         "1 minute ago",
		119 * time.Minute:   "1 hour ago",
		29 * 24 * time.Hour: "29 days ago",
		31 * 24 * time.Hour: "9 February 2026",
	} {
		if got := l.ago(fixedNow.Add(-d), fixedNow); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
	if got := l.ago(fixedNow, time.Time{}); got != "12 March 2026" {
		t.Errorf("without now: got %q", got)
	}
}

func TestNumbersAgreeWithTheirSentence(t *testing.T) {
	for lang, want := range map[string]map[int]string{
		"en": {1: "1 day ago", 2: "2 days ago"},
		"de": {1: "vor 1 Tag", 2: "vor 2 Tagen"},
		"fr": {0: "il y a 0 jour", 1: "il y a 1 jour", 2: "il y a 2 jours"},
		"ar": {1: "قبل يوم واحد", 2: "قبل يومين", 3: "قبل 3 أيام", 11: "قبل 11 يومًا", 100: "قبل 100 يوم"},
		"it": {1: "1 giorno fa", 2: "2 giorni fa"},
		"pt": {0: "há 0 dia", 1: "há 1 dia", 2: "há 2 dias"},
		"zh": {1: "1 天前", 2: "2 天前"},
	} {
		l := MatchLocale(lang, "")
		for n, want := range want {
			if got := l.Plain(l.OrEnglish().text.Date.DaysAgo, Count(n)); got != want {
				t.Errorf("%s %d: got %q, want %q", lang, n, got, want)
			}
		}
	}
}
