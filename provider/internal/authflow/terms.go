package authflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// terms are what a user is asked to allow, as the screen shows it. They are kept with the
// decision and with the grant, because the meaning of scopes may grow.
type terms struct {
	Scopes       []string
	Attributes   []string // facts
	Groups       []string
	Resources    []string `json:",omitempty"`
	ClientName   string
	RedirectHost string

	// Optional are the optional scopes of the request, LeftOut those of them that are
	// declined and not among Scopes.
	Optional []string `json:",omitempty"`
	LeftOut  []string `json:",omitempty"`

	// Claims are the single claims that the request adds to Scopes.
	Claims []string `json:",omitempty"`
}

// termsOf returns the terms of a request without these scopes, as far as they are optional:
// only these distinguish the whole request, what a screen shows and what a decision allows.
// Scopes is empty if nothing remains.
func (e *consents) termsOf(request *engine.AuthorizeRequest, declined []string) terms {
	declined = claims.Intersection(request.Optional, declined)
	t := terms{
		Scopes:     claims.Without(request.Scopes, declined),
		ClientName: request.Client.Called(), RedirectHost: redirectHost(request.RedirectURI),
		Optional: request.Optional, LeftOut: declined,
	}
	if len(t.Scopes) == 0 {
		return t
	}
	t.Resources = request.Resources
	t.Attributes, t.Groups, t.Claims = e.Claims.Catalogue.RequestedBy(request, t.Scopes)
	return t
}

// redirectHost names where a user is sent, without the port of a loopback address, which
// changes each time (RFC 8252 section 7.3).
func redirectHost(uri string) string {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "http" && registry.IsLoopback(u.Hostname()) {
		return u.Hostname()
	}
	return web.HostOf(uri)
}

// allowedBy reports whether a decision, which may be nil, covers all of the terms. The use
// of an application without a consent screen is not a decision.
func (t terms) allowedBy(c *storage.Consent) bool {
	return c != nil && !c.Decision.IsZero() && !c.DecidedAt.IsZero() &&
		t.releasedBy(c) && c.ClientName == t.ClientName && slices.Contains(c.RedirectHosts, t.RedirectHost)
}

// releasedBy reports whether a decision covers everything that would be released.
func (t terms) releasedBy(c *storage.Consent) bool {
	return claims.Covers(c.Scopes, t.Scopes) && claims.Covers(c.Attributes, t.Attributes) && claims.Covers(c.Groups, t.Groups) &&
		claims.Covers(c.Resources, t.Resources)
}

// unrecorded reports whether the record of an application without a consent screen, where its
// user looks it up, lacks part of what it gets. A decision stays as it is.
func (t terms) unrecorded(c *storage.Consent) bool {
	return c == nil || c.Decision.IsZero() || c.DecidedAt.IsZero() && !t.releasedBy(c)
}

// use returns the record of an application without a consent screen, for its user to look
// up, merged with the former record, which may be nil.
func (t terms) use(subject, clientID string, before *storage.Consent, now time.Time) storage.Consent {
	if before != nil && before.Decision.IsZero() {
		before = nil
	}
	c := t.beside(before)
	c.Subject, c.ClientID, c.CreatedAt, c.LastUsedAt = subject, clientID, now, now
	return c
}

// beside returns a record of the terms that also covers the former record, which may be
// nil.
func (t terms) beside(before *storage.Consent) storage.Consent {
	c := storage.Consent{
		Scopes: t.Scopes, Attributes: t.Attributes, Groups: t.Groups, Resources: t.Resources, ClientName: t.ClientName,
	}
	if t.RedirectHost != "" { // a grant without a browser sends nobody anywhere
		c.RedirectHosts = []string{t.RedirectHost}
	}
	if before != nil {
		c.Scopes = claims.Union(before.Scopes, c.Scopes)
		c.Attributes = claims.Union(before.Attributes, c.Attributes)
		c.Groups = claims.Union(before.Groups, c.Groups)
		c.Resources = claims.Union(before.Resources, c.Resources)
		c.RedirectHosts = claims.Union(before.RedirectHosts, c.RedirectHosts)
	}
	random.Fill(c.Decision[:])
	return c
}

// fingerprint binds a form to the terms that it was shown with.
func (t terms) fingerprint() (string, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16]), nil
}

// decisionOf returns the name of a consent's decision; the consent may be nil.
func decisionOf(c *storage.Consent) storage.Digest {
	if c == nil {
		return storage.Digest{}
	}
	return c.Decision
}
