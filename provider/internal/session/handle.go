package session

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/bonafide-id/bonafide/storage"
)

// Handle names a session in a form. It is not secret: with it nobody is in the session, and it
// ends only one of the account that it is given with.
func Handle(s storage.Session) string {
	sum := sha256.Sum256(s.Digest[:])
	return hex.EncodeToString(sum[:16])
}
