package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Config configures a desk. Verification and Reviewer are required.
type Config struct {
	// Verification is the service whose cases are decided. The desk is mounted at the base
	// URL of its provider followed by /desk/.
	Verification *verification.Service

	// Reviewer says who works here. It is asked at each request and its answer is never
	// kept, so that whoever loses a role has lost it. The zero Staff is nobody.
	Reviewer func(ctx context.Context, userID string) (Staff, error)
}

// Staff is somebody who works here.
type Staff struct {
	// ID names the person in decisions: that in the host's list of staff, the same for every
	// account of theirs.
	// Defaults to the ID of the user.
	ID string

	// Roles are what they may do; nil for nothing.
	Roles []Role

	// Groups are those whose cases they decide.
	// Defaults to all.
	Groups []string
}

// Role is what somebody may do.
type Role string

// The roles.
const (
	// RoleReviewer decides cases.
	RoleReviewer Role = "reviewer"
	// RoleSenior decides escalated cases as well, and those in which two reviewers differ.
	RoleSenior Role = "senior"
	// RoleOperator looks after rosters, codes, holds and numbers, and sees no evidence.
	RoleOperator Role = "operator"
)

// reviews reports whether somebody decides cases.
func (s Staff) reviews() bool {
	return slices.Contains(s.Roles, RoleReviewer) || slices.Contains(s.Roles, RoleSenior)
}

// operates reports whether somebody looks after what cases rest on.
func (s Staff) operates() bool { return slices.Contains(s.Roles, RoleOperator) }

// as is how the service knows a member of the staff.
func (s Staff) as(userID string) storage.Reviewer {
	return storage.Reviewer{ID: s.ID, Subject: userID, Groups: s.Groups, Senior: slices.Contains(s.Roles, RoleSenior)}
}

// Desk is an http.Handler for everything below the base URL of its provider followed by
// /desk/. Create one with New.
type Desk struct {
	Config
	provider *provider.Provider
	base     string // the path at which the desk is mounted, without a trailing slash
	mux      *http.ServeMux

	// reading is taken while a roster is read: it is in memory meanwhile.
	reading chan struct{}
}

// New returns a desk, to be mounted with its full path.
func New(cfg Config) (*Desk, error) {
	switch {
	case cfg.Verification == nil:
		return nil, errors.New("desk: Config.Verification is missing")
	case cfg.Reviewer == nil:
		return nil, errors.New("desk: Config.Reviewer is missing")
	}
	p := cfg.Verification.Provider
	base, err := url.Parse(p.Installation().BaseURL)
	if err != nil {
		return nil, fmt.Errorf("desk: %w", err)
	}
	if err := p.Pages().AddAudience(screens.Audience()); err != nil {
		return nil, fmt.Errorf("desk: %w", err)
	}
	d := &Desk{Config: cfg, provider: p, base: base.Path + "/desk", mux: http.NewServeMux(), reading: make(chan struct{}, 1)}
	for _, r := range d.routes() {
		d.mount(r)
	}
	d.mux.Handle(d.base+"/rosters/{roster}/file", d.rosterFile())
	d.mux.Handle("/", p.Pages().Screen(func(*provider.Screen) error { return provider.ErrScreenNotFound }))
	return d, nil
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
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// now is the time of the service.
func (d *Desk) now() time.Time { return d.Verification.Clock() }
