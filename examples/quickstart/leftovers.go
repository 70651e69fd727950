package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// leftovers are the IDs of what is in the database and not in the file: it stays in
// force, and whoever took it out of the file may believe otherwise.
type leftovers struct{ users, clients, statuses []string }

// tell writes the names to the log.
func (l *leftovers) tell(ctx context.Context, log *slog.Logger) {
	if len(l.users) > 0 {
		log.WarnContext(ctx, "users are no longer in the config file and stay as they are; to lock them, list them with disabled", named(l.users))
	}
	if len(l.clients) > 0 {
		log.WarnContext(ctx, "clients are not in the config file and stay as they are; to disable them, list them with disabled", named(l.clients))
	}
	if len(l.statuses) > 0 {
		slices.Sort(l.statuses)
		log.WarnContext(ctx, "statuses are not in the config file but still released; remove_statuses removes them", named(l.statuses))
	}
}

// maxNames is how many names one line of the log has.
const maxNames = 50

func named(names []string) slog.Attr {
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames:maxNames], fmt.Sprintf("and %d more", more))
	}
	return slog.Any("names", names)
}

// fileSubject is where the database keeps which users a file has named, as one attribute
// of a subject that no user can be: with a space it is no name of an account. It is
// kept there since every process that shares the database has to know it, and a restored
// database has to know what was in force in it.
const (
	fileSubject = "the config file"
	fileUsers   = "users"
)

// findLeftovers looks for clients that are not in the file, unless developers register
// some beside it, and for users who were in
// one before, now in none, and are still there; users who have signed up were never in
// one. users are the IDs of those in the file.
func (e *environment) findLeftovers(ctx context.Context, p opened, users map[string]int, o opening, found *leftovers) error {
	if !o.others {
		if err := e.findClients(ctx, p.store, o.sample, found); err != nil {
			return err
		}
	}
	file, err := p.store.Person(ctx, fileSubject)
	if err != nil {
		return err
	}
	before := usersBefore(file)
	now := slices.Collect(maps.Keys(users))
	for _, id := range before {
		if _, listed := users[id]; listed {
			continue
		}
		account, err := p.Accounts().Get(ctx, id)
		if errors.Is(err, provider.ErrNoUser) {
			continue
		}
		if err != nil {
			return err
		}
		now = append(now, id)
		if !account.Disabled {
			found.users = append(found.users, id)
		}
	}
	slices.Sort(now)
	if slices.Equal(now, before) {
		return nil
	}
	return mark(ctx, p.store, fileSubject, fileUsers, now)
}

// usersBefore returns the IDs of users that a file has named.
func usersBefore(file storage.Person) (ids []string) {
	if json.Unmarshal(file.Attributes[fileUsers], &ids) != nil {
		return nil // there are none, or they are sealed, as everything was when an earlier version first opened the database
	}
	return ids
}

func (e *environment) findClients(ctx context.Context, store storage.Store, sample bool, found *leftovers) error {
	const page = 200
	listed := map[string]bool{sampleV3: sample, sampleStandard: sample, deskClient: true} // a desk may be that of another process
	for _, c := range e.Clients {
		listed[c.ID] = true
	}
	for after := ""; ; {
		clients, err := store.Clients(ctx, storage.ClientFilter{}, after, page)
		if err != nil {
			return err
		}
		for _, c := range clients {
			after = c.ID
			if !listed[c.ID] && !c.Disabled {
				found.clients = append(found.clients, c.ID)
			}
		}
		if len(clients) < page {
			return nil
		}
	}
}
