package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// What is wrong in a short form is told at the field, and to it, once; the focus starts at
// the first and what was entered is kept.
func TestProblemsAreTiedToTheirFields(t *testing.T) {
	page := SignUp(SignUpView{
		Page: samplePage(nil), MinLength: 15, Email: "ada@",
		Form: with(Problem{Code: EmailInvalid}, Problem{Code: PasswordTooShort, Count: 15}),
	})
	doc := uitest.Parse(t, page)
	var focused, links []string
	for _, e := range uitest.Elements(doc) {
		if uitest.Has(e, "autofocus") {
			focused = append(focused, uitest.Attr(e, "id"))
		}
		if strings.HasPrefix(uitest.Attr(e, "href"), "#") {
			links = append(links, uitest.Attr(e, "href"))
		}
	}
	if !slices.Equal(focused, []string{"email"}) || len(links) > 0 {
		t.Errorf("focus on %q, links to %q", focused, links)
	}
	for _, i := range uitest.Elements(doc, "input") {
		switch uitest.Attr(i, "name") {
		case "email":
			if uitest.Attr(i, "value") != "ada@" || uitest.Attr(i, "aria-describedby") != "email-problem" || uitest.Attr(i, "aria-invalid") != "true" {
				t.Errorf("email field has %v", i.Attr)
			}
		case "new_password":
			if uitest.Has(i, "value") || uitest.Attr(i, "aria-describedby") != "new_password-problem new_password-rule" {
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
		doc := uitest.Parse(t, page)
		var headings, focused []string
		for _, e := range uitest.Elements(doc) {
			if uitest.Attr(e, "id") == "problems" {
				headings = append(headings, uitest.TextOf(e))
			}
			if uitest.Has(e, "autofocus") {
				focused = append(focused, uitest.Attr(e, "class"))
			}
		}
		if !slices.Equal(headings, []string{heading}) || !slices.Equal(focused, []string{"problems"}) {
			t.Errorf("headings %q, focus on %q, want %q", headings, focused, heading)
		}
	}
}
