package audit

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/storage"
)

// Errors of what an act rests on.
var (
	ErrMatter   = errors.New("provider: the matter is not open, or is of somebody else")
	ErrProof    = errors.New("provider: the caller has not proved enough, or too long ago")
	ErrChanged  = errors.New("provider: changed since it was read")
	ErrTarget   = errors.New("provider: the target of the plan is done or skipped, or the plan is not running")
	ErrRepeated = errors.New("provider: the request was answered")
)

type actingKey struct{}

// acting is an actor in a context. What happens once has happened with the first write.
type acting struct {
	storage.Actor
	done *atomic.Bool
}

// By returns a context in which an actor acts.
func By(ctx context.Context, a storage.Actor) context.Context {
	return context.WithValue(ctx, actingKey{}, &acting{a, new(atomic.Bool)})
}

// ByDefault returns a context in which an actor with this name acts in a matter, where the context
// does not name others.
func ByDefault(ctx context.Context, name, matter string) context.Context {
	by := &acting{done: new(atomic.Bool)}
	if a := actingIn(ctx); a != nil {
		*by = *a
	}
	by.Name, by.Matter = cmp.Or(by.Name, name), cmp.Or(by.Matter, matter)
	return context.WithValue(ctx, actingKey{}, by)
}

// OnAccount returns a context in which the act of an actor, or of the host, rests on an account
// in this version as well.
func OnAccount(ctx context.Context, account storage.Account) context.Context {
	by := &acting{done: new(atomic.Bool)}
	if a := actingIn(ctx); a != nil {
		*by = *a
	}
	by.On.Account, by.On.Epoch, by.On.FactorsVersion = account.ID, account.Epoch, account.FactorsVersion
	return context.WithValue(ctx, actingKey{}, by)
}

func actingIn(ctx context.Context) *acting {
	a, _ := ctx.Value(actingKey{}).(*acting)
	return a
}

// ActorOf returns the name of who acts in a context; empty for nobody who is named.
func ActorOf(ctx context.Context) string {
	if a := actingIn(ctx); a != nil {
		return a.Name
	}
	return ""
}

// deed returns the deed of the next write, without events.
func (a *acting) deed() *storage.Deed {
	if a == nil {
		return &storage.Deed{}
	}
	if a.done.Load() { // what it rests on may have changed by its own first write
		on := a.On
		on.Account, on.Epoch, on.FactorsVersion = "", 0, 0
		return &storage.Deed{On: on}
	}
	return &storage.Deed{On: a.On, Target: a.Target, Break: a.Break, Answer: a.Answer, InParts: a.InParts, Again: a.Again}
}

// sign adds who acts to an event.
func (a *acting) sign(e *storage.Event) {
	if a != nil {
		e.Actor, e.Matter = a.Name, a.Matter
	}
}

// settle notes that a write has carried out a deed.
func (a *acting) settle(d *storage.Deed) {
	if a != nil && d.IsDone() {
		a.done.Store(true)
	}
}

// refused turns the error of a deed into one of this package's, which no caller takes for a
// condition of its own write.
func refused(err error) error {
	var deed *storage.DeedError
	if !errors.As(err, &deed) {
		return err
	}
	for _, one := range []struct{ is, as error }{
		{storage.ErrEnded, ErrMatter}, {storage.ErrProof, ErrProof},
		{storage.ErrChanged, ErrChanged}, {storage.ErrNotFound, ErrChanged},
		{storage.ErrSpent, ErrTarget}, {storage.ErrConflict, ErrRepeated},
	} {
		if errors.Is(deed.Err, one.is) {
			return one.as
		}
	}
	return errors.New("deed: " + deed.Err.Error())
}
