package reference

import (
	"net/http"
	"strconv"

	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// errors are all errors, where each is found.
func (d *Document) errors() screens.DocsSection {
	s := screens.DocsSection{ID: "errors", Title: "Errors", Text: []string{
		"Decide by `error`. Descriptions are fixed English text for developers, repeat no input, and may change. 401 carries `WWW-Authenticate`; 429 and 503 carry `Retry-After`. An answer to a JSONP request has the status 200, since browsers run no script of another.",
	}}
	for _, e := range d.Endpoints {
		if len(e.Errors) == 0 {
			continue
		}
		title := "At the " + lower(e.Title)
		if e.ID == "authorize" {
			title = "At your redirect URI"
		}
		s.Parts = append(s.Parts, screens.DocsSection{ID: anchor("errors", e.ID), Title: title, Tables: []screens.DocsTable{errorTable(e.Errors)}})
	}
	everywhere := screens.DocsSection{ID: "errors-everywhere", Title: "At every endpoint that answers with JSON", Tables: []screens.DocsTable{errorTable(d.Everywhere)}}
	return screens.DocsSection{ID: s.ID, Title: s.Title, Text: s.Text, Parts: append(s.Parts, everywhere, d.pageErrors())}
}

func errorTable(list []Error) screens.DocsTable {
	table := screens.DocsTable{Caption: "Errors", Columns: []string{"Error", "Description", "Remedy"}}
	for _, e := range list {
		name := code(e.Code)
		if e.Status != 0 {
			name = strconv.Itoa(e.Status) + " " + name
		}
		text := e.Text
		if e.For != Everyone {
			text += " (" + string(e.For) + ")"
		}
		remedy := e.Remedy
		if len(e.Example) > 0 {
			remedy += " For example: " + describe(e.Example) + "."
		}
		table.Rows = append(table.Rows, []string{name, text, remedy})
	}
	return table
}

func (d *Document) pageErrors() screens.DocsSection {
	table := screens.DocsTable{Caption: "Pages", Columns: []string{"Status", "Heading", "Cause"}}
	for _, p := range d.Pages {
		table.Rows = append(table.Rows, []string{strconv.Itoa(p.Status) + " " + http.StatusText(p.Status), p.Heading, p.Cause})
	}
	return screens.DocsSection{ID: "errors-pages", Title: "On a page that the user reads", Text: []string{
		"When application or redirect URI cannot be trusted, nothing is ever redirected there: the user reads a page, with a request ID that leads to the operator's log.",
	}, Tables: []screens.DocsTable{table}}
}

// lower writes a title within a sentence.
func lower(title string) string {
	return string(title[0]|0x20) + title[1:]
}
