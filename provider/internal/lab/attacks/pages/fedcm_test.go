package pages

import (
	"context"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
)

func fedCM(c *provider.Config) { c.FedCM.On = true }

// ofBrowser are the headers of a request that a browser makes for the page of an application.
var ofBrowser = []string{"Sec-Fetch-Dest", "webidentity", "Origin", "https://rp.test", "Content-Type", "application/x-www-form-urlencoded"}

// fedCMParams are the request that a page brings; pairs override, and an empty value removes.
func fedCMParams(pairs ...string) map[string]string {
	params := map[string]string{"redirect_uri": lab.CallbackURI, "response_type": "code", "scope": "openid military", "state": "xyz"}
	for i := 0; i < len(pairs); i += 2 {
		params[pairs[i]] = pairs[i+1]
	}
	maps.DeleteFunc(params, func(_, value string) bool { return value == "" })
	return params
}

// assertionOf is the form of a client's page whose user has chosen an account.
func assertionOf(t *testing.T, clientID, account string, params any) string {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{
		"client_id": {clientID}, "account_id": {account}, "params": {string(text)}, "is_auto_selected": {"false"}, "mode": {"active"},
	}.Encode()
}

// accountOf returns the account that a browser would show.
func accountOf(t *testing.T, b *lab.Browser) map[string]any {
	t.Helper()
	p := b.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity")
	var told struct{ Accounts []map[string]any }
	if err := json.Unmarshal([]byte(p.Text), &told); err != nil || len(told.Accounts) != 1 {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	return told.Accounts[0]
}

// asserted sends an assertion with the account that is signed in, and returns the answer.
func asserted(t *testing.T, b *lab.Browser, pairs ...string) (p lab.Page, told map[string]any) {
	t.Helper()
	account := lab.Member(t, accountOf(t, b), "id")
	return b.JSON(b.Send(http.MethodPost, "/fedcm/assertion", assertionOf(t, "std", account, fedCMParams(pairs...)), ofBrowser...))
}

var answered = regexp.MustCompile(`data-answer="([^"]*)"`)

// answerOf returns the response that a window hands to the browser.
func answerOf(t *testing.T, p lab.Page) url.Values {
	t.Helper()
	found := answered.FindStringSubmatch(p.Text)
	if found == nil {
		t.Fatalf("hands over nothing: %s\n%s", p.Status, p.Text)
	}
	return answerAt(t, html.UnescapeString(found[1]))
}

func answerAt(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, lab.CallbackURI+"?") {
		t.Fatalf("answer %q", address)
	}
	return u.Query()
}

// unreadable demands an answer that no page can read, and nothing in it.
func unreadable(t *testing.T, what string, p lab.Page, status int) {
	t.Helper()
	if p.StatusCode != status || p.Header.Get("Access-Control-Allow-Origin") != "" || strings.Contains(p.Text, "code=") {
		t.Errorf("%s: %s %v %s", what, p.Status, p.Header, p.Text)
	}
}

// TestFedCMAnswersAsARedirectWould walks the way of the button: asked once, and then silently.
func TestFedCMAnswersAsARedirectWould(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	account := accountOf(t, b)
	if account["email"] != "alice@example.com" || account["given_name"] != "Alice" || strings.Contains(lab.Member(t, account, "id"), "alice") {
		t.Errorf("account %v", account)
	}
	_, told := asserted(t, b)
	window := b.Open(lab.Member(t, told, "continue_on"))
	if _, shown := window.Form(t); shown == nil || window.Header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Fatalf("window: %s", window.Status)
	}
	lab.Safe(t, window)
	done := b.Submit(window, "action", "allow")
	lab.Shown(t, done, http.StatusOK)
	p, told := asserted(t, b)
	if p.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" || p.Header.Get("Access-Control-Allow-Credentials") != "true" ||
		p.Header.Get("Vary") != "Origin" || p.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", p.Header)
	}
	for what, answer := range map[string]url.Values{"window": answerOf(t, done), "silent": answerAt(t, lab.Member(t, told, "token"))} {
		if answer.Get("state") != "xyz" || answer.Get("iss") != w.Issuer() {
			t.Errorf("%s: %v", what, answer)
		}
		if subject := b.Subject(answer.Get("code"), "std", lab.ClientSecret, lab.CallbackURI); subject != "alice" {
			t.Errorf("%s: signs %q in", what, subject)
		}
	}
	no := b.Submit(b.Open(lab.Member(t, second(asserted(t, b, "prompt", "consent")), "continue_on")), "action", "deny")
	if answer := answerOf(t, no); answer.Get("error") != "access_denied" || answer.Has("code") {
		t.Errorf("after a no: %v", answer)
	}
	for _, secret := range []string{b.Cookie(session.FedCM), "alice@example.com", "code=bfc_"} {
		if secret == "" || strings.Contains(w.Log.String(), secret) {
			t.Errorf("the log has %q, or there is none", secret)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// TestFedCMOfAnotherPageIsRefused has pages of other origins ask, and requests that no browser makes for its user.
func TestFedCMOfAnotherPageIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	b.Allow(lab.Ask()...)
	account := lab.Member(t, accountOf(t, b), "id")
	form := assertionOf(t, "std", account, fedCMParams())
	for _, origins := range [][]string{
		{"https://evil.test"}, {"https://other.test"}, {"http://rp.test"}, {"https://rp.test:8443"}, {"https://rp.test.evil.test"}, {"null"}, {""}, {},
		{"https://rp.test", "https://rp.test"}, {"https://rp.test", "https://evil.test"}, {w.Server.URL},
	} {
		header := []string{"Sec-Fetch-Dest", "webidentity", "Content-Type", "application/x-www-form-urlencoded"}
		for _, origin := range origins {
			header = append(header, "Origin", origin)
		}
		unreadable(t, strings.Join(origins, " "), b.Send(http.MethodPost, "/fedcm/assertion", form, header...), http.StatusForbidden)
		gone := url.Values{"client_id": {"std"}, "account_hint": {account}}.Encode()
		unreadable(t, "disconnect of "+strings.Join(origins, " "), b.Send(http.MethodPost, "/fedcm/disconnect", gone, header...), http.StatusForbidden)
	}
	if _, asked := b.Asked(); asked {
		t.Error("a page of another origin has ended the consent")
	}
	for what, at := range map[string]string{
		"address of nobody's":  assertionOf(t, "std", account, fedCMParams("redirect_uri", "https://evil.test/cb")),
		"address of another's": assertionOf(t, "std", account, fedCMParams("redirect_uri", "https://other.test/cb")),
		"unknown client":       assertionOf(t, "nobody", account, fedCMParams()),
	} {
		unreadable(t, what, b.Send(http.MethodPost, "/fedcm/assertion", at, ofBrowser...), http.StatusBadRequest)
	}
	for _, dest := range [][]string{{}, {""}, {"empty"}, {"image"}, {"document"}, {"iframe"}, {"webidentity", "image"}} {
		for path, method := range map[string]string{
			"/fedcm/config.json": http.MethodGet, "/fedcm/accounts": http.MethodGet, "/fedcm/client_metadata?client_id=std": http.MethodGet,
			"/fedcm/assertion": http.MethodPost, "/fedcm/disconnect": http.MethodPost,
		} {
			header := slices.Clone(ofBrowser[2:])
			for _, d := range dest {
				header = append(header, "Sec-Fetch-Dest", d)
			}
			p := b.Send(method, path, form, header...)
			unreadable(t, path+" as "+strings.Join(dest, " "), p, http.StatusForbidden)
			if strings.Contains(p.Text, account) || p.Header.Get("Set-Login") != "" {
				t.Errorf("%s as %q: %v %s", path, dest, p.Header, p.Text)
			}
		}
	}
}

// TestFedCMCookieIsNoSession swaps the cookies, plants one, and keeps one.
func TestFedCMCookieIsNoSession(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	other := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	mine, session2, theirs := b.Cookie(session.Session), b.Cookie(session.FedCM), other.Alice().Cookie(session.FedCM)
	chosen := func(b *lab.Browser) int {
		return b.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity").StatusCode
	}
	with := func(kind session.Kind, value string) *lab.Browser {
		c := w.NewBrowser()
		for _, cookie := range b.HTTP.Jar.Cookies(b.ServerURL()) {
			if strings.HasSuffix(cookie.Name, string(kind)) {
				cookie.Value, cookie.Path = value, "/"
				c.HTTP.Jar.SetCookies(b.ServerURL(), []*http.Cookie{cookie})
			}
		}
		return c
	}
	for what, c := range map[string]*lab.Browser{
		"the session's cookie alone":  with(session.Session, mine),
		"the session's in the second": with(session.FedCM, mine),
		"one of another provider":     with(session.FedCM, theirs),
		"one that is cut":             with(session.FedCM, session2[:len(session2)-4]),
		"none at all":                 w.NewBrowser(),
	} {
		if status := chosen(c); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, status)
		}
	}
	only := with(session.FedCM, session2)
	if status := chosen(only); status != http.StatusOK {
		t.Fatalf("the second cookie alone: %d", status)
	}
	if only.IsSignedIn() || with(session.Session, session2).IsSignedIn() {
		t.Error("the second cookie opens a page")
	}
	name := w.NewBrowser()
	for _, cookie := range b.HTTP.Jar.Cookies(b.ServerURL()) {
		if strings.HasSuffix(cookie.Name, string(session.FedCM)) {
			planted := cookie.Name + "=" + theirs + "; " + cookie.Name + "=" + session2
			if p := name.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity", "Cookie", planted); p.StatusCode != http.StatusUnauthorized {
				t.Errorf("a planted cookie beside it: %s", p.Status)
			}
		}
	}
	for what, end := range map[string]func(){
		"the account is locked": func() { w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true)) },
		"it signs out":          func() { b.Submit(b.Open("/signout")) },
		"it is idle":            func() { w.Advance(31 * 24 * time.Hour) },
	} {
		w.OK(w.Accounts().SetDisabled(t.Context(), "alice", false))
		b = w.Alice()
		kept := b.Thief()
		if status := chosen(kept); status != http.StatusOK {
			t.Fatalf("before: %d", status)
		}
		end()
		p := kept.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity")
		if p.StatusCode != http.StatusUnauthorized || p.Header.Get("Set-Login") != "logged-out" || strings.Contains(p.Text, "alice") {
			t.Errorf("after %s: %s %v %s", what, p.Status, p.Header, p.Text)
		}
	}
}

// TestFedCMModeIsTheServersOwn has others name the response mode, and replays what the server has kept.
func TestFedCMModeIsTheServersOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("response_mode", "fedcm")...)), "unsupported_response_mode")
	if p, body := b.Push("response_mode", "fedcm"); p.StatusCode != http.StatusBadRequest || body["error"] != "unsupported_response_mode" {
		t.Errorf("pushed: %s %v", p.Status, body)
	}
	pushed := b.Pushed()
	renamed := strings.Replace(pushed, "request_uri:", "request_uri:fedcm:", 1)
	lab.Shown(t, b.Open(lab.PushedURL("std", renamed)), http.StatusBadRequest)
	next := lab.Member(t, second(asserted(t, b)), "continue_on")
	kept, err := url.Parse(next)
	w.OK(err)
	asPushed := strings.Replace(kept.Query().Get("request_uri"), "request_uri:fedcm:", "request_uri:", 1)
	for what, at := range map[string]string{
		"as a pushed one": lab.PushedURL("std", asPushed), "for another application": lab.PushedURL("std2", kept.Query().Get("request_uri")),
	} {
		if p := b.Open(at); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", what, p.Status)
		}
	}
	// A link with it leads a victim to a code that stays on our page.
	victim := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	lab.Shown(t, victim.Submit(victim.Open(next), "action", "allow"), http.StatusOK)
	if p := b.Open(next); answered.MatchString(p.Text) || p.Header.Get("Location") != "" {
		t.Errorf("is answered twice: %s %s", p.Status, p.Text)
	}
	w.Advance(2 * time.Minute)
	lab.Shown(t, b.Open(next), http.StatusBadRequest)
}

// TestFedCMOfAnotherAccountAsks has the account change after it was chosen.
func TestFedCMOfAnotherAccountAsks(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	alice := lab.Member(t, accountOf(t, w.Alice()), "id")
	b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	b.Allow(lab.Ask()...)
	ask := func(pairs ...string) (lab.Page, map[string]any) {
		return b.JSON(b.Send(http.MethodPost, "/fedcm/assertion", assertionOf(t, "std", alice, fedCMParams(pairs...)), ofBrowser...))
	}
	p := b.Open(lab.Member(t, second(ask()), "continue_on"))
	if !strings.Contains(p.Request.URL.Path, "/oauth/select-account") || !strings.Contains(p.Text, "bob@example.com") {
		t.Errorf("leads to %s %s", p.Request.URL.Path, p.Status)
	}
	if p, told := ask("prompt", "none"); p.StatusCode != http.StatusBadRequest || fedCMError(told) != "login_required" {
		t.Errorf("%s %v", p.Status, told)
	}
	// Nobody, and too long ago, lead to the sign-in of the window.
	for what, c := range map[string]*lab.Browser{"nobody": w.NewBrowser(), "at once": b} {
		pairs := []string{}
		if c == b {
			pairs = []string{"max_age", "0"}
		}
		_, told := c.JSON(c.Send(http.MethodPost, "/fedcm/assertion", assertionOf(t, "std", lab.Member(t, accountOf(t, b), "id"), fedCMParams(pairs...)), ofBrowser...))
		if p := c.Open(lab.Member(t, told, "continue_on")); p.Request.URL.Path != "/signin" {
			t.Errorf("%s: leads to %s", what, p.Request.URL.Path)
		}
	}
}

// TestFedCMShowsWhyTheHostRefuses has the host refuse an application, for its user to read before it learns that.
func TestFedCMShowsWhyTheHostRefuses(t *testing.T) {
	t.Parallel()
	refuses := false
	w := lab.New(t, fedCM, func(c *provider.Config) {
		c.Authorize = func(context.Context, string, string, []string) error {
			if refuses {
				return provider.Refusal{Message: "The club is closed."}
			}
			return nil
		}
	}).WithClients().WithUsers()
	b := w.Alice()
	b.Allow(lab.Ask()...)
	refuses = true
	p := b.Open(lab.Member(t, second(asserted(t, b)), "continue_on"))
	if answer := answerOf(t, p); p.StatusCode != http.StatusForbidden || !strings.Contains(p.Text, "The club is closed.") || answer.Get("error") != "access_denied" {
		t.Errorf("%s %v\n%s", p.Status, answer, p.Text)
	}
}

func fedCMError(told map[string]any) any {
	inner, _ := told["error"].(map[string]any)
	return inner["error"]
}

// TestFedCMRefusesWhatAPageCannotSend has pages bring requests that are wrong, or that their application has to sign.
func TestFedCMRefusesWhatAPageCannotSend(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	for _, id := range []string{"pushes", "signs"} {
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: id, Name: id, Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
			RequirePushedAuthorizationRequests: id == "pushes", RequireSignedRequestObject: id == "signs", JWKSURI: "https://rp.test/keys",
		}))
	}
	account := lab.Member(t, accountOf(t, b), "id")
	for what, c := range map[string]struct {
		client, want string
		params       any
	}{
		"must push":         {"pushes", "unauthorized_client", fedCMParams("code_challenge", strings.Repeat("A", 43), "code_challenge_method", "S256")},
		"must sign":         {"signs", "unauthorized_client", fedCMParams()},
		"a client inside":   {"std", "invalid_request", fedCMParams("client_id", "std2")},
		"an object":         {"std", "invalid_request", fedCMParams("request", "e30.e30.")},
		"an address":        {"std", "invalid_request", fedCMParams("request_uri", "urn:ietf:params:oauth:request_uri:x")},
		"a mode":            {"std", "invalid_request", fedCMParams("response_mode", "query")},
		"a list":            {"std", "invalid_request", []string{"scope"}},
		"a number":          {"std", "invalid_request", map[string]any{"max_age": 1}},
		"null":              {"std", "invalid_request", nil},
		"a token":           {"std", "unsupported_response_type", fedCMParams("response_type", "token")},
		"a scope":           {"std", "invalid_scope", fedCMParams("scope", "no-such-scope")},
		"a silent question": {"std", "consent_required", fedCMParams("prompt", "none")},
	} {
		p, told := b.JSON(b.Send(http.MethodPost, "/fedcm/assertion", assertionOf(t, c.client, account, c.params), ofBrowser...))
		if p.StatusCode != http.StatusBadRequest || fedCMError(told) != c.want {
			t.Errorf("%s: %s %s", what, p.Status, p.Text)
		}
	}
	form := assertionOf(t, "std", account, fedCMParams())
	for _, wrong := range []string{"", form + "&account_id=x", form + "&params={}", form + "&client_id=std", form + "&more=" + strings.Repeat("a", 16<<10)} {
		if p := b.Send(http.MethodPost, "/fedcm/assertion", wrong, ofBrowser...); p.StatusCode < 400 || p.StatusCode >= 500 {
			t.Errorf("%.40q…: %s", wrong, p.Status)
		}
	}
	lab.Shown(t, b.Get("/fedcm/error"), http.StatusBadRequest)
}

// TestFedCMIsBoundedAndSaysWhatFails counts what strangers have kept, and breaks the store.
func TestFedCMIsBoundedAndSaysWhatFails(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, fedCM, lab.Faulty(&store), func(c *provider.Config) { c.Limits.Flow = provider.Limit{Burst: 3, Every: time.Hour} }).WithClients().WithUsers()
	b := w.Alice()
	account := lab.Member(t, accountOf(t, b), "id")
	form := assertionOf(t, "std", account, fedCMParams())
	stranger, last := w.NewBrowser(), 0
	for range 5 {
		last = stranger.Send(http.MethodPost, "/fedcm/assertion", form, ofBrowser...).StatusCode
	}
	if kept := w.Count("pushed_requests"); last != http.StatusTooManyRequests || kept != 3 {
		t.Errorf("a stranger has %d requests kept, and then %d", kept, last)
	}
	w.Advance(2 * time.Second)
	store.BreakBefore(func(context.Context, string) error { return storage.ErrUnavailable })
	for what, p := range map[string]lab.Page{
		"accounts":   b.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity"),
		"assertion":  b.Send(http.MethodPost, "/fedcm/assertion", form, ofBrowser...),
		"disconnect": b.Send(http.MethodPost, "/fedcm/disconnect", url.Values{"client_id": {"std"}, "account_hint": {account}}.Encode(), ofBrowser...),
	} {
		if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Set-Login") != "" {
			t.Errorf("%s without a store: %s %v %s", what, p.Status, p.Header, p.Text)
		}
	}
}

// TestFedCMCookieFollowsTheSession looks at what each change of a session sends.
func TestFedCMCookieFollowsTheSession(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.NewBrowser()
	at := func(what string, p lab.Page, login string) {
		t.Helper()
		var first, next *http.Cookie
		for _, c := range p.Cookies() {
			switch {
			case strings.HasSuffix(c.Name, string(session.Session)):
				first = c
			case strings.HasSuffix(c.Name, string(session.FedCM)):
				next = c
			}
		}
		if first == nil || next == nil || first.MaxAge != next.MaxAge || !next.HttpOnly || next.Path != "/" || p.Header.Get("Set-Login") != login {
			t.Errorf("%s: %v %v %q", what, first, next, p.Header.Get("Set-Login"))
		}
	}
	in := func() lab.Page {
		return b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	}
	at("a sign-in", in(), "logged-in")
	at("another password", b.SubmitOnce(b.Open("/account/password"), "password", lab.AlicePass, "new_password", lab.NewPassword), "logged-in")
	if status := b.Send(http.MethodGet, "/fedcm/accounts", "", "Sec-Fetch-Dest", "webidentity").StatusCode; status != http.StatusOK {
		t.Errorf("after another password: %d", status)
	}
	at("a sign-out", b.SubmitOnce(b.Open("/signout")), "logged-out")
	b.SignIn("alice@example.com", lab.NewPassword)
	at("another account", b.SubmitOnce(b.Open("/fedcm/signin"), "action", "switch"), "logged-out")
	p := b.Submit(b.Open("/fedcm/signin"), "email", "alice@example.com", "password", lab.NewPassword)
	if p.Request.URL.Path != "/fedcm/signin" || !strings.Contains(p.Text, `data-answer=""`) {
		t.Errorf("a sign-in for the browser ends at %s", p.Request.URL)
	}
	lab.Safe(t, p)
	at("deletion", b.SubmitOnce(b.Open("/account/delete"), "password", lab.NewPassword), "logged-out")
}

// TestFedCMSessionOfBeforeGetsItsCookie goes to the sign-in of browsers with a session from before it was on.
func TestFedCMSessionOfBeforeGetsItsCookie(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithUsers()
	b := w.Alice()
	for _, c := range b.HTTP.Jar.Cookies(b.ServerURL()) {
		if strings.HasSuffix(c.Name, string(session.FedCM)) {
			b.HTTP.Jar.SetCookies(b.ServerURL(), []*http.Cookie{{Name: c.Name, Path: "/", MaxAge: -1}})
		}
	}
	p := b.Submit(b.Open("/fedcm/signin"), "action", "continue")
	if p.Header.Get("Set-Login") != "logged-in" || accountOf(t, b)["email"] != "alice@example.com" {
		t.Errorf("%s %v", p.Status, p.Header)
	}
}

// TestFedCMOverTLS looks at the cookie that browsers send from other sites, and that no sibling domain can plant.
func TestFedCMOverTLS(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM, func(c *provider.Config) { c.BaseURL = "https://id.idp.test" }).WithUsers()
	send := func(method, cookies string, body url.Values) lab.Page {
		return w.NewBrowser().Send(method, "/signin", body.Encode(), "Content-Type", "application/x-www-form-urlencoded",
			"Cookie", cookies, "Sec-Fetch-Site", "same-origin")
	}
	first := send(http.MethodGet, "", nil)
	_, form := first.Form(t)
	form.Set("email", "alice@example.com")
	form.Set("password", lab.AlicePass)
	var cookies []string
	for _, c := range first.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	in := send(http.MethodPost, strings.Join(cookies, "; "), form)
	for _, c := range in.Cookies() {
		none := strings.HasSuffix(c.Name, string(session.FedCM))
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || (c.SameSite == http.SameSiteNoneMode) != none {
			t.Errorf("cookie %v", c)
		}
	}
	if in.StatusCode != http.StatusSeeOther || !strings.Contains(strings.Join(in.Header["Set-Cookie"], " "), "fedcm=") {
		t.Errorf("%s %v", in.Status, in.Header["Set-Cookie"])
	}
}

// TestFedCMDisconnects ends what was allowed, of the account that is signed in.
func TestFedCMDisconnects(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	b := w.Alice()
	tokens := b.StandardTokens()
	gone := func(hint string) lab.Page {
		return b.Send(http.MethodPost, "/fedcm/disconnect", url.Values{"client_id": {"std"}, "account_hint": {hint}}.Encode(), ofBrowser...)
	}
	if p := gone("bob@example.com"); p.StatusCode != http.StatusForbidden {
		t.Errorf("another's: %s", p.Status)
	}
	if p, told := b.JSON(gone("alice@example.com")); p.StatusCode != http.StatusOK || told["account_id"] != accountOf(t, b)["id"] {
		t.Errorf("%s %v", p.Status, told)
	}
	if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusBadRequest {
		t.Errorf("tokens go on: %s", p.Status)
	}
	if _, asked := b.Asked(); !asked {
		t.Error("the consent goes on")
	}
}

// TestFedCMDocumentsAreTheSameForAll compares what everybody is told.
func TestFedCMDocumentsAreTheSameForAll(t *testing.T) {
	t.Parallel()
	w := lab.New(t, fedCM).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "linked", Name: "Linked", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, PolicyURL: "https://rp.test/privacy",
	}))
	alice, nobody := w.Alice(), w.NewBrowser()
	for path, want := range map[string]string{
		"/fedcm/config.json":                       `"accounts_endpoint":"` + w.Server.URL + `/fedcm/accounts"`,
		"/.well-known/web-identity":                `"provider_urls":["` + w.Server.URL + `/fedcm/config.json"]`,
		"/fedcm/client_metadata?client_id=linked":  `{"privacy_policy_url":"https://rp.test/privacy"}`,
		"/fedcm/client_metadata?client_id=no-such": `{}`,
	} {
		a := alice.Send(http.MethodGet, path, "", "Sec-Fetch-Dest", "webidentity", "Origin", "https://any.test")
		n := nobody.Send(http.MethodGet, path, "", "Sec-Fetch-Dest", "webidentity", "Origin", "https://any.test")
		if a.Text != n.Text || !strings.Contains(a.Text, want) || a.Header.Get("X-Content-Type-Options") != "nosniff" || len(a.Cookies()) > 0 {
			t.Errorf("%s: %s %v\n%s", path, a.Status, a.Header, a.Text)
		}
	}
}

// TestFedCMIsOff looks for any trace of it where it is off.
func TestFedCMIsOff(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	in := b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	if in.Header.Get("Set-Login") != "" || b.Cookie(session.FedCM) != "" {
		t.Errorf("a sign-in: %v", in.Header)
	}
	out := b.SubmitOnce(b.Open("/signout"))
	if out.Header.Get("Set-Login") != "" || strings.Contains(strings.Join(out.Header["Set-Cookie"], " "), "fedcm") {
		t.Errorf("a sign-out: %v", out.Header)
	}
	for _, path := range []string{"config.json", "accounts", "client_metadata", "assertion", "disconnect", "signin", "error"} {
		if p := b.Send(http.MethodGet, "/fedcm/"+path, "", ofBrowser...); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
	if p := b.Get("/.well-known/web-identity"); p.StatusCode != http.StatusNotFound {
		t.Errorf("well-known: %s", p.Status)
	}
	_, settings, _ := strings.Cut(b.Get("/widget/v1.js").Text, "\nBonafide.init(")
	if settings == "" || strings.Contains(settings, "fedcm") {
		t.Errorf("settings %s", settings)
	}
}
