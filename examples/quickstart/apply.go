package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// apply creates the users and clients of the file, or brings them up to date. It
// deletes nothing: who is no longer in the file stays, and is told of in the log.
func (e *environment) apply(ctx context.Context, p opened, o opening) error {
	users := map[string]int{} // by ID
	var kept leftovers
	for i, u := range e.Users {
		place := fmt.Sprintf("users[%d]", i)
		id, err := u.apply(ctx, p, place)
		if stays, err2 := e.gaveUp(ctx, p, u, err); err2 == nil && stays {
			// Anybody may do both with mailboxes of their own. It must not keep the service from starting.
			o.log.ErrorContext(ctx, "a user of the config file has another address by now, and somebody else the one of the file: the user stays as recorded; give them another uuid or email",
				slog.String("place", place), slog.String("user", u.ID))
			users[u.ID] = i
			continue
		}
		if err != nil {
			return err
		}
		if first, twice := users[id]; twice {
			return fmt.Errorf("%s: is the user of users[%d] already", place, first)
		}
		users[id] = i
		if err := u.applyStatus(ctx, p, id, place+".status", e.RemoveStatuses, &kept); err != nil {
			return err
		}
	}
	for i, c := range e.Clients {
		if err := c.apply(ctx, p, fmt.Sprintf("clients[%d]", i)); err != nil {
			return err
		}
	}
	if err := e.findLeftovers(ctx, p, users, o, &kept); err != nil {
		return fmt.Errorf("look for what is no longer in the file: %w", err)
	}
	kept.tell(ctx, o.log)
	return nil
}

// gaveUp reports whether a user could not be saved since the address of the file belongs to an account
// that is of nobody in the file.
func (e *environment) gaveUp(ctx context.Context, p opened, u user, saved error) (bool, error) {
	if u.ID == "" || !errors.Is(saved, provider.ErrConflict) {
		return false, nil
	}
	if _, err := p.Accounts().Get(ctx, u.ID); err != nil {
		return false, err
	}
	other, err := p.Accounts().GetByEmail(ctx, u.Email)
	return err == nil && !slices.ContainsFunc(e.Users, func(u user) bool { return u.ID == other.ID }), err
}

func (u user) apply(ctx context.Context, p opened, place string) (id string, err error) {
	account := u.Account
	account.EmailVerified = u.EmailVerified == nil || *u.EmailVerified
	id, err = p.Accounts().Save(ctx, account)
	if err != nil {
		return "", inKeys(err, place, u)
	}
	if err := p.People().SetAttributes(ctx, id, u.Attributes); err != nil {
		return "", inKeys(err, place+".attributes", nil)
	}
	if u.Disabled == nil {
		return id, nil
	}
	recorded, err := p.Accounts().Get(ctx, id)
	if err == nil && recorded.Disabled != *u.Disabled { // the audit log records each change
		err = p.Accounts().SetDisabled(ctx, id, *u.Disabled)
	}
	if err != nil {
		return "", fmt.Errorf("%s.disabled: %w", place, err)
	}
	return id, nil
}

// applyStatus records the statuses of a user, and removes those that the file does not
// have if that is its wish.
func (u user) applyStatus(ctx context.Context, p opened, id, place string, remove bool, kept *leftovers) error {
	recorded, err := p.store.Person(ctx, id)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	for i, s := range u.Status {
		if slices.ContainsFunc(recorded.Statuses, func(r storage.Status) bool { return isSameStatus(r, s) }) {
			continue
		}
		if err := p.People().SetStatus(ctx, id, s.Status); err != nil {
			return inKeys(err, fmt.Sprintf("%s[%d]", place, i), s)
		}
	}
	for _, r := range recorded.Statuses {
		switch {
		case slices.ContainsFunc(u.Status, func(s status) bool { return s.Group == r.Group }):
		case remove:
			if err := p.People().DeleteStatus(ctx, id, r.Group); err != nil {
				return fmt.Errorf("%s: remove %s: %w", place, r.Group, err)
			}
		default:
			kept.statuses = append(kept.statuses, id+" "+r.Group)
		}
	}
	return nil
}

// isSameStatus reports whether a status is recorded as the file has it. One that the
// file does not date keeps the date of the first time: a restart verifies nobody.
func isSameStatus(recorded storage.Status, s status) bool {
	return recorded.Group == s.Group && slices.Equal(recorded.Subgroups, s.Subgroups) &&
		recorded.Verified == s.Verified && recorded.Pending == s.Pending &&
		recorded.VerifiedBy == s.VerifiedBy && recorded.Source == s.Source && recorded.Method == s.Method && recorded.Reason == s.Reason &&
		(s.VerifiedAt.IsZero() || recorded.VerifiedAt.Equal(s.VerifiedAt)) && recorded.ExpiresAt.Equal(s.ExpiresAt)
}

func (c client) apply(ctx context.Context, p opened, place string) error {
	for _, f := range c.files() {
		content, err := readImage(*f.path)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", place, f.key, err)
		}
		*f.content = content
	}
	return inKeys(p.Clients().Save(ctx, c.Client), place, c)
}
