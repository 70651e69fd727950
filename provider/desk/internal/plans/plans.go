package plans

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// MaxTargets is how many targets a plan has at most.
	MaxTargets = 10_000

	// Patience is how long it may take to look at as many, on a machine that has other work.
	Patience = 2 * time.Minute

	// approval is how long a plan waits for another to approve it.
	approval = 24 * time.Hour

	// Overdue is how long a break may wait for another to sign it off.
	Overdue = 72 * time.Hour

	// keep is how long plans stay that are over.
	keep = 400 * 24 * time.Hour
)

// Options are what plans are made of. Frame and Book are required.
type Options struct {
	Frame *frame.Frame
	Book  *action.Book

	// Client reports whether a client of the Admin API may still propose; nil for none.
	Client func(id string) bool

	// Whom returns the targets of a kind whom the lines of the audit log are about that a query
	// finds, or that there are more than most; nil for no such plans.
	Whom func(ctx context.Context, query string, kind action.Kind, most int) (ids []string, more bool, err error)

	// Approvers are the users to mail about plans that wait, by Mailer; nil for none.
	Approvers func(ctx context.Context) ([]string, error)
	Mailer    provider.Mailer
}

// Service proposes, approves and runs plans, and records breaks. Create one with New.
type Service struct {
	Options
	provider  *provider.Provider
	store     frame.Store
	wake      chan struct{}
	announcer announcer

	working   sync.Mutex // that of CarryOn and tellAgain
	attempts  attempts
	toldAgain time.Time
	telling   batch.Cursor[string]
}

// New returns a service. Run does its background work.
func New(o Options) *Service {
	return &Service{
		Options: o, provider: o.Frame.Provider, store: o.Frame.Store, wake: make(chan struct{}, 1),
		attempts: attempts{failed: map[storage.TargetID]attempt{}},
	}
}

// Member is who works with plans.
type Member struct {
	// Name is that in the trail and in plans: "staff:" or "client:" and an ID.
	Name string

	// As is the ID of the user as whom they are signed in; empty for who is none.
	As string

	// Staff has their roles.
	Staff action.Staff
}

// MemberOf returns who asks for a page.
func MemberOf(r *frame.Request) Member {
	return Member{Name: staffPrefix + r.Staff.ID, As: r.User.UserID, Staff: r.Staff}
}

// What the names of members begin with.
const (
	staffPrefix  = "staff:"
	clientPrefix = "client:"
)

// staffID returns the ID of a member of the staff; empty for a client.
func (m Member) staffID() string {
	id, ok := strings.CutPrefix(m.Name, staffPrefix)
	if !ok {
		return ""
	}
	return id
}

// The errors of this package.
var (
	// ErrOwn means that somebody decides about their own plan or break.
	ErrOwn = errors.New("desk: it is their own")

	// ErrOver means that a plan is no longer waiting or running, or has expired.
	ErrOver = errors.New("desk: it is over")

	// ErrMoved means that a plan is not what was shown.
	ErrMoved = errors.New("desk: it is not what was shown")

	// ErrForbidden means that somebody may not do this.
	ErrForbidden = errors.New("desk: not allowed")

	// ErrNotPlanned means that nobody plans this action on these targets.
	ErrNotPlanned = errors.New("desk: this action is no plan")
)
