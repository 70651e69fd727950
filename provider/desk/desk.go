package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/act"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/inbox"
	"github.com/bonafide-id/bonafide/provider/desk/internal/people"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// Config configures a desk. Provider, Store, and Staff or Admit are required.
type Config struct {
	// Provider is whose people and applications the desk looks after. The desk is mounted at
	// its base URL followed by /desk/, unless URL says otherwise.
	Provider *provider.Provider

	// URL is the address of a host of the desk's own, such as https://desk.example.com: the
	// desk answers everything there, its pages below /desk/ and what they load. Sessions of
	// users are at the host of Provider, so Admit says who works here. It is as
	// provider.Config.BaseURL, and of another host than that.
	// Defaults to the base URL of Provider.
	URL string

	// Store stores what the staff works with. The stores of this module implement it: that
	// of Provider will do. The host closes it.
	Store Store

	// Dashboard is that of the developers whose applications the desk looks after.
	// Who decides a review is one of its Config.Operator as well, and under Admit decides there.
	// Defaults to none: applications are then those of the provider alone.
	Dashboard *developer.Dashboard

	// Verification is the service whose cases are decided.
	// Defaults to none: there is then no inbox.
	Verification *verification.Service

	// Staff says who works here, of the users of the provider. It is asked at each request
	// and its answer is never kept, so that whoever loses a role has lost it. It is asked
	// about the people whom the staff looks at, too: nobody acts on themselves, and on an
	// account with a role only two operators do. The zero Staff is nobody. An error admits
	// nobody: 503.
	Staff func(ctx context.Context, userID string) (Staff, error)

	// Admit says who works here by the company's own sign-in, such as a header of its proxy:
	// the ID and the roles, and when and how they have signed in. It goes before Staff,
	// which is then asked about the people alone.
	// Defaults to users of the provider.
	Admit func(*http.Request) (Staff, error)

	// SignInURL is where those whom Admit admits sign in again, with the path to come back
	// to in return_to.
	// Defaults to none: they are refused until they have.
	SignInURL string

	// AccountURL is where those whom Admit admits see their account, and sign out.
	// Defaults to none.
	AccountURL string

	// Protected reports whether somebody is on the staff whom Staff does not know as a user.
	// Defaults to nobody.
	Protected func(ctx context.Context, userID string) (bool, error)

	// Vouch reports whether the host has found out in its own way that it is this person who
	// calls this member of the staff. With it, a code from the mailbox is enough where a
	// session is asked for.
	// Defaults to nobody.
	Vouch func(ctx context.Context, staffID, userID string) (bool, error)

	// People are the functions of a host with its own users.
	// Defaults to none: what the host would have to do is not offered.
	People People

	// Alarm is told at once what somebody has done alone, or has tried. It has five seconds.
	// Defaults to none: the banner on the desk remains.
	Alarm func(context.Context, Alarm) error

	// Anchor takes the signed checkpoint of the audit log elsewhere, once an hour, by Run of this
	// process: see provider.Trail.AnchorWith.
	// Defaults to none: who has the database and the secret can change the log unseen.
	Anchor func(context.Context, provider.Checkpoint) error

	// Approvers are the users to mail, in the language of their accounts, at most once an
	// hour, when a plan waits for an operator to approve it.
	// Defaults to none: plans wait on the first page of the desk alone.
	Approvers func(ctx context.Context) ([]string, error)

	// Mailer sends these mails.
	// Defaults to none: nobody is mailed.
	Mailer provider.Mailer

	// Reasons are the reasons of the host for which a matter is opened, beside those of the
	// desk.
	Reasons []Reason

	// Logger receives warnings and errors.
	// Defaults to slog.Default().
	Logger *slog.Logger

	// Clock returns the current time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time
}

// Store stores what the staff works with.
type Store = frame.Store

// Staff is somebody who works here.
type Staff = action.Staff

// Role is what somebody works at.
type Role = action.Role

// The roles.
const (
	// RoleSupport helps people who call: looks at one person at a time, for a reason, and
	// sees personal values masked.
	RoleSupport = action.Support
	// RoleReviewer decides cases of verification, and sees no people beside them.
	RoleReviewer = action.Reviewer
	// RoleSenior decides escalated cases as well, and those in which two reviewers differ.
	RoleSenior = action.Senior
	// RoleOperator runs the service: everything but evidence.
	RoleOperator = action.Operator
	// RoleAuditor reads the audit log and what the staff looked at, and sees no people.
	RoleAuditor = action.Auditor
)

// Alarm is what the host is told at once.
type Alarm = frame.Alarm

// AlarmKind is why the host is told.
type AlarmKind = frame.AlarmKind

// The kinds of alarms.
const (
	// AlarmBreak is that an operator did alone what would have needed another, or a proof.
	AlarmBreak = frame.AlarmBreak
	// AlarmMisses is that somebody has looked for twenty people in a row who are not here.
	AlarmMisses = frame.AlarmMisses
	// AlarmRefused is that somebody with a role tried to act on themselves or on other staff.
	AlarmRefused = frame.AlarmRefused
)

// People are the functions of a host with its own users. Each may be nil: then the desk does
// not offer it.
type People = person.Host

// PeopleFinder is what a user of the host is looked for by.
type PeopleFinder = person.Finder

// PeopleShown is what the staff sees of a user of the host.
type PeopleShown = person.Shown

// Reason is a reason for which a matter is opened.
type Reason = frame.Reason

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Clock = clock.UTC(c.Clock)
	return c
}

func (c Config) validate() error {
	switch {
	case c.Provider == nil:
		return errors.New("Config.Provider is missing")
	case c.Store == nil:
		return errors.New("Config.Store is missing; the store of the provider will do")
	case c.Staff == nil && c.Admit == nil:
		return errors.New("Config.Staff is missing, or Config.Admit")
	case c.URL != "" && c.Admit == nil:
		return errors.New("Config.URL takes Config.Admit: the users of the provider are signed in at its own host")
	case c.Verification != nil && c.Verification.Provider != c.Provider:
		return errors.New("Config.Verification is of another provider")
	}
	return nil
}

// Desk is an http.Handler for everything below the base URL of its provider followed by
// /desk/, or for all of the host of Config.URL. Create one with New.
type Desk struct{ frame *frame.Frame }

// New returns a desk, to be mounted with its full path. The provider's Run then also does the
// desk's background work: it carries out what was approved.
func New(cfg Config) (*Desk, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("desk: %w", err)
	}
	f, err := frame.New(frame.Options{
		Provider: cfg.Provider, URL: cfg.URL, Store: cfg.Store, Staff: cfg.Staff, Admit: cfg.Admit, Protected: cfg.Protected, Vouch: cfg.Vouch,
		Alarm: cfg.Alarm, SignInURL: cfg.SignInURL, AccountURL: cfg.AccountURL, Reasons: cfg.Reasons, Logger: cfg.Logger, Clock: cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("desk: %w", err)
	}
	if err := addAudiences(f.Pages); err != nil {
		return nil, err
	}
	rooms, err := newRooms(cfg)
	if err != nil {
		return nil, err
	}
	book, err := newBook(cfg, rooms)
	if err != nil {
		return nil, err
	}
	rooms.mount(f)
	looks := people.New(people.Options{Frame: f, Book: book, Host: cfg.People, Verification: cfg.Verification, Dashboard: cfg.Dashboard})
	f.Mount(home{looks}.route())
	f.Mount(looks.Routes()...)
	f.Mount(act.Routes(act.Options{Frame: f, Book: book, Name: naming(cfg.Provider, looks)})...)
	planned := plans.New(plans.Options{Frame: f, Book: book, Client: isClient(f), Whom: rooms.records.Whom, Approvers: cfg.Approvers, Mailer: cfg.Mailer})
	f.Mount(planned.Routes()...)
	cfg.Provider.Rooms().RunWith(planned.Run)
	if cfg.Anchor != nil {
		cfg.Provider.Trail().AnchorWith(cfg.Anchor)
	}
	if err := mountAPI(f, cfg, book, planned, rooms.records); err != nil {
		return nil, fmt.Errorf("desk: %w", err)
	}
	if cfg.Verification != nil {
		f.Mount(inbox.New(f, cfg.Verification).Routes()...)
	}
	return &Desk{f}, nil
}

// Must returns a desk, and panics if New returns an error, for programs that have no other use
// for it.
func Must(d *Desk, err error) *Desk {
	if err != nil {
		panic(err)
	}
	return d
}

// ServeHTTP answers everything below the path of the desk.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.frame.ServeHTTP(w, r) }
