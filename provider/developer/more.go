package developer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/reference"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// formatJWT is the format of access tokens of RFC 9068.
const formatJWT = "jwt"

// addMore adds the fields of the closed part of the settings.
func (d *forms) addMore(r *request, view *screens.Registration, now, c provider.Client) {
	view.LeanIDTokens, view.JWTAccessTokens, view.DPoPBound = c.LeanIDTokens, c.AccessTokenFormat == formatJWT, c.DPoPBoundAccessTokens
	view.SigningAlgs = d.provider(r.env).Rooms().Installation().SigningAlgorithms
	view.IDTokenAlg, view.UserinfoAlg = cmp.Or(c.IDTokenSignedResponseAlg, algRS256), cmp.Or(c.UserinfoSignedResponseAlg, algRS256)
	view.ResponseAlg = cmp.Or(c.AuthorizationSignedResponseAlg, algRS256)
	view.Profiles, view.Profile = d.profiles(r, now), cmp.Or(c.Profile, screens.NoProfile)
	view.HasDevices, view.MayHaveDevices = slices.Contains(c.GrantTypes, grantDevice), d.choosesDevices(r, now)
	view.DevicesURL = d.path("docs") + "#" + reference.DevicesAnchor
	view.BackchannelLogoutURI, view.BackchannelSession = c.BackchannelLogoutURI, c.BackchannelLogoutSessionRequired
	view.JWKSURI, view.Algs = c.JWKSURI, signingAlgs
	view.AuthSigningAlg, view.RequestSigningAlg = cmp.Or(c.TokenEndpointAuthSigningAlg, screens.AnyAlg), cmp.Or(c.RequestObjectSigningAlg, screens.AnyAlg)
	view.RequirePushed, view.RequirePKCE, view.RequireSigned = c.RequirePushedAuthorizationRequests, c.RequirePKCE, c.RequireSignedRequestObject
	entered := r.Request.Method == http.MethodPost
	var indented bytes.Buffer
	switch {
	case len(c.JWKS) == 0: // or there was a private key, which nobody reads again
	case entered && !isPublic(r.posted(ui.FieldJWKS)): // nor what may have one in it
	case entered:
		view.JWKS = r.posted(ui.FieldJWKS)
	case json.Indent(&indented, c.JWKS, "", "  ") == nil:
		view.JWKS = indented.String()
	}
	has := d.resourcesOf(r.env, c)
	for _, api := range d.choosableResources(r.env, now) {
		chosen := slices.Contains(has, api.URI)
		if entered {
			chosen = r.posted(ui.FieldResources+"."+api.URI) != ""
		}
		view.Resources = append(view.Resources, screens.Scope{Name: api.URI, Title: ui.Label{Text: cmp.Or(api.Name, hostOf(api.URI)), Lang: ui.Undetermined}, Chosen: chosen})
	}
}

// more reads the closed part of the settings.
func (p *posting) more() {
	if p.Dialect == provider.Standard {
		p.AccessTokenFormat = map[bool]string{true: formatJWT}[p.is(screens.FieldAccessTokenFormat)]
		p.DPoPBoundAccessTokens = p.is(screens.FieldDPoPBound)
	}
	p.resources()
	if p.r.app.Kind != kindMachine {
		p.moreOfPeople()
		p.devices()
	}
	if p.Public {
		return
	}
	p.authentication()
	p.profile()
	p.pin()
	p.needKeys()
}

// moreOfPeople reads its fields about sign-ins.
func (p *posting) moreOfPeople() {
	if p.Dialect == provider.Standard {
		p.LeanIDTokens = p.is(screens.FieldLeanIDTokens)
		p.IDTokenSignedResponseAlg = notDefault(p.signedBy(screens.FieldIDTokenAlg, p.IDTokenSignedResponseAlg))
		p.AuthorizationSignedResponseAlg = notDefault(p.signedBy(screens.FieldResponseAlg, p.AuthorizationSignedResponseAlg))
	}
	p.BackchannelLogoutURI = strings.TrimSpace(p.r.posted(ui.FieldBackchannelLogoutURI))
	p.BackchannelLogoutSessionRequired = p.is(screens.FieldBackchannelSession)
	if p.BackchannelLogoutSessionRequired && p.BackchannelLogoutURI == "" {
		p.wrong(ui.Problem{Code: ui.LogoutURIMissing})
	}
	p.RequirePushedAuthorizationRequests = p.is(screens.FieldRequirePushed)
	if !p.Public {
		p.RequirePKCE = p.is(screens.FieldRequirePKCE)
		p.RequireSignedRequestObject = p.is(screens.FieldRequireSigned)
		p.RequestObjectSigningAlg = p.alg(screens.FieldRequestSigningAlg, p.RequestObjectSigningAlg)
	}
}
