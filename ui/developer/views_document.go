package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// FieldAddress is the address of a document.
const FieldAddress = "address"

// DocumentView tries the metadata document of a client that nobody has registered. It posts
// [FieldAddress].
type DocumentView struct {
	Page
	ui.Form
	// Address is what was entered.
	Address string
	// Tried says that the document was read. Wrong are the reasons for which it makes no
	// client, Notes what its client is without, in English.
	Tried        bool
	Wrong, Notes []string
	// Host is what people see instead of a name, CallsItself the name beside it.
	Host, CallsItself string
	// RedirectURIs, AuthMethod, GrantTypes and Scopes are its registration, which is read
	// again after Life.
	RedirectURIs       []string
	AuthMethod         string
	GrantTypes, Scopes []string
	Life               time.Duration
}
