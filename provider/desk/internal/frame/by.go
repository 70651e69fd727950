package frame

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// By returns the context of the next write by who asks. The write rests on the matter of the
// page, if it has one, and on this proof of the caller; its line has both names.
func (r *Request) By(proof storage.CallerProof) context.Context {
	return storage.WithDeed(r.Context(), &storage.Deed{On: r.Basis(proof)})
}

// Basis is what a write by who asks rests on.
func (r *Request) Basis(proof storage.CallerProof) (on storage.DeedBasis) {
	if r.Matter != nil {
		on = storage.DeedBasis{Matter: r.Matter.ID, Staff: r.Staff.ID, Subject: r.Matter.Subject, Proof: proof, At: r.Frame.Now()}
	}
	return on
}
