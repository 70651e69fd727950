package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// SetAttributes records values about a user by handle, in the types that Users.Person
// describes; other handles keep theirs, and a value that stands for none removes one.
// The values are released from the next response on. One that cannot be recorded is a
// FieldError with its handle. ErrNoUser where accounts are embedded and there is none for the
// user: what came after the account was deleted would stay for ever.
func (p People) SetAttributes(ctx context.Context, userID string, values map[string]any) error {
	if err := p.setAttributes(ctx, userID, values); err != nil {
		return fmt.Errorf("provider: set attributes: %w", err)
	}
	return nil
}

func (p People) setAttributes(ctx context.Context, userID string, values map[string]any) error {
	if err := host.CheckUserID(userID); err != nil {
		return err
	}
	encoded, err := p.catalogue.EncodeAll(values)
	if err != nil {
		return asFieldError(err)
	}
	return noUser(p.store.SetAttributes(ctx, userID, encoded, p.personBasis(0)))
}

// ErrChanged says that what was to be replaced is not what it was when it was read:
// somebody has changed it since. Read it again, and decide anew.
var ErrChanged = errors.New("provider: changed since it was read")

// SetStatus records the status of one group for a user in place of the one that has
// its Revision: whichever there is when that is zero. ErrChanged when there is another. A
// field that cannot be accepted is a FieldError; Pending and Verified exclude each other.
// A status that names a PersonRevision, as PersonalData has it, is of the person who was
// checked: ErrChanged when the attributes have changed since. ErrNoUser as for SetAttributes.
//
// Who has waited is told: when a status that was pending is verified, or is neither any
// more, which refuses it (Reason says why), the user gets a mail about it, in the language of the account
// where that has one. It takes an embedded account with a verified address, and
// Config.Mailer; a mail that cannot be sent is logged.
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
		return p.recordStatus(ctx, userID, s, storage.NoStatus)
	}
	before, err := p.waiting(ctx, userID, s)
	if err == nil {
		err = p.recordStatus(ctx, userID, s, s.Revision)
	}
	if err == nil && before == s.Revision {
		p.tellVerification(ctx, userID, s)
	}
	return err
}

// replaceStatus records a status in place of whichever there is. Of several that end a
// wait at once, one tells the user.
func (p People) replaceStatus(ctx context.Context, userID string, s Status) error {
	for {
		before, err := p.waiting(ctx, userID, s)
		if err != nil {
			return err
		}
		if before == 0 {
			return p.recordStatus(ctx, userID, s, storage.AnyRevision)
		}
		err = p.recordStatus(ctx, userID, s, before)
		if err == nil {
			p.tellVerification(ctx, userID, s)
		}
		if !errors.Is(err, storage.ErrChanged) || s.PersonRevision != 0 { // which may be what has changed
			return err
		}
	}
}

func (p People) recordStatus(ctx context.Context, userID string, s Status, replaced int64) error {
	return noUser(p.store.SetStatus(ctx, userID, s, replaced, p.personBasis(s.PersonRevision)))
}

// personBasis is what a write about a person rests on: on the account where there are some.
func (p People) personBasis(revision int64) storage.PersonBasis {
	return storage.PersonBasis{HasAccount: p.cfg.hasAccounts(), Revision: revision}
}

// noUser says of a write that has found no account that there is no such user.
func noUser(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	return err
}

// waiting returns the revision of the status that the user waits for, and that is to be
// replaced by one that ends the wait; zero when there is nobody to tell.
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

// tellVerification tells a user what has become of a status that was pending.
func (p People) tellVerification(ctx context.Context, userID string, s Status) {
	ended := !s.ExpiresAt.IsZero() && !p.cfg.Clock().Before(s.ExpiresAt)
	p.pages.TellVerification(ctx, userID, s.Group, s.Verified && !ended)
}

// maxReason is how many characters of a reason are shown.
const maxReason = 500

// checkStatus names the first field that cannot be accepted.
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

// DeleteStatus forgets the status of one group for a user.
func (p People) DeleteStatus(ctx context.Context, userID, group string) error {
	err := host.CheckUserID(userID)
	if err == nil {
		err = p.store.RemoveStatus(ctx, userID, group)
	}
	if err != nil {
		return fmt.Errorf("provider: delete status: %w", err)
	}
	return nil
}
