package ui

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// A preview is in a frame: what can be pressed in it could be pressed by mistake, or
// post something about the developer who looks at it.
func TestPreviewHasNothingThatCanBeUsed(t *testing.T) {
	t.Parallel()
	page := samplePage(nil)
	for _, screen := range []PreviewScreen{PreviewSignIn, PreviewSignUp, PreviewConsent, PreviewError, PreviewMail} {
		doc := uitest.Parse(t, Preview(PreviewView{Page: page, Screen: screen}))
		if body := uitest.Elements(doc, "body")[0]; !uitest.Has(body, "inert") {
			t.Errorf("%s can be used", screen)
		}
		if scripts := uitest.Elements(doc, "script"); len(scripts) > 0 {
			t.Errorf("%s has scripts", screen)
		}
		for _, e := range uitest.Elements(doc, "a", "form") {
			for _, key := range []string{"href", "action"} {
				if uitest.Has(e, key) && uitest.Attr(e, key) != nowhere {
					t.Errorf("%s: <%s> leads to %q", screen, e.Data, uitest.Attr(e, key))
				}
			}
		}
		if hidden := bytes.Count(uitest.Render(t, Preview(PreviewView{Page: page, Screen: screen})), []byte(`type="hidden"`)); hidden > 0 {
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
	page.Client.TermsURL, page.Client.PolicyURL = nowhere, nowhere
	content := func(b []byte) string {
		_, main, _ := strings.Cut(string(b), "<main")
		main, _, _ = strings.Cut(main, "</main>")
		return main
	}
	screen := content(uitest.Render(t, SignIn(SignInView{
		Page: page, Form: Form{Action: nowhere, still: true}, ResetURL: nowhere, SignUpURL: nowhere,
	})))
	for _, scheme := range []Scheme{SchemeAuto, SchemeLight, SchemeDark} {
		preview := uitest.Render(t, Preview(PreviewView{Page: page, Screen: PreviewSignIn, Scheme: scheme}))
		if content(preview) != screen {
			t.Errorf("%q differs from the screen", scheme)
		}
		forced := strings.Contains(string(preview), `data-scheme="`+string(scheme)+`"`)
		if forced != (scheme != SchemeAuto) {
			t.Errorf("%q is forced: %v", scheme, forced)
		}
	}
}

func TestPreviewHasTheScreensOfTheHost(t *testing.T) {
	t.Parallel()
	page := samplePage(nil)
	own := Screens{SignUp: func(v SignUpView) templ.Component { return Frame(v.Page, "Join us", templ.NopComponent) }}
	view := PreviewView{Page: page, Screen: PreviewSignUp, Screens: own}
	if got := string(uitest.Render(t, Preview(view))); !strings.Contains(got, "<h1>Join us</h1>") || !strings.Contains(got, "inert") {
		t.Errorf("the sign-up screen is %s", got)
	}
	view.Screen = PreviewSignIn
	if got := string(uitest.Render(t, Preview(view))); !strings.Contains(got, `id="password"`) {
		t.Errorf("the sign-in screen, which is not replaced, is %s", got)
	}
}

// The mail of a preview is the one that is sent, but for where its links lead.
func TestPreviewOfMailIsTheMailItself(t *testing.T) {
	t.Parallel()
	const base = "https://id.example"
	brand := Brand{Name: "Example ID", Logo: Picture{URL: "/images/logo.png", DarkURL: "/images/night.png"}}
	body := func(s string) string {
		_, body, _ := strings.Cut(s, "<div")
		return body
	}
	sent := Compose(MailView{Kind: MailSignUp, Brand: brand, BaseURL: base, Code: "12345678", ValidFor: 15 * time.Minute, SignUpURL: base + "/signup"})
	want := strings.ReplaceAll(body(sent.HTML), `href="`+base+`/signup"`, `href="`+nowhere+`"`)
	for scheme, night := range map[Scheme]string{SchemeAuto: "@media (prefers-color-scheme: dark)", SchemeLight: "@media not all", SchemeDark: "@media all"} {
		got := string(uitest.Render(t, Preview(PreviewView{Page: Page{Brand: brand}, Screen: PreviewMail, BaseURL: base, Scheme: scheme})))
		if diff := cmp.Diff(want, body(got)); diff != "" {
			t.Errorf("%q (-sent +shown):\n%s", scheme, diff)
		}
		if !strings.Contains(got, night+" {") {
			t.Errorf("%q has not %s", scheme, night)
		}
	}
}
