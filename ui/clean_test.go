package ui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an ordinary name", "River Bikes", "River Bikes"},
		{"a direction override", "\u202emoc.elgoog\u202c", "moc.elgoog"},
		{"isolates and marks", "\u2067\u200fa\u2069\u061c", "a"},
		{"lines", "River\r\nBikes\u2028Ltd\t", "River Bikes Ltd"},
		{"zero width", "Pay\u200bPal\ufeff", "PayPal"},
		{"control characters", "a\x00b\x1b[31m", "ab[31m"},
		{"broken UTF-8", "a\xff\xfeb", "ab"},
		{"a word of nothing", "River \xff Bikes", "River Bikes"},
		{"nothing to be seen", "\u3164\u2800\u200b ", ""},
		{"joiners of Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"a family of emoji", "👩\u200d👧", "👩\u200d👧"},
		{"marks on marks", "a" + strings.Repeat("\u0301", 50), "a" + strings.Repeat("\u0301", 4)},
		{"a long name", strings.Repeat("ab ", 100), strings.TrimSpace(strings.Repeat("ab ", 20)) + "…"},
		{"a long word", strings.Repeat("é", 61), strings.Repeat("é", 60) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in, MaxName); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCleanIsShortVisibleAndStable(f *testing.F) {
	f.Add(hostileName)
	f.Add("a \u0301 b\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s, MaxName)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > MaxName+1 || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("got %q", got)
		}
		if !strings.HasSuffix(got, "…") && Clean(got, MaxName) != got {
			t.Errorf("%q becomes %q the second time", got, Clean(got, MaxName))
		}
	})
}

// What people call themselves and their applications can neither leave its
// place on the screen nor turn it around.
func TestHostileNamesStayText(t *testing.T) {
	for _, l := range Locales() {
		for _, f := range fixtures {
			p := samplePage(l)
			p.Client.Name, p.Client.Host, p.Brand.Name = hostileName, `h"><b>.example`, hostileName
			page := string(uitest.Render(t, f.render(p)))
			for _, bad := range []string{"<script>", "</title><script", "<img src=x", "<svg/onload", "<b>", "\u202e", "\u2067", "everything that you have", "\x00"} {
				if strings.Contains(page, bad) {
					t.Errorf("%s/%s contains %q", l.Lang, f.name, bad)
				}
			}
		}
	}
}

func TestNamesThatCannotBeSeenGiveWayToTheHost(t *testing.T) {
	c := Client{Name: "\u3164\u200b", Host: "rp.example"}
	if got := c.label(); got != "rp.example" {
		t.Errorf("got %q", got)
	}
}

func TestLinksAwayRunNoCode(t *testing.T) {
	for _, url := range []string{
		"https://rp.example/cb?code=a&state=b", "http://127.0.0.1:8000/cb", "com.example.app:/cb", "myapp://cb",
	} {
		if got := string(away(url)); got != url {
			t.Errorf("%q became %q", url, got)
		}
	}
	for _, url := range []string{
		"", "/path", "//evil.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "\x01javascript:alert(1)", " javascript:alert(1)",
		"java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://a/b", "file:///etc/passwd", "about:blank",
		"view-source:https://a", "intent:x", "filesystem:https://a/b", ":x",
	} {
		if got := string(away(url)); !strings.HasPrefix(got, "about:invalid") {
			t.Errorf("%q became %q", url, got)
		}
	}
}
