package provider

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// ValidateRedirectURI returns nil if an address can be one of Client.RedirectURIs or
// Client.PostLogoutRedirectURIs, and otherwise the reason, by the rules of the
// authorization endpoint.
func (p clientsRoom) ValidateRedirectURI(uri string) error {
	return p.cfg.addresses().ValidateRedirectURI(uri)
}

// ValidateOrigin returns nil if a web origin can be one of Client.Origins, and otherwise
// the reason.
func (p clientsRoom) ValidateOrigin(origin string) error {
	return p.cfg.addresses().ValidateOrigin(origin)
}

// Validate returns the FieldError that Clients.Save would return for a registration, or
// nil. It checks neither existing registrations nor the logo.
func (p clientsRoom) Validate(c Client) error {
	pinned, err := c.pinned(p.cfg)
	if err != nil {
		return err
	}
	return p.validate(pinned)
}

// validate checks a registration whose profile is pinned.
func (p Clients) validate(c Client) error {
	if err := c.validateSigning(p.cfg.Algorithms); err != nil {
		return err
	}
	if err := c.validate(p.catalogue, p.cfg.addresses(), p.cfg.Resources); err != nil {
		return err
	}
	if err := p.cfg.validateReachable("Requires", c.Requires); err != nil {
		return err
	}
	if err := c.validateCalled(p.cfg.AllowPrivateNetworks); err != nil {
		return err
	}
	return c.validateKeys(p.cfg.AllowPrivateNetworks)
}

// Pinned returns a registration with the fields that its profile demands, as Save records it.
// The error joins a FieldError for each field that says otherwise.
func (p clientsRoom) Pinned(c Client) (Client, error) { return c.pinned(p.cfg) }

// pinned returns a registration with the fields that its profile demands, and an error for
// the fields that say otherwise.
func (c Client) pinned(cfg Config) (Client, error) {
	profile, ok := registry.ProfileNamed(c.Profile)
	if !ok {
		return c, wrongField("Profile", "%q is neither %q nor %q", c.Profile, ProfileFAPI2, ProfileFAPI2Signing)
	}
	if c.Profile == "" {
		return c, nil
	}
	if err := errors.Join(c.contradictions(profile, cfg)...); err != nil {
		return c, err
	}
	fits := slices.IndexFunc(cfg.Algorithms, profile.Allows)
	for _, alg := range []*string{&c.IDTokenSignedResponseAlg, &c.AuthorizationSignedResponseAlg} {
		*alg = cmp.Or(*alg, cfg.Algorithms[fits])
	}
	if len(c.RedirectURIs) > 0 {
		c.ResponseTypes = []string{"code"}
	}
	c.TokenEndpointAuthMethod = protocol.AuthPrivateKey
	c.RequirePushedAuthorizationRequests, c.RequirePKCE, c.DPoPBoundAccessTokens = true, true, true
	c.RequireSignedRequestObject = c.RequireSignedRequestObject || profile.SignedMessages
	return c, nil
}

// contradictions returns an error for each field that says otherwise than a profile.
func (c Client) contradictions(profile registry.Profile, cfg Config) (wrong []error) {
	demanded := strings.Join(profile.Algorithms, ", ")
	if !slices.ContainsFunc(cfg.Algorithms, profile.Allows) {
		wrong = append(wrong, wrongField("Profile", "needs one of %s in Signing.Algorithms", demanded))
	}
	if c.Dialect != Standard {
		wrong = append(wrong, wrongField("Dialect", "must be %q with a Profile", Standard))
	}
	if c.Public {
		wrong = append(wrong, wrongField("Public", "has no key to sign with, which the Profile demands"))
	}
	if c.TokenEndpointAuthMethod != "" && c.TokenEndpointAuthMethod != protocol.AuthPrivateKey {
		wrong = append(wrong, wrongField("TokenEndpointAuthMethod", "must be %s with a Profile", protocol.AuthPrivateKey))
	}
	if slices.ContainsFunc(c.ResponseTypes, func(t string) bool { return t != "code" }) {
		wrong = append(wrong, wrongField("ResponseTypes", "must be code with a Profile"))
	}
	if c.AccessTokenFormat != "" {
		wrong = append(wrong, wrongField("AccessTokenFormat", "must be empty with a Profile: tokens for the provider's own endpoints are signed with %s", keyring.RS256))
	}
	if slices.Contains(c.GrantTypes, protocol.GrantDeviceCode) {
		wrong = append(wrong, wrongField("GrantTypes", "%s is in no Profile", protocol.GrantDeviceCode))
	}
	if _, err := clientkeys.Registered(c.JWKS); err == nil && !clientkeys.Signs(c.JWKS, profile.Algorithms) {
		wrong = append(wrong, wrongField("JWKS", "has no key for %s, of which the Profile demands one", demanded))
	}
	for _, field := range []struct{ name, alg string }{
		{"TokenEndpointAuthSigningAlg", c.TokenEndpointAuthSigningAlg},
		{"RequestObjectSigningAlg", c.RequestObjectSigningAlg},
		{"IDTokenSignedResponseAlg", c.IDTokenSignedResponseAlg},
		{"UserinfoSignedResponseAlg", c.UserinfoSignedResponseAlg},
		{"AuthorizationSignedResponseAlg", c.AuthorizationSignedResponseAlg},
	} {
		if field.alg != "" && !profile.Allows(field.alg) {
			wrong = append(wrong, wrongField(field.name, "%q is none of %s, which the Profile demands", field.alg, demanded))
		}
	}
	return wrong
}

// profiles returns the profiles for which an application can be registered.
func (c Config) profiles() []string {
	return slices.DeleteFunc([]string{ProfileFAPI2, ProfileFAPI2Signing}, func(name string) bool {
		able := Client{Dialect: Standard, Profile: name}
		_, err := able.pinned(c)
		return err != nil
	})
}

// validateSigning returns an error for the first algorithm with which nothing is signed for the
// application.
func (c Client) validateSigning(algorithms []string) error {
	if c.Dialect == V3 {
		algorithms = []string{keyring.RS256} // as its contract says
	}
	for _, field := range []struct{ name, alg string }{
		{"IDTokenSignedResponseAlg", c.IDTokenSignedResponseAlg},
		{"UserinfoSignedResponseAlg", c.UserinfoSignedResponseAlg},
		{"AuthorizationSignedResponseAlg", c.AuthorizationSignedResponseAlg},
	} {
		if field.alg != "" && !slices.Contains(algorithms, field.alg) {
			return wrongField(field.name, "%q is none of %s", field.alg, strings.Join(algorithms, ", "))
		}
	}
	return nil
}

// validateCalled returns an error for the first address that the provider must not call.
func (c Client) validateCalled(allowPrivate bool) error {
	switch err := outbound.ValidateURL(c.BackchannelLogoutURI, allowPrivate); {
	case c.BackchannelLogoutURI == "" && c.BackchannelLogoutSessionRequired:
		return wrongField("BackchannelLogoutSessionRequired", "needs a BackchannelLogoutURI")
	case c.BackchannelLogoutURI != "" && err != nil:
		return wrongField("BackchannelLogoutURI", "%q %w", c.BackchannelLogoutURI, err)
	case c.BackchannelLogoutURI != "" && c.needsNoBrowser():
		return wrongField("BackchannelLogoutURI", "is of no use to an application without users")
	}
	return nil
}

// validate returns an error for the first invalid field.
func (c Client) validate(known *claims.Catalogue, addresses registry.Addresses, resources []Resource) error {
	switch {
	case !claims.IsName(c.ID):
		return wrongField("ID", "must be 1 to 64 letters, digits, hyphens, underscores and full stops")
	case strings.Contains(c.ID, ":"):
		return wrongField("ID", "has a colon, at which the ID would end where it is sent with a secret (HTTP Basic)")
	}
	dialect, ok := registry.DialectNamed(c.Dialect)
	if !ok {
		return wrongField("Dialect", "%q is neither %q, which is OpenID Connect to the letter, nor %q", c.Dialect, Standard, V3)
	}
	switch {
	case len(c.Name) > 120 || !web.IsPlainText(c.Name) || c.Name != "" && !web.IsVisible(c.Name):
		return wrongField("Name", "must be at most 120 bytes of text that can be seen, without control characters")
	case c.Public && c.Secret != "":
		return wrongField("Secret", "a public client has none")
	case c.Secret != "" && (len(c.Secret) < 32 || len(c.Secret) > 255):
		return wrongField("Secret", "must be 32 to 255 bytes, as openssl rand -hex 32 makes them")
	case !slices.Contains([]string{"", protocol.AuthBasic, protocol.AuthPost, protocol.AuthPrivateKey}, c.TokenEndpointAuthMethod):
		return wrongField("TokenEndpointAuthMethod", "%q is unknown", c.TokenEndpointAuthMethod)
	case c.AccessTokenFormat != "" && c.AccessTokenFormat != formatJWT:
		return wrongField("AccessTokenFormat", "%q is not %s", c.AccessTokenFormat, formatJWT)
	case c.AccessTokenFormat != "" && !dialect.JWTAccessTokens:
		return wrongField("AccessTokenFormat", "is for the dialect %s only", Standard)
	case c.DPoPBoundAccessTokens && !dialect.DPoP:
		return wrongField("DPoPBoundAccessTokens", "is for the dialect %s only", Standard)
	case c.DPoPBoundAccessTokens && slices.ContainsFunc(c.ResponseTypes, returnsToken):
		return wrongField("ResponseTypes", "with token bring access tokens that are bound to no key, which DPoPBoundAccessTokens excludes")
	case len(c.LogoDark) > 0 && len(c.Logo) == 0:
		return wrongField("LogoDark", "takes the place of Logo, which is missing")
	case len(c.WordmarkDark) > 0 && len(c.Wordmark) == 0:
		return wrongField("WordmarkDark", "takes the place of Wordmark, which is missing")
	case len(c.OptionalScopes) > 0 && !dialect.OptionalScopes:
		return wrongField("OptionalScopes", "are for the dialect %s only", Standard)
	case c.ButtonColor != "" && !web.IsColor(c.ButtonColor):
		return wrongField("ButtonColor", "%q is not of the form #rrggbb", c.ButtonColor)
	case len(c.RedirectURIs) == 0 && !c.needsNoBrowser():
		return wrongField("RedirectURIs", "must be 1 to 100")
	case len(c.RedirectURIs) == 0 && len(c.ResponseTypes) > 0:
		return wrongField("ResponseTypes", "must be none without RedirectURIs")
	case c.Public && slices.Contains(c.GrantTypes, protocol.GrantClientCredentials):
		return wrongField("GrantTypes", "a public client has no credentials for %s", protocol.GrantClientCredentials)
	case c.Public && slices.Contains(c.GrantTypes, protocol.GrantJWTBearer):
		return wrongField("GrantTypes", "a public client has no credentials for %s", protocol.GrantJWTBearer)
	case slices.Contains(c.GrantTypes, protocol.GrantDeviceCode) && (c.RequireVerified || !dialect.Devices):
		return wrongField("GrantTypes", "%s is for the dialect %s only, and not with RequireVerified", protocol.GrantDeviceCode, Standard)
	case slices.Contains(c.GrantTypes, protocol.GrantTokenExchange) && (c.Public || !dialect.Exchanges):
		return wrongField("GrantTypes", "%s is for confidential clients of the dialect %s only", protocol.GrantTokenExchange, Standard)
	case slices.Contains(c.GrantTypes, protocol.GrantPreAuthorized) && (!c.Public || !dialect.Credentials):
		return wrongField("GrantTypes", "%s is for public clients of the dialect %s only", protocol.GrantPreAuthorized, Standard)
	case checkRequirement("Requires", c.Requires) != nil:
		return checkRequirement("Requires", c.Requires)
	case c.InitiateLoginURI != "" && (addresses.ValidateRedirectURI(c.InitiateLoginURI) != nil || web.HomeOf(c.InitiateLoginURI) == ""):
		return wrongField("InitiateLoginURI", "is neither an https address nor an http one on the loopback interface, by the rules of redirect URIs")
	case c.PolicyURL != "" && !web.IsWebURL(c.PolicyURL):
		return wrongField("PolicyURL", "is not an http address without a user name")
	case c.TermsURL != "" && !web.IsWebURL(c.TermsURL):
		return wrongField("TermsURL", "is not an http address without a user name")
	}
	return c.validateLists(known, addresses, dialect, resources)
}

// returnsToken reports whether a response type brings an access token.
func returnsToken(responseType string) bool {
	return slices.Contains(strings.Fields(responseType), "token")
}

// needsNoBrowser reports whether no browser ever leads back to the application, so that it needs
// no redirect URI: it asks for itself, it is an API that calls others, or its devices show or are
// shown a code.
func (c Client) needsNoBrowser() bool {
	without := []string{protocol.GrantClientCredentials, protocol.GrantTokenExchange, protocol.GrantDeviceCode, protocol.GrantPreAuthorized}
	if slices.Contains(c.GrantTypes, protocol.GrantDeviceCode) || slices.Contains(c.GrantTypes, protocol.GrantPreAuthorized) {
		without = append(without, protocol.GrantRefreshToken)
	}
	return len(c.GrantTypes) > 0 && !slices.ContainsFunc(c.GrantTypes, func(g string) bool { return !slices.Contains(without, g) })
}

func (c Client) validateLists(known *claims.Catalogue, addresses registry.Addresses, dialect registry.Dialect, resources []Resource) error {
	for _, list := range []struct {
		name   string
		values []string
		check  func(string) error
	}{
		{"RedirectURIs", c.RedirectURIs, func(uri string) error { return addresses.ValidateRedirectURIIn(dialect, uri) }},
		{"PostLogoutRedirectURIs", c.PostLogoutRedirectURIs, addresses.ValidateRedirectURI},
		{"ResponseTypes", c.ResponseTypes, oneOf(protocol.ResponseTypes)},
		{"GrantTypes", c.GrantTypes, oneOf(protocol.RegisteredGrantTypes)},
		{"Origins", c.Origins, addresses.ValidateOrigin},
		{"Scopes", c.Scopes, func(s string) error {
			if !known.Known(s) && !protocol.IsOfPrograms(s) {
				return errors.New("is not a scope of the catalogue")
			}
			return nil
		}},
		{"OptionalScopes", c.OptionalScopes, c.checkOptional(known)},
		{"Resources", c.Resources, func(uri string) error {
			if !slices.ContainsFunc(resources, func(r Resource) bool { return r.URI == uri }) {
				return errors.New("is none of Config.Resources")
			}
			return nil
		}},
	} {
		// A registration is read whole with every request.
		if most := max(100, len(known.Scopes)+2); len(list.values) > most {
			return wrongField(list.name, "must be at most %d", most)
		}
		for i, v := range list.values {
			if err := list.check(v); err != nil {
				return wrongField(fmt.Sprintf("%s[%d]", list.name, i), "%q %w", v, err)
			}
		}
	}
	return nil
}

func oneOf(known []string) func(string) error {
	return func(s string) error {
		if !slices.Contains(known, s) {
			return errors.New("is none of " + strings.Join(known, ", "))
		}
		return nil
	}
}

// checkOptional returns a check that is called with each optional scope in turn.
func (c Client) checkOptional(known *claims.Catalogue) func(string) error {
	var seen []string
	return func(scope string) error {
		_, groups := known.Requested([]string{scope})
		switch {
		case slices.Contains(seen, scope):
			return errors.New("is there twice")
		case scope == protocol.ScopeOpenID:
			return errors.New("is what a sign-in needs")
		case !known.Known(scope):
			return errors.New("is not a scope of the catalogue")
		case len(c.Scopes) > 0 && !slices.Contains(c.Scopes, scope):
			return errors.New("is none of Scopes")
		case c.RequireVerified && len(groups) > 0:
			return errors.New("has groups, which RequireVerified demands")
		}
		seen = append(seen, scope)
		return nil
	}
}

// validateKeys returns an error for the first invalid field of the application's keys and
// signatures.
func (c Client) validateKeys(allowPrivate bool) error {
	hasKeys := len(c.JWKS) > 0 || c.JWKSURI != ""
	byKey := c.TokenEndpointAuthMethod == protocol.AuthPrivateKey
	if len(c.JWKS) > 0 {
		if _, err := clientkeys.Registered(c.JWKS); err != nil {
			return &FieldError{"JWKS", err}
		}
	}
	if c.JWKSURI != "" {
		if err := outbound.ValidateURL(c.JWKSURI, allowPrivate); err != nil {
			return &FieldError{"JWKSURI", err}
		}
	}
	if err := c.validateRequestURIs(allowPrivate); err != nil {
		return err
	}
	switch {
	case len(c.RequestURIs) > 0 && !hasKeys:
		return wrongField("RequestURIs", "need JWKS or JWKSURI, with which request objects are signed")
	case len(c.JWKS) > 0 && c.JWKSURI != "":
		return wrongField("JWKSURI", "must be empty beside JWKS")
	case byKey && c.Public:
		return wrongField("TokenEndpointAuthMethod", "a public client has no key that nobody else has")
	case byKey && c.Secret != "":
		return wrongField("Secret", "a client of %s has none", protocol.AuthPrivateKey)
	case byKey && !hasKeys:
		return wrongField("JWKS", "must hold the public keys for %s, unless JWKSURI does", protocol.AuthPrivateKey)
	case !byKey && c.TokenEndpointAuthSigningAlg != "":
		return wrongField("TokenEndpointAuthSigningAlg", "is for %s only", protocol.AuthPrivateKey)
	case !isSigningAlg(c.TokenEndpointAuthSigningAlg):
		return wrongField("TokenEndpointAuthSigningAlg", "%q is none of %s", c.TokenEndpointAuthSigningAlg, strings.Join(clientkeys.Algorithms, ", "))
	case !isSigningAlg(c.RequestObjectSigningAlg):
		return wrongField("RequestObjectSigningAlg", "%q is none of %s", c.RequestObjectSigningAlg, strings.Join(clientkeys.Algorithms, ", "))
	case c.RequireSignedRequestObject && !hasKeys:
		return wrongField("RequireSignedRequestObject", "needs the public keys in JWKS or at JWKSURI")
	case slices.Contains(c.GrantTypes, protocol.GrantJWTBearer) && !hasKeys:
		return wrongField("GrantTypes", "%s needs the public keys in JWKS or at JWKSURI", protocol.GrantJWTBearer)
	}
	return nil
}

// isSigningAlg reports whether an application may sign with an algorithm; empty stands for
// any.
func isSigningAlg(alg string) bool { return alg == "" || slices.Contains(clientkeys.Algorithms, alg) }

// FieldError names an invalid field and the reason. New returns one for a field of its
// Config, Clients.Save of the Client, Accounts.Save of the Account, People.SetStatus of the
// Status; the Field of one from People.SetAttributes is a handle. Find it with errors.As,
// because the returned error has a prefix.
//
//	var wrong *provider.FieldError
//	if errors.As(err, &wrong) {
//		form.Problems[wrong.Field] = wrong.Err
//	}
type FieldError struct {
	// Field is the path of the field within the record, as in Go: Lifetimes.Code,
	// RedirectURIs[1], Scopes[0].Attributes.
	Field string

	// Err is the reason. It never holds a secret.
	Err error
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

// wrongField returns the error of a field.
func wrongField(field, format string, args ...any) error {
	return &FieldError{field, fmt.Errorf(format, args...)}
}

// asFieldError converts an internal field error to its public form, and returns any other
// as it is.
func asFieldError(err error) error {
	var wrong *field.Error
	if errors.As(err, &wrong) {
		return (*FieldError)(wrong)
	}
	return err
}
