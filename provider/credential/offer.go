package credential

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// offer is a credential offer (OpenID for Verifiable Credential Issuance 1.0 section 4.1.1).
type offer struct {
	Issuer         string         `json:"credential_issuer"`
	Configurations []string       `json:"credential_configuration_ids"`
	Grants         map[string]any `json:"grants"`
}

// offerOf returns the offer of a credential to all wallets. It holds nothing about a user: the wallet
// begins an authorization request of its own.
func (s *Service) offerOf(k Kind) offer {
	return offer{s.issuer, []string{k.Group}, map[string]any{"authorization_code": struct{}{}}}
}

// serveOffer answers with the offer of a credential, or with one of a user that one wallet gets.
func (s *Service) serveOffer(w http.ResponseWriter, r *http.Request) {
	k, ok := s.cfg.Kinds.of(r.PathValue("group"))
	switch {
	case ok:
		public(offerLife, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.offerOf(k)) })(w, r)
	case s.anyWallet != nil && r.Method == http.MethodGet:
		s.serveOfferOnce(w, r)
	default:
		s.fail(w, r, errOffer)
	}
}

// anyWallet is how users let wallets have credentials that nobody has registered, as
// provider.Rooms().Clients.AnyWallet says.
type anyWallet interface {
	MayHave(ctx context.Context, scope string) (bool, error)
	Offer(s *provider.Screen, scope string) (name, terms string, err error)
	Take(ctx context.Context, name string) (code, scope string, err error)
	Digits(s *provider.Screen, name, terms string) (digits string, err error)
}

// codeOfOffer is the way in which a wallet gets a token by a code, and asks its user for the digits.
type codeOfOffer struct {
	Code   string        `json:"pre-authorized_code"`
	Digits inputOfDigits `json:"tx_code"`
}

type inputOfDigits struct {
	Mode   string `json:"input_mode"`
	Length int    `json:"length"`
}

// serveOfferOnce answers with the offer of a user, to the first who asks for it.
func (s *Service) serveOfferOnce(w http.ResponseWriter, r *http.Request) {
	code, scope, err := s.anyWallet.Take(r.Context(), r.PathValue("group"))
	if errors.Is(err, room.ErrOfferOver) {
		err = errOfferOver
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	i := slices.IndexFunc(s.cfg.Kinds, func(k Kind) bool { return k.scope() == scope })
	if i < 0 { // it was made before the program was started anew
		s.fail(w, r, errOfferOver)
		return
	}
	writeJSON(w, http.StatusOK, offer{s.issuer, []string{s.cfg.Kinds[i].Group}, map[string]any{
		protocol.GrantPreAuthorized: codeOfOffer{code, inputOfDigits{"numeric", 6}},
	}})
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

// offerLink returns the link with the address of an offer: of a group, or of this name. It is short
// enough to be drawn.
func (s *Service) offerLink(name string) string {
	return offerScheme + url.Values{"credential_offer_uri": {s.url + "/offers/" + name}}.Encode()
}
