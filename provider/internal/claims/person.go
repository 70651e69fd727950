package claims

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// Source reads users' data: the recorded data in the store, or the host's, with the
// recorded statuses of groups that the host does not answer for.
type Source struct {
	Options
	reported *cache.Cache[misfit, struct{}]
}

// Options are the origins of a Source.
type Options struct {
	Catalogue *Catalogue

	// Stored returns the recorded data. Callers share it and must not change it.
	Stored func(ctx context.Context, userID string) (*storage.Person, error)

	// Host asks the host, or is nil.
	Host func(ctx context.Context, userID string, handles, groups []string) (Person, error)

	// HasAccounts reports whether users are embedded accounts: then every user has one.
	HasAccounts bool

	// Verified answers requests for verified_claims, or is nil. Process names a case to an
	// application, and Issuer is who answers.
	Verified Verified
	Process  func(clientID, caseID string) string
	Issuer   string

	Clock  func() time.Time
	Logger *slog.Logger
}

// Person is the host's data about a user: values by handle, of any type.
type Person struct {
	Attributes    map[string]any
	EmailVerified bool
	Statuses      []storage.Status
}

// NewSource returns the source of these options.
func NewSource(o Options) *Source {
	return &Source{Options: o, reported: cache.New[misfit, struct{}](reportEvery, maxReported, o.Clock)}
}

// Record is a user's data of either origin. Its map and slice are shared; callers must not
// change them.
type Record struct {
	attributes map[string]json.RawMessage
	statuses   []storage.Status

	// email is the address of an embedded account, in place of attributes, and emailVerified
	// whether that is verified; "" without one.
	email         string
	emailVerified bool
}

// attribute returns the JSON of a recorded value, or nil.
func (r Record) attribute(handle string) json.RawMessage {
	switch {
	case r.email != "" && handle == emailHandle:
		return issue.Quote(r.email)
	case r.email != "" && handle == emailVerified:
		return strconv.AppendBool(nil, r.emailVerified)
	}
	return r.attributes[handle]
}

// answers reports whether there is a status, of any content, for all of these groups.
func (r Record) answers(groups []string) bool {
	return !slices.ContainsFunc(groups, func(group string) bool { return !r.hasStatus(group) })
}

func (r Record) hasStatus(group string) bool {
	return slices.ContainsFunc(r.statuses, func(s storage.Status) bool { return s.Group == group })
}

// completed returns the record with the recorded statuses of groups that the host does not
// answer for, which a verification has found. The host's answers take precedence, including
// that a user is not verified.
func (r Record) completed(recorded []storage.Status) Record {
	statuses := slices.Clone(r.statuses) // the record is shared
	for _, s := range recorded {
		if !r.hasStatus(s.Group) {
			statuses = append(statuses, s)
		}
	}
	r.statuses = statuses
	return r
}

// Value returns the JSON of a recorded value, or nil.
func (r Record) Value(handle string) json.RawMessage { return r.attribute(handle) }

// Statuses returns the recorded statuses, which must not be changed.
func (r Record) Statuses() []storage.Status { return r.statuses }

// Text returns an attribute as people read it, "" if there is none.
func (r Record) Text(handle string) string {
	text, _ := textOf(r.attribute(handle))
	return text
}

// Name returns a user's display name.
func (r Record) Name() string {
	return cmp.Or(join(" ", r.Text("fname"), r.Text("lname")), r.Text("name"))
}

// Attributes that an embedded account has as well.
const (
	emailHandle   = "email"
	emailVerified = "email_verified"
)

// EmailVerified reports whether the user is known to own the address.
func (r Record) EmailVerified() bool { return string(r.attribute(emailVerified)) == "true" }

// AccountHandles are the attributes that identify a user on screens.
var AccountHandles = []string{"fname", "lname", emailHandle, "name"}

// Person reads these attributes and the status of these groups. host.ErrNoUser when there
// is no such user.
func (s *Source) Person(ctx context.Context, userID string, handles, groups []string) (Record, error) {
	if !s.HasAccounts && s.Host != nil {
		r, err := s.hostPerson(ctx, userID, handles, groups)
		if err != nil || r.answers(groups) {
			return r, err
		}
		stored, err := s.Stored(ctx, userID)
		if err != nil {
			return Record{}, fmt.Errorf("read person: %w", err)
		}
		return r.completed(stored.Statuses), nil
	}
	stored, err := s.Stored(ctx, userID)
	if err != nil {
		return Record{}, fmt.Errorf("read person: %w", err)
	}
	if s.HasAccounts && !stored.HasAccount {
		return Record{}, host.ErrNoUser
	}
	r := Record{attributes: stored.Attributes, statuses: stored.Statuses}
	if s.Host != nil {
		if r, err = s.hostPerson(ctx, userID, handles, groups); err != nil {
			return Record{}, err
		}
		r = r.completed(stored.Statuses)
	}
	r.email, r.emailVerified = stored.Email, stored.EmailVerified
	return r, nil
}

// personKey is the key of the host's answers about users within a request.
type personKey struct{}

// asked is a question to the host, and its answer.
type asked struct {
	userID          string
	handles, groups []string
	record          Record
}

// hostPerson asks the host, once for each request, and checks its answer against the
// catalogue.
func (s *Source) hostPerson(ctx context.Context, userID string, handles, groups []string) (Record, error) {
	handles = s.Catalogue.sources(handles)
	enough := func(a asked) bool {
		return a.userID == userID && Covers(a.handles, handles) && Covers(a.groups, groups)
	}
	answer, err := host.Once(ctx, personKey{}, enough, func() (asked, error) {
		record, err := s.ask(ctx, userID, handles, groups)
		return asked{userID, slices.Clone(handles), slices.Clone(groups), record}, err
	})
	return answer.record, err
}

func (s *Source) ask(ctx context.Context, userID string, handles, groups []string) (Record, error) {
	type checked struct {
		record  Record
		misfits []misfit
	}
	answer, err := host.Call(ctx, func(ctx context.Context) (checked, error) {
		person, err := s.Host(ctx, userID, slices.Clone(handles), slices.Clone(groups))
		if err != nil {
			return checked{}, err
		}
		record, misfits := s.check(person, userID, handles, groups)
		return checked{record, misfits}, nil
	})
	if err != nil && !errors.Is(err, host.ErrNoUser) {
		return Record{}, fmt.Errorf("%w: Person: %w", host.ErrFailed, err)
	}
	for _, m := range answer.misfits {
		s.leftOut(ctx, m)
	}
	return answer.record, err
}

// check checks the host's data about a user against the catalogue. It runs within the limits
// of the host's functions, because it calls the JSON encoders of the host's types.
func (s *Source) check(answer Person, userID string, handles, groups []string) (Record, []misfit) {
	r := Record{attributes: map[string]json.RawMessage{}}
	var misfits []misfit
	for _, handle := range handles {
		raw, err := Encode(s.Catalogue.attributes[handle], s.Catalogue.named(answer.Attributes, handle))
		if err != nil {
			misfits = append(misfits, misfit{userID, "attribute", handle})
		} else if raw != nil {
			r.attributes[handle] = raw
		}
	}
	if answer.EmailVerified {
		r.attributes[emailVerified] = []byte("true")
	}
	for _, status := range answer.Statuses {
		if slices.Contains(groups, status.Group) { // no other was requested
			status.Subgroups = slices.Clone(status.Subgroups) // the host may change its own
			status.Revision = 0                               // nothing is recorded under it
			r.statuses = append(r.statuses, status)
		}
	}
	return r, misfits
}

// misfit is a value of a user that does not fit the catalogue.
type misfit struct{ userID, kind, name string }

// A misfit is logged once in this time: every token requests it.
const (
	reportEvery = 10 * time.Minute
	maxReported = 4096
)

// leftOut reports that part of a user's data is not released; never its value.
func (s *Source) leftOut(ctx context.Context, m misfit) {
	_, _ = s.reported.Get(m, func() (struct{}, error) {
		s.Logger.WarnContext(ctx, "dropped values that do not fit the catalogue by type or subgroups",
			slog.String("user", m.userID), slog.String(m.kind, m.name))
		return struct{}{}, nil
	})
}
