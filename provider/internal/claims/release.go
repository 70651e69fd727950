package claims

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// Released is what scopes release about a user at one moment.
type Released struct {
	Attributes []Attribute
	Statuses   []storage.Status

	// Until is the earliest end of a part: a verification expires, an age ends at a
	// birthday. Zero means never.
	Until time.Time
}

// endsBy records that a part ends at a moment; zero for never.
func (r *Released) endsBy(end time.Time) {
	if !end.IsZero() && (r.Until.IsZero() || end.Before(r.Until)) {
		r.Until = end
	}
}

// Attribute is one value in the shape of the attributes response.
type Attribute struct {
	Handle string          `json:"handle"`
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value"`

	// Composed reports that other facts make up the value, and have all of its content.
	Composed bool `json:"-"`
}

// Has reports whether an attribute is released.
func (r Released) Has(handle string) bool {
	return slices.ContainsFunc(r.Attributes, func(a Attribute) bool { return a.Handle == handle })
}

// Knows reports whether an attribute is released with a value of its own.
func (r Released) Knows(handle string) bool {
	return slices.ContainsFunc(r.Attributes, func(a Attribute) bool { return a.Handle == handle && !a.Composed })
}

// ReleaseTo reads what a token with these scopes releases now about the user of its grant:
// the current meaning of the scopes, within what the user has been shown.
func (s *Source) ReleaseTo(ctx context.Context, g storage.Grant, scopes []string) (Released, error) {
	host.AskFor(ctx, host.Request{ClientID: g.ClientID, Scopes: scopes})
	handles, groups := s.Catalogue.Release(scopes)
	return s.allowed(ctx, g, handles, groups)
}

// allowed reads handles and groups of the user of a grant, now, within what the user has been
// shown.
func (s *Source) allowed(ctx context.Context, g storage.Grant, handles, groups []string) (Released, error) {
	return s.Release(ctx, g.Subject, s.Catalogue.allowed(handles, g.Attributes), Intersection(groups, g.Groups), g.EID)
}

// Release reads attributes and groups of a user, now. host.ErrNoUser if there is no such
// user.
func (s *Source) Release(ctx context.Context, userID string, handles, groups []string, eid string) (Released, error) {
	person, err := s.Person(ctx, userID, handles, groups)
	if err != nil {
		return Released{}, err
	}
	r := Released{
		Attributes: make([]Attribute, 0, len(handles)+1),
		Statuses:   make([]storage.Status, 0, len(groups)),
	}
	for _, handle := range s.Catalogue.inOrder(handles) {
		value, until, err := s.value(ctx, person, userID, handle)
		if err != nil {
			return Released{}, fmt.Errorf("attribute %q: %w", handle, err)
		}
		r.endsBy(until)
		if handle == userName && value.Value == nil {
			value.Value = userNameBeside(handles, func(h string) json.RawMessage { return s.recorded(ctx, person, userID, h) })
			value.Composed = true
		}
		if value.Value != nil {
			r.Attributes = append(r.Attributes, value)
		}
	}
	if eid != "" && !r.Has("eid") {
		r.Attributes = append(r.Attributes, Attribute{Handle: "eid", Name: s.Catalogue.attributes["eid"].Name, Value: issue.Quote(eid)})
	}
	for _, group := range groups {
		status, fits := limitTo(s.Catalogue.groups[group], statusOf(person.statuses, group, s.Clock()))
		if !fits {
			s.leftOut(ctx, misfit{userID, "group", group})
		}
		if status.Verified {
			r.endsBy(status.ExpiresAt)
		}
		r.Statuses = append(r.Statuses, status)
	}
	return r, nil
}

// value returns one attribute, without a Value if the user has none, and the end of its
// validity; zero means for ever.
func (s *Source) value(ctx context.Context, person Record, userID, handle string) (Attribute, time.Time, error) {
	a := s.Catalogue.attributes[handle]
	out := Attribute{Handle: handle, Name: a.Name}
	if handle == "uuid" {
		out.Value = issue.Quote(userID)
		return out, time.Time{}, nil
	}
	recorded := func(handle string) json.RawMessage { return s.recorded(ctx, person, userID, handle) }
	out.Value = recorded(s.Catalogue.Fact(handle))
	switch {
	case a.Verifies != "" && recorded(a.Verifies) == nil:
		out.Value = nil // there is nothing to verify
	case a.Verifies != "" && out.Value == nil:
		out.Value = []byte("false")
	case out.Value == nil && len(a.From) > 0:
		var until time.Time
		var err error
		out.Value, until, err = compose(a, recorded, s.Clock())
		out.Composed = isComposed(a)
		return out, until, err
	}
	return out, time.Time{}, nil
}

// recorded returns the JSON of a fact, or nil if the user has none that fits.
func (s *Source) recorded(ctx context.Context, person Record, userID, handle string) json.RawMessage {
	raw := person.attribute(handle)
	if raw != nil && !hasType(s.Catalogue.attributes[handle], raw) {
		s.leftOut(ctx, misfit{userID, "attribute", handle})
		return nil
	}
	if isEmptyText(raw) { // Core section 5.3.2: no claim without a value
		return nil
	}
	return raw
}

// statusOf returns the status of a group at a moment. An unverified group, or one whose
// verification has expired, has no subgroups. A verification ends with the second in which
// it expires, because tokens with it count in seconds.
func statusOf(statuses []storage.Status, group string, now time.Time) storage.Status {
	i := slices.IndexFunc(statuses, func(s storage.Status) bool { return s.Group == group })
	if i < 0 {
		return storage.Status{Group: group}
	}
	s := statuses[i]
	if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt.Truncate(time.Second)) {
		s.Verified = false
	}
	if s.Pending {
		s.Verified = false // a caller recorded both
	}
	if !s.Verified {
		s.Subgroups = nil
	}
	return s
}

// limitTo restricts a status to the catalogue, which may have changed since it was
// recorded: it keeps the known subgroups. A verification with an impossible end has ended.
// It reports whether nothing was dropped.
func limitTo(g catalogue.Group, s storage.Status) (storage.Status, bool) {
	if !inCalendar(s.ExpiresAt) {
		return storage.Status{Group: s.Group}, false
	}
	if Covers(g.Subgroups, s.Subgroups) {
		return s, true
	}
	s.Subgroups = Intersection(s.Subgroups, g.Subgroups)
	return s, false
}

// inCalendar reports whether a time has a year of four digits.
func inCalendar(t time.Time) bool {
	y := t.UTC().Year()
	return 1 <= y && y <= 9999
}

// Claims returns for the engine what a grant releases in a place: flat claims, and the
// statuses as one array.
func (s *Source) Claims(ctx context.Context, g storage.Grant, c *registry.Client, in authorization.Place) (issue.Claims, error) {
	single := s.Catalogue.Single(c, authorization.ClaimsOf(g).Names(authorization.InAny))
	host.AskFor(ctx, host.Request{ClientID: g.ClientID, Scopes: g.Scopes, Claims: single})
	handles, groups := s.Catalogue.releasedIn(in, g, c)
	if isLean(in, g, c) {
		g.EID = ""
	}
	if c.Dialect.EmailVerified && slices.Contains(handles, emailHandle) {
		handles = Union(handles, []string{emailVerified})
	}
	asked := s.verifiedIn(in, g, single)
	if len(asked.Groups) > 0 { // one question to the host, whose answer or error is that of what follows
		_, _ = s.Person(ctx, g.Subject, handles, Union(slices.Clone(groups), asked.Groups))
	}
	r, err := s.allowed(ctx, g, handles, groups)
	if errors.Is(err, host.ErrNoUser) {
		return issue.Claims{}, issue.ErrNoUser
	}
	if err != nil {
		return issue.Claims{}, err
	}
	claims := make([]issue.Claim, 0, len(r.Attributes)+1)
	for _, a := range r.Attributes {
		claims = append(claims, issue.Claim{Name: a.Handle, Value: a.Value})
	}
	if len(r.Statuses) > 0 {
		raw, err := json.Marshal(StatusObjects(r.Statuses))
		if err != nil {
			return issue.Claims{}, err
		}
		claims = append(claims, issue.Claim{Name: "status", Value: raw, Encoded: true})
	}
	if len(asked.Groups) > 0 {
		verified, err := s.verifiedClaims(ctx, g, asked, &r)
		if err != nil {
			return issue.Claims{}, err
		}
		claims = append(claims, verified...)
	}
	return issue.Claims{List: claims, Until: r.Until}, nil
}

// StatusObject is a status as applications receive it.
type StatusObject struct {
	Group     string   `json:"group"`
	Subgroups []string `json:"subgroups"`
	Verified  bool     `json:"verified"`
}

// StatusObjects returns the statuses as applications receive them, never null.
func StatusObjects(statuses []storage.Status) []StatusObject {
	objects := make([]StatusObject, 0, len(statuses))
	for _, s := range statuses {
		subgroups := s.Subgroups
		if subgroups == nil {
			subgroups = []string{}
		}
		objects = append(objects, StatusObject{s.Group, subgroups, s.Verified})
	}
	return objects
}
