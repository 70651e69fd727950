package flows

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// pseudoLang is a language that counts like English, and that nobody speaks.
const pseudoLang = "en-XA"

// pseudoTexts is a file of texts in which every sentence of English stands in brackets.
func pseudoTexts(t *testing.T) fstest.MapFS {
	t.Helper()
	content := bracketed(englishOf(t, "")).(map[string]any)
	for section, folder := range map[string]string{"Factors": "signin/", "Security": "security/"} {
		content[section] = bracketed(englishOf(t, folder))
	}
	content["Language"] = map[string]string{"Name": "⟦Pseudo⟧", "Dir": "ltr"}
	data := testkit.Must(json.Marshal(content))(t)
	return fstest.MapFS{pseudoLang + ".json": {Data: data}}
}

// englishOf returns the English sentences of a package of screens below ui.
func englishOf(t *testing.T, folder string) (content any) {
	t.Helper()
	english, err := os.ReadFile("../../../../ui/" + folder + "text/en.json")
	if err == nil {
		err = json.Unmarshal(english, &content)
	}
	testkit.OK(t, err)
	return content
}

func bracketed(content any) any {
	switch v := content.(type) {
	case map[string]any:
		for key := range v {
			v[key] = bracketed(v[key])
		}
	case []any:
		for i := range v {
			v[i] = bracketed(v[i])
		}
	case string:
		return "⟦" + v + "⟧"
	}
	return content
}

// userData is what the pages of the test below show that nobody translates: names,
// addresses, what is known about people, and what a request was.
var userData = []string{
	"Bonafide", "Veterans Shop", "Standard App", "Other App", "Our club", "Weapons", "rp.test", "127.0.0.1",
	"alice@example.com", "eve@example.com", "Alice Example", "Alice", "Example", "alice", "1 Main St", "Fairfax",
	"Firefox", "Linux",
}

// untranslated returns what of a text is neither a sentence of the language nor userData.
func untranslated(text string) string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '⟦':
			depth++
		case r == '⟧':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	rest := b.String()
	for _, data := range userData {
		rest = strings.ReplaceAll(rest, data, "")
	}
	for _, l := range ui.Locales() { // which are called what they are in themselves
		rest = strings.ReplaceAll(rest, l.Name, "")
	}
	rest = regexp.MustCompile(`\b[0-9a-f]{16}\b|\b[0-9a-f]{24}\b|\b[0-9A-F]{16}\b|https?://\S+|\b[A-Z0-9]{20,}\b|(?:[A-Z2-7]{4} ?){8}`).ReplaceAllString(rest, "") // requests, links, keys
	if !strings.ContainsFunc(rest, unicode.IsLetter) {
		return ""
	}
	return strings.TrimSpace(rest)
}

// untranslatedOn returns what a page shows, or has read aloud, in no language.
func untranslatedOn(t *testing.T, p lab.Page) (found []string) {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(t)
	var whole strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && !isCode(n.Parent) {
			whole.WriteString(n.Data + "\n") // a sentence may have a name within
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"aria-label", "alt", "title", "placeholder", "data-copied", "data-show", "data-hide"}, a.Key) {
				whole.WriteString(a.Val + "\n")
			}
		}
	}
	for line := range strings.SplitSeq(untranslated(whole.String()), "\n") {
		if line = strings.TrimSpace(line); len(line) > 1 && strings.ContainsFunc(line, unicode.IsLetter) { // one is a logo
			found = append(found, line)
		}
	}
	return found
}

// isCode reports whether an element says nothing to people, or names another language.
func isCode(n *html.Node) bool {
	return n.Data == "script" || n.Data == "style" || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hreflang" || a.Val == "ui_locales" })
}

// TestPagesSayNothingThatNobodyCanTranslate walks through a running provider in a language
// in which every sentence stands in brackets: what stands outside is written into the
// program.
func TestPagesSayNothingThatNobodyCanTranslate(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Texts = pseudoTexts(t) }).WithClients().WithUsers()
	b := w.NewBrowser()
	pages := 0
	look := func(p lab.Page) lab.Page {
		t.Helper()
		pages++
		if !strings.Contains(p.Text, "⟦") {
			t.Errorf("%s is not in the language (%s)", p.Request.URL, p.Status)
		}
		for _, s := range untranslatedOn(t, p) {
			t.Errorf("%s %s says %q", p.Request.Method, p.Request.URL.Path, s)
		}
		return p
	}
	mailed := func() string {
		t.Helper()
		mail, code := w.Mails.Last(t)
		if s := untranslated(mail.Subject + "\n" + mail.Text); s != "" || !strings.Contains(mail.Subject, "⟦") {
			t.Errorf("a mail says %q: %q", s, mail.Subject)
		}
		return code
	}
	open := func(address string) lab.Page {
		t.Helper()
		u := testkit.Must(url.Parse(address))(t)
		q := u.Query()
		q.Set("ui_locales", pseudoLang)
		u.RawQuery = q.Encode()
		return look(b.Open(u.String()))
	}

	// Sign-up and reset, with their mails.
	p := open("/signup")
	p = look(b.Submit(p, "email", "no address", "new_password", "x"))
	p = look(b.Follow(b.Submit(p, "email", "eve@example.com", "new_password", "glacier-tulip-orbit-43")))
	mailed()
	look(b.Submit(p, "code", "00000000"))
	p = look(b.Follow(b.Submit(open("/reset"), "email", "alice@example.com")))
	mailed()
	look(b.Submit(p, "code", "1"))

	// A request of an application.
	p = open(lab.AuthorizeURL("client_id", "std", "scope", "openid profile email address phone identity military student offline_access"))
	p = look(b.Submit(p, "email", "alice@example.com", "password", "wrong"))
	p = look(b.Follow(b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)))
	if lab.Response(t, b.Follow(b.Submit(p, "action", "allow"))).Get("code") == "" {
		t.Fatal("nothing was allowed")
	}
	open(lab.AuthorizeURL("client_id", "v3", "scope", "openid"))
	open(lab.AuthorizeURL("client_id", "std", "scope", "openid military", "prompt", "select_account"))
	open(lab.AuthorizeURL("client_id", "std", "scope", "openid military", "prompt", "login"))

	// The pages of the account, and what they lead to.
	seen, next := map[string]bool{}, []string{"/account"}
	for len(next) > 0 {
		address := next[0]
		next = next[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		p := open(address)
		for _, link := range linksOf(t, p) {
			if u, err := url.Parse(link); err == nil && u.Host == "" && strings.HasPrefix(u.Path, "/account") && len(seen)+len(next) < 40 {
				q := u.Query()
				q.Del("ui_locales")
				u.RawQuery = q.Encode()
				next = append(next, u.String())
			}
		}
	}
	look(b.Submit(open("/account/password"), "password", "wrong", "new_password", "x"))
	open("/signout")

	// What goes wrong.
	for _, address := range []string{
		"/nowhere", lab.AuthorizeURL("client_id", "nobody"), lab.AuthorizeURL("client_id", "std", "redirect_uri", "https://evil.test/"),
		"/reset/finish?ticket=x", "/signin?flow=x",
	} {
		open(address)
	}
	t.Logf("%d pages", pages)
	if pages < 25 {
		t.Error("hardly a page was seen")
	}
}

// linksOf returns where the links of a page lead.
func linksOf(t *testing.T, p lab.Page) (links []string) {
	t.Helper()
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(t)
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" {
				links = append(links, a.Val)
			}
		}
	}
	return links
}
