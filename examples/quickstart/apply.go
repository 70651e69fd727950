package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// apply applies what has changed in the file since the last start, and returns the IDs of its users
// by address. It deletes nothing: who is no longer in the file stays, and is told of in the log, as is
// what differs since somebody has decided so. Processes of one folder take turns.
func (e *environment) apply(ctx context.Context, p opened, o opening) (map[string]string, error) {
	lock, err := lockFolder(ctx, e.Data)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer lock.Close()
	ctx = byFile(ctx)
	if err := e.adopt(ctx, p, o); err != nil {
		return nil, err
	}
	d := declaration{opened: p}
	ids, err := e.declare(ctx, &d, o)
	if err != nil {
		return nil, err
	}
	if len(d.differs) > 0 {
		o.log.WarnContext(ctx, "users or clients are not as the config file has them, since somebody has decided so, and stay; -diff lists them, -apply applies the file to all",
			slog.Int("count", len(d.differs)))
	}
	if err := e.findLeftovers(ctx, p, d.users, o, &d.kept); err != nil {
		return nil, fmt.Errorf("look for what is no longer in the file: %w", err)
	}
	d.kept.tell(ctx, o.log)
	return ids, nil
}

// adopt takes what is in a database as applied that an earlier program has kept, which remembered
// nothing: a start undoes nothing that was decided before it either.
func (e *environment) adopt(ctx context.Context, p opened, o opening) error {
	const adopted = "adopted"
	file, err := p.store.Person(ctx, fileSubject)
	if err != nil || file.Attributes[adopted] != nil {
		return err
	}
	for _, id := range usersBefore(file) {
		_, err := p.Accounts().Get(ctx, id)
		if errors.Is(err, provider.ErrNoUser) {
			err = mark(ctx, p.store, memorySubject+"user "+id, memoryHandle, memory{ID: id})
		}
		if err != nil {
			return err
		}
	}
	d := declaration{opened: p, manner: adopting}
	if _, err := e.declare(ctx, &d, o); err != nil {
		return err
	}
	return mark(ctx, p.store, fileSubject, adopted, true)
}

// declare applies the users and clients of the file in the manner of d, and returns the IDs of the
// users by address. What is wrong with one is an error in the log, and keeps no other from
// being applied, nor the service from starting, unless o is strict.
func (e *environment) declare(ctx context.Context, d *declaration, o opening) (map[string]string, error) {
	ids := map[string]string{}
	d.users = map[string]int{}
	for i, u := range e.Users {
		if u.ID != "" {
			d.users[u.ID] = i
		}
	}
	tell := func(place string, err error) error {
		if err == nil || o.strict || errors.Is(err, storage.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		d.failed = true
		o.log.ErrorContext(ctx, "not all of the config file could be applied; will retry at the next start", slog.String("place", place), slog.Any("error", err))
		return nil
	}
	for i, u := range e.Users {
		place := fmt.Sprintf("users[%d]", i)
		id, err := d.apply(ctx, declaredUser{u, place, e.RemoveStatuses}, i)
		if err := tell(place, err); err != nil {
			return nil, err
		}
		if id != "" {
			ids[u.Email], d.users[id] = id, i
		}
	}
	for i, c := range e.Clients {
		place := fmt.Sprintf("clients[%d]", i)
		err := c.read(place)
		if err == nil {
			_, err = d.apply(ctx, declaredClient{c, place}, -1)
		}
		if err := tell(place, err); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// declaredUser is a user of the file at a place of it.
type declaredUser struct {
	user
	place  string
	remove bool // statuses that the file does not have
}

func (u declaredUser) name(p opened) string {
	if u.ID != "" {
		return "user " + u.ID
	}
	sum := p.Rooms().People.Digest("config file", "email", strings.ToLower(u.Email))
	return "user without a uuid " + base64.RawURLEncoding.EncodeToString(sum[:8])
}

func (u declaredUser) says() map[string]any {
	says := map[string]any{"email": []any{u.Email, u.verified()}}
	if u.Password != "" {
		says["password"] = u.Password
	}
	if u.Disabled != nil {
		says["disabled"] = *u.Disabled
	}
	for handle, value := range u.Attributes {
		says[ofAttribute+handle] = value
	}
	var groups []string
	for _, s := range u.Status {
		groups = append(groups, s.Group)
		says[ofStatus+s.Group] = s.Status
	}
	if u.remove {
		slices.Sort(groups)
		says["status"] = groups
	}
	return says
}

// The keys of attributes and statuses begin so.
const ofAttribute, ofStatus = "attributes.", "status."

// verified reports whether the address is known to be the user's.
func (u user) verified() bool { return u.EmailVerified == nil || *u.EmailVerified }

func (u declaredUser) recorded(ctx context.Context, p opened, known string) (id string, has map[string]any, err error) {
	if id = u.ID; id == "" {
		id = known
	}
	if id == "" {
		a, err := p.Accounts().GetByEmail(ctx, u.Email)
		if err != nil && !errors.Is(err, provider.ErrNoUser) {
			return "", nil, fmt.Errorf("%s: %w", u.place, err)
		}
		id = a.ID
	}
	person, err := p.People().Get(ctx, id)
	if errors.Is(err, provider.ErrNoUser) {
		err = nil
	}
	if err != nil || person.Account == nil {
		return id, nil, err
	}
	a := person.Account
	has = map[string]any{"email": []any{a.Email, a.EmailVerified}, "password": a.PasswordChangedAt, "disabled": a.Disabled}
	for handle, value := range person.Attributes {
		has[ofAttribute+handle] = value
	}
	groups := []string{}
	for _, s := range person.Statuses {
		s.Revision = 0
		groups = append(groups, s.Group)
		has[ofStatus+s.Group] = s
	}
	slices.Sort(groups)
	has["status"] = groups
	return id, has, nil
}

func (u declaredUser) set(ctx context.Context, p opened, id string, keys []string, has map[string]any) (string, []string, error) {
	id, err := u.setAccount(ctx, p, id, keys, has)
	if err != nil {
		return id, nil, inKeys(err, u.place, u.user)
	}
	// What is in force by now is remembered, whatever fails next: no password is set twice.
	var done []string
	values := map[string]any{}
	for _, key := range keys {
		handle, isAttribute := strings.CutPrefix(key, ofAttribute)
		if value, listed := u.Attributes[handle]; isAttribute && listed {
			values[handle] = value
		}
		if key == "email" || key == "password" {
			done = append(done, key)
		}
	}
	if len(values) > 0 {
		err = inKeys(p.People().SetAttributes(ctx, id, values), u.place+".attributes", nil)
	}
	for _, key := range keys {
		if slices.Contains(done, key) {
			continue
		}
		if err == nil && !strings.HasPrefix(key, ofAttribute) {
			err = u.setOne(ctx, p, id, key, has)
		}
		if err != nil {
			return id, done, err
		}
		done = append(done, key)
	}
	return id, done, nil
}

// setAccount records address and password, also those of a user whom there is none of.
func (u declaredUser) setAccount(ctx context.Context, p opened, id string, keys []string, has map[string]any) (string, error) {
	account := u.Account
	account.EmailVerified = u.verified()
	if has == nil {
		return p.Accounts().Save(ctx, account)
	}
	email, password := slices.Contains(keys, "email"), slices.Contains(keys, "password")
	if !email && !password {
		return id, nil
	}
	recorded, err := p.Accounts().Get(ctx, id)
	if err != nil {
		return id, err
	}
	account.ID = id
	if !email {
		account.Email, account.EmailVerified = recorded.Email, recorded.EmailVerified
	}
	if !password {
		account.Password = ""
	}
	_, err = p.Accounts().Save(ctx, account)
	return id, err
}

// setOne records what is beside address, password and attributes.
func (u declaredUser) setOne(ctx context.Context, p opened, id, key string, has map[string]any) error {
	group, isStatus := strings.CutPrefix(key, ofStatus)
	locked, _ := has["disabled"].(bool)
	at := slices.IndexFunc(u.Status, func(s status) bool { return isStatus && s.Group == group })
	switch {
	case key == "disabled" && u.Disabled != nil && locked != *u.Disabled: // the audit log records each change
		return inKeys(p.Accounts().SetDisabled(ctx, id, *u.Disabled), u.place+".disabled", nil)
	case key == "status" && u.remove:
		return u.removeStatuses(ctx, p, id, has)
	case at < 0:
		return nil
	}
	if recorded, ok := has[key].(storage.Status); ok && isSameStatus(recorded, u.Status[at]) {
		return nil
	}
	return inKeys(p.People().SetStatus(ctx, id, u.Status[at].Status), fmt.Sprintf("%s.status[%d]", u.place, at), u.Status[at])
}

// removeStatuses removes those that the file does not have.
func (u declaredUser) removeStatuses(ctx context.Context, p opened, id string, has map[string]any) error {
	for key := range has {
		group, isStatus := strings.CutPrefix(key, ofStatus)
		if !isStatus || slices.ContainsFunc(u.Status, func(s status) bool { return s.Group == group }) {
			continue
		}
		if err := p.People().DeleteStatus(ctx, id, group); err != nil {
			return fmt.Errorf("%s.status: remove %s: %w", u.place, group, err)
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

// declaredClient is a client of the file at a place of it, with its pictures.
type declaredClient struct {
	client
	place string
}

// read reads the pictures of a client.
func (c *client) read(place string) error {
	for _, f := range c.files() {
		content, err := readImage(*f.path)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", place, f.key, err)
		}
		*f.content = content
	}
	return nil
}

func (c declaredClient) name(opened) string { return "client " + c.ID }

func (c declaredClient) says() map[string]any {
	says := registrationOf(c.Client)
	delete(says, "client_id")
	if c.Disabled != nil {
		says["disabled"] = *c.Disabled
	}
	return says
}

// registrationOf returns a registration by the keys that the file has for it.
func registrationOf(c provider.Client) (keys map[string]any) {
	text, _ := json.Marshal(c) //nolint:gosec // G117: to compare it, and nowhere else; of strings, numbers and truth values
	_ = json.Unmarshal(text, &keys)
	return keys
}

func (c declaredClient) recorded(ctx context.Context, p opened, _ string) (id string, has map[string]any, err error) {
	registered, err := p.Clients().Get(ctx, c.ID)
	if errors.Is(err, provider.ErrNoClient) {
		return c.ID, nil, nil
	}
	if err != nil {
		return c.ID, nil, err
	}
	secrets, err := p.Clients().ListSecrets(ctx, c.ID)
	has = registrationOf(registered)
	for _, s := range secrets {
		has["client_secret"] = fmt.Sprint(has["client_secret"], s.ID)
	}
	return c.ID, has, err
}

// set replaces what the keys are of, in the registration as it is.
func (c declaredClient) set(ctx context.Context, p opened, id string, keys []string, _ map[string]any) (string, []string, error) {
	err := provider.ErrChanged
	for errors.Is(err, provider.ErrChanged) {
		var registered provider.Client
		registered, err = p.Clients().Get(ctx, c.ID)
		if errors.Is(err, provider.ErrNoClient) {
			err = nil
		}
		if err == nil {
			registered, err = c.over(registered, keys)
		}
		if err == nil {
			err = p.Clients().Save(ctx, registered)
		}
	}
	if err != nil {
		return id, nil, inKeys(err, c.place, c.client)
	}
	return id, keys, nil
}

// over returns a registration with the values that the file has under these keys.
func (c declaredClient) over(registered provider.Client, keys []string) (changed provider.Client, err error) {
	says, all := c.says(), registrationOf(registered)
	for _, key := range keys {
		value, listed := says[key]
		if all[key] = value; !listed && key != "disabled" {
			delete(all, key)
		}
	}
	all["client_id"] = c.ID
	text, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(text, &changed)
	}
	changed.Revision = registered.Revision
	return changed, err
}
