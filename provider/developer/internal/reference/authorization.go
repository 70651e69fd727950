package reference

import "strings"

// The lists that the authorization endpoint follows, as discovery has them.
var (
	responseTypes = []string{"code", "token", "id_token", "code id_token", "code token", "code id_token token", "id_token token"}
	responseModes = []string{"query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"}
	prompts       = []string{"none", "login", "consent", "select_account", "create"}
	displays      = []string{"page", "popup"}
)

func authorization(i Installation) Endpoint {
	return Endpoint{
		ID: "authorize", Title: "Authorization endpoint", Path: "/oauth/authorize", Methods: []string{"GET", "POST"},
		Standard: "RFC 6749 section 3.1, OpenID Connect Core section 3.1.2",
		Text: []string{
			"Send the browser of the user here, as a redirect or in a popup. The user signs in and consents, or not; then the browser comes to your redirect URI with a response.",
			"Check `state` against the session of the browser and `iss` against the issuer before anything else (RFC 9207).",
			"Programs for the dialect `v3` may also send the browser to `/groups`, where `scopes` is another name of `scope`: of several scope values the user picks one.",
		},
		Origins: NoOrigin, Parameters: authorizationParameters(i),
		Answers: []Answer{
			{303, "", "AuthorizationResponse", "the response is in the query or the fragment of the redirect URI, or on its way there the user is asked"},
			{200, mediaHTML, "", "a page that the user reads, or with `response_mode=form_post` one that posts the response to the redirect URI"},
		},
		Errors: authorizationErrors(i),
		Example: []Pair{
			{"client_id", "{client_id}"}, {"redirect_uri", "{redirect_uri}"}, {"response_type", "code"},
			{"scope", "openid " + i.exampleScope()}, {"state", "{state}"}, {"nonce", "{nonce}"},
			{"code_challenge", "{code_challenge}"}, {"code_challenge_method", "S256"},
		},
	}
}

// claimsExample asks for the e-mail address in the ID token.
const claimsExample = `{"id_token":{"email":null}}`

func authorizationParameters(i Installation) []Parameter {
	all := []Parameter{
		{Name: "client_id", Needed: Always, Meaning: "Your application."},
		{Name: "redirect_uri", Needed: "unless the dialect is `standard`, one is registered and `openid` is not asked for",
			Meaning: "Where the response goes: one that is registered, byte for byte. Only the port of one that names the loopback interface by its IP address may differ."},
		{Name: "response_type", Needed: Always, Values: responseTypes, Meaning: "What the response holds. Use `code`."},
		{Name: "scope", Needed: Always, List: true, Meaning: "What you ask for. With `openid` for OpenID Connect; in the dialect `v3` one scope value is granted, beside `openid` or alone: of several, separated by spaces or commas, or of those that are registered when there is only `openid`, the user picks one."},
		resourceParameter("The URI of an API that access tokens are to be for (RFC 8707). The user is asked about it."),
		{Name: "state", Meaning: "Comes back byte for byte. Make one that nobody can guess, and keep it in the session of the browser."},
		{Name: "nonce", Needed: "in the dialect `standard`, when the response holds an ID token", Meaning: "Comes back in the ID token."},
		{Name: "code_challenge", Needed: "for public clients, and where it is registered", Meaning: "The SHA-256 digest of your code verifier, as base64url without padding (RFC 7636)."},
		{Name: "code_challenge_method", Needed: "with `code_challenge`", Values: []string{"S256"}, Meaning: "How the challenge was made."},
		{Name: "response_mode", Values: responseModes, Meaning: "How the response comes. Without it a code comes in the query, and tokens in the fragment. Those with `jwt`, of the dialect `standard`, put the response into a signed JWT, the parameter `response`."},
		{Name: "prompt", Values: prompts, List: true, Meaning: "`none`: no screen, or an error. `login`: authenticate again. `consent`: ask again. `select_account`: choose the account. `create`: the sign-up screen first."},
		{Name: "max_age", Meaning: "The most seconds since the user has authenticated."},
		{Name: "login_hint", Meaning: "The e-mail address to fill in, or by whose domain the user is sent to an upstream provider."},
		{Name: "domain_hint", Meaning: "The domain of the users you expect. If it belongs to an upstream provider, the user is sent there to sign in; any other is ignored."},
		{Name: "id_token_hint", Meaning: "Whom to sign in: an ID token of your own application, which may have expired."},
		{Name: "claims", Meaning: "Single claims beside those of the scope, by where they go, as JSON such as `" + claimsExample + "` (OpenID Connect Core section 5.5). Ignored in the dialect `v3`." + verifiedClaims(i)},
		{Name: "acr_values", List: true, Meaning: "Classes of authentication that you would like, best first. A user who can reach one is asked to, by any factor that will do. No condition: for that, demand `acr` by `claims`."},
		{Name: "dpop_jkt", Meaning: "The SHA-256 thumbprint (RFC 7638) of the key that the code is to be bound to: only a token request with a proof of it gets tokens (RFC 9449 section 10). Ignored in the dialect `v3`."},
		{Name: "request", Meaning: "The whole request as a JWT that your application has signed (RFC 9101), with `iss` your `client_id`, `aud` the issuer and `exp` at most an hour ahead; each is good for one use. What is beside it does not count."},
		{Name: "request_uri", Meaning: "What the pushed authorization request endpoint has answered. What is beside it and `client_id` does not count."},
		{Name: "ui_locales", List: true, Meaning: "Languages of the screens, best first."},
		{Name: "display", Values: displays, Meaning: "`popup` lays the screens out for a small window."},
		{Name: "op", Values: []string{"signin", "signup"}, Meaning: "The screen that opens first."},
		{Name: "eid", Meaning: "Your identifier of the user, returned with the data."},
	}
	if len(i.Credentials) > 0 {
		all = append(all, Parameter{Name: "authorization_details", Meaning: "Which credentials a wallet asks for, as JSON such as `[{\"type\":\"openid_credential\",\"credential_configuration_id\":\"student\"}]`, instead of their scopes (OpenID for Verifiable Credential Issuance 1.0 section 5.1.1). Ignored in the dialect `v3`."})
	}
	return all
}

// verifiedExample asks when and under which rules somebody was verified.
const verifiedExample = `{"userinfo":{"verified_claims":{"verification":{"trust_framework":null,"time":null},"claims":{"group_student":null}}}}`

// verifiedClaims says how verified_claims are asked for, where they are.
func verifiedClaims(i Installation) string {
	if !i.VerifiedClaims {
		return ""
	}
	return " How and when groups of the scope were verified is asked for by `verified_claims`, such as `" + verifiedExample + "` (OpenID Connect for Identity Assurance 1.0 section 5); discovery lists what there is."
}

func authorizationErrors(i Installation) []Error {
	none, once := "Begin without `prompt=none`.", "Send each parameter once."
	all := []Error{
		{Code: "access_denied", Text: "The user did not allow it.", Remedy: "Offer another way; do not ask again by yourself."},
		{Code: "access_denied", Text: "The user is not a verified member of the group.", Remedy: "Your application is registered to require verification.", For: RequiringVerified},
		{Code: "access_denied", Text: "The user is not verified yet (verification_pending).", Remedy: "A verification of the user is under way. Offer to come back later.", For: RequiringVerified},
		{Code: "access_denied", Text: "The user may not use this application.", Remedy: "The operator refuses this user; the user has read why."},
		{Code: "access_denied", Text: "The account of the persona is locked.", Remedy: "`login_hint` names a persona whose account is locked.", For: InSandbox},
		{Code: "access_denied", Text: "The user may not sign in.", Remedy: "The session ended again and again while the request was under way. Begin anew."},
		{Code: "login_required", Text: "The request cannot be answered without asking the user.", Remedy: "Nobody is signed in, or somebody else than `id_token_hint` names. " + none, Example: []Change{with("prompt", "none")}},
		{Code: "login_required", Text: "It is not certain who is signed in.", Remedy: "The operator's own sign-in page does not keep its session. Tell the operator."},
		{Code: "unmet_authentication_requirements", Text: "The user cannot authenticate as the request demands.", Remedy: "Demand one of `acr_values_supported` of discovery, or send `acr_values`, which is a wish.", For: InStandard},
		{Code: "consent_required", Text: "The request cannot be answered without asking the user.", Remedy: "Consent is missing, or the scope has come to mean more. " + none, Example: []Change{with("prompt", "none")}, SignedIn: true},
		{Code: "interaction_required", Text: "The request cannot be answered without asking the user.", Remedy: "There are several scope values to pick from. Name one, or begin without `prompt=none`.", For: InV3, Example: []Change{with("scope", "openid"), with("prompt", "none")}},
		{Code: "invalid_request", Text: "A parameter is given more than once.", Remedy: once, Example: []Change{twice("scope")}},
		{Code: "invalid_request", Text: "A parameter is too long.", Remedy: "Keep to the limits; keep long values on your side.", Example: []Change{long("login_hint", 2049)}},
		{Code: "invalid_request", Text: "The parameter state is longer than 4096 bytes.", Remedy: "Keep long state on your side.", Example: []Change{long("state", 4097)}},
		{Code: "invalid_request", Text: "The parameter eid is longer than 255 characters.", Remedy: "Send a shorter identifier.", Example: []Change{long("eid", 256)}},
		{Code: "invalid_request", Text: "The request has too many parameters.", Remedy: "64 at most.", Example: []Change{crowd(64)}},
		{Code: "invalid_request", Text: "A parameter holds characters that are not allowed.", Remedy: "Send UTF-8 without control characters.", Example: []Change{with("nonce", "a\tb")}},
		{Code: "invalid_request", Text: "A state with control characters cannot be returned by form_post or in a JWT.", Remedy: "Use letters and digits; browsers change line breaks in forms."},
		{Code: "invalid_request", Text: "The parameter response_type is missing.", Remedy: "Send `response_type=code`.", Example: []Change{without("response_type")}},
		{Code: "invalid_request", Text: "The parameter nonce is required for this response_type.", Remedy: "Send a nonce, or use `response_type=code`.", For: InStandard, Example: []Change{with("response_type", "id_token"), without("nonce")}},
		{Code: "invalid_request", Text: "The parameter op is signin or signup.", Remedy: "As it says.", Example: []Change{with("op", "signout")}},
		{Code: "invalid_request", Text: "The parameter prompt has an unknown value.", Remedy: "Use `" + strings.Join(prompts, "`, `") + "`.", Example: []Change{with("prompt", "often")}},
		{Code: "invalid_request", Text: "prompt=none cannot be combined with another value.", Remedy: "As it says.", Example: []Change{with("prompt", "none login")}},
		{Code: "invalid_request", Text: "The parameter max_age is a number of seconds.", Remedy: "As it says.", Example: []Change{with("max_age", "soon")}},
		{Code: "invalid_request", Text: "This application must send a code_challenge.", Remedy: "Public clients use PKCE, and those that are registered so or have to push.", For: ForPublic, Example: []Change{without("code_challenge"), without("code_challenge_method")}},
		{Code: "invalid_request", Text: "code_challenge_method without code_challenge.", Remedy: "Send both.", Example: []Change{without("code_challenge")}},
		{Code: "invalid_request", Text: "The only code_challenge_method is S256, and it must be named.", Remedy: "Send `code_challenge_method=S256`.", Example: []Change{with("code_challenge_method", "plain")}},
		{Code: "invalid_request", Text: "code_challenge is not the base64url form of a SHA-256 digest.", Remedy: "43 characters, without padding.", Example: []Change{with("code_challenge", "short")}},
		{Code: "invalid_request", Text: "The parameter dpop_jkt is not the SHA-256 thumbprint of a key.", Remedy: "43 characters of base64url.", For: InStandard, Example: []Change{with("dpop_jkt", "nonsense")}},
		{Code: "invalid_request", Text: "The id_token_hint is not an ID token of this provider for this application.", Remedy: "Send one of your own; it may have expired.", Example: []Change{with("id_token_hint", "nonsense")}},
		{Code: "invalid_request", Text: "The parameter claims is not a JSON object as OpenID Connect Core section 5.5 has it.", Remedy: "Two members, `id_token` and `userinfo`, with a member for each claim: null, or an object.", For: InStandard, Example: []Change{with("claims", "email")}},
		{Code: "invalid_request", Text: "The login_hint names a persona that the sandbox does not have for this application.", Remedy: "Name one that it has behind `persona:`.", For: InSandbox},
		{Code: "invalid_scope", Text: "The parameter scope is missing.", Remedy: "Send one.", Example: []Change{without("scope")}},
		{Code: "invalid_scope", Text: "The scope is unknown, or this application may not ask for it.", Remedy: "Compare with `scopes_supported` of discovery, and with your registration.", Example: []Change{with("scope", "nonsense")}},
		{Code: "invalid_scope", Text: "This application has no scope value that the user could pick.", Remedy: "Name one, or register some.", For: InV3},
		{Code: "invalid_scope", Text: "An ID token needs the scope openid.", Remedy: "Add `openid`.", Example: []Change{with("response_type", "id_token"), with("scope", i.exampleScope())}},
		targetError(),
		{Code: "unsupported_response_type", Text: "This response_type is unknown.", Remedy: "Use `code`.", Example: []Change{with("response_type", "coupon")}},
		{Code: "unsupported_response_type", Text: "This response_type is unknown, or this application may not use it.", Remedy: "Register it, or use `code`.", For: WithCodeOnly, Example: []Change{with("response_type", "token")}},
		{Code: "unauthorized_client", Text: "This application may not use this grant.", Remedy: "Your registration does not have it."},
		{Code: "unsupported_response_mode", Text: "This response_mode is unknown.", Remedy: "Use `" + strings.Join(responseModes, "`, `") + "`.", Example: []Change{with("response_mode", "pigeon")}},
		{Code: "unsupported_response_mode", Text: "Tokens are never sent in a query.", Remedy: "Use `fragment` or `form_post` for tokens.", Example: []Change{with("response_type", "id_token"), with("response_mode", "query")}},
		{Code: "unsupported_response_mode", Text: "The responses to this application are signed: name the response_mode jwt.", Remedy: "Its registration has the profile `fapi2-signing`.", For: InStandard},
		{Code: "unsupported_response_mode", Text: "This response_mode is unknown, or not safe with the response_type.", Remedy: "Use `fragment` or `form_post` for tokens."},
	}
	all = append(all,
		Error{Code: "invalid_request", Text: "This application has to push its requests.", Remedy: "It is registered so: send the parameters to the pushed authorization request endpoint first."},
		Error{Code: "invalid_request", Text: "This application has to sign its requests.", Remedy: "It is registered so: send them as `request`."},
		Error{Code: "invalid_request_object", Text: objectRefused, Remedy: "Sign with a registered key, for each request anew. Your log says what is wrong with it.", Example: []Change{with("request", "x")}},
	)
	for _, name := range []struct{ name, code string }{
		{"request_uri", "request_uri_not_supported"}, {"registration", "registration_not_supported"},
	} {
		all = append(all, Error{Code: name.code, Text: "The parameter " + name.name + " is not supported.", Remedy: "Leave the parameter out.", Example: []Change{with(name.name, "x")}})
	}
	if i.VerifiedClaims {
		all = append(all, Error{Code: "invalid_request", Text: "The parameter claims has other verified_claims than OpenID Connect for Identity Assurance section 5 allows: …", Remedy: "The description says which rule."})
	}
	if len(i.Credentials) > 0 {
		all = append(all, detailsError())
	}
	return append(all,
		Error{Code: "invalid_request_uri", Text: "The request_uri is not registered, or there is no request object to read.", Remedy: "Where an address is allowed: register it, and let it answer with the signed JWT alone."},
		Error{Code: "temporarily_unavailable", Text: unavailable, Remedy: "The provider's database, or a system of the operator, does not answer. Try again."},
		Error{Code: "server_error", Text: failed, Remedy: "Tell the operator the time and your `client_id`."})
}

// targetError is the error about a resource, at both endpoints.
func targetError() Error {
	return Error{Code: "invalid_target", Text: "The resource is unknown, or this application may not ask for it.",
		Remedy: "Send the URI of an API as the operator has configured it, one that your application may use, or leave the parameter out.", Example: []Change{with("resource", "https://nonsense.example")}}
}

// resourceParameter names APIs that an access token is for.
func resourceParameter(meaning string) Parameter {
	return Parameter{Name: "resource", Meaning: meaning + " May come several times. `audience` means the same."}
}

const (
	unavailable = "The service cannot answer now. Please try again in a moment."
	failed      = "Something went wrong on our side. The request was not carried out."
)

// pages are the error pages of a request whose client or redirect URI cannot be trusted,
// so that nothing is ever redirected, and of what the user does.
func pages() []PageError {
	return []PageError{
		{400, "We don’t recognise this app", "The `client_id` is unknown, disabled or deleted.", []Change{with("client_id", "nobody")}},
		{400, "We stopped this request for your safety", "The `redirect_uri` or `post_logout_redirect_uri` is not registered, byte for byte. The sandbox lists what is.", []Change{with("redirect_uri", "https://elsewhere.example/")}},
		{400, "We couldn’t understand this request", "`client_id` or `redirect_uri` comes twice, or the query is not encoded correctly.", []Change{twice("client_id")}},
		{400, "This link no longer works", "The `request_uri` is unknown, expired, or of another application.", []Change{with("request_uri", "urn:ietf:params:oauth:request_uri:unknown")}},
		{400, "This took too long", "The user left the request open for too long.", nil},
		{400, "We lost track of this request", "It was begun in another browser, or without cookies.", nil},
		{403, "We couldn’t accept this form", "Another site has posted the form.", nil},
		{403, "We can’t find your account", "The user is gone or locked; you get `access_denied` when the user goes on.", nil},
		{404, "Page not found", "The address leads nowhere.", nil},
		{405, "Please start again", "The method is none of the endpoint.", []Change{method("DELETE")}},
		{413, "That’s too large", "The form is too large.", nil},
		{500, "Something went wrong on our side", "The operator's log has the request ID of the page.", nil},
		{503, "The service is unavailable right now", "The database, or a system of the operator, does not answer.", nil},
	}
}
