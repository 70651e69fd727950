// Package passkey is the relying party of Web Authentication (WebAuthn Level 3): the options
// that a page hands to the browser, and the verification of what comes back. It is the only
// package that knows the library behind it, and gives and takes records of package storage.
//
// A challenge is made by package factor, and spent by the write that rests on the answer.
// Nothing here reads a store or a clock.
package passkey

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Limit is the maximum number of passkeys of an account.
const Limit = 20

// HandleSize is the size of a user handle in bytes, the maximum of WebAuthn section 5.4.3.
const HandleSize = 64

// Party is the relying party. It is safe for concurrent use.
type Party struct {
	// ID is the relying party ID: a domain, for which passkeys are created.
	ID string

	// Origin is the origin of the pages, the only one from which an answer is accepted.
	Origin string

	// Name is the name of the service, which some authenticators show.
	Name string

	// Environment follows the user's name at the authenticator, in parentheses, when several
	// providers share a domain: "Sandbox". Empty for none.
	Environment string

	// Tag begins every user handle. It tells the passkeys of this provider from those of
	// others with the same ID, such as a sandbox on the host of production.
	Tag [8]byte
}

// ErrID is the error of New about the relying party ID.
var ErrID = errors.New("not a domain for which passkeys can be created")

// New returns the relying party of an installation whose pages are at baseURL. An empty rpID
// is the host of baseURL. ErrID if that is an IP address or not a domain: no browser creates
// passkeys there.
//
// The installation names the database, and becomes the tag: not the issuer, which changes
// when the provider moves. The vault's digest of a fixed text is such a name.
//
// An rpID that is neither the host nor one of its parent domains is accepted: browsers allow
// it where the site of rpID lists the origin as related (WebAuthn section 5.11), as after a
// move to another domain.
func New(installation, baseURL, rpID, name string) (*Party, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if rpID == "" {
		rpID = base.Hostname()
	}
	if err := checkID(rpID); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte("bonafide user handle of " + installation))
	return &Party{ID: rpID, Origin: originOf(base), Name: name, Tag: [8]byte(sum[:8])}, nil
}

// checkID accepts a valid domain (WebAuthn section 5.1.3), in lower case and without a port.
func checkID(id string) error {
	if id == "localhost" || strings.HasSuffix(id, ".localhost") {
		return nil
	}
	for _, label := range strings.Split(id, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Errorf("%w: %q", ErrID, id)
		}
	}
	// The last label of an address is a number.
	if last := id[strings.LastIndexByte(id, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return fmt.Errorf("%w: %q", ErrID, id)
	}
	return nil
}

// originOf returns the origin of an address as browsers write it (RFC 6454 section 6.2).
func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[scheme])
	return scheme + "://" + host
}

// NewHandle returns a new user handle: the tag, and 56 random bytes. It says nothing about
// the user (WebAuthn section 14.6.1).
func (p *Party) NewHandle() []byte {
	return append(p.Tag[:len(p.Tag):len(p.Tag)], random.Bytes(HandleSize-len(p.Tag))...)
}

// Usable returns those of the passkeys that were created for this relying party ID, without
// changing the slice; none if p is nil. No authenticator finds the others.
func (p *Party) Usable(passkeys []storage.Passkey) (usable []storage.Passkey) {
	for _, k := range passkeys {
		if p != nil && k.RPID == p.ID {
			usable = append(usable, k)
		}
	}
	return usable
}

// IsOurs reports whether a user handle was made by this provider. Others of the same ID have
// made those for which it reports false, and no signal may be sent about them.
func (p *Party) IsOurs(handle []byte) bool {
	return len(handle) == HandleSize && bytes.HasPrefix(handle, p.Tag[:])
}
