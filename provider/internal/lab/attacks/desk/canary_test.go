package desk

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// canaries are what no page, line, file or address says before it is shown.
var canaries = []string{canaryName, canaryAddress, "quetzal.private", "alices-own-domain", canaryBirth, canaryAllergy}

// silent demands that an answer says nothing of alice.
func silent(t testing.TB, p lab.Page) {
	t.Helper()
	said := p.Text + p.Request.URL.String()
	for name, values := range p.Header {
		said += name + strings.Join(values, " ")
	}
	for _, canary := range canaries {
		if strings.Contains(said, canary) {
			t.Errorf("%s %s says %q:\n%s", p.Request.Method, p.Request.URL, canary, p.Text)
		}
	}
}

// Attack 5: a masked value in a page, its title, an error, an address, a file, or the log.
func TestMaskedValueIsNowhere(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	alice := w.NewBrowser().SignIn(canaryAddress, lab.AlicePass)
	alice.Allow("scope", "openid military", "response_type", "token")
	since := len(w.Log.String())
	for _, name := range []string{"sam", "olga"} {
		b := w.as(name)
		found := find(b, canaryAddress)
		is(t, found, http.StatusOK)
		silent(t, found)
		m := open(b, canaryAddress, "caller", "ticket", "T-1", "note", canaryNote) // which is for this staff alone
		for address := range pages(m) {
			silent(t, b.Get(address))
		}
		for action := range personActions() { // with values, and wrong ones
			silent(t, send(b, "/desk/matters/"+m+"/do/"+action, "check", "handle", "fname", "value", "x", "group", "military", "until", "2040-01-01", "client_id", "std", "session", "s", "email", "new@example.com"))
		}
		w.prove(m, 1)
		for _, handle := range []string{"email", "fname", "birthdate", "allergy"} { // it is said only when it is shown
			silent(t, b.Get("/desk/matters/"+m+"/do/show_value?handle="+handle))
			silent(t, send(b, "/desk/matters/"+m+"/do/show_value", "check", "handle", handle))
		}
	}
	anna := w.as("anna")
	for _, address := range []string{"/desk/", "/desk/trail", "/desk/trail.csv", "/desk/trail.jsonl", "/desk/looks", "/desk/numbers"} {
		p := anna.Open(address)
		is(t, p, http.StatusOK)
		silent(t, p)
		if strings.Contains(p.Text, canaryNote) {
			t.Errorf("%s says the note of a matter", address)
		}
	}
	for _, canary := range append(canaries[:len(canaries):len(canaries)], canaryNote) {
		if lines := w.Lines(since, canary); len(lines) > 0 {
			t.Errorf("the log says %q: %s", canary, lines[0])
		}
	}
	if dump := w.Dump(); strings.Contains(dump, canaryName) || strings.Contains(dump, canaryNote) {
		t.Error("the database says it in clear")
	}
}

// Attack 5: a value that was shown stays in no address, in no page after it, and is a line.
func TestShownValueIsShownOnce(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam, olga := w.as("sam"), w.as("olga")
	m := open(sam, "alice", "caller")
	p := send(sam, "/desk/matters/"+m+"/do/show_value", "do", "handle", "fname", "revision", "0")
	silent(t, p) // nobody has proved anything
	w.prove(m, 1)
	silent(t, do(sam, m, "show_value", "handle", "allergy"))     // it is sensitive
	silent(t, do(sam, m, "show_sensitive", "handle", "allergy")) // and not for support
	p = do(sam, m, "show_value", "handle", "fname")
	is(t, p, http.StatusOK, canaryName)
	if strings.Contains(p.Text[:strings.Index(p.Text, "</title>")], canaryName) {
		t.Error("the title says it")
	}
	if c := p.Header.Get("Cache-Control"); !strings.Contains(c, "no-store") {
		t.Errorf("caches may keep it: %q", c)
	}
	silent(t, sam.Get(p.Request.URL.Path)) // a reload
	silent(t, sam.Get("/desk/matters/"+m+"/history"))
	ofOlga := open(olga, "alice", "caller")
	w.prove(ofOlga, 1)
	is(t, do(olga, ofOlga, "show_sensitive", "handle", "allergy"), http.StatusOK, canaryAllergy)
	shown := w.lines(provider.EventFilter{Name: event.ValueShown, UserID: "alice", Limit: 9})
	if len(shown) != 2 || shown[0].Detail != "allergy" || shown[0].Actor != "staff:olga" || shown[1].Detail != "fname" || shown[1].Matter != m {
		t.Errorf("lines: %v", shown)
	}
	w.Advance(6 * time.Minute) // the proof is over
	olga = w.as("olga")
	silent(t, do(olga, ofOlga, "show_sensitive", "handle", "allergy"))
}

// Attacks 6 and 5: the code that a caller reads out is in no page, address, log or file, and
// signs nobody in.
func TestCallerCodeIsNoCredential(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam, simon := w.as("sam"), w.as("simon")
	m := open(sam, "alice", "caller")
	since := len(w.Log.String())
	sent := send(sam, "/desk/matters/"+m+"/proof", "send")
	is(t, sent, http.StatusSeeOther)
	mail, code := w.Mails.Last(t)
	if mail.To != canaryAddress || code == "" {
		t.Fatalf("mail %+v", mail)
	}
	for _, p := range []lab.Page{sent, sam.Open("/desk/matters/" + m + "/proof"), sam.Open("/desk/matters/" + m + "/history")} {
		if strings.Contains(p.Text, code) || strings.Contains(p.Header.Get("Location"), code) {
			t.Errorf("%s says the code", p.Request.URL)
		}
	}
	is(t, send(simon, "/desk/matters/"+m+"/proof", "prove", "code", code), http.StatusNotFound)
	ofBob := open(sam, "bob", "caller")
	is(t, send(sam, "/desk/matters/"+ofBob+"/proof", "prove", "code", code), http.StatusUnprocessableEntity)
	wrong := "00000000"
	for range 5 {
		is(t, send(sam, "/desk/matters/"+m+"/proof", "prove", "code", wrong), http.StatusUnprocessableEntity)
	}
	is(t, send(sam, "/desk/matters/"+m+"/proof", "prove", "code", code), http.StatusUnprocessableEntity) // it is used up
	is(t, do(sam, m, "unlock"), http.StatusForbidden)
	if lines := w.Lines(since, code); len(lines) > 0 {
		t.Errorf("the log says the code: %s", lines[0])
	}
	if strings.Contains(w.Dump(), code) {
		t.Error("the database says the code")
	}
	stranger := w.NewBrowser()
	for _, page := range []string{"/reset", "/signin", "/signup"} {
		p := stranger.Open(page)
		if !strings.Contains(p.Text, `method="post"`) {
			continue
		}
		if q := stranger.Submit(p, "email", canaryAddress, "code", code, "password", code); strings.Contains(q.Text, "/signout") {
			t.Errorf("%s takes the code", page)
		}
	}
	if lines := w.lines(provider.EventFilter{Name: event.CallerProved, Limit: 1}); len(lines) > 0 {
		t.Errorf("lines: %v", lines)
	}
}

// Attack 12: markup, formulas, and what turns lines round, in what people and staff choose.
func TestMarkup(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	const markup = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	const turning = "a\u202eb\u200bc\x07"
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "evil", Name: markup, Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI}}))
	alice := w.NewBrowser()
	alice.SignIn(canaryAddress, lab.AlicePass)
	alice.Allow("client_id", "evil", "scope", "openid military", "response_type", "code", "code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method", "S256")
	sam, olga := w.as("sam"), w.as("olga")
	m := open(sam, "alice", "report", "ticket", markup[:50]+turning, "note", markup+turning)
	for address := range pages(m) {
		if strings.Contains(address, "trail.") {
			continue // files
		}
		plain(t, sam.Get(address))
	}
	for _, address := range []string{"/desk/applications", "/desk/applications?sought=" + "%3Cscript%3E%E2%80%AE", "/desk/applications/evil", "/desk/organizations"} {
		p := olga.Open(address)
		is(t, p, http.StatusOK)
		plain(t, p)
	}
	for _, p := range []lab.Page{
		find(sam, markup+turning), send(sam, "/desk/matters/"+m+"/do/revoke_application", "check", "client_id", markup+turning),
		sam.Get("/desk/matters/" + m + "/do/revoke_application?client_id=%3Cscript%3Ealert(1)%3C/script%3E"),
		olga.Get("/desk/trail?person=%3Cscript%3E%22%27%E2%80%AE&event=%3Cimg"), olga.Get("/desk/%3Cscript%3E"), olga.Get("/desk/applications/%3Cscript%3E"),
	} {
		plain(t, p)
	}
}

// plain demands that a page has no markup of others, and nothing that turns its text. A field
// has what was entered, as it was.
func plain(t testing.TB, p lab.Page) {
	t.Helper()
	text := neutral(p.Text)
	for _, part := range []string{"<script>alert", "<img src=x", "<script>\"", "<img\"", "\u202e", "\u200b", "\x07"} {
		if strings.Contains(text, part) {
			t.Errorf("%s has %q:\n%s", p.Request.URL, part, text)
		}
	}
	safe(t, p)
}
