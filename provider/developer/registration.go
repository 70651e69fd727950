package developer

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// What an application can be.
const (
	kindWeb     = "web"
	kindSPA     = "spa"
	kindNative  = "native"
	kindMachine = "machine"
)

// kinds are those that can be registered.
var kinds = []string{kindWeb, kindSPA, kindNative, kindMachine}

// The grants and responses of applications. OpenID Connect names the two scopes.
const (
	grantCode     = "authorization_code"
	grantRefresh  = "refresh_token"
	grantClient   = "client_credentials"
	scopeOpenID   = "openid"
	scopeOffline  = "offline_access"
	authMethodAny = "any"
	authMethodKey = "private_key_jwt"
)

var (
	grantTypes = []string{grantCode, grantRefresh, grantClient}

	// v3ResponseTypes are the default response types of the V3 dialect.
	v3ResponseTypes = []string{"code", "token", "id_token", "code id_token", "code token", "code id_token token"}
	responseTypes   = append(slices.Clone(v3ResponseTypes), "id_token token")
	authMethods     = []string{authMethodAny, "client_secret_basic", "client_secret_post", authMethodKey}
)

// usualScopes are those that OpenID Connect libraries request by default.
var usualScopes = []string{"profile", "email"}

// isUsual reports whether libraries request a scope by default.
func isUsual(scope string) bool { return slices.Contains(usualScopes, scope) }

// offeredScopes are an environment's scopes that developers may give their applications,
// the usual ones first.
func (d *forms) offeredScopes(env string) []catalogue.Scope {
	offered := slices.DeleteFunc(d.provider(env).Rooms().Installation().Scopes, func(s catalogue.Scope) bool {
		return slices.Contains(d.OperatorScopes, s.Name)
	})
	slices.SortStableFunc(offered, func(a, b catalogue.Scope) int {
		return cmp.Compare(rankOf(a.Name), rankOf(b.Name))
	})
	return offered
}

// rankOf orders the usual scopes before all others.
func rankOf(scope string) int {
	if i := slices.Index(usualScopes, scope); i >= 0 {
		return i
	}
	return len(usualScopes)
}

// askedFirst returns the initial scopes of an application: its usual scopes and the first
// of the others; in the V3 dialect only the first of the others, or a usual one.
func askedFirst(c provider.Client, scopes []string) []string {
	var usual, others []string
	for _, s := range scopes {
		switch {
		case s == scopeOpenID || s == scopeOffline:
		case isUsual(s):
			usual = append(usual, s)
		default:
			others = append(others, s)
		}
	}
	others = others[:min(1, len(others))]
	if c.Dialect == provider.Standard {
		return append(usual, others...)
	}
	all := slices.Concat(others, usual)
	return all[:min(1, len(all))]
}

// choosableScopes are those that developers may give one application: under review, a
// production application gets only reviewed scopes, and those of wallets are for the standard dialect.
func (d *forms) choosableScopes(env string, c provider.Client) []catalogue.Scope {
	offered := d.offeredScopes(env)
	if c.Dialect == provider.V3 {
		ofWallets := d.provider(env).Rooms().Installation().Credentials
		offered = slices.DeleteFunc(offered, func(s catalogue.Scope) bool { return slices.Contains(ofWallets, s.Name) })
	}
	if d.mayRegister(env) {
		return offered
	}
	has := d.scopesOf(env, c)
	return slices.DeleteFunc(offered, func(s catalogue.Scope) bool { return !slices.Contains(has, s.Name) })
}

// scopeView shows a scope as a choice.
func (d *forms) scopeView(r *request, name string, chosen bool, dialect string) screens.Scope {
	title, text := d.provider(r.env).Rooms().Pages.ScopeWords(r.Page().Locale, name, dialect)
	return screens.Scope{Name: name, Title: title, Text: text, Chosen: chosen}
}

// scopesOf returns the scopes that a registration may request.
func (d *forms) scopesOf(env string, c provider.Client) []string {
	if len(c.Scopes) > 0 {
		return c.Scopes
	}
	all := []string{scopeOpenID, scopeOffline}
	for _, s := range d.provider(env).Rooms().Installation().Scopes {
		all = append(all, s.Name)
	}
	return all
}

// responseTypesOf and grantTypesOf return what a registration may use.
func responseTypesOf(c provider.Client) []string {
	switch {
	case len(c.ResponseTypes) > 0:
		return c.ResponseTypes
	case len(c.RedirectURIs) == 0 && slices.Contains(c.GrantTypes, grantClient) && !slices.Contains(c.GrantTypes, grantCode):
		return nil
	case c.Dialect == provider.Standard:
		return responseTypes[:1]
	default:
		return v3ResponseTypes
	}
}

// choosableGrants are those that an application may have: a public one has no credentials.
func choosableGrants(c provider.Client) []string {
	if c.Public {
		return grantTypes[:2]
	}
	return grantTypes
}

func grantTypesOf(c provider.Client) []string {
	if len(c.GrantTypes) > 0 {
		return c.GrantTypes
	}
	return grantTypes[:1]
}

// posting is a registration with the posted values and their problems. It reads only the
// fields that developers decide: a field that a page does not show changes nothing.
type posting struct {
	d *forms
	r *request

	provider.Client
	before   provider.Client
	problems []ui.Problem
}

func (d *forms) newPosting(r *request, c provider.Client) *posting {
	return &posting{d: d, r: r, Client: c, before: c}
}

func (p *posting) wrong(problems ...ui.Problem) { p.problems = append(p.problems, problems...) }

// is reports whether a switch is on.
func (p *posting) is(field string) bool { return p.r.posted(field) != "" }

func (p *posting) name() {
	p.Name = strings.TrimSpace(p.r.posted(ui.FieldName))
	if problem, wrong := checkName(p.Name); wrong {
		p.wrong(problem)
	}
}

// addresses reads a field with one address a line.
func (p *posting) addresses(field string) []string {
	addresses, problems := addressesIn(p.d.provider(p.r.env), field, p.r.posted(field))
	p.wrong(problems...)
	return addresses
}

func (p *posting) redirectURIs() {
	if p.RedirectURIs = p.addresses(screens.FieldRedirectURIs); len(p.RedirectURIs) == 0 {
		p.wrong(ui.Problem{Code: ui.AddressMissing, Field: screens.FieldRedirectURIs})
	}
}

// scopes reads the offered scopes. Others stay as they are: the operator has given them.
// offline_access comes and goes with its grant.
func (p *posting) scopes(env string) {
	offered := p.d.choosableScopes(env, p.before)
	meant := p.d.scopesOf(env, p.Client)
	var chosen []string
	for _, s := range meant {
		isOffered := slices.ContainsFunc(offered, func(o catalogue.Scope) bool { return o.Name == s })
		if !isOffered && s != scopeOpenID && s != scopeOffline {
			chosen = append(chosen, s)
		}
	}
	chosen = append(chosen, scopeOpenID)
	refreshed, refreshes := slices.Contains(grantTypesOf(p.before), grantRefresh), slices.Contains(grantTypesOf(p.Client), grantRefresh)
	if refreshes && !refreshed || refreshes == refreshed && slices.Contains(meant, scopeOffline) {
		chosen = append(chosen, scopeOffline)
	}
	for _, s := range offered {
		if p.is(screens.FieldScopes + "." + s.Name) {
			chosen = append(chosen, s.Name)
		}
	}
	p.Scopes = keep(p.Scopes, meant, chosen)
	p.OptionalScopes = optionalOf(p.Client)
}

// optionalScopes reads the scopes that users may decline. Those that were not shown stay as
// they are.
func (p *posting) optionalScopes(env string) {
	shown := p.d.mayBeOptional(env, p.before)
	chosen := slices.DeleteFunc(slices.Clone(p.OptionalScopes), func(s string) bool { return slices.Contains(shown, s) })
	for _, s := range shown {
		if p.is(screens.FieldOptionalScopes+"."+s) && slices.Contains(p.Scopes, s) {
			chosen = append(chosen, s)
		}
	}
	p.OptionalScopes = keep(p.OptionalScopes, p.OptionalScopes, chosen)
}

// mayBeOptional are the scopes that developers may make optional: those that they can
// choose, and offline_access.
func (d *forms) mayBeOptional(env string, c provider.Client) []string {
	if c.Dialect != provider.Standard {
		return nil
	}
	var names []string
	for _, s := range d.choosableScopes(env, c) {
		names = append(names, s.Name)
	}
	if slices.Contains(d.scopesOf(env, c), scopeOffline) {
		names = append(names, scopeOffline)
	}
	return names
}

// optionalOf returns the optional scopes that a registration may still request.
func optionalOf(c provider.Client) []string {
	return slices.DeleteFunc(slices.Clone(c.OptionalScopes), func(s string) bool {
		return len(c.Scopes) > 0 && !slices.Contains(c.Scopes, s)
	})
}

// chosen reads a multiple choice.
func (p *posting) chosen(field string, values []string, missing ui.ProblemCode) []string {
	var chosen []string
	for _, v := range values {
		if p.is(field + "." + screens.FieldValue(v)) {
			chosen = append(chosen, v)
		}
	}
	if len(chosen) == 0 {
		p.wrong(ui.Problem{Code: missing})
	}
	return chosen
}

// keep returns the registered values if they equal the choice in any order, so that an
// unchanged registration stays as it is.
func keep(registered, meant, chosen []string) []string {
	if slices.Equal(slices.Sorted(slices.Values(meant)), slices.Sorted(slices.Values(chosen))) {
		return registered
	}
	return chosen
}

// all reads every field of the settings, without those of sign-ins for a machine client.
func (p *posting) all() {
	p.name()
	p.PolicyURL, p.TermsURL = strings.TrimSpace(p.r.posted(screens.FieldPolicyURL)), strings.TrimSpace(p.r.posted(screens.FieldTermsURL))
	if p.r.app.Kind == kindMachine {
		p.scopes(p.r.env)
	} else {
		p.people()
	}
	p.more()
}

// people reads the fields about sign-ins.
func (p *posting) people() {
	p.redirectURIs()
	p.PostLogoutRedirectURIs = p.addresses(screens.FieldPostLogoutRedirectURIs)
	p.InitiateLoginURI = strings.TrimSpace(p.r.posted(screens.FieldInitiateLoginURI))
	p.Origins = p.addresses(screens.FieldOrigins)
	p.grants()
	p.ResponseTypes = keep(p.ResponseTypes, responseTypesOf(p.Client), p.chosen(ui.FieldResponseTypes, responseTypes, ui.ResponseMissing))
	p.scopes(p.r.env)
	p.optionalScopes(p.r.env)
	p.RequireVerified = p.is(screens.FieldRequireVerified)
	p.requires()
	if p.Dialect == provider.Standard {
		p.UserinfoSignedResponseAlg = cmp.Or(p.signedBy(screens.FieldUserinfoAlg, p.UserinfoSignedResponseAlg), algRS256)
		if !p.is(screens.FieldUserinfoSigned) {
			p.UserinfoSignedResponseAlg = ""
		}
	} else {
		p.NoQueryToken, p.NoJSONP = p.is(screens.FieldNoQueryToken), p.is(screens.FieldNoJSONP)
	}
}

// grants reads the offered grants. Others stay: the operator has given them.
func (p *posting) grants() {
	offered, has := choosableGrants(p.Client), grantTypesOf(p.Client)
	chosen := p.chosen(ui.FieldGrantTypes, offered, ui.GrantMissing)
	for _, g := range has {
		if !slices.Contains(offered, g) {
			chosen = append(chosen, g)
		}
	}
	p.GrantTypes = keep(p.GrantTypes, has, chosen)
}

// check finds problems of the registration as a whole.
func (p *posting) check(env string) {
	var wrong *provider.FieldError
	if len(p.problems) == 0 && errors.As(p.d.provider(env).Rooms().Clients.Validate(p.Client), &wrong) {
		p.wrong(p.fieldProblem(wrong))
	}
}

// checkVouched finds forbidden changes of a reviewed registration.
func (p *posting) checkVouched(now provider.Client) {
	if len(p.problems) > 0 || !p.d.vouched(p.r.env, now) {
		return
	}
	p.wrong(needed(p.r.app.Kind, now, p.Client)...)
	p.wrong(lastReviewed(p.d.split(now, p.Client))...)
}

// fieldProblem translates the error of a registration's field.
func (p *posting) fieldProblem(wrong *provider.FieldError) ui.Problem {
	field, index, isList := strings.Cut(strings.TrimSuffix(wrong.Field, "]"), "[")
	problem := ui.Problem{Text: wrong.Err.Error()}
	if i, err := strconv.Atoi(index); isList && err == nil {
		problem.Line = i + 1
	}
	switch field {
	case "Name":
		return ui.Problem{Code: ui.NameInvalid}
	case "PolicyURL":
		return ui.Problem{Code: ui.WebAddressInvalid, Field: screens.FieldPolicyURL}
	case "TermsURL":
		return ui.Problem{Code: ui.WebAddressInvalid, Field: screens.FieldTermsURL}
	case "InitiateLoginURI":
		return ui.Problem{Code: ui.WebAddressInvalid, Field: screens.FieldInitiateLoginURI}
	case "RedirectURIs":
		problem.Field = screens.FieldRedirectURIs
	case "PostLogoutRedirectURIs":
		problem.Field = screens.FieldPostLogoutRedirectURIs
	case "Origins":
		problem.Field = screens.FieldOrigins
	case "BackchannelLogoutURI":
		return ui.Problem{Code: ui.AddressNotCalled, Field: ui.FieldBackchannelLogoutURI}
	case "Requires.Assurance":
		return ui.Problem{Code: ui.SignInUnreachable, Field: screens.FieldRequires}
	case "GrantTypes": // of those on the page, only this one is refused
		return screens.DevicesProblem(p.r.Page())
	case "JWKSURI":
		return ui.Problem{Code: ui.AddressNotCalled, Field: ui.FieldJWKSURI}
	default:
		return ui.Problem{Text: wrong.Error()}
	}
	return problem
}
