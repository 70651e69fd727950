package reference

import (
	"fmt"
	"strings"

	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// start is what to know before anything else.
func (d *Document) start() screens.DocsSection {
	s := screens.DocsSection{ID: "start", Title: "Before you begin", Text: []string{
		fmt.Sprintf("%s is an identity provider: it signs users in for your application, and tells it what they allow, by OAuth 2 and OpenID Connect.", d.Name),
		"With an OpenID Connect library, the issuer and the credentials of your application are all that you configure. Use the dialect `standard` then.",
	}, Tables: []screens.DocsTable{{
		Caption: "Environments", Columns: []string{"", "Base URL", "Issuer"},
		Rows: [][]string{{"Production", code(d.BaseURL), code(d.Issuer)}},
	}}}
	if d.SandboxURL != "" {
		s.Text = append(s.Text, "The sandbox has people and data that are not real, and credentials of its own. All the rest is as in production.")
		s.Tables[0].Rows = append(s.Tables[0].Rows, []string{"Sandbox", code(d.SandboxURL), code(d.SandboxURL + "/oidc")})
	}
	if d.Button.URL != "" {
		s.Code = append(s.Code, screens.DocsCode{Caption: "The sign-in button", Text: strings.Join([]string{
			`<script src="` + d.Button.ImmutableURL + `" integrity="` + d.Button.Integrity + `" crossorigin="anonymous" async></script>`,
			`<span data-client-id="{client_id}" data-start="/login"></span>`,
		}, "\n")})
		s.Text = append(s.Text, "The button is a span and a script. `data-start` is where your server begins the flow. `"+d.Button.URL+"` is always the current script, without integrity.")
		s.Parts = append(s.Parts, attributesOfButton)
	}
	return s
}

// attributesOfButton are the manual of the button, as far as a page needs it.
var attributesOfButton = screens.DocsSection{ID: "button-attributes", Title: "The sign-in button", Text: []string{
	"Keep its room while it loads: `span[data-client-id] { display: inline-block; min-height: 44px }`; 37 pixels for the small one, 52 for the large one. A link inside the span stands there without JavaScript.",
	"A popup needs `/widget/callback.js` on the redirect page, with `data-next` where your server wants the user to go: `<script src=\"…/widget/callback.js\" data-next=\"/account\"></script>`. Where a popup cannot work, the button redirects.",
	"The span tells of `bonafide:ready`, `bonafide:start`, `bonafide:success`, `bonafide:cancel` and `bonafide:error`, which bubble; whoever prevents `bonafide:start` or `bonafide:success` does the rest. `Bonafide.signIn(span)` is a press, and `Bonafide.scan(document)` brings labels up to date.",
	"A policy needs `script-src` with the address of the script, and no more.",
}, Tables: []screens.DocsTable{{Caption: "Attributes", Columns: []string{"Attribute", "Meaning", "When absent"}, Rows: [][]string{
	{"`data-client-id`", "Identifier of your application. It makes a span a button.", ""},
	{"`data-start`", "Where your server begins the flow, in the place of the next seven.", ""},
	{"`data-redirect`", "Registered redirect URI, to the letter.", ""},
	{"`data-scopes`", "Scopes, separated by spaces.", "`openid`"},
	{"`data-response`", "`code`, or other response types, which hand tokens to the page.", "`code`"},
	{"`data-pkce`", "Marks a public client: the script makes `state`, `nonce` and PKCE.", "no"},
	{"`data-state`, `data-nonce`, `data-code-challenge`", "Made and checked by your server.", "none, or made by the script with `data-pkce`"},
	{"`data-login-hint`, `data-prompt`, `data-eid`", "The parameters of the request.", "none"},
	{"`data-op`", "The first screen: `signin` or `signup`.", "as needed"},
	{"`data-display`", "`redirect`, or `popup` for a window.", "`redirect`"},
	{"`data-callback`", "Name of a function that gets the result of a popup.", "the page goes to the redirect URI"},
	{"`data-type`", "The words: `verify`, `signin`, `signup`, `continue`.", "`data-op`, then `verify`"},
	{"`data-text`", "Words of your own. They have to say who the provider is.", ""},
	{"`data-lang`", "Language of the button and of the screens.", "the `lang` of the page, then the browser's"},
	{"`data-theme`", "`light`, `dark`, `auto`, `outline`.", "the colours of the service"},
	{"`data-size`", "`small`, `medium`, `large`.", "`medium`"},
	{"`data-shape`", "`icon` shows the mark alone, with the words for screen readers.", "mark and words"},
	{"`data-provider`", "Base URL of the provider, for pages with buttons of two.", "the script that comes first"},
}}}}

// flow is the authorization code flow, step by step.
func (d *Document) flow() screens.DocsSection {
	return screens.DocsSection{ID: "flow", Title: "The flow", Steps: []string{
		"Send the browser to the authorization endpoint with `client_id`, `redirect_uri`, `response_type=code`, `scope`, `state`, `nonce` for OpenID Connect, and PKCE: `code_challenge` and `code_challenge_method=S256`.",
		"The user signs in and consents, or not.",
		"The response comes to your redirect URI: `code`, `state` and `iss`, or `error`, `error_description`, `state` and `iss`. Check `state` against the session of the browser and `iss` against the issuer before anything else.",
		fmt.Sprintf("Redeem the code within %s at the token endpoint, with the same `redirect_uri`, the `code_verifier`, and the credentials of your application.", duration(d.Lifetimes.Code)),
		"Verify the ID token: signature (RS256 unless your application has registered another `alg`; key by `kid`), `iss`, `aud`, `exp`, `nonce`. Libraries do this.",
		"Read data with the access token in `Authorization: Bearer`.",
	}, Parts: []screens.DocsSection{{ID: "flow-after", Title: "After the flow", Text: []string{
		"Refreshing gives a new access token and a new refresh token; store the new one before you use it. A refresh token can be used once. It may be repeated for " + duration(d.Lifetimes.RefreshGrace) + ", because a response can be lost, until one of the new tokens is used. Whatever comes again later ends the grant. With a profile of FAPI 2.0 the refresh token stays the same.",
		"A scope, an application and a request can require how well and how recently a user has signed in. The provider asks the user for what is missing. When more is required later, a refresh fails with `invalid_grant` and data with 401 `insufficient_user_authentication` (RFC 9470): begin an authorization request with the `acr_values` and `max_age` of its `WWW-Authenticate`. What an application requires is chosen in its settings.",
		"People may take back what they allowed at any time: then tokens end, and you ask again.",
		"A server that asks for itself, while no user is there, gets an access token with `grant_type=client_credentials` and the credentials of the application. It opens no data about people.",
		"Lean ID tokens, JWT access tokens, being told of sign-outs, keys in the place of the secret, and requests that have to be pushed or signed are for libraries that can. They are chosen in the settings of the application.",
		"The secret of an application never belongs in a page, in an app or in a repository. It is replaced with an overlap in which both work.",
	}}}}
}
