package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/storage"
)

// Off reports whether no application is let in that nobody has registered.
func (p hostsRoom) Off() bool {
	return !p.cfg.UnknownClients.Documents && p.cfg.UnknownClients.Register == ""
}

// CanDeny reports whether a host, as Get returns it, has one owner, so that Deny accepts it.
func (p hostsRoom) CanDeny(host string) bool {
	return host != storage.DeviceHost || p.cfg.AllowPrivateNetworks
}

// List returns up to limit hosts after the given one, in byte order: those with applications, and
// those that are denied.
func (p hostsRoom) List(ctx context.Context, after string, limit int) ([]unknown.Host, error) {
	seen, err := p.store.UnknownHosts(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: list hosts: %w", err)
	}
	denied, err := p.store.HostDenials(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: list denials of hosts: %w", err)
	}
	for _, d := range denied {
		if !slices.ContainsFunc(seen, func(h storage.UnknownHost) bool { return h.Host == d.Host }) {
			seen = append(seen, storage.UnknownHost{Host: d.Host})
		}
	}
	slices.SortFunc(seen, func(a, b storage.UnknownHost) int { return strings.Compare(a.Host, b.Host) })
	var all []unknown.Host
	for _, h := range seen[:min(len(seen), max(limit, 0))] {
		one, err := p.known(ctx, h)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// Get returns what there is of a host, in any case and any script, or of that of an address. It
// need not have an application. A FieldError if it is no host.
func (p hostsRoom) Get(ctx context.Context, host string) (unknown.Host, error) {
	name, err := p.read(host)
	if err != nil {
		return unknown.Host{}, err
	}
	h, err := storage.One(p.store.UnknownHosts(ctx, "", 1, name))
	if err != nil {
		return unknown.Host{}, fmt.Errorf("provider: read host: %w", err)
	}
	return p.known(ctx, h)
}

// read reads a host as it is written. That of programs on a device is one that has no denial.
func (p hostsRoom) read(host string) (string, error) {
	if host == storage.DeviceHost {
		return host, nil
	}
	name, err := p.unknown.Policy.ReadHost(host)
	if err != nil {
		return "", &FieldError{"Host", err}
	}
	return name, nil
}

// known adds what is said of a host.
func (p hostsRoom) known(ctx context.Context, h storage.UnknownHost) (unknown.Host, error) {
	known := unknown.Host{
		Host: h.Host, Standing: p.unknown.Policy.Standing(h.Host), Applications: h.Clients, Documents: h.Documents, FirstSeen: h.FirstSeenAt,
		People: h.People, LastUsed: h.LastUsedAt,
	}
	var err error
	known.Denial, err = p.denial(ctx, h.Host)
	return known, err
}

// denial returns one that holds for one of some hosts, or the zero one.
func (p hostsRoom) denial(ctx context.Context, hosts ...string) (storage.HostDenial, error) {
	d, err := p.store.HostDenial(ctx, hosts...)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.HostDenial{}, fmt.Errorf("provider: read denial of host: %w", err)
	}
	return d, nil
}

// ListClients returns up to limit applications that are listed under a host, with IDs after the given
// one, in byte order of the IDs. A FieldError if it is no host.
func (p hostsRoom) ListClients(ctx context.Context, host, after string, limit int) (all []room.UnknownClient[Client], err error) {
	if host, err = p.read(host); err != nil {
		return nil, err
	}
	found, err := p.store.Clients(ctx, storage.ClientFilter{ListedHost: host}, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: list clients of host: %w", err)
	}
	for _, c := range found {
		one, err := p.asUnknown(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// Client returns an application that nobody has registered. ErrNoClient if there is none, or
// somebody has.
func (p hostsRoom) Client(ctx context.Context, id string) (room.UnknownClient[Client], error) {
	c, err := p.store.Client(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && (c.Origin == "" || c.Deleted):
		return room.UnknownClient[Client]{}, ErrNoClient
	case err != nil:
		return room.UnknownClient[Client]{}, fmt.Errorf("provider: read client: %w", err)
	}
	return p.asUnknown(ctx, c)
}

func (p hostsRoom) asUnknown(ctx context.Context, c storage.Client) (room.UnknownClient[Client], error) {
	u := room.UnknownClient[Client]{Client: asClient(c), Hosts: c.ListedHosts(), CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt}
	d := c.Document
	if d != nil {
		u.CallsItself = d.Name
	}
	if d != nil && c.Origin == storage.OriginDocument {
		u.Document = &room.ClientDocument{
			Text: d.Text, FetchedAt: d.FetchedAt, FreshUntil: d.FreshUntil, GoneSince: d.GoneSince, Previous: d.Previous, ChangedAt: d.ChangedAt,
		}
	}
	var err error
	u.Denial, err = p.denial(ctx, c.Hosts()...)
	return u, err
}

// Deny keeps out the applications of a host that nobody has registered, and those of every host
// below it: also those that only send users back there. Within a second no process lets one in, and
// their tokens are refused. ErrChanged if the host is denied already; a FieldError for what is
// no host of one owner, a device of users among them, and for no reason or too long a one.
func (p hostsRoom) Deny(ctx context.Context, host, reason string) error {
	name, err := p.read(host)
	if err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	switch {
	case !p.CanDeny(name):
		return wrongField("Host", "is every device of users")
	case reason == "":
		return wrongField("Reason", "is missing")
	case utf8.RuneCountInString(reason) > room.MaxDenialReason:
		return wrongField("Reason", "is longer than %d characters", room.MaxDenialReason)
	}
	d := storage.HostDenial{Host: name, Reason: reason, By: cmp.Or(audit.ActorOf(ctx), "host"), At: p.cfg.Clock()}
	err = p.audit.Step(ctx, func(ctx context.Context) error { return p.store.DenyHost(ctx, d) }, storage.Event{Name: event.HostDenied, Detail: name})
	return orChanged(err, "deny host")
}

// Allow removes the denial of a host that was made at a moment: what its applications were allowed
// before, and has not ended, is good again. ErrChanged if there is none of that moment, a FieldError
// if it is no host.
func (p hostsRoom) Allow(ctx context.Context, host string, deniedAt time.Time) error {
	name, err := p.read(host)
	if err != nil {
		return err
	}
	err = p.audit.Step(ctx, func(ctx context.Context) error { return p.store.AllowHost(ctx, name, deniedAt) },
		storage.Event{Name: event.HostAllowed, Detail: name})
	return orChanged(err, "allow host")
}
