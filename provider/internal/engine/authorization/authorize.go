package authorization

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Request is an authorization request (RFC 6749 section 4.1.1, OpenID
// Connect Core section 3.1.2.1) that has been checked.
type Request struct {
	// Form is the request as it counts, to be read again later.
	Form url.Values

	Client       *registry.Client
	RedirectURI  string
	RedirectSent bool
	ResponseType string

	// Mode is how the response reaches the client, Signed that it is a JWT (JARM).
	Mode   protocol.ResponseMode
	Signed bool

	Scopes []string

	// Ignored are scope values of the request that are not among Scopes: they mean
	// nothing here.
	Ignored []string

	// Resources are the URIs of those that tokens are asked for; nil for the provider's
	// own endpoints only.
	Resources []string

	// Choices are the scope values of which the user picks one, which is Picked, and
	// until then not among Scopes; none when nothing is to be picked.
	Choices []string
	Picked  string

	// Optional are those of Scopes that the user may leave out.
	Optional []string

	// State is returned byte for byte; StateSent reports whether there was one.
	State     string
	StateSent bool

	Nonce     string
	EID       string
	Op        string
	Prompt    []string
	LoginHint string

	// DomainHint is the domain of the users that the client expects, who may have an upstream
	// provider of their own; it is no parameter of a standard.
	DomainHint string

	IDToken   string // id_token_hint
	UILocales string
	Display   string
	Challenge string

	// JKT is the thumbprint of the key to which the code is bound (RFC 9449 section 10), or
	// zero.
	JKT storage.Digest

	// Claims are asked for beside the scopes; acr_values is among them.
	Claims ClaimsRequest

	// MaxAge is the longest time since the user authenticated, or negative for
	// any.
	MaxAge time.Duration

	// asked are the values of the parameter scope.
	asked []string
}

// OpenID reports whether the request is one of OpenID Connect.
func (r *Request) OpenID() bool { return slices.Contains(r.Scopes, protocol.ScopeOpenID) }

// HasPrompt reports whether prompt holds this value.
func (r *Request) HasPrompt(value string) bool { return slices.Contains(r.Prompt, value) }

// Returns reports whether the response type asks for code, token or id_token.
func (r *Request) Returns(value string) bool {
	for v := range strings.SplitSeq(r.ResponseType, " ") {
		if v == value {
			return true
		}
	}
	return false
}

// Values of the parameters prompt and op.
const (
	PromptNone          = "none"
	PromptLogin         = "login"
	PromptConsent       = "consent"
	PromptSelectAccount = "select_account"
	PromptCreate        = "create"

	OpSignIn = "signin"
	OpSignUp = "signup"
)

// Reader reads authorization requests: it knows what there is to ask for.
type Reader struct {
	// Addresses decides which redirect URIs are accepted.
	Addresses registry.Addresses

	// Resources are the APIs that access tokens can be for.
	Resources registry.Resources

	// Scopes are the scope values of the catalogue, in its order. ScopeKnown reports whether
	// one is among them.
	Scopes     []string
	ScopeKnown func(scope string) bool

	// Verified reads requests for verified_claims; nil ignores them.
	Verified VerifiedReader

	// Details reads authorization_details; nil ignores them, and has no scopes of credentials.
	Details DetailReader
}

// Identify reads of a client's request where its response goes, and how: it matches the
// redirect URI, and chooses the response mode of any other error. When it fails the
// redirect URI cannot be trusted: show the error on a page and never redirect (RFC 6749
// section 4.1.2.1).
func (a Reader) Identify(client *registry.Client, form url.Values) (Request, error) {
	if len(form["redirect_uri"]) > 1 {
		return Request{}, input.Repeated("redirect_uri")
	}
	r := Request{Form: form, Client: client, MaxAge: -1}
	a.readScopes(&r)
	r.RedirectURI = form.Get("redirect_uri")
	r.RedirectSent = form.Has("redirect_uri")
	if !r.RedirectSent && len(client.RedirectURIs) == 1 && !r.OpenID() && !client.NeedsRedirectURI() {
		r.RedirectURI = client.RedirectURIs[0]
	}
	if !a.Addresses.Matches(client, r.RedirectURI) {
		return Request{}, &RedirectError{Client: client, Sent: r.RedirectURI}
	}
	r.ResponseType = canonicalResponseType(form.Get("response_type"))
	r.Mode, r.Signed = responseMode(client, form)
	if states := form["state"]; len(states) == 1 && len(states[0]) <= input.MaxState && r.mayReturn(states[0]) {
		r.State, r.StateSent = states[0], true
	}
	return r, nil
}

// Read reads the rest of a request that has been identified, and refuses what cannot be
// answered. Its errors belong to the client: they go to the redirect URI.
func (a Reader) Read(r *Request) (err error) {
	if err := r.parse(r.Form, a.Verified); err != nil {
		return err
	}
	if err := a.checkResponseType(r); err != nil {
		return err
	}
	if r.Resources, err = a.Resources.Named(r.Form, r.Client); err != nil {
		return err
	}
	if err := a.readDetails(r); err != nil {
		return err
	}
	a.askForTheirs(r)
	r.Resources = a.Resources.Beside(r.Resources)
	if err := a.ignoreScopes(r); err != nil {
		return err
	}
	if err := a.checkRules(r); err != nil {
		return err
	}
	r.readOptional()
	return nil
}

// RedirectError says that the redirect URI is not one of the client's.
type RedirectError struct {
	Client *registry.Client
	Sent   string
}

// Diagnosed returns the error as one of the protocol, for those who build the
// application.
func (e *RedirectError) Diagnosed() *protocol.Error {
	mistaken := protocol.Fail(protocol.InvalidRequest, "").Because(diagnosis.RedirectURINotRegistered)
	mistaken.Details = diagnosis.Unregistered("redirect_uri", e.Sent, e.Client.RedirectURIs)
	return mistaken
}

func (e *RedirectError) Error() string {
	return "engine: redirect_uri is not registered for client " + strconv.Quote(e.Client.ID)
}

// parse reads the parameters, one rule each.
func (r *Request) parse(form url.Values, verified VerifiedReader) error {
	if err := input.CheckForm(form); err != nil {
		return err
	}
	if err := r.checkMode(form.Get("response_mode")); err != nil {
		return err
	}
	if !r.mayReturn(form.Get("state")) {
		return protocol.Fail(protocol.InvalidRequest, "A state with control characters cannot be returned by form_post or in a JWT.").
			Because(diagnosis.ParameterMalformed, "parameter", "state")
	}
	for _, p := range unsupported {
		if form.Has(p.name) {
			return protocol.Fail(p.code, "The parameter "+p.name+" is not supported.").Because(diagnosis.ParameterUnsupported, "parameter", p.name)
		}
	}
	r.Nonce, r.LoginHint, r.IDToken = form.Get("nonce"), form.Get("login_hint"), form.Get("id_token_hint")
	r.DomainHint = form.Get("domain_hint")
	r.UILocales, r.Display = form.Get("ui_locales"), form.Get("display")
	r.Challenge = form.Get("code_challenge")
	r.EID = form.Get("eid")
	if len(r.EID) > 255 {
		return protocol.Fail(protocol.InvalidRequest, "The parameter eid is longer than 255 characters.").Because(diagnosis.ParameterMalformed, "parameter", "eid")
	}
	r.Op = form.Get("op")
	if !slices.Contains([]string{"", OpSignIn, OpSignUp}, r.Op) {
		return protocol.Fail(protocol.InvalidRequest, "The parameter op is signin or signup.").Because(diagnosis.ParameterMalformed, "parameter", "op")
	}
	if err := r.parsePrompt(form.Get("prompt")); err != nil {
		return err
	}
	if err := r.parseMaxAge(form); err != nil {
		return err
	}
	if err := r.parseJKT(form); err != nil {
		return err
	}
	return r.parseClaims(form, verified)
}

// parseJKT reads the thumbprint of a key. A client that sends one relies on it: it is never
// ignored where the dialect has it.
func (r *Request) parseJKT(form url.Values) error {
	if !r.Client.Dialect.DPoP || !form.Has("dpop_jkt") {
		return nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(form.Get("dpop_jkt"))
	if err != nil || len(raw) != len(r.JKT) {
		return protocol.Fail(protocol.InvalidRequest, "The parameter dpop_jkt is not the SHA-256 thumbprint of a key.").
			Because(diagnosis.ParameterMalformed, "parameter", "dpop_jkt")
	}
	copy(r.JKT[:], raw)
	return nil
}

// unsupported parameters are refused instead of ignored, because a client that
// sends one relies on it. What request holds, or the address in request_uri, has been
// taken out by then.
var unsupported = []struct{ name, code string }{
	{"request_uri", protocol.RequestURINotSupported},
	{"request", protocol.InvalidRequestObject},
	{"registration", protocol.RegistrationUnsupported},
}

func (r *Request) parsePrompt(prompt string) error {
	r.Prompt = input.Values(prompt)
	for _, p := range r.Prompt {
		switch p {
		case PromptNone, PromptLogin, PromptConsent, PromptSelectAccount, PromptCreate:
		default:
			return protocol.Fail(protocol.InvalidRequest, "The parameter prompt has an unknown value.").Because(diagnosis.ParameterMalformed, "parameter", "prompt")
		}
	}
	if r.HasPrompt(PromptNone) && len(r.Prompt) > 1 {
		return protocol.Fail(protocol.InvalidRequest, "prompt=none cannot be combined with another value.").Because(diagnosis.ParameterMalformed, "parameter", "prompt")
	}
	return nil
}

func (r *Request) parseMaxAge(form url.Values) error {
	if !form.Has("max_age") {
		return nil
	}
	seconds, err := strconv.ParseUint(form.Get("max_age"), 10, 31)
	if err != nil {
		return protocol.Fail(protocol.InvalidRequest, "The parameter max_age is a number of seconds.").Because(diagnosis.ParameterMalformed, "parameter", "max_age")
	}
	r.MaxAge = time.Duration(seconds) * time.Second
	return nil
}

// parseClaims reads what is asked for beside the scopes. Without openid there is neither
// an ID token nor userinfo to put it into.
func (r *Request) parseClaims(form url.Values, verified VerifiedReader) (err error) {
	var asked ClaimsRequest
	if r.Client.Dialect.ClaimsParameter {
		if asked, err = parseClaims(form.Get("claims"), verified); err != nil {
			return err
		}
	}
	if r.OpenID() {
		r.Claims = asked.withClasses(input.Values(form.Get("acr_values")))
	}
	return nil
}

// checkResponseType comes before all that depends on what is asked for: an application that
// may not ask in this way learns that, and not what else is wrong.
func (a Reader) checkResponseType(r *Request) error {
	switch {
	case r.Form.Get("response_type") == "":
		return protocol.Fail(protocol.InvalidRequest, "The parameter response_type is missing.").Because(diagnosis.ParameterMissing, "parameter", "response_type")
	case r.ResponseType == "":
		return protocol.Fail(protocol.UnsupportedResponseType, "This response_type is unknown.").
			Because(diagnosis.ResponseTypeUnknown, "response_type", r.Form.Get("response_type"))
	case !slices.Contains(r.Client.AllowedResponseTypes(), r.ResponseType):
		return a.Diagnose(r, protocol.Refused(protocol.UnsupportedResponseType))
	}
	return nil
}

// checkRules holds what fosite does not know.
func (a Reader) checkRules(r *Request) error {
	switch {
	case len(r.asked) == 0:
		return protocol.Fail(protocol.InvalidScope, "The parameter scope is missing.").Because(diagnosis.ParameterMissing, "parameter", "scope")
	case !r.Client.Dialect.Credentials && (slices.ContainsFunc(r.Scopes, a.Resources.IsItself) || slices.ContainsFunc(r.Choices, a.Resources.IsItself)):
		return protocol.Refused(protocol.InvalidScope).Because(diagnosis.ScopeNotAllowed, "scope", r.Form.Get("scope"), "registered", strings.Join(r.Client.Scopes, " "))
	case r.Client.Dialect.SingleScope && len(WithoutProtocol(r.Scopes))+len(r.Choices) == 0:
		return protocol.Fail(protocol.InvalidScope, "This application has no scope value that the user could pick.").Because(diagnosis.ScopeNotRegistered)
	case r.Returns("id_token") && !r.OpenID():
		return protocol.Fail(protocol.InvalidScope, "An ID token needs the scope openid.").Because(diagnosis.OpenIDMissing)
	case r.Returns("id_token") && r.Client.Dialect.NonceRequired && r.Nonce == "":
		return protocol.Fail(protocol.InvalidRequest, "The parameter nonce is required for this response_type.").
			Because(diagnosis.NonceMissing, "response_type", r.ResponseType)
	}
	return checkChallenge(r)
}

// canonicalResponseType orders the values of a response type, so that
// "token code" and "code token" are one. It returns "" for values that repeat or
// are unknown.
func canonicalResponseType(sent string) string {
	if slices.Contains(protocol.ResponseTypes, sent) {
		return sent
	}
	values := strings.Split(sent, " ")
	for _, known := range protocol.ResponseTypes {
		if sameSet(values, strings.Split(known, " ")) {
			return known
		}
	}
	return ""
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, v := range b {
		if !slices.Contains(a, v) {
			return false
		}
	}
	return true
}
