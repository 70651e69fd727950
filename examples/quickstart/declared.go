package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// member is a user or client of the file, or an application that the program registers itself.
type member interface {
	// name is its kind and ID.
	name(p opened) string

	// says is what the file says, by key. What it leaves out stays as it is.
	says() map[string]any

	// recorded returns the ID and what the database has, nil for nothing. known is the ID of
	// whom it was applied to before.
	recorded(ctx context.Context, p opened, known string) (id string, has map[string]any, err error)

	// set records what the file says under these keys, and returns the ID and those that it has
	// recorded.
	set(ctx context.Context, p opened, id string, keys []string, has map[string]any) (newID string, done []string, err error)
}

// memory is what the database remembers of a member: whom it was applied to and, by key, digests of
// what the file said and of what was recorded then. It is kept there since every process that shares
// the database has to know it, and a restored database has to know what was in force in it.
type memory struct {
	ID   string             `json:"id"`
	Keys map[string]applied `json:"keys"`
}

// applied are two digests. The second is empty for what an earlier program has recorded.
type applied [2]string

// memorySubject begins the subjects of which memories are attributes, under memoryHandle: with a space
// they are no names of accounts.
const memorySubject, memoryHandle = fileSubject + ": ", "applied"

// manner says how members are applied.
type manner int

const (
	// The zero one applies what has changed in the file since it was last applied: what staff, people and
	// clocks have decided since stands.
	_ manner = iota
	// adopting takes what is there as applied.
	adopting
	// looking applies nothing.
	looking
	// forced applies all that differs, and makes again what was deleted.
	forced
)

// declaration applies members of a file to a database.
type declaration struct {
	opened
	manner manner
	users  map[string]int // in the file, by ID

	// differs are the names and keys of what is not as the file says, done of what was applied.
	differs, done []string
	kept          leftovers
	failed        bool
}

// apply applies one member, at its place in users or -1, and returns its ID.
func (d *declaration) apply(ctx context.Context, m member, at int) (string, error) {
	name := m.name(d.opened)
	before, known, err := d.recall(ctx, name)
	if err != nil {
		return "", err
	}
	id, has, err := m.recorded(ctx, d.opened, before.ID)
	if err != nil {
		return "", err
	}
	if first, listed := d.users[id]; at >= 0 && listed && first != at {
		return "", fmt.Errorf("users[%d]: is the user of users[%d] already", at, first)
	}
	gone := has == nil && known && d.manner != forced
	if gone || has == nil && d.manner == looking {
		d.differs = append(d.differs, name)
		return id, nil
	}
	if d.manner == adopting && (known || has == nil) {
		return id, nil
	}
	says, changed := d.compare(name, m, before, has)
	var done []string
	var failed error
	if len(changed) > 0 {
		if id, done, failed = m.set(ctx, d.opened, id, changed, has); len(done) > 0 {
			if _, has, err = m.recorded(ctx, d.opened, id); err != nil {
				return id, errors.Join(failed, err)
			}
		}
	}
	after := d.conclude(name, memory{id, maps.Clone(before.Keys)}, says, has, done)
	if d.manner != looking && has != nil && (!known || before.ID != id || !maps.Equal(before.Keys, after.Keys)) {
		failed = errors.Join(failed, mark(ctx, d.store, memorySubject+name, memoryHandle, after))
	}
	return id, failed
}

// compare returns digests of what the file says, empty for what it leaves out by now, and the keys that
// are to be applied.
func (d *declaration) compare(name string, m member, before memory, has map[string]any) (says map[string]string, changed []string) {
	says = map[string]string{}
	for key := range before.Keys {
		says[key] = ""
	}
	for key, value := range m.says() {
		says[key] = d.digest(name, key, value)
	}
	if d.manner == adopting || d.manner == looking {
		return says, nil
	}
	for _, key := range slices.Sorted(maps.Keys(says)) {
		was := before.Keys[key]
		if says[key] != was[0] || d.manner == forced && was[1] != d.digest(name, key, has[key]) {
			changed = append(changed, key)
		}
	}
	return says, changed
}

// conclude returns what is to be remembered, and notes what differs.
func (d *declaration) conclude(name string, m memory, says map[string]string, has map[string]any, done []string) memory {
	if m.Keys == nil {
		m.Keys = map[string]applied{}
	}
	for _, key := range slices.Sorted(maps.Keys(says)) {
		now, was := d.digest(name, key, has[key]), m.Keys[key]
		isDone := slices.Contains(done, key)
		switch {
		case isDone && says[key] == "":
			delete(m.Keys, key)
		case isDone:
			m.Keys[key] = applied{says[key], now}
		case d.manner == adopting:
			m.Keys[key] = applied{says[key]}
		case was[0] != says[key] || was[1] != "" && was[1] != now:
			d.differs = append(d.differs, name+" "+key)
		}
		if isDone {
			d.done = append(d.done, name+" "+key)
		}
	}
	for key := range has {
		if group, ok := strings.CutPrefix(key, ofStatus); ok && says[key] == "" && says["status"] == "" {
			d.kept.statuses = append(d.kept.statuses, m.ID+" "+group)
		}
	}
	return m
}

// digest identifies a value of which nothing can be told, or guessed without the keys of the database.
func (d *declaration) digest(name, key string, value any) string {
	text, _ := json.Marshal(value) // of what was read from JSON
	sum := d.Rooms().People.Digest("config file", name, key, string(text))
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}

func (d *declaration) recall(ctx context.Context, name string) (m memory, known bool, err error) {
	person, err := d.store.Person(ctx, memorySubject+name)
	raw, known := person.Attributes[memoryHandle]
	if err == nil && known {
		err = json.Unmarshal(raw, &m)
	}
	if err != nil {
		return memory{}, false, fmt.Errorf("read what was applied of the config file: %w", err)
	}
	return m, known, nil
}

// mark records a value of a subject that no user can be.
func mark(ctx context.Context, store storage.Store, subject, handle string, value any) error {
	raw, err := json.Marshal(value)
	if err == nil {
		err = store.SetAttributes(ctx, subject, map[string]json.RawMessage{handle: raw}, nil)
	}
	return err
}

// own registers an application of the program's own, again if it was deleted: the program needs it.
func (p opened) own(ctx context.Context, c provider.Client) error {
	d := declaration{opened: p}
	m := declaredClient{client: client{Client: c}}
	if _, err := p.Rooms().Clients.Listed(ctx, c.ID); errors.Is(err, provider.ErrNoClient) {
		d.manner = forced
	}
	_, err := d.apply(byFile(ctx), m, -1)
	return err
}

// byFile returns a context in which the audit log says that the config file has ordered what is done.
func byFile(ctx context.Context) context.Context {
	return provider.By(ctx, storage.Actor{Name: "command:the_config_file"})
}
