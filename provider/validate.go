package provider

import "github.com/bonafide-id/bonafide/provider/internal/outbound"

// ValidateRedirectURI returns why an address cannot be one of Client.RedirectURIs or
// Client.PostLogoutRedirectURIs, as the authorization endpoint decides, or nil.
func (p Clients) ValidateRedirectURI(uri string) error {
	return p.cfg.addresses().ValidateRedirectURI(uri)
}

// ValidateOrigin returns why a web origin cannot be one of Client.Origins, or nil.
func (p Clients) ValidateOrigin(origin string) error {
	return p.cfg.addresses().ValidateOrigin(origin)
}

// Validate returns the FieldError that Clients.Save would return for a registration,
// or nil. It looks at neither what is registered nor the logo.
func (p Clients) Validate(c Client) error {
	if err := c.validate(p.catalogue, p.cfg.addresses(), p.cfg.Resources); err != nil {
		return err
	}
	if err := c.validateCalled(p.cfg.AllowPrivateNetworks); err != nil {
		return err
	}
	return c.validateKeys(p.cfg.AllowPrivateNetworks)
}

// validateCalled names the first address that the provider must not call.
func (c Client) validateCalled(allowPrivate bool) error {
	switch err := outbound.ValidateURL(c.BackchannelLogoutURI, allowPrivate); {
	case c.BackchannelLogoutURI == "" && c.BackchannelLogoutSessionRequired:
		return wrongField("BackchannelLogoutSessionRequired", "needs a BackchannelLogoutURI")
	case c.BackchannelLogoutURI != "" && err != nil:
		return wrongField("BackchannelLogoutURI", "%q %w", c.BackchannelLogoutURI, err)
	case c.BackchannelLogoutURI != "" && c.asksForItselfOnly():
		return wrongField("BackchannelLogoutURI", "is of no use to an application without users")
	}
	return nil
}
