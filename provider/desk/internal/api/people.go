package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// contextOf is a context.
type contextOf = context.Context

// find is what people are found by.
type find struct {
	By     string `json:"by" enum:"email,id,attribute" doc:"What is known of the person."`
	Handle string `json:"handle,omitempty" doc:"The attribute, of one by which people are found." max:"64"`
	Value  string `json:"value" doc:"It, exactly: there are no prefixes and no patterns."`
}

// found are the people who were found: one, or none.
type found struct {
	People []personID `json:"people" doc:"Mostly one, or none."`
}

type personID struct {
	ID string `json:"id" doc:"With which a matter is opened."`
}

// person is what is shown of a person.
type person struct {
	ID         string      `json:"id"`
	Account    *account    `json:"account,omitempty" doc:"Missing for a user of the host, who has none here."`
	Attributes []attribute `json:"attributes" doc:"What is recorded, masked."`
}

type account struct {
	Email             string    `json:"email" doc:"Masked."`
	EmailVerified     bool      `json:"email_verified"`
	HasPassword       bool      `json:"has_password"`
	PasswordChangedAt time.Time `json:"password_changed_at,omitzero"`
	Disabled          bool      `json:"disabled" doc:"Whether the account is locked."`
	CreatedAt         time.Time `json:"created_at"`
}

type attribute struct {
	Handle string `json:"handle"`
	Value  string `json:"value" doc:"Masked."`
}

type session struct {
	Handle     string    `json:"handle" doc:"What ends it: the session of end_session."`
	Browser    string    `json:"browser" doc:"As it names itself."`
	Network    string    `json:"network"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at,omitzero"`
	ExpiresAt  time.Time `json:"expires_at"`
}

type connection struct {
	Upstream   string    `json:"upstream" doc:"The ID of the upstream provider."`
	Title      string    `json:"title" doc:"What people call it; its ID again if it signs nobody in any more."`
	Name       string    `json:"name" doc:"What the person is called there, masked."`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

type consent struct {
	ClientID   string    `json:"client_id"`
	ClientName string    `json:"client_name" doc:"As the person has read it."`
	Scopes     []string  `json:"scopes"`
	Attributes []string  `json:"attributes" doc:"What it gets, by handle."`
	Groups     []string  `json:"groups"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

type status struct {
	Group      string    `json:"group"`
	Verified   bool      `json:"verified"`
	Pending    bool      `json:"pending"`
	VerifiedBy string    `json:"verified_by,omitempty"`
	Method     string    `json:"method,omitempty"`
	VerifiedAt time.Time `json:"verified_at,omitzero"`
	ExpiresAt  time.Time `json:"expires_at,omitzero"`
}

func (a *API) peopleRows() []operation {
	part := func(name, id, title string, out any, serve func(*call) (response, error)) operation {
		return operation{
			Method: http.MethodGet, Path: "/people/{person}/" + name, ID: id, Title: title, Scope: ScopePeopleRead, Spend: reads,
			Matter: true, Paged: true, Out: out, serve: serve,
		}
	}
	return []operation{
		{
			Method: http.MethodPost, Path: "/people/find", ID: "findPerson", Title: "Find a person", Scope: ScopePeopleRead, Spend: finds,
			Text: "Nothing is shown: open a matter with the ID.", In: find{}, Out: found{}, serve: findPerson,
		},
		{
			Method: http.MethodGet, Path: "/people/{person}", ID: "getPerson", Title: "Read a person", Scope: ScopePeopleRead, Spend: reads,
			Matter: true, Revises: true, Out: person{}, serve: getPerson,
		},
		part("sessions", "listSessions", "List where a person is signed in", rows[session]{}, listSessions),
		part("connections", "listConnections", "List the accounts elsewhere with which a person signs in", rows[connection]{}, listConnections),
		part("consents", "listConsents", "List what a person allows applications", rows[consent]{}, listConsents),
		part("statuses", "listStatuses", "List the statuses of a person in groups", rows[status]{}, listStatuses),
		part("events", "listPersonEvents", "List what the audit log has of a person", rows[event]{}, listPersonEvents),
	}
}

// findPerson finds a person by what is known of them alone. A miss is recorded like a hit, or
// this would tell who is here.
func findPerson(c *call) (response, error) {
	var in find
	if err := bind(c.tree, &in); err != nil {
		return response{}, err
	}
	ids, err := c.api.find(c.Context(), in)
	if err == nil {
		ids, err = c.withoutStaff(ids)
	}
	if err != nil {
		return response{}, err
	}
	out := found{People: []personID{}}
	e := provider.Event{Name: events.PersonNotFound}
	for _, id := range ids {
		out.People = append(out.People, personID{id})
	}
	switch len(ids) {
	case 0:
	case 1:
		e = provider.Event{Name: events.PersonFound, UserID: ids[0]}
	default:
		e = provider.Event{Name: events.PersonFound, Detail: "several"}
	}
	if err := c.api.Provider.Events().Record(c.Context(), e); err != nil {
		return response{}, err
	}
	if c.api.misses.count(c.client, len(ids) > 0) {
		c.api.Frame.Raise(c.Context(), frame.Alarm{Kind: frame.AlarmMisses, Staff: c.name()})
	}
	return ok(out), nil
}

// withoutStaff leaves out who works here: a client that found them and may open no matter would
// know that they do.
func (c *call) withoutStaff(ids []string) (left []string, err error) {
	for _, id := range ids {
		standing, err := c.api.Frame.StandingOf(c.Context(), c.name(), "", id)
		switch {
		case err != nil:
			return nil, err
		case standing == frame.Anybody:
			left = append(left, id)
		default:
			c.refuse("find", id)
		}
	}
	return left, nil
}

// data reads the person of the matter, and records the look.
func (c *call) data(part string, reads room.PersonPart) (provider.PersonalData, error) {
	if err := c.looked(part); err != nil {
		return provider.PersonalData{}, err
	}
	return c.api.Provider.Rooms().People.GetParts(c.Context(), c.matter.Subject, reads)
}

func getPerson(c *call) (response, error) {
	data, err := c.data("account", room.PersonValues)
	if err != nil {
		return response{}, err
	}
	p := person{ID: data.UserID, Attributes: []attribute{}}
	if a := data.Account; a != nil {
		p.Account = &account{
			Email: frame.MaskEmail(a.Email), EmailVerified: a.EmailVerified, HasPassword: a.HasPassword,
			PasswordChangedAt: a.PasswordChangedAt, Disabled: a.Disabled, CreatedAt: a.CreatedAt,
		}
	}
	for _, handle := range slices.Sorted(maps.Keys(data.Attributes)) {
		p.Attributes = append(p.Attributes, attribute{handle, frame.Mask(string(data.Attributes[handle]))})
	}
	r := ok(p)
	if p.Account != nil {
		r.revision, err = c.api.Provider.Rooms().People.Revision(c.Context(), p.ID)
	}
	return r, err
}

func listSessions(c *call) (response, error) {
	data, err := c.data("sessions", room.PersonSessions)
	if err != nil {
		return response{}, err
	}
	return within(c, data.Sessions, func(s provider.RecordedSession) session {
		return session{Handle: s.Handle, Browser: s.UserAgent, Network: s.Address, CreatedAt: s.CreatedAt, LastSeenAt: s.LastSeenAt, ExpiresAt: s.ExpiresAt}
	})
}

// listConnections lists the identities at upstream providers; none for a user of the host.
func listConnections(c *call) (response, error) {
	data, err := c.data("factors", room.PersonValues)
	if err != nil {
		return response{}, err
	}
	var has provider.RecordedAuthenticators
	if data.Account != nil {
		if has, err = c.api.Provider.Accounts().Authenticators(c.Context(), data.UserID); err != nil {
			return response{}, err
		}
	}
	return within(c, has.Links, func(l provider.RecordedLink) connection {
		return connection{Upstream: l.Upstream, Title: l.Title, Name: frame.MaskEmail(l.Name), CreatedAt: l.CreatedAt, LastUsedAt: l.LastUsedAt}
	})
}

func listConsents(c *call) (response, error) {
	if err := c.looked("applications"); err != nil {
		return response{}, err
	}
	limit, after, err := c.page()
	if err != nil {
		return response{}, err
	}
	recorded, err := c.api.Provider.Rooms().People.Consents(c.Context(), c.matter.Subject, after, limit)
	if err != nil {
		return response{}, err
	}
	shown := make([]consent, len(recorded))
	for i, r := range recorded {
		shown[i] = consent{
			ClientID: r.ClientID, ClientName: r.ClientName, Scopes: r.Scopes, Attributes: r.Attributes, Groups: r.Groups,
			CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt,
		}
	}
	return listed(c, shown, limit, func(last consent) string { return last.ClientID }), nil
}

func listStatuses(c *call) (response, error) {
	data, err := c.data("groups", room.PersonValues)
	if err != nil {
		return response{}, err
	}
	return within(c, data.Statuses, func(s provider.Status) status {
		return status{
			Group: s.Group, Verified: s.Verified, Pending: s.Pending, VerifiedBy: s.VerifiedBy, Method: s.Method,
			VerifiedAt: s.VerifiedAt, ExpiresAt: s.ExpiresAt,
		}
	})
}

func listPersonEvents(c *call) (response, error) {
	if err := c.looked("history"); err != nil {
		return response{}, err
	}
	return c.events(provider.EventFilter{UserID: c.matter.Subject})
}

// within is a page of a list that was read as a whole: its cursor is a place in it.
func within[R, T any](c *call, all []R, as func(R) T) (response, error) {
	limit, after, err := c.page()
	if err != nil {
		return response{}, err
	}
	begin, _ := strconv.Atoi(after)
	begin = min(begin, len(all))
	end := min(begin+limit, len(all))
	shown := make([]T, 0, end-begin)
	for _, r := range all[begin:end] {
		shown = append(shown, as(r))
	}
	return listedAs(c, shown, end < len(all), func() string { return strconv.Itoa(end) }), nil
}
