package ui

import (
	"time"

	"github.com/a-h/templ"
)

const (
	twoAddresses = `https://riverbikes.example/callback
http://riverbikes.example/callback`
	threeAddresses = `https://riverbikes.example/
http://riverbikes.example/
https://riverbikes.example/\`
)

const sampleKeys = `{
  "keys": [
    {
      "crv": "P-256",
      "kid": "2026-11",
      "kty": "EC",
      "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
    }
  ]
}`

func sampleScopes(p Page) []DeveloperScope {
	t := hostTextOf(p)
	return []DeveloperScope{{"military", t.military, t.militaryText, true}, {"profile", t.profile, t.profileText, false}, {Name: "offers"}}
}

func overviewOf(p Page) DeveloperOverviewView {
	return DeveloperOverviewView{
		DeveloperPage: applicationPage(p, SectionOverview), Form: sampleForm,
		Name: "Shop", ClientID: "test_kx7ywj3mzq5v2n4b6t8r9p1s", Kind: "web", Dialect: "standard", LogoURL: "sample/client.svg", Hint: "9f3K",
		Issuer: "https://sandbox.id.example/oidc", DiscoveryURL: "https://sandbox.id.example/oidc/.well-known/openid-configuration",
		Endpoints: []DeveloperEndpoint{
			{EndpointMetadata, "https://sandbox.id.example/oidc/.well-known/oauth-authorization-server"},
			{"authorization_endpoint", "https://sandbox.id.example/oauth/authorize"},
			{"pushed_authorization_request_endpoint", "https://sandbox.id.example/oauth/par"}, {"token_endpoint", "https://sandbox.id.example/oauth/token"},
			{"userinfo_endpoint", "https://sandbox.id.example/api/public/v3/userinfo"}, {"jwks_uri", "https://sandbox.id.example/oidc/.well-known/jwks"},
			{"revocation_endpoint", "https://sandbox.id.example/oauth/revoke"}, {"introspection_endpoint", "https://sandbox.id.example/oauth/introspect"},
			{"end_session_endpoint", "https://sandbox.id.example/signout"},
		},
		RedirectURIs: []string{"https://riverbikes.example/callback", "http://localhost:3000/callback"}, MayChange: true,
		SecretsURL: "/secrets", SamplesURL: "/samples", TryURL: "/try", AccessURL: "/access", CopyTo: DeveloperProduction, LeftBehind: []string{"http://localhost:3000/callback"},
	}
}

func settingsOf(p Page, problems ...Problem) DeveloperSettingsView {
	return DeveloperSettingsView{
		DeveloperPage: applicationPage(p, SectionSettings), Form: with(problems...), Version: "v1", MayChange: true,
		CheckURL: "/check", DeleteURL: "/delete",
		DeveloperRegistration: DeveloperRegistration{
			Name: "Shop", Kind: "web", Dialect: "standard", RedirectURIs: twoAddresses,
			PostLogoutRedirectURIs: "https://riverbikes.example/", Origins: "https://riverbikes.example", Scopes: sampleScopes(p), OptionalScopes: sampleScopes(p)[1:],
			ResponseTypes: []DeveloperValue{{"code", true}, {"code id_token", false}},
			GrantTypes:    []DeveloperValue{{"authorization_code", true}, {"refresh_token", true}, {"client_credentials", false}}, AuthMethod: "client_secret_basic",
			UserinfoSigned: true, RequireVerified: true, PolicyURL: "https://riverbikes.example/privacy",
			LeanIDTokens: true, Resources: []DeveloperScope{{"https://api.riverbikes.example/", Label{Text: "Workshop API", Lang: Undetermined}, Label{}, true}, {Name: "https://mcp.riverbikes.example/"}},
			BackchannelLogoutURI: "https://riverbikes.example/signed-out", BackchannelSession: true,
			Algs: []string{"RS256", "ES256", "EdDSA"}, AuthSigningAlg: AnyAlg, RequestSigningAlg: "ES256",
		},
	}
}

func secretsOf(p Page) DeveloperSecretsView {
	return DeveloperSecretsView{
		DeveloperPage: applicationPage(p, SectionSecrets), Form: sampleForm, Version: "v1",
		Secrets: []DeveloperSecret{
			{ID: "s2", Hint: "9f3K", Created: fixedNow.Add(-time.Hour), LastUsed: fixedNow.Add(-time.Minute), Newest: true},
			{ID: "s1", Hint: "x0Qa", Created: fixedNow.Add(-40 * 24 * time.Hour), Expires: fixedNow.Add(23 * time.Hour), LastUsed: fixedNow},
			{ID: "s0", Hint: "bb1Z", Expires: fixedNow.Add(time.Hour)},
		},
	}
}

// registrationFixtures are the pages of an application's registration.
var registrationFixtures = []fixture{
	{"developer-register", func(p Page) templ.Component {
		d := organizationPage(p, SectionApplications)
		d.Environment, d.SandboxURL, d.ProductionURL = DeveloperSandbox, "/sandbox", "/production"
		return DeveloperRegister(DeveloperRegisterView{
			DeveloperPage: d, Form: sampleForm, Kinds: []string{"web", "spa", "native", "machine"}, Scopes: sampleScopes(p), CheckURL: "/check",
		})
	}},
	{"developer-register-machine", func(p Page) templ.Component {
		return DeveloperRegister(DeveloperRegisterView{
			DeveloperPage: organizationPage(p, SectionApplications), Form: with(Problem{Code: NameMissing}),
			Kinds: []string{"web", "spa", "native", "machine"}, Kind: "machine", Scopes: sampleScopes(p), CheckURL: "/check",
		})
	}},
	{"developer-overview-machine", func(p Page) templ.Component {
		v := overviewOf(p)
		v.Kind, v.RedirectURIs = "machine", nil
		return DeveloperOverview(v)
	}},
	{"developer-settings-machine", func(p Page) templ.Component {
		v := settingsOf(p)
		v.DeveloperRegistration.Kind, v.RedirectURIs = "machine", ""
		return DeveloperSettings(v)
	}},
	{"developer-register-problems", func(p Page) templ.Component {
		d := inProduction(organizationPage(p, SectionApplications))
		return DeveloperRegister(DeveloperRegisterView{
			DeveloperPage: d, Form: with(Problem{Code: NameMissing}, Problem{Code: KindMissing},
				Problem{Code: AddressPlain, Field: FieldRedirectURIs, Line: 2}, Problem{Text: "It must not contain a backslash.", Field: FieldRedirectURIs, Line: 3}),
			RedirectURIs: threeAddresses,
			Kinds:        []string{"web", "spa", "native", "machine"}, Kind: "spa", Dialect: "v3", CheckURL: "/check", Unreviewed: true,
		})
	}},
	{"developer-overview", func(p Page) templ.Component { return DeveloperOverview(overviewOf(p)) }},
	{"developer-overview-revealed", func(p Page) templ.Component {
		v := overviewOf(p)
		v.Secret, v.Unreviewed, v.CopyTo = "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170", true, DeveloperSandbox
		v.DeveloperPage = noticed(inProduction(v.DeveloperPage), DeveloperRegistered)
		return DeveloperOverview(v)
	}},
	{"developer-overview-viewer", func(p Page) templ.Component {
		v := overviewOf(p)
		v.MayChange, v.SecretsURL, v.CopyTo, v.Disabled, v.Dialect, v.TryURL = false, "", "", true, "v3", ""
		return DeveloperOverview(v)
	}},
	{"developer-overview-public", func(p Page) templ.Component {
		v := overviewOf(p)
		v.Public, v.Kind, v.NeedsRedirect = true, "spa", true
		return DeveloperOverview(v)
	}},
	{"developer-overview-key", func(p Page) templ.Component {
		v := overviewOf(p)
		v.ByKey, v.Hint = true, ""
		return DeveloperOverview(v)
	}},
	{"developer-overview-incomplete", func(p Page) templ.Component {
		d := applicationPage(p, SectionOverview)
		return DeveloperOverview(DeveloperOverviewView{DeveloperPage: d, Form: sampleForm, Name: "Shop", Incomplete: true, DeleteURL: "/delete"})
	}},
	{"developer-overview-deleting", func(p Page) templ.Component {
		d := applicationPage(p, SectionOverview)
		d.Sections = nil
		return DeveloperOverview(DeveloperOverviewView{DeveloperPage: d, Form: sampleForm, Name: "Shop", Deleting: true})
	}},
	{"developer-settings", func(p Page) templ.Component { return DeveloperSettings(settingsOf(p)) }},
	{"developer-settings-problems", func(p Page) templ.Component {
		v := settingsOf(p, Problem{Code: AddressPlain, Field: FieldRedirectURIs, Line: 2}, Problem{Code: OriginInvalid, Field: FieldOrigins, Line: 1},
			Problem{Code: WebAddressInvalid, Field: FieldTermsURL}, Problem{Code: GrantMissing}, Problem{Code: ResponseMissing})
		v.Origins, v.TermsURL, v.Disabled = "riverbikes.example", "terms", true
		v.GrantTypes, v.ResponseTypes = []DeveloperValue{{"authorization_code", false}}, []DeveloperValue{{"code", false}}
		return DeveloperSettings(v)
	}},
	{"developer-settings-more", func(p Page) templ.Component {
		v := settingsOf(p, Problem{Field: FieldJWKS, Text: "Key 1 is an RSA key of 1024 bits, not of 2048 to 8192."},
			Problem{Code: AddressNotCalled, Field: FieldBackchannelLogoutURI}, Problem{Code: KeysTwice}, Problem{Code: ResourceMissing})
		v.AuthMethod, v.JWKSURI, v.BackchannelLogoutURI = "private_key_jwt", "https://riverbikes.example/keys", "http://localhost/signed-out"
		v.JWKS, v.RequirePushed, v.RequireSigned, v.JWTAccessTokens = sampleKeys, true, true, true
		v.Resources[0].Chosen = false
		return DeveloperSettings(v)
	}},
	{"developer-settings-confirm", func(p Page) templ.Component {
		v := settingsOf(p, Problem{Code: ConfirmFirst})
		v.ConfirmURL = "?confirm=1"
		return DeveloperSettings(v)
	}},
	{"developer-settings-changed", func(p Page) templ.Component {
		v := settingsOf(p, Problem{Code: ChangedMeanwhile})
		v.There = []DeveloperChangedField{
			{Name: "name", Before: "Shop of River Bikes", After: "Shop"},
			{Name: "redirect_uris", Removed: []string{"https://riverbikes.example/callback"}},
		}
		return DeveloperSettings(v)
	}},
	{"developer-settings-viewer", func(p Page) templ.Component {
		v := settingsOf(p)
		v.DeveloperPage = inProduction(v.DeveloperPage)
		v.WaitingURL = "/developer/o/1/production/c1/access"
		v.MayChange, v.Public, v.Kind, v.Dialect, v.NoJSONP = false, true, "spa", "v3", true
		return DeveloperSettings(v)
	}},
	{"developer-delete", func(p Page) templ.Component {
		return DeveloperDelete(DeveloperDeleteView{DeveloperPage: applicationPage(p, SectionSettings), Form: with(Problem{Code: ConfirmWrong}), Name: "Shop"})
	}},
	{"developer-secrets", func(p Page) templ.Component { return DeveloperSecrets(secretsOf(p)) }},
	{"developer-secrets-new", func(p Page) templ.Component {
		v := secretsOf(p)
		v.Secret, v.Secrets = "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170", v.Secrets[:2]
		return DeveloperSecrets(v)
	}},
	{"developer-secrets-key", func(p Page) templ.Component {
		return DeveloperSecrets(DeveloperSecretsView{
			DeveloperPage: noticed(applicationPage(p, SectionSecrets), DeveloperSecretsGone), ByKey: true, SettingsURL: "/settings#jwks",
		})
	}},
	{"developer-secrets-public", func(p Page) templ.Component {
		return DeveloperSecrets(DeveloperSecretsView{DeveloperPage: applicationPage(p, SectionSecrets), Public: true})
	}},
}
