package openid

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// Tenants of Microsoft that are many.
const (
	// MicrosoftCommon is for accounts of work, school and persons.
	MicrosoftCommon = "common"
	// MicrosoftOrganizations is for accounts of work and school.
	MicrosoftOrganizations = "organizations"
	// MicrosoftConsumers is for personal accounts.
	MicrosoftConsumers = "consumers"
)

// consumers is the tenant of all personal accounts.
const consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

// MicrosoftOptions configure the connector of Microsoft. ClientID and Tenant are required.
type MicrosoftOptions struct {
	// ClientID is the ID of an application that is registered in Microsoft Entra, Secret the
	// value of a client secret of it.
	ClientID, Secret string

	// Tenant is the ID of the tenant whose people sign in (a GUID, not its domain), or one of
	// the constants that begin with Microsoft.
	Tenant string

	// Tenants lets in people of these tenants only, by their IDs, where Tenant is many.
	// Defaults to none: those of every tenant, which anybody can make.
	Tenants []string

	// Scopes are as in [Options].
	Scopes []string

	// Authority is the address of a national cloud, such as https://login.microsoftonline.us.
	// Defaults to https://login.microsoftonline.com.
	Authority string
}

// Microsoft returns the connector of Microsoft Entra and of Microsoft accounts. It differs from
// the standard in this:
//
//   - Where Tenant is many, the configuration calls its issuer by a template. The iss of an
//     ID token is the template with the ID in tid, and that of the identity, too: a tenant is
//     an issuer.
//   - The administrator of a tenant writes any address into email, and email_verified is not
//     said or worth as little. The address is verified only by xms_edov, an optional claim
//     that an application asks for at its registration ("nOAuth", descope.com, 2023).
//   - ID tokens have all claims.
//   - auth_time is an optional claim, too. Without it, an authentication that was asked for
//     afresh is of the time of the return.
//   - DomainHint is the parameter domain_hint.
func Microsoft(o MicrosoftOptions) *Connector {
	authority := strings.TrimSuffix(o.Authority, "/")
	if authority == "" {
		authority = "https://login.microsoftonline.com"
	}
	many := o.Tenant == MicrosoftCommon || o.Tenant == MicrosoftOrganizations
	tenant := strings.ToLower(o.Tenant)
	template := authority + "/" + tenant + "/v2.0"
	c := New(Options{Issuer: template, ClientID: o.ClientID, Secret: o.Secret, Scopes: o.Scopes})
	switch {
	case many:
		template = authority + "/{tenantid}/v2.0"
	case o.Tenant == MicrosoftConsumers:
		tenant = consumers
		template = authority + "/" + consumers + "/v2.0"
	}
	let := make([]string, len(o.Tenants))
	for i, id := range o.Tenants {
		let[i] = strings.ToLower(id)
	}
	c.dialect = dialect{
		wrong: checkTenants(o, many),
		named: template,
		whole: true, timeless: true,
		names: func(issuer string) bool {
			before, after, _ := strings.Cut(template, "{tenantid}")
			id, ok := strings.CutPrefix(issuer, before)
			id, ends := strings.CutSuffix(id, after)
			return many && ok && ends && isGUID(id)
		},
		ask: func(r upstream.Request, to url.Values) {
			if r.DomainHint != "" {
				to.Set("domain_hint", r.DomainHint)
			}
		},
		issuer: func(said claims) bool {
			id := said.text("tid")
			switch {
			case !isGUID(id), said.text("iss") != strings.ReplaceAll(template, "{tenantid}", id):
				return false
			case !many:
				return id == tenant
			case o.Tenant == MicrosoftOrganizations && id == consumers:
				return false
			default:
				return len(let) == 0 || slices.Contains(let, id)
			}
		},
		judge: func(who *upstream.Identity, said claims, _ url.Values) error {
			who.EmailVerified = who.Email != "" && said.truth("xms_edov")
			return nil
		},
	}
	return c
}

func checkTenants(o MicrosoftOptions, many bool) error {
	switch {
	case !many && o.Tenant != MicrosoftConsumers && !isGUID(strings.ToLower(o.Tenant)):
		return field.Errorf("Tenant", "is neither the ID of a tenant nor common, organizations or consumers")
	case !many && len(o.Tenants) > 0:
		return field.Errorf("Tenants", "is for a Tenant that is many")
	case slices.ContainsFunc(o.Tenants, func(id string) bool { return !isGUID(strings.ToLower(id)) }):
		return field.Errorf("Tenants", "has an element that is not the ID of a tenant")
	default:
		return nil
	}
}

// isGUID reports whether a text is a GUID in lower case, as Microsoft writes them.
func isGUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, r := range []byte(text) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if r != '-' {
				return false
			}
		case (r < '0' || r > '9') && (r < 'a' || r > 'f'):
			return false
		}
	}
	return true
}
