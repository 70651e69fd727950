package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// released is what scopes release about a person at one moment. Consent screen, ID
// token, userinfo and attributes are all made from it, so they cannot disagree.
type released struct {
	attributes    []releasedAttribute
	statuses      []Status
	emailVerified bool
}

// releasedAttribute is one value in the shape of the attributes response.
type releasedAttribute struct {
	Handle string          `json:"handle"`
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value"`
}

// has reports whether an attribute is among what is released.
func (r released) has(handle string) bool {
	return slices.ContainsFunc(r.attributes, func(a releasedAttribute) bool { return a.Handle == handle })
}

// release reads what the scopes release about a user, now. ErrNoUser when there is
// no such user.
func (p *Provider) release(ctx context.Context, userID string, scopes []string, eid string) (released, error) {
	handles, groups := p.catalogue.release(scopes)
	person, err := p.person(ctx, userID, handles, groups)
	if err != nil {
		return released{}, err
	}
	r := released{
		attributes:    make([]releasedAttribute, 0, len(handles)+1),
		statuses:      make([]Status, 0, len(groups)),
		emailVerified: person.emailVerified,
	}
	for _, handle := range handles {
		value, err := p.value(person, userID, handle)
		if err != nil {
			return released{}, fmt.Errorf("attribute %q: %w", handle, err)
		}
		if value != nil {
			r.attributes = append(r.attributes, releasedAttribute{handle, p.catalogue.attributes[handle].Name, value})
		}
	}
	if eid != "" && !r.has("eid") {
		value, err := json.Marshal(eid)
		if err != nil {
			return released{}, err
		}
		r.attributes = append(r.attributes, releasedAttribute{"eid", p.catalogue.attributes["eid"].Name, value})
	}
	for _, group := range groups {
		r.statuses = append(r.statuses, statusOf(person.statuses, group, p.cfg.Clock()))
	}
	return r, nil
}

// statusOf returns the status of a group at a moment. A group that nobody has
// verified, or no longer, has no subgroups.
func statusOf(statuses []Status, group string, now time.Time) Status {
	i := slices.IndexFunc(statuses, func(s Status) bool { return s.Group == group })
	if i < 0 {
		return Status{Group: group}
	}
	s := statuses[i]
	if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) {
		s.Verified = false
	}
	if !s.Verified {
		s.Subgroups = nil
	}
	return s
}

// value returns the JSON of one attribute, or nil when the person has none.
func (p *Provider) value(person personRecord, userID, handle string) (json.RawMessage, error) {
	if handle == "uuid" {
		return json.Marshal(userID)
	}
	raw := person.attribute(handle)
	if raw == nil && handle == "age" {
		return p.age(person.attribute("birthdate")), nil
	}
	return raw, nil
}

// age computes the age from a date of birth, or returns nil when there is none.
func (p *Provider) age(birthdate json.RawMessage) json.RawMessage {
	born, err := time.Parse(`"`+time.DateOnly+`"`, string(birthdate))
	if err != nil {
		return nil
	}
	return []byte(strconv.Itoa(ageOn(born, p.cfg.Clock().UTC())))
}

// ageOn returns the completed years of life on a day.
func ageOn(born, day time.Time) int {
	age := day.Year() - born.Year()
	if day.Month() < born.Month() || day.Month() == born.Month() && day.Day() < born.Day() {
		age--
	}
	return age
}

// personRecord is a person from whichever place keeps it. Nobody changes its map and
// slice: they may be shared.
type personRecord struct {
	attributes map[string]json.RawMessage
	statuses   []Status

	// email is the address that an embedded account signs in with. It stands in
	// place of the attribute.
	email         json.RawMessage
	emailVerified bool
}

// attribute returns the JSON of what is recorded, or nil.
func (r personRecord) attribute(handle string) json.RawMessage {
	if handle == "email" && r.email != nil {
		return r.email
	}
	return r.attributes[handle]
}

func (p *Provider) person(ctx context.Context, userID string, handles, groups []string) (personRecord, error) {
	if !p.hasAccounts() && p.cfg.Users.Person != nil {
		return p.hostPerson(ctx, userID, handles, groups)
	}
	stored, err := p.recent.person(ctx, userID)
	if err != nil {
		return personRecord{}, fmt.Errorf("read person: %w", err)
	}
	if p.hasAccounts() && !stored.HasAccount {
		return personRecord{}, ErrNoUser
	}
	r := personRecord{attributes: stored.Attributes}
	if p.cfg.Users.Person != nil {
		if r, err = p.hostPerson(ctx, userID, handles, groups); err != nil {
			return personRecord{}, err
		}
	} else {
		for _, s := range stored.Statuses {
			r.statuses = append(r.statuses, Status(s))
		}
	}
	if stored.Email == "" {
		return r, nil
	}
	r.emailVerified = stored.EmailVerified
	r.email, err = json.Marshal(stored.Email)
	return r, err
}

// hostPerson asks the host, and holds its answer to the catalogue.
func (p *Provider) hostPerson(ctx context.Context, userID string, handles, groups []string) (personRecord, error) {
	// The age may have to be computed.
	if slices.Contains(handles, "age") && !slices.Contains(handles, "birthdate") {
		handles = append(slices.Clone(handles), "birthdate")
	}
	answer, err := p.cfg.Users.person(ctx, userID, handles, groups)
	if err != nil {
		return personRecord{}, err
	}
	r := personRecord{
		attributes: map[string]json.RawMessage{}, statuses: answer.Statuses, emailVerified: answer.EmailVerified,
	}
	for _, handle := range handles {
		value, ok := answer.Attributes[handle]
		if !ok || value == nil {
			continue
		}
		if r.attributes[handle], err = p.catalogue.attributes[handle].encode(value); err != nil {
			return personRecord{}, fmt.Errorf("host: attribute %q: %w", handle, err)
		}
	}
	return r, nil
}

// claims returns what a grant releases as flat claims (and the statuses as one
// array) for the engine.
func (p *Provider) claims(ctx context.Context, g storage.Grant, c *engine.Client) ([]engine.Claim, error) {
	r, err := p.release(ctx, g.Subject, g.Scopes, g.EID)
	if errors.Is(err, ErrNoUser) {
		return nil, engine.ErrNoUser
	}
	if err != nil {
		return nil, err
	}
	claims := make([]engine.Claim, 0, len(r.attributes)+2)
	for _, a := range r.attributes {
		claims = append(claims, engine.Claim{Name: a.Handle, Value: a.Value})
	}
	if c.Dialect.EmailVerified && r.has("email") {
		claims = append(claims, engine.Claim{Name: "email_verified", Value: strconv.AppendBool(nil, r.emailVerified)})
	}
	if len(r.statuses) > 0 {
		raw, err := json.Marshal(statusObjects(r.statuses))
		if err != nil {
			return nil, err
		}
		claims = append(claims, engine.Claim{Name: "status", Value: raw})
	}
	return claims, nil
}

// statusObject is a status as applications receive it.
type statusObject struct {
	Group     string   `json:"group"`
	Subgroups []string `json:"subgroups"`
	Verified  bool     `json:"verified"`
}

// statusObjects returns the statuses as applications receive them, never null.
func statusObjects(statuses []Status) []statusObject {
	objects := make([]statusObject, 0, len(statuses))
	for _, s := range statuses {
		subgroups := s.Subgroups
		if subgroups == nil {
			subgroups = []string{}
		}
		objects = append(objects, statusObject{s.Group, subgroups, s.Verified})
	}
	return objects
}
