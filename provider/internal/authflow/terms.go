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
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// terms are what a user is asked to allow: what the screen shows. They are kept with
// the decision and with the grant, because scopes can come to mean more.
type terms struct {
	Scopes       []string
	Attributes   []string // facts
	Groups       []string
	Resources    []string `json:",omitempty"`
	ClientName   string
	RedirectHost string

	// Optional are those of Scopes that the user may leave out.
	Optional []string `json:",omitempty"`
}

// termsOf returns what a request asks for.
func (e *Endpoint) termsOf(request *engine.AuthorizeRequest) terms {
	attributes, groups := e.Claims.Catalogue.AsksFor(request.Client, request.Scopes, request.Claims.Names(engine.InAny))
	return terms{
		Scopes: request.Scopes, Attributes: attributes, Groups: groups, Resources: request.Resources,
		ClientName: request.Client.Name, RedirectHost: redirectHost(request.RedirectURI),
		Optional: request.Optional,
	}
}

// redirectHost names where a user is sent, without the port of a loopback address,
// which is another each time (RFC 8252 section 7.3).
func redirectHost(uri string) string {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "http" && engine.IsLoopback(u.Hostname()) {
		return u.Hostname()
	}
	return web.HostOf(uri)
}

// allowedBy reports whether a decision, which may be nil, covers all of the terms. That
// an application has been used without asking is no decision.
func (t terms) allowedBy(c *storage.Consent) bool {
	return c != nil && !c.Decision.IsZero() && !c.DecidedAt.IsZero() &&
		t.releasedBy(c) && c.ClientName == t.ClientName && slices.Contains(c.RedirectHosts, t.RedirectHost)
}

// releasedBy reports whether a decision covers all that would be released.
func (t terms) releasedBy(c *storage.Consent) bool {
	return claims.Covers(c.Scopes, t.Scopes) && claims.Covers(c.Attributes, t.Attributes) && claims.Covers(c.Groups, t.Groups) &&
		claims.Covers(c.Resources, t.Resources)
}

// decide returns the decision of a user to allow the terms, beside what the decision
// before, which may be nil, allows. What was allowed to an application of another name
// was allowed to another.
func (t terms) decide(subject, clientID string, before *storage.Consent, now time.Time) storage.Consent {
	c := t.use(subject, clientID, now)
	c.DecidedAt = now
	if before == nil || before.DecidedAt.IsZero() || before.ClientName != t.ClientName {
		return c
	}
	return beside(*before, c)
}

// beside returns a record that covers what the one before does as well.
func beside(before, c storage.Consent) storage.Consent {
	c.Scopes = claims.Union(before.Scopes, c.Scopes)
	c.Attributes = claims.Union(before.Attributes, c.Attributes)
	c.Groups = claims.Union(before.Groups, c.Groups)
	c.Resources = claims.Union(before.Resources, c.Resources)
	c.RedirectHosts = claims.Union(before.RedirectHosts, c.RedirectHosts)
	return c
}

// unlisted reports whether the user of an application that nobody is asked about does
// not find, in what is recorded of it, all that it gets. A decision stays what it is.
func (t terms) unlisted(c *storage.Consent) bool {
	return c == nil || c.Decision.IsZero() || c.DecidedAt.IsZero() && !t.releasedBy(c)
}

// useBeside is use beside what the use before, which may be nil, has recorded.
func (t terms) useBeside(subject, clientID string, before *storage.Consent, now time.Time) storage.Consent {
	c := t.use(subject, clientID, now)
	if before == nil || before.Decision.IsZero() {
		return c
	}
	return beside(*before, c)
}

// use returns the record of an application that nobody is asked about, so that its
// user finds it.
func (t terms) use(subject, clientID string, now time.Time) storage.Consent {
	c := storage.Consent{
		Subject: subject, ClientID: clientID, Scopes: t.Scopes, Attributes: t.Attributes, Groups: t.Groups, Resources: t.Resources,
		ClientName: t.ClientName, CreatedAt: now, LastUsedAt: now,
	}
	if t.RedirectHost != "" { // nobody is sent anywhere by a grant without a browser
		c.RedirectHosts = []string{t.RedirectHost}
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

// decisionOf names the decision that a consent, which may be nil, is.
func decisionOf(c *storage.Consent) storage.Digest {
	if c == nil {
		return storage.Digest{}
	}
	return c.Decision
}
