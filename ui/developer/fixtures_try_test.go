package developer

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// sampleTry is the page that begins a trial.
func sampleTry(p ui.Page) TryView {
	return TryView{
		Page: applicationPage(p, SectionTry), Form: audiencetest.Form(), Scope: "openid military", Scopes: []string{"openid", "military"},
		RedirectURI: "https://id.example/developer/try/callback", MayTry: true, Fits: true,
	}
}

// sampleSteps are those of a trial that went well, but for those that fail.
func sampleSteps(failing ...TryStepName) []TryStep {
	steps := []TryStep{
		{Name: TryRequest, Sent: `GET https://sandbox.example/oauth/authorize

client_id=c1
&scope=openid military`},
		{Name: TryResponse, Received: `GET https://id.example/developer/try/callback

code=Xk3aB90s…`, Checks: []TryCheck{{Name: "state"}, {Name: "iss"}}},
		{Name: TryToken, Sent: `POST https://sandbox.example/oauth/token
Authorization: Basic ••••`, Received: `200 OK

{
  "access_token": "Bq1Zm2kL…"
}`},
		{Name: TryIDToken, Received: `eyJhbGci…

{
  "sub": "persona:veteran"
}`, Checks: []TryCheck{
			{Name: "signature"}, {Name: "iss"}, {Name: "aud"}, {Name: "exp"}, {Name: "nonce"}, {Name: "at_hash"}}},
		{Name: TryUserinfo, Received: `200 OK

{"sub": "persona:veteran"}`, Checks: []TryCheck{{Name: "sub"}}},
		{Name: TryAttributes, Received: `200 OK

{"name": "</code><script>alert(1)</script>"}`},
		{Name: TryRevocation, Received: "200 OK"},
	}
	for i := range steps {
		for _, name := range failing {
			if steps[i].Name == name {
				steps[i].Failed = true
				for c := range steps[i].Checks {
					steps[i].Checks[c].Failed = c%2 == 1
				}
				return steps[:i+1]
			}
		}
	}
	return steps
}

var tryFixtures = []audiencetest.Fixture{
	{Name: "try", Render: func(p ui.Page) templ.Component { return Try(sampleTry(p)) }},
	{Name: "try-left", Render: func(p ui.Page) templ.Component {
		v := sampleTry(p)
		v.Left = true
		return Try(v)
	}},
	{Name: "try-unfit", Render: func(p ui.Page) templ.Component {
		v := sampleTry(p)
		v.Fits = false
		return Try(v)
	}},
	{Name: "try-strict", Render: func(p ui.Page) templ.Component {
		v := sampleTry(p)
		v.Strict = true
		return Try(v)
	}},
	{Name: "try-machine", Render: func(p ui.Page) templ.Component {
		v := sampleTry(p)
		v.Machine = true
		return Try(v)
	}},
	{Name: "try-viewer", Render: func(p ui.Page) templ.Component {
		v := sampleTry(p)
		v.MayTry = false
		return Try(v)
	}},
	{Name: "try-ready", Render: func(p ui.Page) templ.Component {
		return TryReady(TryReadyView{
			Page: applicationPage(p, SectionTry), URL: "https://sandbox.example/oauth/authorize?client_id=c1", Text: sampleSteps()[0].Sent,
		})
	}},
	{Name: "try-works", Render: func(p ui.Page) templ.Component {
		return TryResult(TryResultView{Page: applicationPage(p, SectionTry), Steps: sampleSteps(), AgainURL: "/try", LogURL: "/log"})
	}},
	{Name: "try-fails", Render: func(p ui.Page) templ.Component {
		return TryResult(TryResultView{
			Page: applicationPage(p, SectionTry), Steps: sampleSteps(TryIDToken), AgainURL: "/try", LogURL: "/log",
		})
	}},
}
