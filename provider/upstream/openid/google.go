package openid

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// GoogleIssuer is the issuer of all identities of Google.
const GoogleIssuer = "https://accounts.google.com"

// GoogleOptions configure the connector of Google. ClientID and Secret are required.
type GoogleOptions struct {
	// ClientID and Secret are those of an OAuth client of the type "web application".
	ClientID, Secret string

	// Domains lets in only accounts of Google Workspace at these domains.
	// Defaults to none: every account.
	Domains []string

	// Scopes are as in [Options].
	Scopes []string
}

// Google returns the connector of Google. It differs from the standard in this:
//
//   - iss is at times without https://. Identities have it.
//   - The domain of a Workspace account is in hd, and is a parameter of the request, too:
//     the only one of Domains, or the request's DomainHint.
//   - An account may have an address of any domain, that is verified once and kept. Google is
//     authoritative for an address at gmail.com, and for one at the domain in hd
//     (developers.google.com/identity/gsi/web/guides/verify-google-id-token).
//   - There is no prompt=login: Afresh lets the person choose the account, and auth_time is
//     missing. The return is all that is known.
//   - ID tokens have all claims.
func Google(o GoogleOptions) *Connector {
	return google(GoogleIssuer, o)
}

func google(issuer string, o GoogleOptions) *Connector {
	c := New(Options{Issuer: issuer, ClientID: o.ClientID, Secret: o.Secret, Scopes: o.Scopes})
	domains := make([]string, len(o.Domains))
	for i, domain := range o.Domains {
		domains[i] = strings.ToLower(domain)
	}
	c.dialect = dialect{
		whole: true, timeless: true,
		ask: func(r upstream.Request, to url.Values) {
			if hosted := hostedDomain(domains, r.DomainHint); hosted != "" {
				to.Set("hd", hosted)
			}
			to.Del("max_age")
			if r.Afresh {
				to.Set("prompt", "select_account")
			}
		},
		issuer: func(said claims) bool {
			if said.text("iss") == strings.TrimPrefix(issuer, "https://") {
				said["iss"] = issuer
			}
			return said.text("iss") == issuer
		},
		judge: func(who *upstream.Identity, said claims, _ url.Values) error {
			hosted := strings.ToLower(said.text("hd"))
			if len(domains) > 0 && !slices.Contains(domains, hosted) {
				return errors.New("openid: the account is of another domain of Google Workspace")
			}
			domain := reply.Domain(who.Email)
			who.Authoritative = who.EmailVerified && (domain == "gmail.com" || domain == hosted)
			return nil
		},
	}
	if o.Secret == "" {
		c.dialect.wrong = field.Errorf("Secret", "is missing")
	}
	return c
}

// hostedDomain is the parameter hd: it leads to a domain's accounts, and proves nothing.
func hostedDomain(domains []string, hint string) string {
	switch {
	case len(domains) == 1:
		return domains[0]
	case len(domains) > 1 && !slices.Contains(domains, strings.ToLower(hint)):
		return "*" // any Workspace account
	default:
		return hint
	}
}
