package lab

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// Desk is a page of a host behind the sign-in, which does what it is told by form.
type Desk struct {
	MaxAge time.Duration
	Done   []string // what has been posted
	Files  []string
	Fail   error
}

// Serve answers a request for the screen.
func (d *Desk) Serve(s *provider.Screen) error {
	if d.Fail != nil {
		return d.Fail
	}
	if !s.Fresh(d.MaxAge) {
		s.SignIn(d.MaxAge)
		return nil
	}
	if s.Request.Method == http.MethodPost {
		file, err := s.File("logo")
		if err != nil {
			return err
		}
		d.Done = append(d.Done, s.User.UserID+" posts "+s.Request.PostForm.Get("name"))
		d.Files = append(d.Files, string(file))
		s.Room().RedirectWith(s.Form().Action, "saved")
		return nil
	}
	account, err := s.Room().Account()
	if err != nil {
		return err
	}
	s.Render(http.StatusOK, ui.SignOut(ui.SignOutView{Page: s.Page(), Form: s.Form(), Account: account, CancelURL: "/noticed-" + string(s.Room().Notice())}))
	return nil
}

// NewDesk returns a provider with a page at /desk/, behind its sign-in.
func NewDesk(t testing.TB, d *Desk, w *Fixture) *Fixture {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/desk/{name}", w.Pages().Screen(d.Serve))
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w
}

// LinkOf returns the address of the first link of a page that begins so.
func LinkOf(t *testing.T, p Page, begin string) string {
	t.Helper()
	_, rest, ok := strings.Cut(p.Text, `href="`+begin)
	address, _, ends := strings.Cut(rest, `"`)
	if !ok || !ends {
		t.Fatalf("no link to %s\n%s", begin, p.Text)
	}
	return begin + strings.ReplaceAll(address, "&amp;", "&")
}
