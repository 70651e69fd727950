package developer

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var docsFixtures = []audiencetest.Fixture{
	{Name: "docs", Render: func(p ui.Page) templ.Component {
		return Docs(sampleDocs(page(p)))
	}},
	{Name: "docs-signed-out", Render: func(p ui.Page) templ.Component {
		d := page(p)
		d.Account, d.AccountURL = ui.Account{}, ""
		v := sampleDocs(d)
		v.Sections = v.Sections[:1]
		return Docs(v)
	}},
}

// sampleDocs is a reference of two sections, with all that a section can have.
func sampleDocs(p Page) DocsView {
	return DocsView{
		Page: p, OpenAPIURL: "/developer/docs/openapi.json", TextURL: "/developer/llms.txt",
		Sections: []DocsSection{
			{
				ID: "flow", Title: "The flow", Text: []string{"Send `state`, and check it."},
				Steps: []string{"Send the browser to `/oauth/authorize`.", "Redeem the `code`."},
			},
			{
				ID: "endpoints", Title: "Endpoints", Parts: []DocsSection{{
					ID: "endpoint-token", Title: "Token endpoint", Text: []string{"`POST https://id.example/oauth/token`", "A backquote ` alone is one."},
					Tables: []DocsTable{
						{"Parameters", []string{"Parameter", "Required", "Meaning"}, [][]string{
							{"`grant_type`", "yes", "What you present. Values: `authorization_code`, `refresh_token`."},
							{"`code_verifier`", "when the authorization request had a `code_challenge`", "The verifier that the challenge was made of."},
						}},
						{"Differences", []string{"", "`standard`", "`v3`"}, [][]string{{"lifetimes", "numbers", "<b>strings</b>"}}},
					},
					Code: []DocsCode{{"Example of a request", `curl 'https://id.example/oauth/token' \
  --data-urlencode 'grant_type=authorization_code' \
  --data-urlencode 'code={code}' --data-urlencode 'redirect_uri=https://riverbikes.example/callback'`}},
				}},
			},
		},
	}
}
