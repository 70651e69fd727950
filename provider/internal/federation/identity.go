package federation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
)

// Limit is the number of links that an account can have.
const Limit = 20

// Digest identifies the identity that an issuer gives a subject, and nothing else does: not
// the upstream by which somebody came, whose ID the host may change, nor an address. It is
// keyed, so that a copy of the database does not tell who has an account.
func (u *Upstreams) Digest(who upstream.Identity) storage.Digest {
	mac := hmac.New(sha256.New, u.Key)
	for _, part := range []string{who.Issuer, who.Subject} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part)))) // no two pairs have one encoding
		mac.Write([]byte(part))
	}
	return storage.Digest(mac.Sum(nil))
}

// Link returns the link of an identity, of no account yet.
func (u *Upstreams) Link(one Upstream, who upstream.Identity, at time.Time) storage.Link {
	name := who.Email
	if name == "" {
		name = who.Name
	}
	return storage.Link{Digest: u.Digest(who), Upstream: one.ID, Issuer: who.Issuer, Subject: who.Subject, Name: name, CreatedAt: at}
}

// Factor returns a sign-in by a link as a factor of its account. If the upstream does not say
// when it was, the return counts as the time for an account that has no factor whose time is
// known, as it has no other way to prove that its owner is present.
func (a Arrival) Factor(l storage.Link, account storage.Account, has assurance.Has) storage.Factor {
	f := storage.Factor{Method: storage.Upstream, At: a.At, Since: l.CreatedAt, Credential: l.Digest[:], Level: a.Upstream.Worth(a.Who)}
	if account.SecondStep { // which is asked whatever has happened there
		f.Level = storage.AnyAssurance
	}
	f.Undated = a.Undated && (has.Password || has.Passkey)
	return f
}
