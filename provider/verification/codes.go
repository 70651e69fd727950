package verification

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
)

// Codes are invitation codes to be made.
type Codes struct {
	// Group is the group that they prove membership in, Subgroups those of its catalogue.
	Group     string
	Subgroups []string

	// Count is how many codes are made, at most 1000.
	// Defaults to 1.
	Count int

	// Uses is how many people may redeem each, at most 100000.
	// Defaults to 1.
	Uses int

	// Email is the address of the account that may redeem them.
	// Defaults to any.
	Email string

	// ExpiresAt is the end of the codes, at most a year from now.
	// Defaults to 30 days from now.
	ExpiresAt time.Time

	// HoldsUntil is the end of the memberships.
	// Defaults to that of the policy.
	HoldsUntil time.Time

	// Batch names the codes, for Service.EndCodes: at most 100 bytes.
	// Defaults to a random name.
	Batch string

	// Held keeps them from being redeemed until ReleaseCodes says when they end, within a day:
	// then they are removed.
	// Defaults to false.
	Held bool

	// MadeBy is the ID of the user who makes them, and who cannot redeem them.
	// Defaults to nobody.
	MadeBy string

	// IssuedBy names whoever hands the codes out, such as "Office of the dean". Members can
	// read it. At most 100 bytes.
	IssuedBy string
}

func (c Codes) withDefaults(now time.Time) Codes {
	c.Count, c.Uses = cmp.Or(c.Count, 1), cmp.Or(c.Uses, 1)
	if c.ExpiresAt.IsZero() {
		c.ExpiresAt = now.Add(30 * day)
	}
	if c.Batch == "" {
		c.Batch = rand.Text()[:13]
	}
	return c
}

func (c Codes) check(now time.Time, groups []catalogue.Group) error {
	known := slices.IndexFunc(groups, func(g catalogue.Group) bool { return g.Name == c.Group })
	switch {
	case known < 0:
		return wrongField("Group", "%q is not a group of the catalogue", c.Group)
	case slices.ContainsFunc(c.Subgroups, func(s string) bool { return !slices.Contains(groups[known].Subgroups, s) }):
		return wrongField("Subgroups", "are not all of the group")
	case c.Count < 1 || c.Count > 1000:
		return wrongField("Count", "must be from 1 to 1000")
	case c.Uses < 1 || c.Uses > 100_000:
		return wrongField("Uses", "must be from 1 to 100000")
	case !c.ExpiresAt.After(now) || c.ExpiresAt.After(now.AddDate(1, 0, 1)):
		return wrongField("ExpiresAt", "must be within a year from now")
	case !c.HoldsUntil.IsZero() && !c.HoldsUntil.After(now):
		return wrongField("HoldsUntil", "is over")
	case len(c.Batch) > 100:
		return wrongField("Batch", "has more than 100 bytes")
	case len(c.IssuedBy) > 100:
		return wrongField("IssuedBy", "has more than 100 bytes")
	}
	if c.Email != "" {
		if _, err := mailbox.Parse(c.Email); err != nil {
			return wrongField("Email", "%w", err)
		}
	}
	return nil
}

// IssueCodes makes invitation codes, of 80 random bits in four groups of four characters,
// and returns them and the name of the batch. They are shown this once: what is kept is a
// digest. An invalid field is a provider.FieldError.
func (s *inviteCodes) IssueCodes(ctx context.Context, c Codes) (codes []string, batch string, err error) {
	now := s.Clock()
	c = c.withDefaults(now)
	if err := c.check(now, s.Provider.Rooms().Installation().Groups); err != nil {
		return nil, "", fmt.Errorf("verification: Codes.%w", err)
	}
	if p := s.policies[c.Group]; p == nil || !slices.ContainsFunc(p.Rule.verifiers(), func(v *Verifier) bool { return v.redeems }) {
		return nil, "", ErrNoPolicy
	}
	var maker storage.Digest
	if c.MadeBy != "" {
		maker = s.codeMaker(c.MadeBy)
	}
	ends := c.ExpiresAt
	if c.Held {
		ends = now
	}
	stored := make([]storage.VerificationCode, c.Count)
	for i := range stored {
		var random [10]byte
		_, _ = rand.Read(random[:]) // never fails
		code := writeCode(random)
		bare, _ := parseCode(code)
		codes = append(codes, code)
		stored[i] = storage.VerificationCode{
			Digest: s.invitationDigest(bare), Batch: c.Batch, Group: c.Group, Subgroups: c.Subgroups, Email: s.invitationEmail(c.Email),
			Uses: c.Uses, IssuedBy: c.IssuedBy, IssuedAt: now, ExpiresAt: ends, HoldsUntil: c.HoldsUntil, MadeBy: maker,
		}
	}
	err = s.inStep(audit.ByDefault(ctx, "", c.Batch), func(ctx context.Context) error {
		return s.Store.IssueCodes(ctx, stored)
	}, provider.Event{Name: event.CodesIssued, Detail: c.Group})
	if err != nil {
		return nil, "", fmt.Errorf("verification: issue codes: %w", err)
	}
	return codes, c.Batch, nil
}

// HeldCodes returns the batch of codes that are Held. ErrNotNow if there is none.
func (s *inviteCodes) HeldCodes(ctx context.Context, batch string) (storage.CodeBatch, error) {
	var before time.Time
	for {
		page, err := s.Store.CodeBatches(ctx, before, 100)
		if err != nil {
			return storage.CodeBatch{}, fmt.Errorf("verification: read codes: %w", err)
		}
		for _, b := range page {
			before = b.IssuedAt
			if b.Batch == batch && b.Waits() {
				return b, nil
			}
		}
		if len(page) == 0 || before.Before(s.Clock().Add(-2*day)) {
			return storage.CodeBatch{}, ErrNotNow
		}
	}
}

// ReleaseCodes lets the codes of a batch that are Held be redeemed until a time, at most a year
// from now. ErrNotNow if there are none.
func (s *inviteCodes) ReleaseCodes(ctx context.Context, batch string, until time.Time) error {
	if now := s.Clock(); !until.After(now) || until.After(now.AddDate(1, 0, 1)) {
		return wrongField("ExpiresAt", "must be within a year from now")
	}
	held, err := s.HeldCodes(ctx, batch)
	if err != nil {
		return err
	}
	err = s.inStep(audit.ByDefault(ctx, "", batch), func(ctx context.Context) error {
		return s.Store.ReleaseCodes(ctx, batch, until)
	}, provider.Event{Name: event.CodesIssued, Detail: held.Group})
	if errors.Is(err, storage.ErrSpent) {
		return ErrNotNow
	}
	if err != nil {
		return fmt.Errorf("verification: release codes: %w", err)
	}
	return nil
}

// EndCodes ends the codes of a batch and returns how many could still be redeemed.
// Memberships that they have proved stay.
func (s *inviteCodes) EndCodes(ctx context.Context, batch string) (ended int, err error) {
	err = s.inStep(audit.ByDefault(ctx, "", batch), func(ctx context.Context) (err error) {
		ended, err = s.Store.EndCodes(ctx, batch, s.Clock())
		return err
	}, provider.Event{Name: event.CodesEnded})
	if err != nil && !errors.Is(err, storage.ErrSpent) {
		return 0, fmt.Errorf("verification: end codes: %w", err)
	}
	return ended, nil
}

func (s *inviteCodes) invitationDigest(code string) storage.Digest {
	return s.Provider.Rooms().People.Digest("verification code", code)
}

// codeMaker returns the digest of who makes codes.
func (s *inviteCodes) codeMaker(userID string) storage.Digest {
	return s.Provider.Rooms().People.Digest("verification code maker", userID)
}

// invitationEmail returns the digest of the address of an account; zero for none.
func (s *inviteCodes) invitationEmail(address string) storage.Digest {
	box, err := mailbox.Parse(address)
	if err != nil {
		return storage.Digest{}
	}
	return s.Provider.Rooms().People.Digest("verification code address", box.Fingerprint())
}

// codeTries is how often a person can enter a code.
var codeTries = provider.Limit{Burst: 10, Every: 10 * time.Minute}

// redeemCode implements lookup.
func (s *inviteCodes) redeemCode(ctx context.Context, c *Case, code string) (redeemedCode, error) {
	if err := s.rosterLists.allowLookup(ctx, "verification code", c.Subject, codeTries); err != nil {
		return redeemedCode{}, err
	}
	redeemed, err := s.Store.RedeemCode(ctx, s.invitationDigest(code), c.Group, c.Subject, s.invitationEmail(c.Email), s.Clock())
	switch {
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrSpent):
		return redeemedCode{}, errNoCode
	case err != nil:
		return redeemedCode{}, fmt.Errorf("redeem code: %w", err)
	case redeemed.MadeBy == s.codeMaker(c.Subject): // it is used up by that
		return redeemedCode{}, errNoCode
	}
	return redeemedCode{redeemed.Subgroups, redeemed.HoldsUntil, redeemed.IssuedBy}, nil
}

// CodeGroups returns the groups whose policies take invitation codes, in the order of the
// policies.
func (s *inviteCodes) CodeGroups() (groups []string) {
	for _, p := range s.Policies {
		if slices.ContainsFunc(p.Rule.verifiers(), func(v *Verifier) bool { return v.redeems }) {
			groups = append(groups, p.Group)
		}
	}
	return groups
}
