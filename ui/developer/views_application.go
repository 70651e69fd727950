package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The names of the fields of an application's registration. A field that has several
// values to choose from posts each of them as a name of its own: FieldScopes, a dot and
// the value, of which spaces are dashes.
const (
	FieldDialect                = "dialect"
	FieldRedirectURIs           = "redirect_uris"
	FieldProgram                = "program"
	FieldPostLogoutRedirectURIs = "post_logout_redirect_uris"
	FieldOrigins                = "origins"
	FieldScopes                 = "scopes"
	FieldOptionalScopes         = "optional_scopes"
	FieldAuthMethod             = "token_endpoint_auth_method"
	FieldUserinfoSigned         = "userinfo_signed"
	FieldNoQueryToken           = "no_query_token"
	FieldNoJSONP                = "no_jsonp"
	FieldRequireVerified        = "require_verified"
	FieldRequires               = "requires"
	FieldInitiateLoginURI       = "initiate_login_uri"
	FieldPolicyURL              = "policy_uri"
	FieldTermsURL               = "tos_uri"
	FieldLeanIDTokens           = "lean_id_tokens"
	FieldAccessTokenFormat      = "access_token_format"
	FieldDPoPBound              = "dpop_bound_access_tokens"
	FieldBackchannelSession     = "backchannel_logout_session_required"
	FieldAuthSigningAlg         = "token_endpoint_auth_signing_alg"
	FieldRequirePushed          = "require_pushed_authorization_requests"
	FieldRequirePKCE            = "require_pkce"
	FieldRequireSigned          = "require_signed_request_object"
	FieldRequestSigningAlg      = "request_object_signing_alg"
	FieldIDTokenAlg             = "id_token_signed_response_alg"
	FieldUserinfoAlg            = "userinfo_signed_response_alg"
	FieldResponseAlg            = "authorization_signed_response_alg"
	FieldProfile                = "profile"
	FieldDevices                = "device_grant"
)

// AnyAlg is the value of [FieldAuthSigningAlg] and [FieldRequestSigningAlg] for whichever
// is supported.
const AnyAlg = "any"

// NoProfile is the value of [FieldProfile] for none; the others are the names of the profiles.
const NoProfile = "none"

// AnySignIn is the value of [FieldRequires] for no requirement; the others are the words of
// the levels.
const AnySignIn = "any"

// The values of [ui.FieldAction] on the pages of an application.
const (
	ActionReveal  = "reveal"
	ActionCopy    = "copy"
	ActionEnable  = "enable"
	ActionDisable = "disable"
	ActionRotate  = "rotate"
	ActionRevoke  = "revoke"
)

// FieldOverlap is for how long the former secrets of an application stay valid, one of
// the values below, and FieldSecret which of them is to end.
const (
	FieldOverlap = "overlap"
	FieldSecret  = "secret"
)

// The values of [FieldOverlap].
const (
	OverlapNone = "none"
	OverlapHour = "hour"
	OverlapDay  = "day"
	OverlapWeek = "week"
)

// Scope is a scope that an application may ask for.
type Scope struct {
	Name        string
	Title, Text ui.Label
	Chosen      bool
}

// Value is one of several values of a field.
type Value struct {
	Value  string
	Chosen bool
}

// RegisterView is the form of a new application. It posts [ui.FieldName],
// [ui.FieldKind], [FieldDialect], [FieldRedirectURIs] with an address a line, and
// [FieldScopes].
type RegisterView struct {
	Page
	ui.Form
	// Name, Kind, Dialect and RedirectURIs are what the fields show.
	Name, Kind, Dialect, RedirectURIs string
	// Kinds are those to choose from.
	Kinds  []string
	Scopes []Scope
	// Programs of others can be chosen, which [FieldProgram] names, and Program is the one that is.
	Programs []Program
	Program  Program
	// CheckURL says whether the addresses of a field are right.
	CheckURL string
	// Unreviewed says that people will read that nobody has reviewed the application.
	Unreviewed bool
}

// Program is one of others, and the settings that it does not work without. It is Local while the redirect
// URIs are those on the developer's own computer.
type Program struct {
	ID, Title string
	Local     bool
	Needs     []string
}

// OverviewView is the page of an application. It posts [ui.FieldAction] with
// [ActionReveal] or [ActionCopy].
type OverviewView struct {
	Page
	ui.Form
	Name, ClientID, Kind, Dialect string
	LogoURL                       string
	// Public applications have no secret, and those that sign with a key of their own have
	// none either; Secret is shown once, and Hint is how it ends.
	Public, ByKey bool
	Secret, Hint  string
	// Disabled and Unreviewed are its state.
	Disabled, Unreviewed bool
	// Incomplete says that there is no registration, because registering or deleting it
	// was interrupted.
	Incomplete bool
	// Deleting says that it is being deleted: there is nothing else to see.
	Deleting     bool
	Issuer       string
	DiscoveryURL string
	Endpoints    []Endpoint
	RedirectURIs []string
	// MayChange shows what developers may do.
	MayChange bool
	// SecretsURL, SamplesURL, TryURL, AccessURL and DeleteURL lead to other pages; one
	// that is empty is not there.
	SecretsURL, SamplesURL, TryURL, AccessURL, DeleteURL string
	// CopyTo is the environment that it can be copied to, or empty.
	CopyTo Environment
	// LeftBehind are the addresses of the sandbox that a copy in production does not have.
	// NeedsRedirect says that none would be left, so that it cannot be copied.
	LeftBehind    []string
	NeedsRedirect bool
}

// Endpoint is an address of the provider, by its name in the discovery document,
// or [EndpointMetadata].
type Endpoint struct{ Name, URL string }

// EndpointMetadata names the address at which clients of OAuth look for the discovery
// document.
const EndpointMetadata = "oauth_authorization_server"

// SettingsView is the registration of an application. It posts its fields and
// [FieldVersion] with [ActionSave], or [FieldVersion] with [ActionDisable] or
// [ActionEnable].
type SettingsView struct {
	Page
	ui.Form
	// Version is what was read.
	Version string
	Registration
	// MayChange makes the fields those of a form.
	MayChange, Disabled bool
	// CheckURL says whether the addresses of a field are right.
	CheckURL string
	// There is what somebody else has saved meanwhile, beside what is entered.
	There []ChangedField
	// DeleteURL leads to the page that deletes the application.
	DeleteURL string
}

// Registration is what the fields of a registration show, lists with an entry a
// line.
type Registration struct {
	Name, Kind, Dialect                           string
	Public                                        bool
	RedirectURIs, PostLogoutRedirectURIs, Origins string
	// OptionalScopes are those that users may leave out; none in the dialect v3.
	Scopes, OptionalScopes                []Scope
	ResponseTypes, GrantTypes             []Value
	AuthMethod                            string
	UserinfoSigned, NoQueryToken, NoJSONP bool
	RequireVerified                       bool
	// SignIns are the sign-ins that it can require, SignIn the one that it does. AddsFactors
	// says that users who have no such factor are asked to add it.
	SignIns             []string
	SignIn              string
	AddsFactors         bool
	PolicyURL, TermsURL string
	InitiateLoginURI    string

	LeanIDTokens, JWTAccessTokens, DPoPBound bool
	// SigningAlgs are those with which the provider can sign; with one there is no choice.
	SigningAlgs                          []string
	IDTokenAlg, UserinfoAlg, ResponseAlg string
	// Profiles are those to choose from besides [NoProfile], and Profile the chosen one.
	Profiles []string
	Profile  string
	// HasDevices says that it has the grant of devices, MayHaveDevices that developers choose
	// it. DevicesURL leads to how it works.
	HasDevices, MayHaveDevices bool
	DevicesURL                 string
	// Resources are the APIs that it may ask access tokens for, Name being the URI.
	Resources            []Scope
	BackchannelLogoutURI string
	BackchannelSession   bool
	// JWKS is a key set, JWKSURI the address of one.
	JWKS, JWKSURI string
	// Algs are those that can sign; AuthSigningAlg and RequestSigningAlg the one that is
	// accepted, or [AnyAlg].
	Algs                                      []string
	AuthSigningAlg, RequestSigningAlg         string
	RequirePushed, RequirePKCE, RequireSigned bool
}

// DeleteView deletes an application. It posts [ui.FieldConfirm].
type DeleteView struct {
	Page
	ui.Form
	// Name has to be typed.
	Name string
}

// SecretsView lists the secrets of an application. It posts [ui.FieldAction] and
// [FieldVersion] with [ActionRotate] ([FieldOverlap]), [ActionEnd] ([FieldSecret]) or
// [ActionRevoke].
type SecretsView struct {
	Page
	ui.Form
	Version string
	// Public applications have none, and those that sign with a key of their own have none
	// either: the keys are at SettingsURL, a fragment that opens the part they are in.
	Public, ByKey bool
	SettingsURL   string
	Secrets       []Secret
	// Secret is one that was just made; it is shown once.
	Secret string
	// Managed says that a program has a token for the registration.
	Managed bool
}

// Secret is a secret of an application.
type Secret struct {
	// ID is posted to end it.
	ID string
	// Hint is how it ends.
	Hint string
	// Created is zero where nobody knows; Expires for one that stays; LastUsed for one
	// that was never used.
	Created, Expires, LastUsed time.Time
	// Newest is the one to use.
	Newest bool
}
