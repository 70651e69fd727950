package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// Value returns one value of a user as it is recorded, or as the host has it, in JSON; nil for
// none. Locked users have their values, too. Whoever shows it records that first
// (Events.Write). ErrNoUser if there is no such user.
func (p People) Value(ctx context.Context, userID, handle string) (json.RawMessage, error) {
	if err := host.CheckUserID(userID); err != nil {
		return nil, ErrNoUser
	}
	if !p.cfg.hasAccounts() {
		record, err := p.flows.Claims.Person(ctx, userID, []string{handle}, nil)
		if err != nil {
			return nil, fmt.Errorf("provider: read person: %w", err)
		}
		return record.Value(handle), nil
	}
	a, err := p.store.Account(ctx, userID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNoUser
	}
	if err != nil {
		return nil, fmt.Errorf("provider: read account: %w", err)
	}
	if handle == "email" {
		return json.Marshal(a.Email)
	}
	person, err := p.store.Person(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("provider: read person: %w", err)
	}
	return person.Attributes[handle], nil
}
