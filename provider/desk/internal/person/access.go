package person

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// What somebody can get in with, and where they are.

// checkMail is for mails to the recorded address.
func (r *room) checkMail(_ context.Context, _ action.Order, s subject) (action.Effect, error) {
	if !r.installed.HasAccounts {
		return action.Effect{Facts: []action.Fact{{Name: FactHost}}}, nil
	}
	return action.Effect{Void: mailVoid(s.state())}, nil
}

// mailVoid is why an account gets no mail that leads anywhere.
func mailVoid(a provider.RecordedAccount) string {
	switch {
	case a.Disabled:
		return VoidLocked
	case !a.DeleteAt.IsZero():
		return VoidDeletion
	case a.Email == "":
		return VoidNoMail
	default:
		return ""
	}
}

func (r *room) sendReset(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	if r.installed.HasAccounts {
		return action.Result{}, r.Provider.Rooms().Accounts.SendReset(ctx, o.Target)
	}
	if err := r.record(ctx, o.Target, event.ResetSent); err != nil {
		return action.Result{}, err
	}
	return action.Result{}, act(ctx, r.Host.SendReset, o.Target)
}

func (r *room) sendExport(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	return action.Result{}, r.Provider.Rooms().People.SendExport(ctx, o.Target)
}

func (r *room) checkSession(_ context.Context, o action.Order, s subject) (action.Effect, error) {
	i := slices.IndexFunc(s.Sessions, func(one provider.RecordedSession) bool { return one.Handle == o.Values[action.FieldSession] })
	if i < 0 {
		return action.Effect{Void: VoidNoSession}, nil
	}
	return action.Effect{Facts: []action.Fact{{Name: FactSession, Value: browserOf(s.Sessions[i].UserAgent)}}}, nil
}

// browserOf returns what a browser is called, or all that it says of itself.
func browserOf(userAgent string) string {
	d := request.DeviceOf(userAgent)
	return cmp.Or(strings.Trim(d.Browser+" – "+d.System, " –"), userAgent)
}

func (r *room) endSession(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	err := r.Provider.Rooms().People.EndSession(ctx, o.Target, o.Values[action.FieldSession])
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.SessionEnded)
	}
	return action.Result{}, err
}

// ended are the facts of an act that ends everything that was issued.
func (r *room) ended(s subject) []action.Fact {
	facts := []action.Fact{count(FactApplications, len(s.Consents))}
	if r.installed.HasAccounts {
		return append([]action.Fact{count(FactSessions, len(s.Sessions))}, facts...)
	}
	return append(facts, action.Fact{Name: FactHost})
}

func (r *room) checkSessions(_ context.Context, _ action.Order, s subject) (action.Effect, error) {
	return action.Effect{Facts: r.ended(s)}, nil
}

// endSessions ends what the provider has issued, and has the host end what it has.
func (r *room) endSessions(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	if err := r.people.Revoke(ctx, o.Target); err != nil {
		return action.Result{}, err
	}
	if !r.installed.HasAccounts {
		return action.Result{}, act(ctx, r.Host.EndSessions, o.Target)
	}
	r.Provider.Rooms().People.Tell(ctx, o.Target, event.SignedOut)
	return action.Result{}, nil
}

func (r *room) checkApplication(_ context.Context, o action.Order, s subject) (action.Effect, error) {
	i := slices.IndexFunc(s.Consents, func(c provider.RecordedConsent) bool { return c.ClientID == o.Values[action.FieldClient] })
	if i < 0 {
		return action.Effect{Void: VoidNoApplication}, nil
	}
	return action.Effect{Facts: []action.Fact{{Name: FactApplication, Value: s.Consents[i].ClientName}}}, nil
}

func (r *room) revokeApplication(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	err := r.Provider.Rooms().People.RevokeConsent(ctx, o.Target, o.Values[action.FieldClient])
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.Revoked)
	}
	return action.Result{}, err
}

// checkCredential is for one that is in force.
func (r *room) checkCredential(ctx context.Context, o action.Order, _ subject) (action.Effect, error) {
	all, err := r.Provider.Rooms().People.Credentials(ctx, o.Target)
	i := slices.IndexFunc(all, func(c storage.Credential) bool { return c.ID == o.Values[action.FieldCredential] })
	if err != nil || i < 0 {
		return action.Effect{Void: VoidNoCredential}, err
	}
	return action.Effect{Facts: []action.Fact{{Name: FactCredential, Value: all[i].Group}}}, nil
}

func (r *room) endCredential(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	err := r.Provider.Rooms().People.EndCredential(ctx, o.Target, o.Values[action.FieldCredential])
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.CredentialEnded)
	}
	return action.Result{}, err
}

// checkLock is for a user of the host who is locked as well: of one whom the host has locked, what
// was issued may still be there.
func (r *room) checkLock(_ context.Context, _ action.Order, s subject) (action.Effect, error) {
	e := action.Effect{Facts: r.ended(s)}
	if s.state().Disabled {
		e.Void = VoidLocked
	}
	return e, nil
}

func (r *room) checkUnlock(ctx context.Context, o action.Order, s subject) (e action.Effect, err error) {
	locked, err := r.isLocked(ctx, o.Target, s)
	if !locked && (r.installed.HasAccounts || r.Host.Show != nil) {
		e.Void = VoidNotLocked
	}
	return e, err
}

// isLocked reports whether a person is known to be locked.
func (r *room) isLocked(ctx context.Context, userID string, s subject) (bool, error) {
	if r.installed.HasAccounts {
		return s.state().Disabled, nil
	}
	shown, err := r.Host.ShowUser(ctx, userID)
	return shown.Locked, err
}

// lock has the host lock its user first: what is revoked before could be issued again.
func (r *room) lock(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	if !r.installed.HasAccounts {
		if err := r.record(ctx, o.Target, event.AccountDisabled); err != nil {
			return action.Result{}, err
		}
		if err := act(ctx, r.Host.Lock, o.Target); err != nil {
			return action.Result{}, err
		}
		return action.Result{}, r.people.Revoke(ctx, o.Target)
	}
	err := r.accounts.SetDisabled(ctx, o.Target, true)
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.AccountDisabled)
	}
	return action.Result{}, err
}

func (r *room) unlock(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	if !r.installed.HasAccounts {
		if err := r.record(ctx, o.Target, event.AccountEnabled); err != nil {
			return action.Result{}, err
		}
		return action.Result{}, act(ctx, r.Host.Unlock, o.Target)
	}
	err := r.accounts.SetDisabled(ctx, o.Target, false)
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.AccountEnabled)
	}
	return action.Result{}, err
}
