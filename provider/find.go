package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Finder is what a user is looked for by: exactly one of ID, Email, and Handle with Value.
type Finder struct {
	// ID is that of a user, or of one who was deleted: then nobody is found.
	ID string

	// Email is an address, in any spelling of its letters.
	Email string

	// Handle is that of an attribute with Findable, and Value its exact value.
	Handle, Value string
}

// mostFound is the maximum number of users whom a value finds.
const mostFound = 10

// Find returns the IDs of the users who are looked for: one or none by ID and Email, at most
// ten by a value, which several may have. There is no search by a name, a prefix or a likeness.
// A search that finds nobody does the work of one that does. It is for the host's staff, and
// records nothing: that somebody has looked does (EventPersonFound). An attribute that is not
// Findable, and a Finder of nothing or two things, is a FieldError.
//
// A host with its own users is asked elsewhere for those whom only it knows: here they are
// found by what is recorded.
func (p People) Find(ctx context.Context, by Finder) ([]string, error) {
	given := 0
	for _, text := range []string{by.ID, by.Email, by.Handle} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return nil, wrongField("Finder", "looks for one thing: ID, Email, or Handle with Value")
	}
	var found []string
	var err error
	switch {
	case by.ID != "":
		found, err = p.findID(ctx, by.ID)
	case by.Email != "":
		found, err = p.findEmail(ctx, by.Email)
	default:
		found, err = p.findValue(ctx, by.Handle, by.Value)
	}
	var wrong *FieldError
	if err != nil && !errors.As(err, &wrong) {
		return nil, fmt.Errorf("provider: find person: %w", err)
	}
	return found, err
}

func (p People) findID(ctx context.Context, id string) ([]string, error) {
	if host.CheckUserID(id) != nil {
		return found("", storage.ErrNotFound) // nobody has such an ID
	}
	if p.cfg.hasAccounts() {
		a, err := p.store.Account(ctx, id)
		return found(a.ID, err)
	}
	_, err := p.Get(ctx, id)
	if errors.Is(err, ErrNoUser) {
		err = storage.ErrNotFound
	}
	return found(id, err)
}

func (p People) findEmail(ctx context.Context, address string) ([]string, error) {
	if !p.cfg.hasAccounts() {
		return nil, nil
	}
	key, err := account.EmailKey(address)
	if err != nil {
		key = address // nobody's: the search is as long
	}
	a, err := p.store.AccountByEmail(ctx, key)
	return found(a.ID, err)
}

// found is the answer to a search for one.
func found(id string, err error) ([]string, error) {
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{id}, nil
}

func (p People) findValue(ctx context.Context, handle, value string) ([]string, error) {
	if a, ok := p.catalogue.Attribute(handle); !ok || !a.Findable {
		return nil, wrongField("Handle", "%q is not an attribute by which users are found", handle)
	}
	text := p.catalogue.FindSpelling(value)
	if text == "" {
		return nil, nil
	}
	return p.store.FindSubjects(ctx, handle, p.vault.FindDigest(handle, text), mostFound)
}

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

// RequestTimeout is how long the work on a request takes at most.
const RequestTimeout = request.Timeout

// TimeOfRequest returns the second in which the request with an ID began that an error page
// shows, and false for a text that is none.
func TimeOfRequest(id string) (time.Time, bool) { return request.Time(id) }
