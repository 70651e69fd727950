package ui

import (
	"context"
	"io"

	"github.com/a-h/templ"
)

// previewFixtures are the screens that the dashboard has in frames, by day and by night, in a
// colour that needs an outline by day.
var previewFixtures = func() []fixture {
	var all []fixture
	for _, scheme := range []Scheme{SchemeLight, SchemeDark} {
		for _, screen := range []PreviewScreen{PreviewSignIn, PreviewConsent, PreviewError} {
			all = append(all, fixture{"preview-" + string(screen) + "-" + string(scheme), func(page Page) templ.Component {
				page.ButtonColor = "#ffd400"
				return Preview(PreviewView{Page: page, Screen: screen, Scheme: scheme})
			}})
		}
	}
	return all
}()

// kitFixtures are of the parts that packages of screens are made of.
var kitFixtures = []fixture{
	{"wide", func(p Page) templ.Component {
		p.Client = Client{}
		return inWide(Wide{
			Page: p, Product: "Library", HomeURL: "/library",
			Tools: []Link{{Label: Label{Text: "Catalogue"}, URL: "/library/catalogue"}}, Account: ada, AccountURL: "/account", AccountLabel: "Reader",
			SectionsLabel: "Shelves", Sections: []SectionLink{{"Poetry", "/library/poetry", true}, {"Prose", "/library/prose", false}},
			Notice: "The book is back.",
		}, "Poetry", wideForm(p))
	}},
}

// inWide puts a heading and parts into the frame.
func inWide(w Wide, heading string, parts ...templ.Component) templ.Component {
	content := templ.ComponentFunc(func(ctx context.Context, out io.Writer) error {
		if _, err := io.WriteString(out, "<h1>"+heading+"</h1>"); err != nil {
			return err
		}
		return templ.Join(parts...).Render(ctx, out)
	})
	return templ.ComponentFunc(func(ctx context.Context, out io.Writer) error {
		return WideLayout(w, heading).Render(templ.WithChildren(ctx, content), out)
	})
}

// wideForm is a form of every kind of field.
func wideForm(p Page) templ.Component {
	l := p.Locale.OrEnglish()
	f := with(Problem{Code: NameMissing}, Problem{Code: AddressMissing, Field: FieldReason, Line: 2})
	books := []Option{{Value: "odes", Label: "Odes", Text: "Short.", Chosen: true}, {Value: "epics", Label: "Epics"}}
	fields := templ.Join(
		EntryField(l, f, Entry{Name: FieldName, Type: "text", Label: "Title", Hint: "As on its spine", Plain: true}),
		EntryField(l, f, Entry{Name: FieldReason, Rows: 3, Label: "Note", Optional: true}),
		Choice(l, f, "kind", "Kind", books), Choices(l, f, "also", "Also", "Any of them", books), Select("order", "order", "Order", books),
		Copyable(l, "shelf", "PN-6101"), ActionButton("primary", ActionContinue, "Lend"),
	)
	return templ.Join(Problems(l, f), templ.ComponentFunc(func(ctx context.Context, out io.Writer) error {
		return PostForm(f).Render(templ.WithChildren(ctx, fields), out)
	}))
}
