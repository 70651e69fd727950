package frame

import (
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// partMatter is the part of a path that has the ID of a matter.
const partMatter = "matter"

// MatterIdle is when a matter ends that nobody uses.
const MatterIdle = 30 * time.Minute

// useMatter reads the matter of the path and prolongs it. Whose own matter is over begins
// again: then over is true, and the request is answered. Of the matters of others, and of
// those about people whom the staff may not look at, nobody learns that they exist.
func (r *Request) useMatter() (over bool, err error) {
	f, ctx, now := r.Frame, r.Context(), r.Frame.Now()
	m, err := storage.One(f.Store.Matters(ctx, storage.MatterFilter{ID: new(r.Value(partMatter))}))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return false, NotFound
	case err != nil:
		return false, err
	case m.Staff != r.Staff.ID:
		return false, r.Refuse(Refusal{Action: "matter"})
	case !r.Staff.Helps():
		return false, NotFound
	}
	standing, err := r.StandingOf(m.Subject)
	if err != nil {
		return false, err
	}
	if standing == Self || standing == Protected && !r.Staff.Operates() {
		return false, r.Refuse(Refusal{Action: "matter", Person: m.Subject, Alarm: true})
	}
	if !m.ClosedAt.IsZero() || !now.Before(m.EndsAt) {
		return true, r.Done(r.Path(), screens.NoticeMatterEnded)
	}
	if until := now.Add(MatterIdle); until.Sub(m.EndsAt) > time.Minute {
		err := f.Store.UseMatter(ctx, m.ID, r.Staff.ID, now, until)
		if errors.Is(err, storage.ErrEnded) {
			return true, r.Done(r.Path(), screens.NoticeMatterEnded)
		}
		if err != nil {
			return false, err
		}
		m.EndsAt = until
	}
	r.Matter = &m
	r.act()
	return false, nil
}

// Proof is what the caller has proved at this moment.
func (r *Request) Proof() storage.CallerProof {
	if r.Matter == nil || !r.Frame.Now().Before(r.Matter.ProvedUntil) {
		return storage.NoProof
	}
	return r.Matter.Proof
}
