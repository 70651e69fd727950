package frame

import (
	"context"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// ActorPrefix is before the ID of a member of the staff in the audit log.
const ActorPrefix = "staff:"

// Actor is who asks, in the matter of the page if it has one. What they do rests on that the
// matter is open, and on this proof of the caller.
func (r *Request) Actor(proof storage.CallerProof) storage.Actor {
	a := storage.Actor{Name: ActorPrefix + r.Staff.ID}
	if r.Matter != nil {
		a.Matter = r.Matter.ID
		a.On = storage.DeedBasis{Matter: r.Matter.ID, Staff: r.Staff.ID, Subject: r.Matter.Subject, Proof: proof, At: r.Frame.Now()}
	}
	return a
}

// act makes the context of the request that in which who asks acts: no handler has to think of it.
func (r *Request) act() { r.Screen.Request = r.Screen.Request.WithContext(r.By(storage.NoProof)) }

// By returns a context in which who asks acts: see Actor.
func (r *Request) By(proof storage.CallerProof) context.Context {
	return provider.By(r.Context(), r.Actor(proof))
}
