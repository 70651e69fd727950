package credential

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// maxBody is the maximum length of the body of a request, in bytes.
const maxBody = 16 << 10

// request is a credential request (OpenID for Verifiable Credential Issuance 1.0 section 8.2). A
// pointer is nil for what was not sent.
type request struct {
	Identifier    *string         `json:"credential_identifier"`
	Configuration *string         `json:"credential_configuration_id"`
	Proofs        json.RawMessage `json:"proofs"`
	Encryption    json.RawMessage `json:"credential_response_encryption"`
}

// readBody reads a JSON object.
func readBody(r *http.Request, into any, malformed error) error {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return errMediaType
	}
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case err != nil || clientkeys.Decode(raw, into) != nil:
		return malformed
	}
	return nil
}

// kindOf returns the credential that a request names, and its proof. The names of a configuration and
// of its one data set are the same.
func (s *Service) kindOf(req request, h room.Holder) (Kind, error) {
	id, unknown := req.Identifier, errIdentifier
	switch {
	case (req.Identifier == nil) == (req.Configuration == nil):
		return Kind{}, errRequest
	case req.Encryption != nil && string(req.Encryption) != "null":
		return Kind{}, errEncryption
	case id == nil:
		id, unknown = req.Configuration, errConfiguration
	}
	k, ok := s.cfg.Kinds.of(*id)
	if !ok || !slices.Contains(h.Scopes, k.scope()) {
		return Kind{}, unknown
	}
	return k, nil
}

// proofOf returns the one proof of a request. A wallet that nobody has registered may call itself what
// it likes.
func (s *Service) proofOf(req request, h room.Holder) (proof, error) {
	var sent map[string][]*string
	if clientkeys.Decode(req.Proofs, &sent) != nil || len(sent) != 1 || len(sent["jwt"]) != 1 || sent["jwt"][0] == nil {
		return proof{}, errProof
	}
	if h.ClientID == s.cfg.AnyWallet {
		h.ClientID = ""
	}
	return readProof(*sent["jwt"][0], s.issuer, h.ClientID, s.cfg.Clock())
}
