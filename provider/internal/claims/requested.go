package claims

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// ReleaseFor returns the handles and groups that an application requests: those of its
// scopes, in their order, and its single claims, in the order of the catalogue.
func (c *Catalogue) ReleaseFor(client *registry.Client, scopes, single []string) (handles, groups []string) {
	handles, groups = c.releaseTo(client.Dialect.V3Attributes, scopes)
	return Union(handles, slices.DeleteFunc(c.Single(client, single), isVerifiedName)), groups
}

// RequestedBy returns what a request with these of its scopes requests of a user: their facts
// and groups, and its single claims with theirs.
//
// A claim that only an optional scope of the request releases, even in part, follows that
// scope: a request for the claim cannot get around the checkbox. All other claims are
// required. So is a group that verified_claims are requested about: how and when it was verified
// is a fact of its own, with the VerifiedName of the group, which no scope releases.
func (c *Catalogue) RequestedBy(request *engine.AuthorizeRequest, stays []string) (facts, groups, single []string) {
	facts, groups = c.RequestedFor(request.Client, stays)
	names := c.Single(request.Client, request.Claims.Names(authorization.InAny))
	if len(names) == 0 {
		return facts, groups, nil
	}
	required, requiredGroups := c.RequestedFor(request.Client, Without(request.Scopes, request.Optional))
	optional, optionalGroups := c.RequestedFor(request.Client, request.Optional)
	optional, optionalGroups = Without(optional, required), Without(optionalGroups, requiredGroups)
	byScope, groupsByScope := facts, groups
	var verified []string
	for _, name := range names {
		if group, ok := authorization.VerifiedGroup(name); ok {
			if !slices.Contains(optionalGroups, group) || slices.Contains(groupsByScope, group) {
				verified, groups = append(verified, name), Union(groups, []string{group})
			}
			continue
		}
		told := c.factsOf(name)
		if len(Intersection(told, optional)) == 0 || Covers(byScope, told) {
			single, facts = append(single, name), Union(facts, told)
		}
	}
	return append(c.inOrder(facts), verified...), groups, append(single, verified...)
}

// Single returns the claims that an application may request one by one: the attributes of
// its registered scopes, under any of their names, in the order of the catalogue, and
// verified_claims about their groups. It drops all others, which would get around the
// registration.
func (c *Catalogue) Single(client *registry.Client, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	registered := client.Scopes
	if len(registered) == 0 {
		registered = c.scopeNames()
	}
	allowed, groups := c.releaseTo(client.Dialect.V3Attributes, registered)
	for i, handle := range allowed {
		allowed[i] = c.tells(handle)
	}
	var handles []string
	for _, a := range c.Attributes {
		if slices.Contains(names, a.Handle) && slices.Contains(allowed, c.tells(a.Handle)) {
			handles = append(handles, a.Handle)
		}
	}
	for _, name := range names {
		if group, ok := authorization.VerifiedGroup(name); ok && slices.Contains(groups, group) {
			handles = append(handles, name)
		}
	}
	return handles
}

// scopeNames returns all scopes of the host.
func (c *Catalogue) scopeNames() []string {
	names := make([]string, len(c.Scopes))
	for i := range c.Scopes {
		names[i] = c.Scopes[i].Name
	}
	return names
}

// releasedIn returns what a grant releases in a place. ID token and userinfo each carry the
// claims of scopes and their own single claims.
func (c *Catalogue) releasedIn(in authorization.Place, g storage.Grant, client *registry.Client) (handles, groups []string) {
	if isLean(in, g, client) {
		g.Scopes = nil
	}
	return c.ReleaseFor(client, g.Scopes, authorization.ClaimsOf(g).Names(in))
}

// isLean reports whether an ID token lacks the claims of scopes, because the application can
// read them at userinfo (OpenID Connect Core section 5.4).
func isLean(in authorization.Place, g storage.Grant, client *registry.Client) bool {
	return in == authorization.InIDToken && client.LeanIDTokens && g.ResponseType != "id_token"
}
