package ui

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

func TestEveryErrorHasOneWayOut(t *testing.T) {
	t.Parallel()
	const back, home, account = "https://riverbikes.example/", "/home", "/account"
	for code := range (*Locale)(nil).OrEnglish().text.Error.Screens {
		for _, c := range []struct{ back, home, want string }{
			{back, home, back}, {back, "", back}, {"", home, home}, {"", "", account},
		} {
			p := samplePage(nil)
			p.Brand.HomeURL = c.home
			page := string(uitest.Render(t, Error(ErrorView{Page: p, Code: code, BackURL: c.back, AccountURL: account})))
			_, body, _ := strings.Cut(page, "<main")
			body, _, _ = strings.Cut(body, "</main>")
			if strings.Count(body, "<a ") != 1 || !strings.Contains(body, `href="`+c.want+`"`) {
				t.Errorf("%s: want one link, to %s: %s", code, c.want, body)
			}
		}
	}
}
