package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Handle names a session in a form. It is not secret: with it nobody is in the session, and it
// ends only one of the account that it is given with.
func Handle(s storage.Session) string {
	sum := sha256.Sum256(s.Digest[:])
	return hex.EncodeToString(sum[:16])
}

// SID names a session to an application (OpenID Connect Back-Channel Logout 1.0 section 2.1).
// It differs between applications, so that two of them cannot compare what they learn about
// one session.
func SID(secrets *keyring.Secrets, issuer string, session []byte, clientID string) string {
	mac := secrets.MAC("sid "+issuer, session, []byte(clientID))
	return base64.RawURLEncoding.EncodeToString(mac[:16])
}
