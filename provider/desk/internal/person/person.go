package person

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	rooms "github.com/bonafide-id/bonafide/provider/internal/room"
)

// Options are what the actions are made with.
type Options struct {
	Provider *provider.Provider

	// Host are the functions of a host with its own users; they are not called where
	// accounts are embedded.
	Host Host

	Clock func() time.Time
}

// room carries the actions out.
type room struct {
	Options
	accounts  provider.Accounts
	people    provider.People
	installed rooms.Installation[provider.Lifetimes, provider.Resource]
}

// subject is a person as an order finds them.
type subject struct {
	provider.PersonalData
	// revision is that of the account; "-" for a user of the host.
	revision string
}

// state is the account; a zero one for a user of the host.
func (s subject) state() provider.RecordedAccount {
	if s.Account == nil {
		return provider.RecordedAccount{}
	}
	return *s.Account
}

// Actions returns the actions on people that can be done here.
func Actions(o Options) []action.Action {
	r := &room{o, o.Provider.Accounts(), o.Provider.People(), o.Provider.Rooms().Installation()}
	own, mail := r.installed.HasAccounts, r.installed.SignsUp
	var all []action.Action
	add := func(possible bool, name string, check checker, do doer) {
		if possible {
			all = append(all, r.action(name, check, do))
		}
	}
	add(own && mail || !own && o.Host.SendReset != nil, action.SendReset, r.checkMail, r.sendReset)
	add(own, action.EndSession, r.checkSession, r.endSession)
	add(own || o.Host.EndSessions != nil, action.EndSessions, r.checkSessions, r.endSessions)
	add(true, action.RevokeApplication, r.checkApplication, r.revokeApplication)
	add(len(r.installed.Credentials) > 0, action.EndCredential, r.checkCredential, r.endCredential)
	add(own || o.Host.Lock != nil, action.Lock, r.checkLock, r.lock)
	add(own || o.Host.Unlock != nil, action.Unlock, r.checkUnlock, r.unlock)
	add(true, action.ShowValue, r.checkValue(false), r.showValue)
	add(true, action.ShowSensitive, r.checkValue(true), r.showValue)
	add(own, action.CorrectValue, r.checkCorrection, r.correct)
	add(true, action.EndStatus, r.checkStatus, r.endStatus)
	add(true, action.SetStatus, r.checkNewStatus, r.setStatus)
	add(own || o.Host.Delete != nil, action.StartDeletion, r.checkDeletion, r.startDeletion)
	add(own, action.StopDeletion, r.checkKeeping, r.stopDeletion)
	add(own && mail, action.SendExport, r.checkMail, r.sendExport)
	add(own && mail, action.ResetFactors, r.checkRecovery, r.startRecovery)
	add(own, action.ResetFactorsNow, r.checkFactors, r.resetFactors)
	add(own, action.ChangeEmail, r.checkEmail, r.changeEmail)
	return all
}

type (
	// checker says what an order would do to a person. It may add to the revision.
	checker func(ctx context.Context, o action.Order, s subject) (action.Effect, error)
	// doer does it, in a context that rests on the revision of the account.
	doer func(ctx context.Context, o action.Order, s subject) (action.Result, error)
)

// action returns an action. Do checks again: what has become void, or another version, is not
// done, and what the write finds to be another version is not either.
func (r *room) action(name string, check checker, do doer) action.Action {
	examine := func(ctx context.Context, o action.Order) (subject, action.Effect, error) {
		s, err := r.subject(ctx, o.Target)
		if err != nil {
			return s, action.Effect{}, err
		}
		e, err := check(ctx, o, s)
		if e.Revision == "" {
			e.Revision = s.revision
		}
		return s, e, err
	}
	return action.Action{
		Rule: action.Rule{Name: name}, InParts: r.isInParts(name),
		Check: func(ctx context.Context, o action.Order) (action.Effect, error) {
			_, e, err := examine(ctx, o)
			return e, err
		},
		Do: func(ctx context.Context, o action.Order, revision string) (action.Result, error) {
			s, e, err := examine(ctx, o)
			if err != nil {
				return action.Result{}, err
			}
			if e.Revision != revision || e.Void != "" {
				return action.Result{}, provider.ErrChanged
			}
			ctx, err = r.Provider.Rooms().People.AtRevision(ctx, o.Target, s.revision)
			if err != nil {
				return action.Result{}, err
			}
			result, err := do(ctx, o, s)
			return result, asTarget(err)
		},
	}
}

// isInParts reports whether an action goes on after its first write: with a mail that is all that
// there is to it, or at the host.
func (r *room) isInParts(name string) bool {
	switch name {
	case action.SendReset, action.SendExport:
		return true
	case action.EndSessions, action.Lock, action.Unlock, action.StartDeletion:
		return !r.installed.HasAccounts
	}
	return false
}

// asTarget turns the error for nobody into that of the table.
func asTarget(err error) error {
	if errors.Is(err, provider.ErrNoUser) {
		return action.ErrNoTarget
	}
	return err
}

// subject reads a person. The revision is read first: what changes meanwhile is noticed.
func (r *room) subject(ctx context.Context, id string) (s subject, err error) {
	if s.revision, err = r.Provider.Rooms().People.Revision(ctx, id); err != nil {
		return s, asTarget(err)
	}
	s.PersonalData, err = r.people.Get(ctx, id)
	if errors.Is(err, provider.ErrNoUser) && !r.installed.HasAccounts {
		s.PersonalData = provider.PersonalData{UserID: id} // known to the host alone
		if r.Host.Show != nil {
			_, err = r.Host.ShowUser(ctx, id)
		} else {
			err = nil
		}
	}
	return s, asTarget(err)
}

// record writes the event of an act that the host carries out, before it does: what is done is
// never unrecorded.
func (r *room) record(ctx context.Context, userID string, name string) error {
	return r.Provider.Events().Record(ctx, provider.Event{Name: name, UserID: userID, Detail: "by the host"})
}
