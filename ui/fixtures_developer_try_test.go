package ui

import "github.com/a-h/templ"

// sampleTry is the page that begins a trial.
func sampleTry(p Page) DeveloperTryView {
	return DeveloperTryView{
		DeveloperPage: applicationPage(p, SectionTry), Form: sampleForm, Scope: "openid military", Scopes: []string{"openid", "military"},
		RedirectURI: "https://id.example/developer/try/callback", MayTry: true, Fits: true,
	}
}

// sampleSteps are those of a trial that went well, but for those that fail.
func sampleSteps(failing ...DeveloperTryStepName) []DeveloperTryStep {
	steps := []DeveloperTryStep{
		{Name: TryRequest, Sent: `GET https://sandbox.example/oauth/authorize

client_id=c1
&scope=openid military`},
		{Name: TryResponse, Received: `GET https://id.example/developer/try/callback

code=Xk3aB90s…`, Checks: []DeveloperTryCheck{{Name: "state"}, {Name: "iss"}}},
		{Name: TryToken, Sent: `POST https://sandbox.example/oauth/token
Authorization: Basic ••••`, Received: `200 OK

{
  "access_token": "Bq1Zm2kL…"
}`},
		{Name: TryIDToken, Received: `eyJhbGci…

{
  "sub": "persona:veteran"
}`, Checks: []DeveloperTryCheck{
			{Name: "signature"}, {Name: "iss"}, {Name: "aud"}, {Name: "exp"}, {Name: "nonce"}, {Name: "at_hash"}}},
		{Name: TryUserinfo, Received: `200 OK

{"sub": "persona:veteran"}`, Checks: []DeveloperTryCheck{{Name: "sub"}}},
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

var tryFixtures = []fixture{
	{"developer-try", func(p Page) templ.Component { return DeveloperTry(sampleTry(p)) }},
	{"developer-try-left", func(p Page) templ.Component {
		v := sampleTry(p)
		v.Left = true
		return DeveloperTry(v)
	}},
	{"developer-try-unfit", func(p Page) templ.Component {
		v := sampleTry(p)
		v.Fits = false
		return DeveloperTry(v)
	}},
	{"developer-try-strict", func(p Page) templ.Component {
		v := sampleTry(p)
		v.Strict = true
		return DeveloperTry(v)
	}},
	{"developer-try-machine", func(p Page) templ.Component {
		v := sampleTry(p)
		v.Machine = true
		return DeveloperTry(v)
	}},
	{"developer-try-viewer", func(p Page) templ.Component {
		v := sampleTry(p)
		v.MayTry = false
		return DeveloperTry(v)
	}},
	{"developer-try-ready", func(p Page) templ.Component {
		return DeveloperTryReady(DeveloperTryReadyView{
			DeveloperPage: applicationPage(p, SectionTry), URL: "https://sandbox.example/oauth/authorize?client_id=c1", Text: sampleSteps()[0].Sent,
		})
	}},
	{"developer-try-works", func(p Page) templ.Component {
		return DeveloperTryResult(DeveloperTryResultView{DeveloperPage: applicationPage(p, SectionTry), Steps: sampleSteps(), AgainURL: "/try", LogURL: "/log"})
	}},
	{"developer-try-fails", func(p Page) templ.Component {
		return DeveloperTryResult(DeveloperTryResultView{
			DeveloperPage: applicationPage(p, SectionTry), Steps: sampleSteps(TryIDToken), AgainURL: "/try", LogURL: "/log",
		})
	}},
}
