package credential

import (
	"encoding/json"
	"net/http"
	"net/url"
)

// offer is a credential offer (OpenID for Verifiable Credential Issuance 1.0 section 4.1.1). It holds
// nothing about a user: everybody may read it.
type offer struct {
	Issuer         string                  `json:"credential_issuer"`
	Configurations []string                `json:"credential_configuration_ids"`
	Grants         map[string]grantOfOffer `json:"grants"`
}

// grantOfOffer has no members: the wallet begins an authorization request of its own.
type grantOfOffer struct{}

func (s *Service) offerOf(k Kind) offer {
	return offer{s.issuer, []string{k.Group}, map[string]grantOfOffer{"authorization_code": {}}}
}

// serveOffer answers with the offer of a credential.
func (s *Service) serveOffer(w http.ResponseWriter, r *http.Request) {
	k, ok := s.cfg.Kinds.of(r.PathValue("group"))
	if !ok {
		s.fail(w, r, errOffer)
		return
	}
	writeJSON(w, http.StatusOK, s.offerOf(k))
}

// offerScheme begins the links that wallets open.
const offerScheme = "openid-credential-offer://?"

// Offer returns the link by which a wallet begins to get the credential of a group, for a page or a
// mail of the host's: with the whole offer, so that the wallet need not fetch it. It is empty for a
// group that has no credential.
func (s *Service) Offer(group string) string {
	k, ok := s.cfg.Kinds.of(group)
	if !ok {
		return ""
	}
	value, err := json.Marshal(s.offerOf(k))
	if err != nil {
		panic("credential: " + err.Error()) // texts
	}
	return offerScheme + url.Values{"credential_offer": {string(value)}}.Encode()
}

// offerLink returns the link with the address of an offer, which is short enough to be drawn.
func (s *Service) offerLink(group string) string {
	return offerScheme + url.Values{"credential_offer_uri": {s.url + "/offers/" + group}}.Encode()
}
