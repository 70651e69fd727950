package provider

import "github.com/bonafide-id/bonafide/provider/internal/outbound"

// ValidateRedirectURI returns nil if an address can be one of Client.RedirectURIs or
// Client.PostLogoutRedirectURIs, and otherwise the reason, by the rules of the
// authorization endpoint.
func (p Clients) ValidateRedirectURI(uri string) error {
	return p.cfg.addresses().ValidateRedirectURI(uri)
}

// ValidateOrigin returns nil if a web origin can be one of Client.Origins, and otherwise
// the reason.
func (p Clients) ValidateOrigin(origin string) error {
	return p.cfg.addresses().ValidateOrigin(origin)
}

// Validate returns the FieldError that Clients.Save would return for a registration, or
// nil. It checks neither existing registrations nor the logo.
func (p Clients) Validate(c Client) error {
	if err := c.validate(p.catalogue, p.cfg.addresses(), p.cfg.Resources); err != nil {
		return err
	}
	if err := c.validateCalled(p.cfg.AllowPrivateNetworks); err != nil {
		return err
	}
	return c.validateKeys(p.cfg.AllowPrivateNetworks)
}

// validateCalled returns an error for the first address that the provider must not call.
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
