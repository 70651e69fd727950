package ui

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// everyScreen parses each fixture in each language and calls check.
func everyScreen(t *testing.T, check func(t *testing.T, l *Locale, doc *html.Node)) {
	for _, l := range Locales() {
		for _, f := range fixtures {
			t.Run(l.Lang+"/"+f.name, func(t *testing.T) {
				doc, err := html.Parse(bytes.NewReader(render(t, f.render(samplePage(l)))))
				if err != nil {
					t.Fatal(err)
				}
				check(t, l, doc)
			})
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// elements returns the elements below n of the given names, of all when there
// are none.
func elements(n *html.Node, names ...string) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && (len(names) == 0 || slices.Contains(names, d.Data)) {
			found = append(found, d)
		}
	}
	return found
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// The content security policy forbids all of these, and would break the screen
// where they were needed.
func TestScreensHaveNothingInline(t *testing.T) {
	everyScreen(t, func(t *testing.T, _ *Locale, doc *html.Node) {
		for _, e := range elements(doc) {
			if e.Data == "style" || e.Data == "object" || e.Data == "base" {
				t.Errorf("element <%s>", e.Data)
			}
			if e.Data == "iframe" && !strings.HasPrefix(attr(e, "src"), "preview-") {
				t.Errorf("frame of what is no preview: %q", attr(e, "src"))
			}
			if e.Data == "script" && (!strings.HasPrefix(attr(e, "src"), "assets/") || e.FirstChild != nil) {
				t.Errorf("script that is not a file of ours: %q", attr(e, "src"))
			}
			for _, a := range e.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
					t.Errorf("<%s %s=%q>", e.Data, a.Key, a.Val)
				}
			}
		}
	})
}

func TestScreensReferToIDsThatExistOnce(t *testing.T) {
	everyScreen(t, func(t *testing.T, _ *Locale, doc *html.Node) {
		ids := map[string]int{}
		for _, e := range elements(doc) {
			if has(e, "id") {
				ids[attr(e, "id")]++
			}
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("id %q is there %d times", id, n)
			}
		}
		for _, e := range elements(doc) {
			for _, key := range []string{"for", "aria-describedby", "aria-labelledby", "aria-controls", "data-for"} {
				for id := range strings.FieldsSeq(attr(e, key)) {
					if ids[id] == 0 {
						t.Errorf("<%s %s> refers to %q, which is not there", e.Data, key, id)
					}
				}
			}
			if id, ok := strings.CutPrefix(attr(e, "href"), "#"); ok && ids[id] == 0 {
				t.Errorf("link to %q, which is not there", id)
			}
		}
	})
}

func TestScreensHaveLanguageTitleAndHeadingsInOrder(t *testing.T) {
	everyScreen(t, func(t *testing.T, l *Locale, doc *html.Node) {
		root := elements(doc, "html")[0]
		if attr(root, "lang") != l.Lang || attr(root, "dir") != l.Dir {
			t.Errorf("lang %q dir %q", attr(root, "lang"), attr(root, "dir"))
		}
		title := textOf(elements(doc, "title")[0])
		if !strings.HasSuffix(title, " – Bonafide") || strings.Contains(title, "{") {
			t.Errorf("title %q", title)
		}
		level := 0
		for _, h := range elements(doc, "h1", "h2", "h3", "h4") {
			next := int(h.Data[1] - '0')
			if next > level+1 || next == 1 && level != 0 {
				t.Errorf("<%s> %q follows a heading of level %d", h.Data, textOf(h), level)
			}
			if textOf(h) == "" {
				t.Errorf("empty <%s>", h.Data)
			}
			level = next
		}
		if level == 0 {
			t.Error("no heading")
		}
	})
}

func TestFormsCarryHiddenFieldsAndLabelWhatTheyAsk(t *testing.T) {
	everyScreen(t, func(t *testing.T, _ *Locale, doc *html.Node) {
		labels := map[string]string{}
		for _, e := range elements(doc, "label") {
			labels[attr(e, "for")] = textOf(e)
		}
		for _, f := range elements(doc, "form") {
			if attr(f, "role") == "search" {
				continue // asks, and changes nothing
			}
			if attr(f, "method") != "post" {
				t.Errorf("form with method %q", attr(f, "method"))
			}
			posted := map[string]string{}
			for _, i := range elements(f, "input") {
				posted[attr(i, "name")] = attr(i, "value")
				typed := !slices.Contains([]string{"radio", "checkbox", "file", "color"}, attr(i, "type"))
				if attr(i, "type") != "hidden" && !has(i, "hidden") && (labels[attr(i, "id")] == "" || typed && attr(i, "autocomplete") == "") {
					t.Errorf("field %q without label or purpose", attr(i, "name"))
				}
			}
			if attr(f, "action") == nowhere {
				continue // of a preview
			}
			back := strings.HasPrefix(attr(f, "action"), "https:") // what goes to the application
			if !back && (attr(f, "action") != "/here" || posted["flow"] != "f1" || posted["csrf"] != "c1") {
				t.Errorf("form to %q carries %v", attr(f, "action"), posted)
			}
		}
		for _, e := range elements(doc, "button", "a", "summary") {
			if textOf(e) == "" {
				t.Errorf("<%s> without words", e.Data)
			}
		}
	})
}

// What is wrong in a short form is told at the field, and to it, once; the focus starts at
// the first and what was entered is kept.
func TestProblemsAreTiedToTheirFields(t *testing.T) {
	page := SignUp(SignUpView{
		Page: samplePage(nil), MinLength: 15, Email: "ada@",
		Form: with(Problem{Code: EmailInvalid}, Problem{Code: PasswordTooShort, Count: 15}),
	})
	doc, err := html.Parse(bytes.NewReader(render(t, page)))
	if err != nil {
		t.Fatal(err)
	}
	var focused, links []string
	for _, e := range elements(doc) {
		if has(e, "autofocus") {
			focused = append(focused, attr(e, "id"))
		}
		if strings.HasPrefix(attr(e, "href"), "#") {
			links = append(links, attr(e, "href"))
		}
	}
	if !slices.Equal(focused, []string{"email"}) || len(links) > 0 {
		t.Errorf("focus on %q, links to %q", focused, links)
	}
	for _, i := range elements(doc, "input") {
		switch attr(i, "name") {
		case "email":
			if attr(i, "value") != "ada@" || attr(i, "aria-describedby") != "email-problem" || attr(i, "aria-invalid") != "true" {
				t.Errorf("email field has %v", i.Attr)
			}
		case "new_password":
			if has(i, "value") || attr(i, "aria-describedby") != "new_password-problem new_password-rule" {
				t.Errorf("password field has %v", i.Attr)
			}
		}
	}
}

// What is wrong with no field is told above the form, under a heading that says what to do.
func TestProblemsHaveAHeadingOfTheirKind(t *testing.T) {
	for heading, problems := range map[string][]Problem{
		"Please wait":         {{Code: TooManyAttempts, Count: 2}},
		"There is a problem":  {{Code: ChangedMeanwhile}},
		"Please correct this": {{Code: NameMissing}, {Code: AddressMissing}},
	} {
		page := SignIn(SignInView{Page: samplePage(nil), Form: with(problems...), Email: "ada@example.com"})
		doc, err := html.Parse(bytes.NewReader(render(t, page)))
		if err != nil {
			t.Fatal(err)
		}
		var headings, focused []string
		for _, e := range elements(doc) {
			if attr(e, "id") == "problems" {
				headings = append(headings, textOf(e))
			}
			if has(e, "autofocus") {
				focused = append(focused, attr(e, "class"))
			}
		}
		if !slices.Equal(headings, []string{heading}) || !slices.Equal(focused, []string{"problems"}) {
			t.Errorf("headings %q, focus on %q, want %q", headings, focused, heading)
		}
	}
}

func TestPasswordsAndCodesAreNeverShownAgain(t *testing.T) {
	everyScreen(t, func(t *testing.T, _ *Locale, doc *html.Node) {
		for _, i := range elements(doc, "input") {
			if (attr(i, "type") == "password" || attr(i, "name") == FieldCode) && has(i, "value") && !has(i, "hidden") && attr(i, "type") != "hidden" {
				t.Errorf("field %q has a value", attr(i, "name"))
			}
		}
	})
}

// A script that is loaded twice declares its names twice, and the second time fails.
func TestScriptsAreLoadedOnce(t *testing.T) {
	everyScreen(t, func(t *testing.T, _ *Locale, doc *html.Node) {
		loaded := map[string]bool{}
		for _, e := range elements(doc, "script") {
			if src := attr(e, "src"); loaded[src] {
				t.Errorf("%s is loaded twice", src)
			} else {
				loaded[src] = true
			}
		}
	})
}
