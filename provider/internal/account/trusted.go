package account

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
)

// TrustedDigest names this browser among the trusted devices of an account, by the value of a
// cookie; the same cookie names it differently for each account.
func (p *Pages) TrustedDigest(value, accountID string) storage.Digest {
	return p.Site.Secrets.MAC("trusted device "+p.Site.Issuer, []byte(accountID), []byte(value))
}

// Trusted returns the trusted device that this browser is to an account, if it is one in force.
// It only leaves the second step out: whoever is signed in by it has one factor.
func (p *Pages) Trusted(r *http.Request, set storage.AuthenticatorSet) (storage.Digest, bool) {
	value := p.Site.Cookies.Get(r, session.Trusted)
	if value == "" {
		return storage.Digest{}, false
	}
	digest, now := p.TrustedDigest(value, set.Account.ID), p.Clock()
	return digest, slices.ContainsFunc(set.Devices, func(d storage.TrustedDevice) bool {
		return d.Digest == digest && clock.InForce(now, d.CreatedAt, d.ExpiresAt)
	})
}
