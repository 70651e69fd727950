package provider

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// SetAttributes records a user's values by handle, in the types that Users.Person
// documents; other handles keep theirs, and an empty value removes one. The values are
// released from the next response on. An invalid one is a FieldError with its handle.
// ErrNoUser if accounts are embedded and the user has none: values recorded after the
// account was deleted would stay for ever.
func (p People) SetAttributes(ctx context.Context, userID string, values map[string]any) error {
	if err := p.setAttributes(ctx, userID, values, 0); err != nil {
		return fmt.Errorf("provider: set attributes: %w", err)
	}
	return nil
}

// CorrectAttributes is SetAttributes for a user whose PersonalData has this Revision:
// ErrChanged if the attributes have changed since it was read.
func (p peopleRoom) CorrectAttributes(ctx context.Context, userID string, revision int64, values map[string]any) error {
	err := p.setAttributes(ctx, userID, values, revision)
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("provider: correct attributes: %w", err)
	}
	return nil
}

func (p People) setAttributes(ctx context.Context, userID string, values map[string]any, revision int64) error {
	if err := host.CheckUserID(userID); err != nil {
		return err
	}
	encoded, err := p.catalogue.EncodeAll(values)
	if err != nil {
		return asFieldError(err)
	}
	return noUser(p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.SetAttributes(ctx, userID, encoded, nil, p.personBasis(revision))
	}, storage.Event{Name: event.AttributesChanged, Subject: userID, Detail: strings.Join(slices.Sorted(maps.Keys(values)), " ")}))
}

// ErrChanged means that the record has changed since it was read. Read it again, and decide
// again.
var ErrChanged = audit.ErrChanged

// SetStatus records a user's status in one group. It replaces the status with its Revision,
// or any if that is zero: ErrChanged if there is another. An invalid field is a FieldError;
// Pending and Verified exclude each other. With a PersonRevision from PersonalData, the
// status is for the person who was checked: ErrChanged if the attributes have changed
// since. ErrNoUser as in SetAttributes.
//
// When a pending status becomes verified or refused (neither Pending nor Verified; Reason
// says why), the user gets a mail, in the account's language if it has one. This requires
// an embedded account with a verified address, and Config.Mailer; a failure to send is
// logged.
func (p People) SetStatus(ctx context.Context, userID string, s Status) error {
	err := p.setStatus(ctx, userID, s)
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("provider: set status: %w", err)
	}
	return nil
}

func (p People) setStatus(ctx context.Context, userID string, s Status) error {
	if err := host.CheckUserID(userID); err != nil {
		return err
	}
	if err := p.checkStatus(s); err != nil {
		return err
	}
	if s.Verified && s.VerifiedAt.IsZero() {
		s.VerifiedAt = p.cfg.Clock()
	}
	switch s.Revision {
	case 0:
		return p.replaceStatus(ctx, userID, s)
	case NoRevision:
		return p.recordStatus(ctx, userID, s, storage.NoStatus, statusChanged(userID, s.Group))
	}
	before, err := p.waiting(ctx, userID, s)
	if err == nil {
		err = p.recordStatus(ctx, userID, s, s.Revision, statusChanged(userID, s.Group))
	}
	if err == nil && before == s.Revision {
		p.tellVerification(ctx, userID, s)
	}
	return err
}

// replaceStatus records a status in place of any other. Of concurrent calls that end a
// wait, one tells the user.
func (p People) replaceStatus(ctx context.Context, userID string, s Status) error {
	for {
		before, err := p.waiting(ctx, userID, s)
		if err != nil {
			return err
		}
		if before == 0 {
			return p.recordStatus(ctx, userID, s, storage.AnyRevision, statusChanged(userID, s.Group))
		}
		err = p.recordStatus(ctx, userID, s, before, statusChanged(userID, s.Group))
		if err == nil {
			p.tellVerification(ctx, userID, s)
		}
		if !errors.Is(err, storage.ErrChanged) || s.PersonRevision != 0 { // the attributes may have changed
			return err
		}
	}
}

func statusChanged(userID, group string) []storage.Event {
	return []storage.Event{{Name: event.StatusChanged, Subject: userID, Detail: group}}
}

func (p People) recordStatus(ctx context.Context, userID string, s Status, replaced int64, events []storage.Event) error {
	return noUser(p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.SetStatus(ctx, userID, s, replaced, p.personBasis(s.PersonRevision))
	}, events...))
}

// personBasis is the condition of a write about a person: the account, if accounts are
// embedded.
func (p People) personBasis(revision int64) storage.PersonBasis {
	return storage.PersonBasis{HasAccount: p.cfg.hasAccounts(), Revision: revision}
}

// noUser turns the error of a write without an account into ErrNoUser.
func noUser(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	return err
}

// waiting returns the revision of the pending status that a decision is to replace; zero if
// there is nobody to tell.
func (p People) waiting(ctx context.Context, userID string, s Status) (int64, error) {
	if s.Pending || !p.pages.SendsMail() {
		return 0, nil
	}
	person, err := p.store.Person(ctx, userID)
	if err != nil {
		return 0, err
	}
	for _, before := range person.Statuses {
		if before.Group == s.Group && before.Pending {
			return before.Revision, nil
		}
	}
	return 0, nil
}

// tellVerification tells a user the outcome of a pending status.
func (p People) tellVerification(ctx context.Context, userID string, s Status) {
	ended := !s.ExpiresAt.IsZero() && !p.cfg.Clock().Before(s.ExpiresAt)
	p.pages.TellVerification(ctx, userID, s.Group, s.Verified && !ended)
}

// maxReason is the maximum length of a displayed reason, in characters.
const maxReason = 500

// checkStatus returns an error for the first invalid field.
func (p People) checkStatus(s Status) error {
	group, ok := p.catalogue.Group(s.Group)
	if !ok {
		return wrongField("Group", "%q is not in the catalogue", s.Group)
	}
	for i, subgroup := range s.Subgroups {
		if !slices.Contains(group.Subgroups, subgroup) {
			return wrongField(fmt.Sprintf("Subgroups[%d]", i), "group %q has no subgroup %q", s.Group, subgroup)
		}
	}
	if s.Pending && s.Verified {
		return wrongField("Pending", "and Verified exclude each other: who is being checked is not verified yet")
	}
	if s.Reason != "" && (s.Pending || s.Verified) {
		return wrongField("Reason", "is of a status that is refused, which is neither Pending nor Verified")
	}
	if utf8.RuneCountInString(s.Reason) > maxReason {
		return wrongField("Reason", "has more than %d characters", maxReason)
	}
	for _, f := range []struct {
		name string
		time time.Time
	}{{"VerifiedAt", s.VerifiedAt}, {"ExpiresAt", s.ExpiresAt}} {
		if y := f.time.UTC().Year(); y < 1 || y > 9999 {
			return wrongField(f.name, "lies beyond the years 1 to 9999; the zero time stands for none")
		}
	}
	return nil
}

// Refresh drops what this process has cached of a user, for a companion that has written to
// the store itself. Other processes notice within a second.
func (p peopleRoom) Refresh(userID string) { p.store.ForgetPerson(userID) }

// Statuses returns a user's status in each of these groups of the catalogue, in their order
// and as it is released now: from the host, where it answers, and an expired one as not
// verified. ErrNoUser if there is no such user.
func (p People) Statuses(ctx context.Context, userID string, groups ...string) ([]Status, error) {
	// One question to the host covers all that a page needs.
	if _, err := p.flows.Claims.Person(ctx, userID, claims.AccountHandles, groups); err != nil {
		return nil, fmt.Errorf("provider: read person: %w", err)
	}
	released, err := p.flows.Claims.Release(ctx, userID, nil, groups, "")
	if err != nil {
		return nil, fmt.Errorf("provider: read statuses: %w", err)
	}
	return released.Statuses, nil
}

// DeleteStatus removes a user's status in one group.
func (p People) DeleteStatus(ctx context.Context, userID, group string) error {
	err := host.CheckUserID(userID)
	if err == nil {
		err = p.audit.Step(ctx, func(ctx context.Context) error { return p.store.RemoveStatus(ctx, userID, group) },
			storage.Event{Name: event.StatusEnded, Subject: userID, Detail: group})
	}
	if err != nil {
		return fmt.Errorf("provider: delete status: %w", err)
	}
	return nil
}

// Revoke ends the sessions, grants, tokens and sign-ins in progress of one user, in every
// process within a second. Consents stay, so that the user is not asked again. A host's
// user, who has no account here, may still be signed in there and get new tokens at once.
// It returns nil if there is nothing to end.
func (p People) Revoke(ctx context.Context, id string) error {
	err := p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.EndIssued(ctx, id, p.cfg.Clock())
	}, storage.Event{Name: event.Revoked, Subject: id, Detail: "everything of the user, by the host"})
	if err != nil {
		return fmt.Errorf("provider: revoke user: %w", err)
	}
	return nil
}

// EndSessions tells applications with a BackchannelLogoutURI that the host has signed a
// user out: of the session with this SignedIn.SessionID, or of all if it is empty. Tokens
// stay valid. A host with its own users calls it wherever they sign out. Sessions of an
// embedded account, which have no such ID, end here. It returns nil if there is nothing to
// end.
func (p People) EndSessions(ctx context.Context, userID, sessionID string) error {
	ofHost := func(ctx context.Context) (int, error) {
		return p.store.EndClientSessions(ctx, userID, authflow.HostSession(userID, sessionID))
	}
	end := ofHost
	if p.cfg.hasAccounts() && sessionID == "" {
		end = func(ctx context.Context) (int, error) {
			return p.store.EndSessions(ctx, storage.SessionFilter{AccountID: userID})
		}
	}
	_, err := audit.StepIf(ctx, p.audit, end, storage.Event{Name: event.SignedOut, Subject: userID, Detail: "by the host"})
	if err == nil && p.cfg.hasAccounts() && sessionID == "" {
		_, err = ofHost(ctx)
		p.signals.Ring()
	}
	if err != nil {
		return fmt.Errorf("provider: end sessions: %w", err)
	}
	return nil
}

// RevokeIssuedBefore ends every grant, token and session from before a moment, for use
// after a restored backup or a leaked secret. It also ends all mailed codes and pushed
// requests of any time, because any of them may have been used. Links with which a former
// address recovers an account stay. A million take some minutes, while other requests are
// served. It is recorded first, with who does it, and then for each user. If ctx ends before the
// last, some are still valid, and Run, of any process, carries it to its end.
func (p People) RevokeIssuedBefore(ctx context.Context, moment time.Time) error {
	if moment.IsZero() {
		return errors.New("provider: revoke what was issued before: the moment is missing")
	}
	err := p.upkeep.BeginEnd(ctx, moment, storage.Event{Name: event.Revoked, Detail: "everything issued before a moment"})
	if err == nil {
		err = p.upkeep.EndIssued(ctx)
	}
	if err != nil {
		return fmt.Errorf("provider: revoke what was issued before: %w", err)
	}
	return nil
}

// KeepWith registers a companion, which forgets users whose account is deleted: at their
// request, after the grace period, or with Accounts.Delete, which hosts with their own
// users call, too. It forgets a user after the account is gone, when nothing brings that back.
// If it fails, Run, of any process, repeats it, and no account gets the ID until then, so that
// its data never passes to the next user with that ID.
func (p peopleRoom) KeepWith(c host.Companion) { p.companions.Add(c) }

// CertainTime returns the time that has come for certain, for what a companion does that cannot
// be undone, or that somebody waits for: the clock of this process may be wrong. It is the
// current time while Run claims it somewhere every minute and none contradicts, and otherwise behind
// (storage.Clock). It is zero until Run has gone on for a day on a new database.
func (p peopleRoom) CertainTime(ctx context.Context) (time.Time, error) {
	clock, err := p.store.Clock(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("provider: read clock: %w", err)
	}
	return clock.Certain(p.cfg.Clock()), nil
}

// Seal encrypts what a companion keeps about people in the provider's database, as the
// provider does its own personal data. It opens only for the same kind and name of a
// record. In contrast to Keys.Seal it does not depend on Config.Secret, which may change
// while the record is kept: its key is in the database, encrypted.
func (p peopleRoom) Seal(kind, name string, plain []byte) []byte {
	return []byte(p.vault.Seal(companionRecord(kind, name), plain))
}

// Open decrypts what Seal has encrypted for this kind and name of a record. Otherwise it
// returns ErrSealed; storage.ErrUnavailable where another process has made the data key that
// may open it, and the database does not answer.
func (p peopleRoom) Open(kind, name string, sealed []byte) ([]byte, error) {
	plain, err := p.vault.Open(companionRecord(kind, name), sealed)
	if errors.Is(err, storage.ErrUnavailable) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return plain, nil
}

// Digest returns a keyed digest of parts, by which a companion finds a record again without
// keeping them: nobody without the database and Config.Secret can test guesses. It stays the
// same when the secret changes.
func (p peopleRoom) Digest(kind string, parts ...string) [32]byte {
	var b strings.Builder
	b.WriteString("companion\x00") // no e-mail address, whose digests have the same key, has this character
	for _, part := range append([]string{kind}, parts...) {
		b.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	return sha256.Sum256([]byte(p.vault.Digest(b.String())))
}

// SealReason encrypts the reason of a status for a companion that writes the status to the
// store itself.
func (p peopleRoom) SealReason(userID, group, reason string) string {
	return p.vault.SealReason(userID, group, reason)
}

// companionRecord keeps the records of companions apart from the provider's.
func companionRecord(kind, name string) vault.Record {
	return vault.Record{Kind: "companion", ID: kind, Field: name}
}
