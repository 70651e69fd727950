package provider

// ValidateRedirectURI returns why an address cannot be one of Client.RedirectURIs or
// Client.PostLogoutRedirectURIs, as the authorization endpoint decides, or nil.
func (p *Provider) ValidateRedirectURI(uri string) error {
	return p.cfg.addresses().ValidateRedirectURI(uri)
}

// ValidateOrigin returns why a web origin cannot be one of Client.Origins, or nil.
func (p *Provider) ValidateOrigin(origin string) error {
	return p.cfg.addresses().ValidateOrigin(origin)
}

// ValidateClient returns the FieldError that SaveClient would return for a registration,
// or nil. It looks at neither what is registered nor the logo.
func (p *Provider) ValidateClient(c Client) error {
	return c.validate(p.catalogue, p.cfg.addresses(), p.cfg.Resources)
}
