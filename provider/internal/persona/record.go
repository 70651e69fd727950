package persona

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// Record updates the account, the attributes and the statuses of a persona to its current
// definition, and returns the account.
func (c *Cast) Record(ctx context.Context, realm string, p sandbox.Persona) (storage.Account, error) {
	account, err := c.account(ctx, realm, p)
	if err != nil {
		return storage.Account{}, fmt.Errorf("record persona: %w", err)
	}
	before, err := c.Store.Person(ctx, account.ID)
	if err == nil {
		err = c.recordAttributes(ctx, account.ID, before, p.Attributes)
	}
	if err == nil {
		err = c.recordStatuses(ctx, account.ID, before, p)
	}
	if err != nil {
		return storage.Account{}, fmt.Errorf("record persona: %w", err)
	}
	return account, nil
}

// account creates or updates the account.
func (c *Cast) account(ctx context.Context, realm string, p sandbox.Persona) (storage.Account, error) {
	id, email := UserID(realm, p.Name), emailOf(realm, p)
	key := emailKey(id)
	old, err := c.Store.Account(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		err = c.Audit.Step(ctx, func(ctx context.Context) error {
			return c.Store.CreateAccount(ctx, storage.Account{
				ID: id, Email: email, EmailKey: key, EmailVerified: p.EmailVerified, CreatedAt: c.Clock(),
			})
		}, storage.Event{Name: event.AccountCreated, Subject: id, Detail: "of a persona"})
		if err == nil || errors.Is(err, storage.ErrConflict) { // another request has created it
			old, err = c.Store.Account(ctx, id)
		}
	}
	if err != nil {
		return storage.Account{}, err
	}
	if old.Email != email || old.EmailVerified != p.EmailVerified {
		err := c.Store.SetEmail(ctx, id, old.EmailKey, email, key, p.EmailVerified)
		if err != nil && !errors.Is(err, storage.ErrChanged) { // another sign-in of the persona has done it
			return storage.Account{}, err
		}
	}
	if old.Disabled != p.Locked {
		if err := c.Store.SetDisabled(ctx, id, p.Locked, c.Clock()); err != nil {
			return storage.Account{}, err
		}
	}
	return c.Store.Account(ctx, id)
}

// recordAttributes records the values that the catalogue has, and removes all others.
func (c *Cast) recordAttributes(ctx context.Context, id string, before storage.Person, values map[string]any) error {
	changes := map[string]json.RawMessage{}
	for handle := range before.Attributes {
		changes[handle] = nil
	}
	fitting := maps.Clone(values)
	maps.DeleteFunc(fitting, func(handle string, value any) bool {
		fact, err := encode(c.Catalogue, handle, value)
		_, twice := values[fact]
		return err != nil || fact != handle && twice
	})
	encoded, err := c.Catalogue.EncodeAll(fitting)
	if err != nil {
		return err
	}
	maps.Copy(changes, encoded)
	return c.Store.SetAttributes(ctx, id, changes, nil)
}

// encode returns the fact of a value, or why the value cannot be recorded.
func encode(catalogue *claims.Catalogue, handle string, value any) (fact string, err error) {
	if handle == "email" || handle == "email_verified" { // the account has both
		return "", errors.New("is not an attribute that can be recorded")
	}
	fact, _, err = catalogue.Encode(handle, value)
	return fact, err
}

func sortedHandles(values map[string]any) []string { return slices.Sorted(maps.Keys(values)) }

// recordStatuses records the statuses that are due, and removes the others.
func (c *Cast) recordStatuses(ctx context.Context, id string, before storage.Person, p sandbox.Persona) error {
	now := c.Clock()
	due := c.statuses(p.Statuses, now)
	if p.Next != nil && sameGroups(before.Statuses, due) {
		due = c.statuses(p.Next.Statuses, now)
	}
	for _, s := range before.Statuses {
		if !slices.ContainsFunc(due, func(d storage.Status) bool { return d.Group == s.Group }) {
			if err := c.Store.RemoveStatus(ctx, id, s.Group); err != nil {
				return err
			}
		}
	}
	for _, s := range due {
		if err := c.Store.SetStatus(ctx, id, s, storage.AnyRevision); err != nil {
			return err
		}
	}
	return nil
}

// statuses returns the statuses that the catalogue has, at the time of a sign-in.
func (c *Cast) statuses(defined []sandbox.Status, now time.Time) []storage.Status {
	var all []storage.Status
	for _, d := range defined {
		group, ok := c.Catalogue.Group(d.Group)
		if !ok {
			continue
		}
		s := storage.Status{Group: d.Group, Verified: d.Verified, Pending: d.Pending}
		for _, subgroup := range d.Subgroups {
			if slices.Contains(group.Subgroups, subgroup) {
				s.Subgroups = append(s.Subgroups, subgroup)
			}
		}
		if d.ExpiresIn != 0 {
			s.ExpiresAt = now.Add(time.Duration(d.ExpiresIn) * time.Second)
		}
		if d.Verified {
			s.VerifiedAt = now
			if d.ExpiresIn < 0 { // it was verified before it expired
				s.VerifiedAt = s.ExpiresAt.AddDate(-1, 0, 0)
			}
		}
		all = append(all, s)
	}
	return all
}

// sameGroups reports whether statuses are equal except for their times, in any order.
func sameGroups(a, b []storage.Status) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s storage.Status) bool {
		return !slices.ContainsFunc(b, func(other storage.Status) bool {
			return s.Group == other.Group && s.Verified == other.Verified && s.Pending == other.Pending && slices.Equal(s.Subgroups, other.Subgroups)
		})
	})
}
