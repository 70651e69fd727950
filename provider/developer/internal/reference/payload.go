package reference

import (
	"strings"

	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// Payload is a JSON object that an endpoint answers with.
type Payload struct {
	Name, Title string
	Text        []string
	Members     []Member

	// Open marks an object that may have other members.
	Open bool
}

// Member is one of a JSON object.
type Member struct {
	Name string
	Type Type

	// InV3 is the type in the dialect v3, when it is another.
	InV3 Type

	// Always marks one that is always there; When says when it is else.
	Always  bool
	When    string
	Meaning string

	// Example is a value as JSON; empty when the example of the payload is without it.
	Example string
}

// Type is the JSON type of a member.
type Type string

// The types of members. An object and a list of objects name a payload after the colon.
const (
	TypeString  Type = "string"
	TypeInteger Type = "integer"
	TypeBoolean Type = "boolean"
	TypeDate    Type = "date"
	TypeAny     Type = "any"
	TypeStrings Type = "list of strings"
	typeObject  Type = "object: "
	typeObjects Type = "list of objects: "
)

func objects(payload string) Type { return typeObjects + Type(payload) }

func payloads(i Installation) []Payload {
	claims, asked := claimMembers(i), "openid "+i.exampleScope()
	group, subgroups, verified := i.statusExample()
	all := []Payload{
		{Name: "AuthorizationResponse", Title: "Authorization response",
			Text: []string{"The parameters that reach your redirect URI."},
			Members: []Member{
				{Name: "code", Type: TypeString, When: "asked for by `response_type`", Meaning: "To be redeemed at the token endpoint, once."},
				{Name: "access_token", Type: TypeString, When: "asked for by `response_type`", Meaning: "As in the token payload."},
				{Name: "token_type", Type: TypeString, When: "with `access_token`", Meaning: "`bearer`"},
				{Name: "expires_in", Type: TypeString, When: "with `access_token`", Meaning: "Its life in seconds."},
				{Name: "scope", Type: TypeString, When: "with `access_token`", Meaning: "What it is good for."},
				{Name: "id_token", Type: TypeString, When: "asked for by `response_type`", Meaning: "The ID token."},
				{Name: "response", Type: TypeString, When: "asked for by a `response_mode` with `jwt`", Meaning: "A signed JWT with all the other parameters; then it comes alone."},
				{Name: "error", Type: TypeString, When: "on an error", Meaning: "A code. Decide by it."},
				{Name: "error_description", Type: TypeString, When: "on an error", Meaning: "Text for developers, which may change."},
				{Name: "state", Type: TypeString, When: "the request had one", Meaning: "That of the request, byte for byte."},
				{Name: "iss", Type: TypeString, Always: true, Meaning: "The issuer (RFC 9207). Refuse a response of another.", Example: text(i.Issuer)},
			}},
		signedResponsePayload(i),
		{Name: "TokenPayload", Title: "Token payload", Members: []Member{
			{Name: "access_token", Type: TypeString, Always: true, Meaning: "Opens the data endpoints, in the header `Authorization`. Opaque, but for applications that are registered for JWT access tokens.", Example: `"at_4fGb0ZyX"`},
			{Name: "token_type", Type: TypeString, Always: true, Meaning: "`bearer`; `DPoP` when it is bound to a key.", Example: `"bearer"`},
			{Name: "expires_in", Type: TypeInteger, InV3: TypeString, Always: true, Meaning: "Life of the access token in seconds.", Example: `300`},
			{Name: "refresh_token", Type: TypeString, When: "with the grant `refresh_token`, and in the dialect `v3` always with a code", Meaning: "To be exchanged for new tokens, once.", Example: `"rt_9kLm2QwE"`},
			{Name: "refresh_expires_in", Type: TypeInteger, InV3: TypeString, When: "with `refresh_token`", Meaning: "Its life in seconds, while it is not used.", Example: `604800`},
			{Name: "scope", Type: TypeString, When: "there is any, which only `client_credentials` can lack", Meaning: "What was allowed, separated by spaces.", Example: text(asked)},
			{Name: "id_token", Type: TypeString, When: "with the scope `openid`", Meaning: "Who has signed in: a JWT.", Example: `"eyJhbGciOiJSUzI1NiIs…"`},
			{Name: "issued_token_type", Type: TypeString, When: "in exchange for a token (RFC 8693)", Meaning: "`" + typeAccessToken + "`"},
		}},
		{Name: "IDTokenHeader", Title: "Header of the ID token", Members: []Member{
			{Name: "alg", Type: TypeString, Always: true, Meaning: "`RS256`, or the `id_token_signed_response_alg` of your application. Accept nothing else.", Example: `"RS256"`},
			{Name: "kid", Type: TypeString, Always: true, Meaning: "The key of the key set.", Example: `"k1"`},
			{Name: "typ", Type: TypeString, Always: true, Meaning: "`JWT`", Example: `"JWT"`},
		}},
		{Name: "IDToken", Title: "Claims of the ID token", Open: true,
			Text: []string{"Which of the claims about the user appear depends on the scope, and on what is known. Use `sub` as the key of the user; it is never an e-mail address and never reused.",
				"An application that is registered for lean ID tokens finds the claims about the user at the userinfo endpoint: its ID tokens have those alone that `claims` asks for there, and with `response_type=id_token`, which brings no access token, all."},
			Members: append([]Member{
				{Name: "iss", Type: TypeString, Always: true, Meaning: "The issuer.", Example: text(i.Issuer)},
				{Name: "sub", Type: TypeString, Always: true, Meaning: "The user.", Example: `"f3a1c9d27b5e4c0e8a6f"`},
				{Name: "aud", Type: TypeString, Always: true, Meaning: "Your `client_id`.", Example: `"your-client-id"`},
				{Name: "exp", Type: TypeInteger, Always: true, Meaning: "When it expires, in seconds since 1970.", Example: `1773324600`},
				{Name: "iat", Type: TypeInteger, Always: true, Meaning: "When it was issued.", Example: `1773324300`},
				{Name: "auth_time", Type: TypeInteger, When: "known", Meaning: "When the user has signed in; a refresh does not change it.", Example: `1773324290`},
				{Name: "acr", Type: TypeString, Always: true, Meaning: "How well the user has signed in, as a class: the first of those that the request asked for and that was reached, or else `https://refeds.org/profile/sfa` for one factor, `https://refeds.org/profile/mfa` for two, `phr` for a passkey.", Example: `"https://refeds.org/profile/sfa"`},
				{Name: "amr", Type: TypeStrings, When: "known", Meaning: "How the user has signed in (RFC 8176).", Example: `["pwd"]`},
				{Name: "nonce", Type: TypeString, When: "the request had one", Meaning: "That of the request.", Example: `"n-0S6_WzA2Mj"`},
				{Name: "sid", Type: TypeString, When: "the client has `backchannel_logout_uri` or is the host's own, and the session is known", Meaning: "Names the session of the user to this client; logout tokens have the same.", Example: `"gUkQGFkHqYxZ0bNdd8Qh6w"`},
				{Name: "at_hash", Type: TypeString, When: "there is an access token beside it", Meaning: "Half of the digest of the access token."},
				{Name: "c_hash", Type: TypeString, When: "there is a code beside it", Meaning: "Half of the digest of the code."},
			}, claims...)},
		accessTokenPayload(i),
		logoutTokenPayload(i),
		{Name: "Userinfo", Title: "Userinfo", Open: true,
			Members: append([]Member{{Name: "sub", Type: TypeString, Always: true, Meaning: "The user. Compare it with the ID token.", Example: `"f3a1c9d27b5e4c0e8a6f"`}}, claims...)},
		{Name: "Attributes", Title: "Attributes", Members: []Member{
			{Name: "attributes", Type: objects("Attribute"), Always: true, Meaning: "What the scope releases and is known. Index it by `handle`: what is not known is left out.", Example: "[{\"handle\": \"fname\", \"name\": \"First name\", \"value\": \"Maria\"}]"},
			{Name: "status", Type: objects("Status"), Always: true, Meaning: "The groups that the scope releases, each once.", Example: i.statusList()},
		}},
		{Name: "Attribute", Title: "Attribute", Members: []Member{
			{Name: "handle", Type: TypeString, Always: true, Meaning: "The machine name.", Example: `"fname"`},
			{Name: "name", Type: TypeString, Always: true, Meaning: "A label for people.", Example: `"First name"`},
			{Name: "value", Type: TypeAny, Always: true, Meaning: "Of the type of the attribute.", Example: `"Maria"`},
		}},
		{Name: "Status", Title: "Group status", Members: []Member{
			{Name: "group", Type: TypeString, Always: true, Meaning: "The group.", Example: group},
			{Name: "subgroups", Type: TypeStrings, Always: true, Meaning: "The parts of it that the user belongs to; none when not verified.", Example: subgroups},
			{Name: "verified", Type: TypeBoolean, Always: true, Meaning: "Whether the user belongs to the group.", Example: verified},
		}},
		{Name: "Introspection", Title: "Introspection response", Members: []Member{
			{Name: "active", Type: TypeBoolean, Always: true, Meaning: "Whether the token is in force, and yours, or for an API of yours.", Example: `true`},
			{Name: "scope", Type: TypeString, When: "active", Meaning: "What it is good for.", Example: text(asked)},
			{Name: "client_id", Type: TypeString, When: "active", Meaning: "The application that the token was issued to.", Example: `"your-client-id"`},
			{Name: "sub", Type: TypeString, When: "active", Meaning: "The user; your `client_id` for a token of `client_credentials`.", Example: `"f3a1c9d27b5e4c0e8a6f"`},
			{Name: "iss", Type: TypeString, When: "active", Meaning: "The issuer.", Example: text(i.Issuer)},
			{Name: "aud", Type: TypeAny, When: "active, for a token that is for an API", Meaning: "The URI of the API, or a list of several, with the issuer when the token is for the data endpoints, too."},
			{Name: "token_type", Type: TypeString, When: "active, for an access token", Meaning: "`bearer`; `DPoP` when it is bound to a key.", Example: `"bearer"`},
			{Name: "exp", Type: TypeInteger, When: "active", Meaning: "When it expires, in seconds since 1970.", Example: `1773324600`},
			{Name: "iat", Type: TypeInteger, When: "active", Meaning: "When it was issued.", Example: `1773324300`},
			{Name: "acr", Type: TypeString, When: "active, and a user has signed in", Meaning: "How well, as in the ID token (RFC 9470).", Example: `"https://refeds.org/profile/sfa"`},
			{Name: "auth_time", Type: TypeInteger, When: "active, and a user has signed in", Meaning: "When.", Example: `1773324290`},
			{Name: "cnf", Type: TypeAny, When: "active, and bound to a key", Meaning: "`jkt`, the SHA-256 thumbprint of the key (RFC 9449 section 6). The API compares it with that of the proof."},
			{Name: "act", Type: TypeAny, When: "active, and an API has exchanged a token for it", Meaning: "Who acts for the user: `sub` is the `client_id` of an API that was called before this one (RFC 8693 section 4.1), and another `act` in it the one before that."},
		}},
		{Name: "PushedRequest", Title: "Pushed authorization request", Members: []Member{
			{Name: "request_uri", Type: TypeString, Always: true, Meaning: "What to send the user with.", Example: `"urn:ietf:params:oauth:request_uri:pZ0x"`},
			{Name: "expires_in", Type: TypeInteger, Always: true, Meaning: "How many seconds it lives.", Example: `90`},
		}},
		discoveryPayload(i),
		{Name: "KeySet", Title: "JSON Web Key Set", Members: []Member{{Name: "keys", Type: objects("Key"), Always: true, Meaning: "The public keys."}}},
		{Name: "Key", Title: "JSON Web Key", Members: []Member{
			{Name: "kty", Type: TypeString, Always: true, Meaning: "`RSA`; `EC` or `OKP` for keys of ES256 and EdDSA"},
			{Name: "use", Type: TypeString, Always: true, Meaning: "`sig`"},
			{Name: "alg", Type: TypeString, Always: true, Meaning: "Its only algorithm. Those of `RS256` come first; skip what you do not know."},
			{Name: "kid", Type: TypeString, Always: true, Meaning: "The name that tokens call it by."},
			{Name: "n", Type: TypeString, When: "`kty` is `RSA`", Meaning: "The modulus."},
			{Name: "e", Type: TypeString, When: "`kty` is `RSA`", Meaning: "The exponent."},
			{Name: "crv", Type: TypeString, When: "`kty` is `EC` or `OKP`", Meaning: "`P-256` or `Ed25519`"},
			{Name: "x", Type: TypeString, When: "`kty` is `EC` or `OKP`", Meaning: "The point, or its first coordinate."},
			{Name: "y", Type: TypeString, When: "`kty` is `EC`", Meaning: "Its second coordinate."},
		}},
		{Name: "Error", Title: "Error", Text: []string{"Decide by `error`. The description is fixed English text for developers, repeats no input, and may change."},
			Members: []Member{
				{Name: "error", Type: TypeString, Always: true, Meaning: "A code.", Example: `"invalid_grant"`},
				{Name: "error_description", Type: TypeString, Always: true, Meaning: "What is wrong.", Example: `"The code_verifier does not fit the code_challenge."`},
			}},
	}
	if i.Devices {
		all = append(all, deviceAuthorizationPayload(i))
	}
	if i.RegistersByToken {
		all = append(all, registrationPayload())
	}
	for _, a := range i.handles() {
		if a.Type == catalogue.Objects || a.Type == catalogue.Object {
			all = append(all, listed(a))
		}
	}
	return all
}

// claimMembers are the claims about the user.
func claimMembers(i Installation) []Member {
	var members []Member
	for _, a := range i.handles() {
		members = append(members, Member{Name: a.Handle, Type: typeOf(a), When: "released and known", Meaning: a.Name + ".", Example: i.valueExample(a.Handle)})
		if a.Handle == "email" && !i.releases("email_verified") {
			members = append(members, Member{Name: "email_verified", Type: TypeBoolean, When: "beside `email`, in the dialect `standard`",
				Meaning: "Whether the user has shown that the address is theirs.", Example: i.valueExample("email_verified")})
		}
	}
	return append(members, Member{Name: "status", Type: objects("Status"), When: "the scope releases a group", Meaning: "The groups that the scope releases.", Example: i.statusList()})
}

func typeOf(a catalogue.Attribute) Type {
	switch a.Type {
	case catalogue.Integer:
		return TypeInteger
	case catalogue.Date:
		return TypeDate
	case catalogue.Boolean:
		return TypeBoolean
	case catalogue.Strings:
		return TypeStrings
	case catalogue.Object:
		return typeObject + Type(payloadName(a.Handle))
	case catalogue.Objects:
		return objects(payloadName(a.Handle))
	default:
		return TypeString
	}
}

// listed is the object of an attribute, or one of its list.
func listed(a catalogue.Attribute) Payload {
	p := Payload{Name: payloadName(a.Handle), Title: a.Name}
	if a.Type == catalogue.Objects {
		p.Title = "One of " + a.Name
	}
	for _, name := range a.Members {
		p.Members = append(p.Members, Member{Name: name, Type: TypeString, When: "known"})
	}
	return p
}

// payloadName is the name of the payload for an object of an attribute.
func payloadName(handle string) string { return "Item_" + strings.ReplaceAll(handle, ":", ".") }

func discoveryPayload(i Installation) Payload {
	p := Payload{Name: "Discovery", Title: "Provider metadata", Open: true}
	for _, m := range []struct {
		name    string
		kind    Type
		meaning string
	}{
		{"issuer", TypeString, "The issuer."},
		{"authorization_endpoint", TypeString, "Its address."},
		{"token_endpoint", TypeString, "Its address."},
		{"userinfo_endpoint", TypeString, "Its address."},
		{"jwks_uri", TypeString, "The address of the key set."},
		{"revocation_endpoint", TypeString, "Its address."},
		{"introspection_endpoint", TypeString, "Its address."},
		{"end_session_endpoint", TypeString, "The address of sign-out."},
		{"backchannel_logout_supported", TypeBoolean, "Whether clients are told that a session has ended."},
		{"backchannel_logout_session_supported", TypeBoolean, "Whether logout tokens, and ID tokens of clients that get them, always have `sid`."},
		{"scopes_supported", TypeStrings, "All scope values."},
		{"response_types_supported", TypeStrings, "Those of the authorization endpoint."},
		{"response_modes_supported", TypeStrings, "Those of the authorization endpoint."},
		{"grant_types_supported", TypeStrings, "Those of both endpoints."},
		{"subject_types_supported", TypeStrings, "`public`: every application knows a user by the same `sub`."},
		{"id_token_signing_alg_values_supported", TypeStrings, "How ID tokens can be signed: `RS256`, and others that are switched on."},
		{"authorization_signing_alg_values_supported", TypeStrings, "How responses of the authorization endpoint can be signed."},
		{"userinfo_signing_alg_values_supported", TypeStrings, "How userinfo can be signed."},
		{"token_endpoint_auth_methods_supported", TypeStrings, "How applications authenticate."},
		{"revocation_endpoint_auth_methods_supported", TypeStrings, "How applications authenticate."},
		{"introspection_endpoint_auth_methods_supported", TypeStrings, "How applications authenticate."},
		{"token_endpoint_auth_signing_alg_values_supported", TypeStrings, "How assertions may be signed."},
		{"revocation_endpoint_auth_signing_alg_values_supported", TypeStrings, "How assertions may be signed."},
		{"introspection_endpoint_auth_signing_alg_values_supported", TypeStrings, "How assertions may be signed."},
		{"request_object_signing_alg_values_supported", TypeStrings, "How request objects may be signed."},
		{"pushed_authorization_request_endpoint", TypeString, "Its address."},
		{"require_pushed_authorization_requests", TypeBoolean, "`false`: only of applications that are registered so."},
		{"code_challenge_methods_supported", TypeStrings, "`S256`"},
		{"claims_supported", TypeStrings, "All claims that may appear."},
		{"claim_types_supported", TypeStrings, "`normal`"},
		{"acr_values_supported", TypeStrings, "The classes of authentication that users can reach, the weakest first. `single_factor` and `multi_factor`, the former names of the first two, are still understood."},
		{"prompt_values_supported", TypeStrings, "Values of `prompt`."},
		{"display_values_supported", TypeStrings, "Values of `display`."},
		{"ui_locales_supported", TypeStrings, "Languages of the screens."},
		{"authorization_response_iss_parameter_supported", TypeBoolean, "`true`: responses carry `iss`."},
		{"claims_parameter_supported", TypeBoolean, "`true`"},
		{"dpop_signing_alg_values_supported", TypeStrings, "Algorithms of DPoP proofs, in the dialect `standard`."},
		{"request_parameter_supported", TypeBoolean, "`true`: request objects, signed"},
		{"request_uri_parameter_supported", TypeBoolean, "Whether registered addresses of request objects are fetched. The `request_uri` of a pushed request is another thing."},
	} {
		p.Members = append(p.Members, Member{Name: m.name, Type: m.kind, Always: true, Meaning: m.meaning})
	}
	if i.Devices {
		p.Members = append(p.Members, Member{Name: "device_authorization_endpoint", Type: TypeString, Always: true, Meaning: "Its address."})
	}
	if i.RegistersByToken {
		p.Members = append(p.Members, Member{Name: "registration_endpoint", Type: TypeString, Always: true, Meaning: "Its address."})
	}
	if i.Documents {
		p.Members = append(p.Members, Member{Name: "client_id_metadata_document_supported", Type: TypeBoolean, Always: true, Meaning: "`true`: the https address of a metadata document can be a `client_id`."})
	}
	return p
}

// payload returns the payload of this name.
func (d *Document) payload(name string) Payload {
	for _, p := range d.Payloads {
		if p.Name == name {
			return p
		}
	}
	return Payload{}
}
