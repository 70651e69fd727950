package verification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// heldProof is how long a proof stays bound to its person after the membership has ended: an
// address may get another owner, but not at once.
const heldProof = 90 * day

// statusOf returns the status that a transition records, or nil: the membership of an
// approval; a pending one while a case waits and nothing better holds; and the end of that.
func (s *memberships) statusOf(t *transition, now time.Time) *storage.Status {
	waits := t.c.State == storage.CasePending || t.c.State == storage.CaseReview
	status := &storage.Status{Group: t.c.Group, VerifiedBy: s.name}
	switch {
	case t.c.State == storage.CaseApproved:
		t.k.ShowsPending, t.k.Unrecorded = false, s.Record != nil
		return s.membership(t, now)
	case t.k.HostsWord:
		return nil
	case waits && !t.k.ShowsPending && !t.c.Renewal:
		t.k.ShowsPending, status.Pending = true, true
		return status
	case !waits && t.k.ShowsPending:
		t.k.ShowsPending = false
		return status
	default:
		return nil
	}
}

// membership is the status of an approval. A renewal never shortens what holds.
func (s *memberships) membership(t *transition, now time.Time) *storage.Status {
	found := *t.k.Member
	found.Until = s.ends(t.c.Group, found, now)
	if t.k.HeldForever || !t.k.Held.IsZero() && !found.Until.IsZero() && found.Until.Before(t.k.Held) {
		found.Until = t.k.Held
	}
	t.k.Member = &found
	t.k.Reminded = reminders(found.Until, now)
	return &storage.Status{
		Group: t.c.Group, Subgroups: found.Subgroups, Verified: true, VerifiedBy: s.name, VerifiedAt: now,
		ExpiresAt: found.Until, Source: found.Source, Method: methodWord(found.Method),
	}
}

// methodWord is the word that the screens have for a method.
func methodWord(method string) string {
	switch method {
	case "document", "email_domain", "roster", "code":
		return method
	case "invitation":
		return "code"
	default:
		return "record"
	}
}

// ends returns the end of a membership: the earliest of the policy's for each subgroup and
// that of the finding. Without a policy nobody knows: nothing is approved then.
func (s *core) ends(group string, f finding, at time.Time) time.Time {
	until, p := f.Until, s.policies[group]
	if p == nil {
		return until
	}
	holds := p.Holds
	if len(f.Subgroups) == 0 {
		return earlier(until, holds("", at))
	}
	for _, subgroup := range f.Subgroups {
		until = earlier(until, holds(subgroup, at))
	}
	return until
}

// fingerprints returns what an approval binds. Where reviewers have approved although a proof
// is somebody else's, it stays theirs.
func (s *memberships) fingerprints(ctx context.Context, t transition, now time.Time) ([]storage.Fingerprint, error) {
	var bound []storage.Fingerprint
	for _, proved := range t.k.Member.Proved {
		f := storage.Fingerprint{Group: t.c.Group, Kind: proved.Kind, Digest: proved.Digest}
		if slices.ContainsFunc(bound, func(b storage.Fingerprint) bool { return b.Kind == f.Kind && b.Digest == f.Digest }) {
			continue
		}
		if takenByOthers(t) {
			others, err := s.isOthers(ctx, f, t.c.Subject, now)
			if err != nil {
				return nil, err
			}
			if others {
				continue
			}
		}
		bound = append(bound, f)
	}
	return bound, nil
}

// isOthers reports whether a fingerprint is bound to somebody else.
func (s *memberships) isOthers(ctx context.Context, f storage.Fingerprint, subject string, now time.Time) (bool, error) {
	found, err := s.Store.Fingerprints(ctx, f.Group, f.Kind, digestBefore(f.Digest), 1)
	if err != nil {
		return false, fmt.Errorf("read fingerprint: %w", err)
	}
	if len(found) == 0 || found[0].Digest != f.Digest || found[0].Subject == subject {
		return false, nil
	}
	return found[0].Until.IsZero() || now.Before(found[0].Until), nil
}

// digestBefore returns the digest before another one.
func digestBefore(d storage.Digest) storage.Digest {
	for i := len(d) - 1; i >= 0; i-- {
		d[i]--
		if d[i] != 0xff {
			break
		}
	}
	return d
}

// Revoke ends a user's membership in a group that a case has recorded, and reports whether
// it was in force. The reason is one of the words of storage.Status or a sentence, which the
// person may read.
func (s *memberships) Revoke(ctx context.Context, userID, group, reason string) (ended bool, err error) {
	who, err := s.person(ctx, userID)
	if err != nil {
		return false, err
	}
	origin := who.status(group).Origin
	if origin == "" {
		return false, nil
	}
	return s.RevokeCase(ctx, origin, reason)
}

// RevokeCase is Revoke for the membership that a case has recorded. ErrNoCase if there is
// none.
func (s *memberships) RevokeCase(ctx context.Context, caseID, reason string) (ended bool, err error) {
	c, err := s.Store.Case(ctx, caseID)
	if errors.Is(err, storage.ErrNotFound) {
		return false, ErrNoCase
	}
	if err != nil {
		return false, fmt.Errorf("read case: %w", err)
	}
	if c.State != storage.CaseApproved {
		return false, nil
	}
	c, k, err := s.rewrite(ctx, caseID, func(k *content) bool {
		k.Ending = &ending{Reason: reason}
		return !k.Ended
	})
	if errors.Is(err, provider.ErrSealed) { // then without a note: no damage makes a membership last
		s.Logger.ErrorContext(ctx, "the membership of a case that cannot be read ends", slog.String("case", c.ID), slog.Any("error", err))
		return s.endWith(ctx, c, reason, s.Clock())
	}
	if err != nil || k.Ended {
		return false, err
	}
	return s.carryOutEnd(ctx, c, reason)
}

// endWith ends the membership that a case has recorded at a time, and records that in the log, unless it
// has ended by its time and that is recorded.
func (s *memberships) endWith(ctx context.Context, c storage.Case, reason string, at time.Time) (bool, error) {
	ended, err := s.Provider.Rooms().Events.WriteIf(ctx, s.Store, func(ctx context.Context) (bool, error) {
		return s.Store.EndStatus(ctx, storage.StatusEnd{
			CaseID: c.ID, At: at, Reason: s.Provider.Rooms().People.SealReason(c.Subject, c.Group, reason), FreeAt: at.Add(heldProof),
		})
	}, provider.Event{Name: event.StatusEnded, UserID: c.Subject, Detail: c.Group})
	if err != nil {
		return false, fmt.Errorf("end status: %w", err)
	}
	s.Provider.Rooms().People.Refresh(c.Subject)
	return ended, nil
}

// carryOutEnd ends a membership before its time, of which the case has a note: a process that
// ends in between leaves the rest to the timer of the case.
func (s *memberships) carryOutEnd(ctx context.Context, c storage.Case, reason string) (ended bool, err error) {
	if ended, err = s.endWith(ctx, c, reason, s.Clock()); err != nil {
		return false, err
	}
	if _, err := s.markEnded(ctx, c.ID); err != nil {
		return ended, err
	}
	if ended {
		s.mailNews(context.WithoutCancel(ctx), c)
	}
	return ended, nil
}

// markEnded records in an approved case that its membership has ended, and tells the host.
func (s *memberships) markEnded(ctx context.Context, id string) (content, error) {
	c, k, err := s.rewrite(ctx, id, func(k *content) bool {
		k.Ended, k.Unrecorded = true, s.Record != nil
		return true
	})
	if err == nil {
		s.recordAtHost(ctx, c, k)
	}
	return k, err
}

// rewrite changes the content of a case and nothing else of it, unless change reports false.
func (s *memberships) rewrite(ctx context.Context, id string, change func(*content) bool) (storage.Case, content, error) {
	for range maxRounds {
		c, err := s.Store.Case(ctx, id)
		if errors.Is(err, storage.ErrNotFound) {
			return c, content{}, ErrNoCase
		}
		if err != nil {
			return c, content{}, fmt.Errorf("read case: %w", err)
		}
		k, err := s.open(c)
		if err != nil || !change(&k) {
			return c, k, err
		}
		sealed, err := s.seal(c, k)
		if err != nil {
			return c, k, err
		}
		err = s.Store.PostponeCase(ctx, c.ID, c.Version, due(c, k), sealed)
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if err != nil {
			return c, k, fmt.Errorf("write case: %w", err)
		}
		return c, k, nil
	}
	return storage.Case{}, content{}, fmt.Errorf("write case: %w", storage.ErrChanged)
}

// endReplaced ends what is left of the membership that a renewal has replaced: proofs that
// are not those of the renewal become free in time, and the former case no longer reminds.
func (s *memberships) endReplaced(ctx context.Context, c storage.Case, k content, now time.Time) {
	if k.Replaces == "" || k.Replaces == c.ID {
		return
	}
	_, err := s.Store.EndStatus(ctx, storage.StatusEnd{CaseID: k.Replaces, At: now, FreeAt: now.Add(heldProof)})
	if err == nil {
		_, _, err = s.rewrite(ctx, k.Replaces, func(k *content) bool { k.Ended = true; return true })
	}
	if err != nil && !errors.Is(err, ErrNoCase) {
		s.Logger.ErrorContext(ctx, "the proofs of a renewed membership could not be released in time", slog.Any("error", err))
	}
}

// recordAtHost tells the host about the membership of an approved case. It is told again
// until it succeeds.
func (s *memberships) recordAtHost(ctx context.Context, c storage.Case, k content) {
	if s.Record == nil || !k.Unrecorded || k.Member == nil {
		return
	}
	status := provider.Status{
		Group: c.Group, Subgroups: k.Member.Subgroups, Verified: !k.Ended, VerifiedBy: s.name, VerifiedAt: c.EndedAt,
		ExpiresAt: k.Member.Until, Source: k.Member.Source, Method: methodWord(k.Member.Method), Origin: c.ID,
	}
	_, err := call(ctx, s.places(callRecord), func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Record(ctx, c.Subject, status) })
	if err == nil {
		ended := k.Ended
		_, _, err = s.rewrite(ctx, c.ID, func(k *content) bool {
			k.Unrecorded = k.Ended != ended // it has ended since
			return !k.Unrecorded
		})
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a membership could not be recorded at the host; will retry", slog.Any("error", err))
	}
}
