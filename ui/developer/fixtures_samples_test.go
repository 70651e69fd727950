package developer

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var samplesFixtures = []audiencetest.Fixture{
	{Name: "samples", Render: func(p ui.Page) templ.Component {
		return Samples(SamplesView{
			Page: applicationPage(p, SectionSamples),
			Languages: []SampleChoice{
				{"HTML", "?language=button", false}, {"curl", "?language=curl", false}, {"Go", "?language=go", true},
				{"Node.js", "?language=node", false}, {"Python", "?language=python", false}, {"C#", "?language=csharp", false},
			},
			RedirectURIs: []SampleChoice{
				{"https://riverbikes.example/callback", "?language=go", true},
				{"http://localhost:8082/callback", "?language=go&redirect_uri=1", false},
			},
			Libraries: "go-oidc, x/oauth2",
			Files: []DocsCode{{"main.go", `// Signs a user in by OpenID Connect.
package main

func main() {
	provider, err := oidc.NewProvider(context.Background(), "https://sandbox.id.example/oidc")
}
`}},
			Run: `export ID_EXAMPLE_CLIENT_SECRET='YOUR_CLIENT_SECRET'
go mod init example && go mod tidy && go run .`,
			Variable: "ID_EXAMPLE_CLIENT_SECRET", Placeholder: "YOUR_CLIENT_SECRET", SecretsURL: "/developer/o/1/sandbox/c1/secrets",
			Open: "https://riverbikes.example/", Listen: "127.0.0.1:8080",
		})
	}},
	{Name: "samples-button", Render: func(p ui.Page) templ.Component {
		return Samples(SamplesView{
			Page:      inProduction(applicationPage(p, SectionSamples)),
			Languages: []SampleChoice{{"HTML", "?language=button", true}},
			Strict:    true, Unproven: true,
			Button: &ButtonView{ClientID: "c1", Script: "assets/v1.js", StartURL: "/developer/o/1/production/c1/try", Choices: []ButtonChoice{
				{"type", []string{"", "signin", "signup", "continue"}, ""}, {"size", []string{"small", "", "large"}, "large"},
				{"shape", []string{"", "icon"}, ""}, {"theme", []string{"", "light", "dark", "auto", "outline"}, ""}, {"lang", []string{"", "de"}, "de"},
			}},
			RedirectURIs: []SampleChoice{{"https://riverbikes.example/callback", "?", true}},
			Files:        []DocsCode{{"button.html", `<span data-client-id="c1" data-start="/login"><a href="/login">Verify with Example ID</a></span>`}},
		})
	}},
	{Name: "samples-program", Render: func(p ui.Page) templ.Component {
		return Samples(SamplesView{
			Page:      applicationPage(p, SectionSamples),
			Languages: []SampleChoice{{"HTML", "?language=button", false}, {"Node.js", "?language=node", false}},
			Programs:  []SampleChoice{{"Apache (mod_auth_openidc)", "?language=mod-auth-openidc", false}, {"passport-openidconnect", "?language=passport-openidconnect", true}},
			Title:     "passport-openidconnect", Lacks: []string{"no_pkce"},
			RedirectURIs: []SampleChoice{{"https://riverbikes.example/callback", "?", true}},
			Files: []DocsCode{{"server.mjs", `passport.use("provider", new Strategy({
  issuer: "https://sandbox.id.example/oidc", clientID: "c1", clientSecret: "YOUR_CLIENT_SECRET",
`}},
			Run: "npm install express passport passport-openidconnect && node server.mjs", Placeholder: "YOUR_CLIENT_SECRET", SecretsURL: "/developer/o/1/sandbox/c1/secrets",
		})
	}},
	{Name: "samples-none", Render: func(p ui.Page) templ.Component {
		return Samples(SamplesView{Page: applicationPage(p, SectionSamples)})
	}},
}
