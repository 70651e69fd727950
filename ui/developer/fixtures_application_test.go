package developer

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
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

// hostTexts are what the catalogue of the host says of two scopes.
var hostTexts = map[string][4]string{
	"en": {"Military status", "Whether you serve or have served, for discounts and programmes.", "Profile", "Who you are and how to reach you."},
	"de": {"Militärischer Status", "Ob Sie dienen oder gedient haben, für Rabatte und Programme.", "Profil", "Wer Sie sind und wie man Sie erreicht."},
	"ar": {"الصفة العسكرية", "هل تخدم أو خدمت في الجيش، للحصول على الخصومات والبرامج.", "الملف الشخصي", "من أنت وكيف يمكن التواصل معك."},
}

func sampleScopes(p ui.Page) []Scope {
	lang, t := "", hostTexts[p.Locale.Lang]
	if t == [4]string{} {
		lang, t = "en", hostTexts["en"]
	}
	at := func(i int) ui.Label { return ui.Label{Text: t[i], Lang: lang} }
	return []Scope{{"military", at(0), at(1), true}, {"profile", at(2), at(3), false}, {Name: "offers"}}
}

func overviewOf(p ui.Page) OverviewView {
	return OverviewView{
		Page: applicationPage(p, SectionOverview), Form: audiencetest.Form(),
		Name: "Shop", ClientID: "test_kx7ywj3mzq5v2n4b6t8r9p1s", Kind: "web", Dialect: "standard", LogoURL: "sample/client.svg", Hint: "9f3K",
		Issuer: "https://sandbox.id.example/oidc", DiscoveryURL: "https://sandbox.id.example/oidc/.well-known/openid-configuration",
		Endpoints: []Endpoint{
			{EndpointMetadata, "https://sandbox.id.example/oidc/.well-known/oauth-authorization-server"},
			{"authorization_endpoint", "https://sandbox.id.example/oauth/authorize"},
			{"pushed_authorization_request_endpoint", "https://sandbox.id.example/oauth/par"}, {"token_endpoint", "https://sandbox.id.example/oauth/token"},
			{"userinfo_endpoint", "https://sandbox.id.example/api/public/v3/userinfo"}, {"jwks_uri", "https://sandbox.id.example/oidc/.well-known/jwks"},
			{"revocation_endpoint", "https://sandbox.id.example/oauth/revoke"}, {"introspection_endpoint", "https://sandbox.id.example/oauth/introspect"},
			{"device_authorization_endpoint", "https://sandbox.id.example/oauth/device_authorization"}, {"end_session_endpoint", "https://sandbox.id.example/signout"},
		},
		RedirectURIs: []string{"https://riverbikes.example/callback", "http://localhost:3000/callback"}, MayChange: true,
		SecretsURL: "/secrets", SamplesURL: "/samples", TryURL: "/try", AccessURL: "/access", CopyTo: Production, LeftBehind: []string{"http://localhost:3000/callback"},
	}
}

func settingsOf(p ui.Page, problems ...ui.Problem) SettingsView {
	return SettingsView{
		Page: applicationPage(p, SectionSettings), Form: audiencetest.Form(problems...), Version: "v1", MayChange: true,
		CheckURL: "/check", DeleteURL: "/delete",
		Registration: Registration{
			Name: "Shop", Kind: "web", Dialect: "standard", RedirectURIs: twoAddresses,
			PostLogoutRedirectURIs: "https://riverbikes.example/", InitiateLoginURI: "https://riverbikes.example/start", Origins: "https://riverbikes.example", Scopes: sampleScopes(p), OptionalScopes: sampleScopes(p)[1:],
			ResponseTypes: []Value{{"code", true}, {"code id_token", false}},
			GrantTypes:    []Value{{"authorization_code", true}, {"refresh_token", true}, {"client_credentials", false}}, AuthMethod: "client_secret_basic",
			SignIns: []string{AnySignIn, "two_factors", "phishing_resistant"}, SignIn: "two_factors", AddsFactors: true,
			UserinfoSigned: true, RequireVerified: true, PolicyURL: "https://riverbikes.example/privacy",
			SigningAlgs: []string{"RS256", "ES256", "EdDSA"}, IDTokenAlg: "ES256", UserinfoAlg: "RS256", ResponseAlg: "RS256",
			Profiles: []string{"fapi2", "fapi2-signing"}, Profile: NoProfile, MayHaveDevices: true, DevicesURL: "/developer/docs#endpoint-device",
			LeanIDTokens: true, Resources: []Scope{{"https://api.riverbikes.example/", ui.Label{Text: "Workshop API", Lang: ui.Undetermined}, ui.Label{}, true}, {Name: "https://mcp.riverbikes.example/"}},
			BackchannelLogoutURI: "https://riverbikes.example/signed-out", BackchannelSession: true,
			Algs: []string{"RS256", "ES256", "EdDSA"}, AuthSigningAlg: AnyAlg, RequestSigningAlg: "ES256",
		},
	}
}

func secretsOf(p ui.Page) SecretsView {
	return SecretsView{
		Page: applicationPage(p, SectionSecrets), Form: audiencetest.Form(), Version: "v1",
		Secrets: []Secret{
			{ID: "s2", Hint: "9f3K", Created: audiencetest.Now.Add(-time.Hour), LastUsed: audiencetest.Now.Add(-time.Minute), Newest: true},
			{ID: "s1", Hint: "x0Qa", Created: audiencetest.Now.Add(-40 * 24 * time.Hour), Expires: audiencetest.Now.Add(23 * time.Hour), LastUsed: audiencetest.Now},
			{ID: "s0", Hint: "bb1Z", Expires: audiencetest.Now.Add(time.Hour)},
		},
	}
}

// registrationFixtures are the pages of an application's registration.
var registrationFixtures = []audiencetest.Fixture{
	{Name: "register", Render: func(p ui.Page) templ.Component {
		d := organizationPage(p, SectionApplications)
		d.Environment, d.SandboxURL, d.ProductionURL = Sandbox, "/sandbox", "/production"
		return Register(RegisterView{
			Page: d, Form: audiencetest.Form(), Kinds: []string{"web", "spa", "native", "machine"}, Scopes: sampleScopes(p), CheckURL: "/check",
			Programs: samplePrograms,
		})
	}},
	{Name: "register-program", Render: func(p ui.Page) templ.Component {
		return Register(RegisterView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(), Kinds: []string{"web", "spa", "native", "machine"}, Kind: "spa",
			Name: "keycloak-js", RedirectURIs: "http://localhost:3000/", Scopes: sampleScopes(p), CheckURL: "/check",
			Programs: samplePrograms, Program: Program{ID: "keycloak-js", Title: "keycloak-js", Local: true, Needs: []string{"jwt", "no_refresh", "no_pkce"}},
		})
	}},
	{Name: "register-machine", Render: func(p ui.Page) templ.Component {
		return Register(RegisterView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(ui.Problem{Code: ui.NameMissing}),
			Kinds: []string{"web", "spa", "native", "machine"}, Kind: "machine", Scopes: sampleScopes(p), CheckURL: "/check",
		})
	}},
	{Name: "overview-machine", Render: func(p ui.Page) templ.Component {
		v := overviewOf(p)
		v.Kind, v.RedirectURIs = "machine", nil
		return Overview(v)
	}},
	{Name: "settings-machine", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p)
		v.Registration.Kind, v.RedirectURIs = "machine", ""
		return Settings(v)
	}},
	{Name: "register-problems", Render: func(p ui.Page) templ.Component {
		d := inProduction(organizationPage(p, SectionApplications))
		return Register(RegisterView{
			Page: d, Form: audiencetest.Form(ui.Problem{Code: ui.NameMissing}, ui.Problem{Code: ui.KindMissing},
				ui.Problem{Code: ui.AddressPlain, Field: FieldRedirectURIs, Line: 2}, ui.Problem{Text: "It must not contain a backslash.", Field: FieldRedirectURIs, Line: 3}),
			RedirectURIs: threeAddresses,
			Kinds:        []string{"web", "spa", "native", "machine"}, Kind: "spa", Dialect: "v3", CheckURL: "/check", Unreviewed: true,
		})
	}},
	{Name: "overview", Render: func(p ui.Page) templ.Component { return Overview(overviewOf(p)) }},
	{Name: "overview-revealed", Render: func(p ui.Page) templ.Component {
		v := overviewOf(p)
		v.Secret, v.Unreviewed, v.CopyTo = "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170", true, Sandbox
		v.Page = noticed(inProduction(v.Page), NoticeRegistered)
		return Overview(v)
	}},
	{Name: "overview-viewer", Render: func(p ui.Page) templ.Component {
		v := overviewOf(p)
		v.MayChange, v.SecretsURL, v.CopyTo, v.Disabled, v.Dialect, v.TryURL = false, "", "", true, "v3", ""
		return Overview(v)
	}},
	{Name: "overview-public", Render: func(p ui.Page) templ.Component {
		v := overviewOf(p)
		v.Public, v.Kind, v.NeedsRedirect = true, "spa", true
		return Overview(v)
	}},
	{Name: "overview-key", Render: func(p ui.Page) templ.Component {
		v := overviewOf(p)
		v.ByKey, v.Hint = true, ""
		return Overview(v)
	}},
	{Name: "overview-incomplete", Render: func(p ui.Page) templ.Component {
		d := applicationPage(p, SectionOverview)
		return Overview(OverviewView{Page: d, Form: audiencetest.Form(), Name: "Shop", Incomplete: true, DeleteURL: "/delete"})
	}},
	{Name: "overview-deleting", Render: func(p ui.Page) templ.Component {
		d := applicationPage(p, SectionOverview)
		d.Sections = nil
		return Overview(OverviewView{Page: d, Form: audiencetest.Form(), Name: "Shop", Deleting: true})
	}},
	{Name: "settings", Render: func(p ui.Page) templ.Component { return Settings(settingsOf(p)) }},
	{Name: "settings-problems", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p, ui.Problem{Code: ui.AddressPlain, Field: FieldRedirectURIs, Line: 2}, ui.Problem{Code: ui.OriginInvalid, Field: FieldOrigins, Line: 1},
			ui.Problem{Code: ui.WebAddressInvalid, Field: FieldTermsURL}, ui.Problem{Code: ui.GrantMissing}, ui.Problem{Code: ui.ResponseMissing},
			ui.Problem{Code: ui.SignInUnreachable, Field: FieldRequires})
		v.Origins, v.TermsURL, v.Disabled = "riverbikes.example", "terms", true
		v.GrantTypes, v.ResponseTypes = []Value{{"authorization_code", false}}, []Value{{"code", false}}
		return Settings(v)
	}},
	{Name: "settings-more", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p, ui.Problem{Field: ui.FieldJWKS, Text: "Key 1 is an RSA key of 1024 bits, not of 2048 to 8192."},
			ui.Problem{Code: ui.AddressNotCalled, Field: ui.FieldBackchannelLogoutURI}, ui.Problem{Code: ui.KeysTwice}, ui.Problem{Code: ui.ResourceMissing})
		v.AuthMethod, v.JWKSURI, v.BackchannelLogoutURI = "private_key_jwt", "https://riverbikes.example/keys", "http://localhost/signed-out"
		v.JWKS, v.RequirePushed, v.RequireSigned, v.JWTAccessTokens, v.DPoPBound = sampleKeys, true, true, true, true
		v.Resources[0].Chosen = false
		return Settings(v)
	}},
	{Name: "settings-profile", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p)
		v.Problems = []ui.Problem{ProfileProblem(p, ui.FieldResponseTypes), ProfileProblem(p, FieldAccessTokenFormat), ProfileProblem(p, FieldUserinfoAlg), ProfileProblem(p, ui.FieldJWKS),
			ProfileProblem(p, FieldAuthMethod), ProfileProblem(p, FieldRequirePKCE), ProfileProblem(p, FieldProfile), DevicesProblem(p)}
		v.Profile, v.AuthMethod, v.JWKS, v.RequirePushed, v.RequirePKCE, v.RequireSigned, v.DPoPBound = "fapi2-signing", "private_key_jwt", sampleKeys, true, true, true, true
		v.JWTAccessTokens, v.HasDevices, v.MayHaveDevices = true, true, false
		return Settings(v)
	}},
	{Name: "document", Render: func(p ui.Page) templ.Component {
		return Document(DocumentView{Page: organizationPage(p, SectionApplications), Form: audiencetest.Form()})
	}},
	{Name: "document-wrong", Render: func(p ui.Page) templ.Component {
		return Document(DocumentView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(), Address: "https://editor.riverbikes.example/client.json", Tried: true,
			Wrong: []string{"client_id is not the address of the document, byte for byte.", "redirect_uris[1] is of another domain than the document."},
		})
	}},
	{Name: "document-right", Render: func(p ui.Page) templ.Component {
		return Document(DocumentView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(), Address: "https://editor.riverbikes.example/client.json", Tried: true,
			Host: "editor.riverbikes.example", CallsItself: "River Editor", RedirectURIs: []string{"http://127.0.0.1/callback", "https://editor.riverbikes.example/callback"},
			AuthMethod: "none", GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"openid", "offline_access"}, Life: time.Hour,
			Notes: []string{"policy_uri is left out: it is not an https address of the domain of the document."},
		})
	}},
	{Name: "document-problem", Render: func(p ui.Page) templ.Component {
		return Document(DocumentView{
			Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(DocumentTooMany(p)), Address: "https://editor.riverbikes.example/client.json",
		})
	}},
	{Name: "document-missing", Render: func(p ui.Page) templ.Component {
		return Document(DocumentView{Page: organizationPage(p, SectionApplications), Form: audiencetest.Form(DocumentMissing(p))})
	}},
	{Name: "settings-confirm", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p, ui.Problem{Code: ui.ConfirmFirst})
		v.ConfirmURL = "?confirm=1"
		return Settings(v)
	}},
	{Name: "settings-changed", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p, ui.Problem{Code: ui.ChangedMeanwhile})
		v.There = []ChangedField{
			{Name: "name", Before: "Shop of River Bikes", After: "Shop"},
			{Name: "redirect_uris", Removed: []string{"https://riverbikes.example/callback"}},
		}
		return Settings(v)
	}},
	{Name: "settings-viewer", Render: func(p ui.Page) templ.Component {
		v := settingsOf(p)
		v.Page = inProduction(v.Page)
		v.WaitingURL = "/developer/o/1/production/c1/access"
		v.MayChange, v.Public, v.Kind, v.Dialect, v.NoJSONP = false, true, "spa", "v3", true
		return Settings(v)
	}},
	{Name: "delete", Render: func(p ui.Page) templ.Component {
		return Delete(DeleteView{Page: applicationPage(p, SectionSettings), Form: audiencetest.Form(ui.Problem{Code: ui.ConfirmWrong}), Name: "Shop"})
	}},
	{Name: "secrets", Render: func(p ui.Page) templ.Component { return Secrets(secretsOf(p)) }},
	{Name: "secrets-new", Render: func(p ui.Page) templ.Component {
		v := secretsOf(p)
		v.Secret, v.Secrets = "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170", v.Secrets[:2]
		return Secrets(v)
	}},
	{Name: "secrets-key", Render: func(p ui.Page) templ.Component {
		return Secrets(SecretsView{
			Page: noticed(applicationPage(p, SectionSecrets), NoticeSecretsGone), ByKey: true, SettingsURL: "/settings#jwks",
		})
	}},
	{Name: "secrets-public", Render: func(p ui.Page) templ.Component {
		return Secrets(SecretsView{Page: applicationPage(p, SectionSecrets), Form: audiencetest.Form(), Public: true, Managed: true, Version: "v1"})
	}},
}

var samplePrograms = []Program{{ID: "mod-auth-openidc", Title: "Apache (mod_auth_openidc)"}, {ID: "keycloak-js", Title: "keycloak-js"}}
