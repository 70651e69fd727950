// Package github has the connector of GitHub, which speaks OAuth 2.0 and no OpenID Connect:
// who somebody is, its API says over TLS.
//
//	provider.Upstream{ID: "github", Title: "GitHub", Connector: github.New(github.Options{ClientID: id, Secret: secret})}
//
// The address BASE/signin/with/ID/callback is registered there as the callback URL of an OAuth
// app, or of a GitHub App that may read email addresses.
package github

import (
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// Issuer is the issuer of identities at github.com. GitHub signs nothing: it is a name of ours.
const Issuer = "https://github.com"

// maxFinish limits all calls together that a return takes.
const maxFinish = 10 * time.Second

// Options configure a connector. ClientID and Secret are required.
type Options struct {
	// ClientID and Secret are those of an OAuth app or a GitHub App.
	ClientID, Secret string

	// Enterprise is the address of an Enterprise Server, https://HOST without a path, whose
	// API is below HOST/api/v3. It is the issuer of its identities.
	// Defaults to none: github.com.
	Enterprise string
}

// Connector speaks to GitHub. It implements [upstream.Connector].
//
// The subject is the numeric ID of a user: a login can be given up, and taken by somebody else.
// The address is the primary one, if GitHub has verified it. Addresses at
// users.noreply.github.com reach nobody, and are left out.
type Connector struct {
	options Options
	site    string // of the pages, and the issuer
	api     string
}

// New returns a connector.
func New(o Options) *Connector {
	if o.Enterprise != "" {
		site := strings.TrimSuffix(o.Enterprise, "/")
		return &Connector{options: o, site: site, api: site + "/api/v3"}
	}
	return &Connector{options: o, site: Issuer, api: "https://api.github.com"}
}

// Check returns what is wrong with the options: a provider.FieldError.
func (c *Connector) Check() error {
	if err := outbound.ValidateURL(c.site, true); err != nil {
		return &field.Error{Field: "Enterprise", Err: err}
	}
	switch {
	case strings.Count(c.site, "/") != 2 || strings.Contains(c.site, "?"):
		return field.Errorf("Enterprise", "has a path")
	case c.options.ClientID == "":
		return field.Errorf("ClientID", "is missing")
	case c.options.Secret == "":
		return field.Errorf("Secret", "is missing")
	default:
		return nil
	}
}

var _ upstream.Connector = (*Connector)(nil)
