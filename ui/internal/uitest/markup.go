package uitest

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// nowhere is where links and forms of a preview lead.
const nowhere = "#preview"

// Markup parses each page and looks for what breaks it in a browser, for a screen reader or
// under the content security policy. Forms carry the hidden fields flow and csrf, with the
// values f1 and c1, and are posted to /here.
func Markup(t *testing.T, pages []Page) {
	for _, p := range pages {
		t.Run(p.Lang+"/"+p.Name, func(t *testing.T) {
			doc := Parse(t, p.Component)
			for _, check := range []func(*testing.T, Page, *html.Node){
				nothingInline, idsExistOnce, headingsInOrder, formsAreWhole, secretsAreNotShown, scriptsAreLoadedOnce,
			} {
				check(t, p, doc)
			}
		})
	}
}

// The content security policy forbids all of these, and would break the screen
// where they were needed.
func nothingInline(t *testing.T, _ Page, doc *html.Node) {
	for _, e := range Elements(doc) {
		if e.Data == "style" || e.Data == "object" || e.Data == "base" {
			t.Errorf("element <%s>", e.Data)
		}
		if e.Data == "iframe" && !strings.HasPrefix(Attr(e, "src"), "preview-") {
			t.Errorf("frame of what is no preview: %q", Attr(e, "src"))
		}
		if e.Data == "script" && !isData(e) && (!strings.HasPrefix(Attr(e, "src"), "assets/") || e.FirstChild != nil) {
			t.Errorf("script that is not a file of ours: %q", Attr(e, "src"))
		}
		for _, a := range e.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("<%s %s=%q>", e.Data, a.Key, a.Val)
			}
		}
	}
}

// isData reports whether an element holds data for a script, which no policy concerns (HTML
// section 4.12.1).
func isData(e *html.Node) bool {
	return e.Data == "script" && Attr(e, "type") == "application/json" && !Has(e, "src")
}

// What names an element by its id has to find it, and find no other.
func idsExistOnce(t *testing.T, _ Page, doc *html.Node) {
	ids := map[string]int{}
	for _, e := range Elements(doc) {
		if Has(e, "id") {
			ids[Attr(e, "id")]++
		}
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, e := range Elements(doc) {
		for _, key := range []string{"for", "aria-describedby", "aria-labelledby", "aria-controls", "data-for"} {
			for id := range strings.FieldsSeq(Attr(e, key)) {
				if ids[id] == 0 {
					t.Errorf("<%s %s> refers to %q, which is not there", e.Data, key, id)
				}
			}
		}
		if id, ok := strings.CutPrefix(Attr(e, "href"), "#"); ok && ids[id] == 0 {
			t.Errorf("link to %q, which is not there", id)
		}
	}
}

// Who jumps from heading to heading misses none, and hears the page in its language.
func headingsInOrder(t *testing.T, p Page, doc *html.Node) {
	root := Elements(doc, "html")[0]
	if Attr(root, "lang") != p.Lang || Attr(root, "dir") != p.Dir {
		t.Errorf("lang %q dir %q", Attr(root, "lang"), Attr(root, "dir"))
	}
	title := TextOf(Elements(doc, "title")[0])
	if !strings.HasSuffix(title, " – Bonafide") || strings.Contains(title, "{") {
		t.Errorf("title %q", title)
	}
	level := 0
	for _, h := range Elements(doc, "h1", "h2", "h3", "h4") {
		next := int(h.Data[1] - '0')
		if next > level+1 || next == 1 && level != 0 {
			t.Errorf("<%s> %q follows a heading of level %d", h.Data, TextOf(h), level)
		}
		if TextOf(h) == "" {
			t.Errorf("empty <%s>", h.Data)
		}
		level = next
	}
	if level == 0 {
		t.Error("no heading")
	}
}

// A form without the hidden fields is not accepted, and one without labels cannot be filled in
// by who does not see it.
func formsAreWhole(t *testing.T, _ Page, doc *html.Node) {
	labels := map[string]string{}
	for _, e := range Elements(doc, "label") {
		labels[Attr(e, "for")] = TextOf(e)
	}
	for _, f := range Elements(doc, "form") {
		buttons := Elements(f, "button")
		if Attr(f, "role") == "search" || len(buttons) > 0 && Attr(buttons[0], "name") == "ui_locales" {
			continue // asks, and changes nothing
		}
		if Attr(f, "method") != "post" {
			t.Errorf("form with method %q", Attr(f, "method"))
		}
		posted := map[string]string{}
		for _, i := range Elements(f, "input") {
			posted[Attr(i, "name")] = Attr(i, "value")
			typed := !slices.Contains([]string{"radio", "checkbox", "file", "color"}, Attr(i, "type"))
			if Attr(i, "type") != "hidden" && !Has(i, "hidden") && (labels[Attr(i, "id")] == "" || typed && Attr(i, "autocomplete") == "") {
				t.Errorf("field %q without label or purpose", Attr(i, "name"))
			}
		}
		if Attr(f, "action") == nowhere {
			continue // of a preview
		}
		back := strings.HasPrefix(Attr(f, "action"), "https:")        // what goes to the application
		away := strings.HasPrefix(Attr(f, "action"), "/signin/with/") // to an upstream provider
		if !back && (!away && Attr(f, "action") != "/here" || posted["flow"] != "f1" || posted["csrf"] != "c1") {
			t.Errorf("form to %q carries %v", Attr(f, "action"), posted)
		}
	}
	for _, e := range Elements(doc, "button", "a", "summary") {
		if TextOf(e) == "" {
			t.Errorf("<%s> without words", e.Data)
		}
	}
}

// A password or a code that is written into a page is in its cache and in its source.
func secretsAreNotShown(t *testing.T, _ Page, doc *html.Node) {
	for _, i := range Elements(doc, "input") {
		if (Attr(i, "type") == "password" || Attr(i, "name") == "code") && Has(i, "value") && !Has(i, "hidden") && Attr(i, "type") != "hidden" {
			t.Errorf("field %q has a value", Attr(i, "name"))
		}
	}
}

// A script that is loaded twice declares its names twice, and the second time fails.
func scriptsAreLoadedOnce(t *testing.T, _ Page, doc *html.Node) {
	loaded := map[string]bool{}
	for _, e := range Elements(doc, "script") {
		if src := Attr(e, "src"); loaded[src] && !isData(e) {
			t.Errorf("%s is loaded twice", src)
		} else {
			loaded[src] = true
		}
	}
}
