package provider

import "github.com/bonafide-id/bonafide/provider/internal/oauth"

// MetadataPaths returns the paths at which clients such as those of the Model Context
// Protocol look for the discovery document beside the path of the BaseURL (RFC 8414 section
// 3.1), for the host's router. It returns none when the BaseURL has no path: then the
// provider is asked there anyway. A client that is given the issuer for OpenID Connect
// does without.
//
//	for _, path := range idp.MetadataPaths() {
//		mux.Handle(path, idp)
//	}
func (p *Provider) MetadataPaths() []string {
	base := p.server.BasePath()
	if base == "" {
		return nil
	}
	return oauth.InsertedPaths(base)
}
