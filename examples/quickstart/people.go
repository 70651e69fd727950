package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// reasons are those for which the desk opens a matter.
var reasons = []string{"caller", "report", "application", "data_request", "authority", "incident", "quality"}

// withheld is how long a user does not read of a matter that an authority, or an incident, is
// the reason of.
const withheld = 90 * 24 * time.Hour

// findPerson prints the ID of the user with the address that in begins with.
func findPerson(ctx context.Context, p opened, in io.Reader, out io.Writer) error {
	line, err := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n')
	address := strings.TrimSpace(line)
	if err != nil && !errors.Is(err, io.EOF) || address == "" {
		return errors.Join(errors.New("-find: there is no address on standard input"), err)
	}
	ctx = provider.By(ctx, storage.Actor{Name: actor()})
	found, err := p.Accounts().GetByEmail(ctx, address)
	if errors.Is(err, provider.ErrNoUser) {
		if err := p.Events().Record(ctx, provider.Event{Name: event.PersonNotFound, Detail: "email"}); err != nil {
			return err
		}
		return no{errors.New("nobody has this address")}
	}
	if err == nil {
		err = p.Events().Record(ctx, provider.Event{Name: event.PersonFound, UserID: found.ID, Detail: "email"})
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, found.ID)
	return err
}

// matter is what a command has to do with one person, for a reason that the person can read of.
type matter struct {
	opened
	id, subject, actor string
	account            provider.RecordedAccount
	out                io.Writer
}

// inMatter opens a matter about a user, does something in it, and closes it.
func inMatter(ctx context.Context, p opened, subject, reason string, out io.Writer, do func(*matter, context.Context) error) error {
	matters, ok := p.store.(storage.Matters)
	if !ok {
		return errors.New("this database cannot keep why somebody was looked at")
	}
	account, err := p.Accounts().Get(ctx, subject)
	if errors.Is(err, provider.ErrNoUser) {
		return no{fmt.Errorf("nobody has the ID %q", subject)}
	}
	if err != nil {
		return err
	}
	now := time.Now()
	m := &matter{opened: p, id: newMatterID(now), subject: subject, actor: actor(), account: account, out: out}
	record := storage.Matter{
		ID: m.id, Staff: m.actor, Role: "operator", Subject: subject, Reason: reason, OpenedAt: now, EndsAt: now.Add(time.Minute),
	}
	if reason == "authority" || reason == "incident" {
		record.WithheldUntil = now.Add(withheld)
	}
	by := provider.By(ctx, storage.Actor{Name: m.actor, Matter: m.id})
	err = p.Rooms().Events.WriteWith(by, func(ctx context.Context) error { return matters.OpenMatter(ctx, record) },
		provider.Event{Name: event.MatterOpened, UserID: subject, Detail: reason})
	if err != nil {
		return err
	}
	return errors.Join(do(m, m.by(ctx)),
		p.Rooms().Events.WriteWith(by, func(ctx context.Context) error { return matters.CloseMatter(ctx, m.id, m.actor, time.Now()) },
			provider.Event{Name: event.MatterClosed, UserID: subject}))
}

// by returns a context in which verbs act in the matter.
func (m *matter) by(ctx context.Context) context.Context {
	return provider.By(ctx, storage.Actor{
		Name: m.actor, Matter: m.id,
		On: storage.DeedBasis{Matter: m.id, Staff: m.actor, Subject: m.subject, At: time.Now()},
	})
}

func (m *matter) lock(ctx context.Context) error   { return m.setLocked(ctx, true) }
func (m *matter) unlock(ctx context.Context) error { return m.setLocked(ctx, false) }

func (m *matter) setLocked(ctx context.Context, locked bool) error {
	word, name := "unlocked", event.AccountEnabled
	if locked {
		word, name = "locked", event.AccountDisabled
	}
	if m.account.Disabled == locked {
		_, err := fmt.Fprintf(m.out, "%s: is %s already\n", m.subject, word)
		return err
	}
	if err := m.Accounts().SetDisabled(ctx, m.subject, locked); err != nil {
		return err
	}
	m.Rooms().People.Tell(ctx, m.subject, name)
	_, err := fmt.Fprintf(m.out, "%s: %s\n", m.subject, word)
	return err
}

func (m *matter) signOut(ctx context.Context) error {
	if err := m.People().EndSessions(ctx, m.subject, ""); err != nil {
		return err
	}
	m.Rooms().People.Tell(ctx, m.subject, event.SignedOut)
	_, err := fmt.Fprintf(m.out, "%s: all sessions are ended\n", m.subject)
	return err
}

// show prints what is known of the user, and no value of it: these are at the desk, one by one.
func (m *matter) show(ctx context.Context) error {
	if err := m.Events().Record(ctx, provider.Event{Name: event.SupportLooked, UserID: m.subject, Detail: "account"}); err != nil {
		return err
	}
	data, err := m.People().Get(ctx, m.subject)
	if err != nil {
		return err
	}
	a := m.account
	say := func(name, format string, values ...any) {
		_, _ = fmt.Fprintf(m.out, "%-12s %s\n", name, fmt.Sprintf(format, values...))
	}
	say("id", "%s", a.ID)
	if a.Email != "" {
		say("email", "%s, verified: %t", masked(a.Email), a.EmailVerified)
	}
	say("created", "%s", a.CreatedAt.UTC().Format(time.RFC3339))
	say("locked", "%t", a.Disabled)
	if !a.DeleteAt.IsZero() {
		say("deleted at", "%s", a.DeleteAt.UTC().Format(time.RFC3339))
	}
	say("password", "%t", a.HasPassword)
	say("attributes", "%s", strings.Join(slices.Sorted(maps.Keys(data.Attributes)), ", "))
	for _, s := range data.Statuses {
		say("group", "%s, verified: %t", s.Group, s.Verified)
	}
	for _, c := range data.Consents {
		say("application", "%s", c.ClientID)
	}
	for _, s := range data.Sessions {
		say("session", "%s, since %s, %q", s.Address, s.CreatedAt.UTC().Format(time.RFC3339), s.UserAgent)
	}
	return nil
}

// masked returns an address of which little can be read, as the desk shows it.
func masked(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	return initial(local) + "•••@" + initial(domain) + "•••." + top
}

func initial(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

// newMatterID returns the ID of a matter (UUID version 7), which sorts by time.
func newMatterID(at time.Time) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	_, _ = rand.Read(id[6:])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
