package flows

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/ui"
)

// directives returns a content security policy by its directives.
func directives(h http.Header) map[string]string {
	all := map[string]string{}
	for d := range strings.SplitSeq(h.Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(d), " ")
		all[name] = value
	}
	return all
}

func TestPreviewIsFramedByPagesOfItsOriginAlone(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	mux := http.NewServeMux()
	mux.Handle("/desk/preview", w.Pages().Screen(func(s *provider.Screen) error {
		s.Room().RenderPreview(ui.Preview(ui.PreviewView{Page: s.Page(), Screen: ui.PreviewSignIn}))
		return nil
	}))
	mux.Handle("/desk/", w.Pages().Screen(func(s *provider.Screen) error {
		s.Render(http.StatusOK, ui.SignedOut(ui.SignedOutView{Page: s.Page()}))
		return nil
	}))
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	b := w.NewBrowser()

	preview := b.Open("/desk/preview")
	policy := directives(preview.Header)
	if policy["frame-ancestors"] != "'self'" || preview.Header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("it may be framed by %q, %q", policy["frame-ancestors"], preview.Header.Get("X-Frame-Options"))
	}
	if policy["form-action"] != "'none'" || policy["sandbox"] != "allow-same-origin" || policy["script-src"] != "" || policy["default-src"] != "'none'" {
		t.Errorf("something can be done on it: %v", policy)
	}
	if opener := preview.Header.Get("Cross-Origin-Opener-Policy"); opener != "" {
		t.Errorf("browsers refuse it with a sandbox and %q", opener)
	}

	page := directives(b.Open("/desk/branding").Header)
	if page["frame-src"] != "'self'" || page["connect-src"] != "'self'" || page["frame-ancestors"] != "'none'" {
		t.Errorf("the page around it has %v", page)
	}
	signIn := directives(b.Open("/signin").Header)
	if _, framed := signIn["frame-src"]; framed || signIn["frame-ancestors"] != "'none'" {
		t.Errorf("the sign-in page has %v", signIn)
	}
}
