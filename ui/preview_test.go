package ui

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A preview is in a frame: what can be pressed in it could be pressed by mistake, or
// post something about the developer who looks at it.
func TestPreviewHasNothingThatCanBeUsed(t *testing.T) {
	t.Parallel()
	page := samplePage(nil)
	for _, screen := range []PreviewScreen{PreviewSignIn, PreviewConsent, PreviewError} {
		doc, err := html.Parse(bytes.NewReader(render(t, Preview(PreviewView{Page: page, Screen: screen}))))
		if err != nil {
			t.Fatal(err)
		}
		if body := elements(doc, "body")[0]; !has(body, "inert") {
			t.Errorf("%s can be used", screen)
		}
		if scripts := elements(doc, "script"); len(scripts) > 0 {
			t.Errorf("%s has scripts", screen)
		}
		for _, e := range elements(doc, "a", "form") {
			for _, key := range []string{"href", "action"} {
				if has(e, key) && attr(e, key) != nowhere {
					t.Errorf("%s: <%s> leads to %q", screen, e.Data, attr(e, key))
				}
			}
		}
		if hidden := bytes.Count(render(t, Preview(PreviewView{Page: page, Screen: screen})), []byte(`type="hidden"`)); hidden > 0 {
			t.Errorf("%s posts %d hidden fields", screen, hidden)
		}
	}
	if page.Languages[0].URL == nowhere || page.Brand.HomeURL == nowhere {
		t.Error("the page that was previewed leads nowhere itself")
	}
}

func TestPreviewIsTheScreenItself(t *testing.T) {
	t.Parallel()
	page := samplePage(nil)
	content := func(b []byte) string {
		_, main, _ := strings.Cut(string(b), "<main")
		main, _, _ = strings.Cut(main, "</main>")
		return main
	}
	screen := content(render(t, SignIn(SignInView{
		Page: page, Form: Form{Action: nowhere, still: true}, ResetURL: nowhere, SignUpURL: nowhere,
	})))
	for _, scheme := range []Scheme{SchemeAuto, SchemeLight, SchemeDark} {
		preview := render(t, Preview(PreviewView{Page: page, Screen: PreviewSignIn, Scheme: scheme}))
		if content(preview) != screen {
			t.Errorf("%q differs from the screen", scheme)
		}
		forced := strings.Contains(string(preview), `data-scheme="`+string(scheme)+`"`)
		if forced != (scheme != SchemeAuto) {
			t.Errorf("%q is forced: %v", scheme, forced)
		}
	}
}
