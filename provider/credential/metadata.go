package credential

import (
	"net/http"

	screens "github.com/bonafide-id/bonafide/ui/credential"
)

// metadata describes the issuer (OpenID for Verifiable Credential Issuance 1.0 section 12.2.4). The
// provider itself is the authorization server.
type metadata struct {
	Issuer         string                   `json:"credential_issuer"`
	Credential     string                   `json:"credential_endpoint"`
	Nonce          string                   `json:"nonce_endpoint"`
	Notification   string                   `json:"notification_endpoint"`
	Display        []display                `json:"display"`
	Configurations map[string]configuration `json:"credential_configurations_supported"`
}

// display is a name in a language.
type display struct {
	Name   string `json:"name"`
	Locale string `json:"locale,omitempty"`
}

// configuration is one kind of credential (appendix A.3.2).
type configuration struct {
	Format   string               `json:"format"`
	Type     string               `json:"vct"`
	Scope    string               `json:"scope"`
	Binding  []string             `json:"cryptographic_binding_methods_supported"`
	Signing  []string             `json:"credential_signing_alg_values_supported"`
	Proofs   map[string]proofInfo `json:"proof_types_supported"`
	Metadata configurationInfo    `json:"credential_metadata"`
}

type proofInfo struct {
	Signing []string `json:"proof_signing_alg_values_supported"`
}

type configurationInfo struct {
	Display []display   `json:"display"`
	Claims  []claimInfo `json:"claims"`
}

// claimInfo is a claim by its path (appendix C).
type claimInfo struct {
	Path    []string  `json:"path"`
	Display []display `json:"display"`
}

// serveMetadata answers with the metadata of the issuer.
func (s *Service) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.metadata())
}

func (s *Service) metadata() metadata {
	m := metadata{
		Issuer: s.issuer, Credential: s.url + "/credential", Nonce: s.url + "/nonce", Notification: s.url + "/notification",
		Display:        []display{{Name: s.cfg.Provider.Rooms().Installation().Name}},
		Configurations: map[string]configuration{},
	}
	for _, k := range s.cfg.Kinds {
		c := configuration{
			Format: "dc+sd-jwt", Type: s.typeURL(k), Scope: k.scope(), Binding: []string{"jwk"}, Signing: []string{"ES256"},
			Proofs: map[string]proofInfo{"jwt": {[]string{proofAlgorithm}}},
		}
		for _, l := range s.locales() {
			c.Metadata.Display = append(c.Metadata.Display, display{s.groupName(l, k), l.Lang})
		}
		for _, name := range k.claimNames() {
			info := claimInfo{Path: []string{name}}
			for _, l := range s.locales() {
				info.Display = append(info.Display, display{screens.ClaimWords(l, name), l.Lang})
			}
			c.Metadata.Claims = append(c.Metadata.Claims, info)
		}
		m.Configurations[k.Group] = c
	}
	return m
}
