package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// AuthorizeRequest is an authorization request (RFC 6749 section 4.1.1, OpenID
// Connect Core section 3.1.2.1) that has been checked.
type AuthorizeRequest struct {
	// Form is the request as it counts, for a later ParseAuthorize.
	Form url.Values

	// PushedAs is the flow of a request that was pushed, however often a browser comes with
	// it, and until when one can; zero for any other.
	PushedAs Flow

	Client       *registry.Client
	RedirectURI  string
	RedirectSent bool
	ResponseType string
	Mode         protocol.ResponseMode
	Scopes       []string

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
	IDToken   string // id_token_hint
	UILocales string
	Display   string
	Challenge string

	// Claims are asked for beside the scopes; acr_values is among them.
	Claims ClaimsRequest

	// MaxAge is the longest time since the user authenticated, or negative for
	// any.
	MaxAge time.Duration

	// asked are the values of the parameter scope.
	asked []string

	// read is the request as fosite has read it, from the same form; nil while a scope
	// value is to be picked.
	read fosite.AuthorizeRequester
}

// OpenID reports whether the request is one of OpenID Connect.
func (r *AuthorizeRequest) OpenID() bool { return slices.Contains(r.Scopes, protocol.ScopeOpenID) }

// HasPrompt reports whether prompt holds this value.
func (r *AuthorizeRequest) HasPrompt(value string) bool { return slices.Contains(r.Prompt, value) }

func (r *AuthorizeRequest) returns(value string) bool {
	return slices.Contains(strings.Split(r.ResponseType, " "), value)
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

// ParseAuthorize checks an authorization request. When it returns a request and an
// error, the error belongs to the client: send it to the redirect URI with Refuse.
// When it returns no request, client or redirect URI cannot be trusted: show the
// error on a page and never redirect (RFC 6749 section 4.1.2.1).
//
// What fosite leaves open is refused before fosite reads the request; see doc.go.
func (e *Engine) ParseAuthorize(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	form = input.WithValue(form)
	r, err := e.trustedParts(ctx, form)
	if err != nil {
		return nil, err
	}
	if err := r.parse(form); err != nil {
		return r, err
	}
	if err := e.checkResponseType(r); err != nil {
		return r, err
	}
	if r.Resources, err = e.Resources.Named(form, r.Client); err != nil {
		return r, err
	}
	e.askForTheirs(r)
	if err := e.ignoreScopes(r); err != nil {
		return r, err
	}
	if err := r.checkRules(); err != nil {
		return r, err
	}
	all := append(slices.Clone(r.Scopes), r.Choices...)
	read, err := e.readByFosite(ctx, form, all)
	if err != nil {
		return r, e.diagnose(r, refusal(err))
	}
	if !slices.Equal(read.GetRequestedScopes(), all) {
		// It drops all that Unicode calls a space, and has checked other values.
		return r, e.diagnose(r, protocol.Refused(protocol.InvalidScope))
	}
	if !r.MustPick() {
		r.read = read
	}
	r.readOptional()
	return r, nil
}

// trustedParts finds the client, matches the redirect URI, and chooses the response mode
// of any other error.
func (e *Engine) trustedParts(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	client, err := e.namedClient(ctx, form)
	if err != nil {
		return nil, err
	}
	if len(form["redirect_uri"]) > 1 {
		return nil, input.Repeated("redirect_uri")
	}
	r := &AuthorizeRequest{Form: form, Client: client, MaxAge: -1}
	e.readScopes(r)
	r.RedirectURI = form.Get("redirect_uri")
	r.RedirectSent = form.Has("redirect_uri")
	if !r.RedirectSent && len(client.RedirectURIs) == 1 && !r.OpenID() && !client.Dialect.RedirectURIRequired {
		r.RedirectURI = client.RedirectURIs[0]
	}
	if !e.Addresses.Matches(client, r.RedirectURI) {
		return nil, &RedirectError{Client: client, Sent: r.RedirectURI}
	}
	r.ResponseType = canonicalResponseType(form.Get("response_type"))
	r.Mode = responseMode(form)
	if states := form["state"]; len(states) == 1 && len(states[0]) <= input.MaxState && r.mayReturn(states[0]) {
		r.State, r.StateSent = states[0], true
	}
	return r, nil
}

// namedClient returns the client that an authorization request names.
func (e *Engine) namedClient(ctx context.Context, form url.Values) (*registry.Client, error) {
	if len(form["client_id"]) > 1 {
		return nil, input.Repeated("client_id")
	}
	client, err := e.Client(ctx, form.Get("client_id"))
	if errors.Is(err, registry.ErrNoClient) {
		return nil, noClient(err)
	}
	if err != nil {
		return nil, protocol.AsError(err)
	}
	return client, nil
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

// responseMode returns how the response to a request reaches the client, an error also
// when something else is wrong with the request: in the mode that it names, unless that
// would bring tokens into a query, or as its response type has it. A response type that
// asks for a token has the fragment, whatever else there is in it (OAuth 2.0 Multiple
// Response Type Encoding Practices section 5).
func responseMode(form url.Values) protocol.ResponseMode {
	byType := protocol.ModeQuery
	for _, value := range input.Values(strings.Join(form["response_type"], " ")) {
		if value == "token" || value == "id_token" {
			byType = protocol.ModeFragment
		}
	}
	named := protocol.ResponseMode(form.Get("response_mode"))
	if len(form["response_mode"]) != 1 || !slices.Contains(protocol.ResponseModes, named) || named == protocol.ModeQuery {
		return byType
	}
	return named
}

// mayReturn reports whether a state reaches the client byte for byte. Browsers change line
// breaks and what is not UTF-8 in the fields of a form.
func (r *AuthorizeRequest) mayReturn(state string) bool {
	return r.Mode != protocol.ModeFormPost || input.IsText(state)
}

// parse reads the parameters, one rule each.
func (r *AuthorizeRequest) parse(form url.Values) error {
	if err := input.CheckForm(form); err != nil {
		return err
	}
	if err := r.checkMode(protocol.ResponseMode(form.Get("response_mode"))); err != nil {
		return err
	}
	if !r.mayReturn(form.Get("state")) {
		return protocol.Fail(protocol.InvalidRequest, "A state with control characters cannot be returned by form_post.").
			Because(diagnosis.ParameterMalformed, "parameter", "state")
	}
	for _, p := range unsupported {
		if form.Has(p.name) {
			return protocol.Fail(p.code, "The parameter "+p.name+" is not supported.").Because(diagnosis.ParameterUnsupported, "parameter", p.name)
		}
	}
	r.Nonce, r.LoginHint, r.IDToken = form.Get("nonce"), form.Get("login_hint"), form.Get("id_token_hint")
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
	return r.parseClaims(form)
}

// unsupported parameters are refused instead of ignored, because a client that
// sends one relies on it. Nothing is ever fetched from an address in a request. What
// request holds has been taken out of it by then.
var unsupported = []struct{ name, code string }{
	{"request_uri", protocol.RequestURINotSupported},
	{"request", protocol.InvalidRequestObject},
	{"registration", protocol.RegistrationUnsupported},
}

func (r *AuthorizeRequest) checkMode(named protocol.ResponseMode) error {
	switch {
	case named == "", named == r.Mode:
		return nil
	case named == protocol.ModeQuery:
		return protocol.Fail(protocol.UnsupportedResponseMode, "Tokens are never sent in a query.").Because(diagnosis.ResponseModeUnsupported, "response_mode", string(named))
	default:
		return protocol.Fail(protocol.UnsupportedResponseMode, "This response_mode is unknown.").Because(diagnosis.ResponseModeUnsupported, "response_mode", string(named))
	}
}

func (r *AuthorizeRequest) parsePrompt(prompt string) error {
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

func (r *AuthorizeRequest) parseMaxAge(form url.Values) error {
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
func (r *AuthorizeRequest) parseClaims(form url.Values) (err error) {
	var asked ClaimsRequest
	if r.Client.Dialect.ClaimsParameter {
		if asked, err = parseClaims(form.Get("claims")); err != nil {
			return err
		}
	}
	if r.OpenID() {
		r.Claims = asked.withClasses(input.Values(form.Get("acr_values")))
	}
	return nil
}

// readByFosite lets fosite read the request as it came, and decide whether the client
// may have this response type, these scopes, as they were read, and this redirect URI.
func (e *Engine) readByFosite(ctx context.Context, form url.Values, scopes []string) (fosite.AuthorizeRequester, error) {
	form = withScopes(form, scopes)
	if form.Has("redirect_uri") { // matched before; a state in it is not compared
		form.Set("redirect_uri", registry.WithoutState(form.Get("redirect_uri")))
	}
	request, err := e.fosite.NewAuthorizeRequest(ctx, &http.Request{Method: http.MethodGet, Form: form})
	if errors.Is(err, fosite.ErrInvalidState) && !form.Has("state") {
		// State is optional, but MinParameterEntropy is at least one character. fosite
		// checks the state last, when it has accepted all the rest.
		return request, nil
	}
	return request, err
}

// checkResponseType comes before all that depends on what is asked for: an application that
// may not ask in this way learns that, and not what else is wrong.
func (e *Engine) checkResponseType(r *AuthorizeRequest) error {
	switch {
	case r.Form.Get("response_type") == "":
		return protocol.Fail(protocol.InvalidRequest, "The parameter response_type is missing.").Because(diagnosis.ParameterMissing, "parameter", "response_type")
	case r.ResponseType == "":
		return protocol.Fail(protocol.UnsupportedResponseType, "This response_type is unknown.").
			Because(diagnosis.ResponseTypeUnknown, "response_type", r.Form.Get("response_type"))
	case !slices.Contains(r.Client.AllowedResponseTypes(), r.ResponseType):
		return e.diagnose(r, protocol.Refused(protocol.UnsupportedResponseType))
	}
	return nil
}

// checkRules holds what fosite does not know.
func (r *AuthorizeRequest) checkRules() error {
	switch {
	case len(r.asked) == 0:
		return protocol.Fail(protocol.InvalidScope, "The parameter scope is missing.").Because(diagnosis.ParameterMissing, "parameter", "scope")
	case r.Client.Dialect.SingleScope && len(withoutProtocol(r.Scopes))+len(r.Choices) == 0:
		return protocol.Fail(protocol.InvalidScope, "This application has no scope value that the user could pick.").Because(diagnosis.ScopeNotRegistered)
	case r.returns("id_token") && !r.OpenID():
		return protocol.Fail(protocol.InvalidScope, "An ID token needs the scope openid.").Because(diagnosis.OpenIDMissing)
	case r.returns("id_token") && r.Client.Dialect.NonceRequired && r.Nonce == "":
		return protocol.Fail(protocol.InvalidRequest, "The parameter nonce is required for this response_type.").
			Because(diagnosis.NonceMissing, "response_type", r.ResponseType)
	}
	return checkChallenge(r)
}

// canonicalResponseType orders the values of a response type, so that
// "token code" and "code token" are one. It returns "" for values that repeat or
// are unknown.
func canonicalResponseType(sent string) string {
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
