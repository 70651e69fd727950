package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/developer"
)

// staffed is what the file says about the desk.
type staffed struct {
	// Staff are those who work there. Without any there is no desk.
	Staff []employee `json:"staff"`

	// Clients are the IDs of those of clients that may use the Admin API (docs/desk.md), at BaseURL or url + /desk/api/v1.
	// Defaults to none.
	Clients []string `json:"clients"`

	// Only has this process serve the desk and nothing else. One without desk in its file serves the rest, with the same
	// BaseURL, data or database; a proxy sends /desk/ here.
	// Defaults to false.
	Only bool `json:"only"`

	// URL is the address of a host of the desk's own, such as https://desk.example.com. The staff signs in at BaseURL by two
	// factors, as an application bonafide-desk; the end of that session ends a shift.
	// Defaults to BaseURL.
	URL string `json:"url"`

	// Anchor is an existing folder, on another machine, for checkpoints of the audit log: a file an hour at most, checkpoint-
	// and the number of blocks.
	// Defaults to none.
	Anchor string `json:"anchor"`

	// Demo makes people, applications and work to look at, once and to stay, and prints ways into each group at an address of
	// this machine.
	// Defaults to false.
	Demo bool `json:"demo"`
}

// employee is a user of the file who works at the desk.
type employee struct {
	// Email is the address of one of users. Required.
	Email string `json:"email"`

	// Roles are "support", "reviewer", "senior", "operator" and "auditor" (docs/desk.md). Required.
	Roles []desk.Role `json:"roles"`

	// Groups are those whose cases a reviewer decides.
	// Defaults to all.
	Groups []string `json:"groups"`

	// ID is the name in what is recorded, without spaces and colons.
	// Defaults to the uuid.
	ID string `json:"id"`
}

// deskRoles are all that there are.
var deskRoles = []desk.Role{desk.RoleSupport, desk.RoleReviewer, desk.RoleSenior, desk.RoleOperator, desk.RoleAuditor}

// deskOnly reports whether this process serves the desk and nothing else.
func (c *config) deskOnly() bool { return c.Desk != nil && c.Desk.Only }

// resources are those of the file, and the Admin API of the desk if it is for anybody.
func (e *environment) resources() []provider.Resource {
	if e.Desk == nil || len(e.Desk.Clients) == 0 {
		return e.Resources
	}
	return append(slices.Clone(e.Resources), desk.Resource(e.deskURL(), e.Desk.Clients...))
}

// staff returns those who work at the desk, by their user IDs, and what is wrong with them. ids are
// the IDs of users by address: one without a uuid gets it at the first start.
func (e *environment) staff(ids map[string]string) (staff map[string]desk.Staff, wrong []error) {
	if e.Desk == nil {
		return nil, nil
	}
	if len(e.Desk.Staff) == 0 {
		switch {
		case e.Desk.Only:
			wrong = append(wrong, errors.New("desk.only: there is no staff to serve"))
		case e.Desk.URL != "":
			wrong = append(wrong, errors.New("desk.url: there is no staff to serve"))
		}
	}
	staff, names := map[string]desk.Staff{}, seen{}
	for i, m := range e.Desk.Staff {
		place := fmt.Sprintf("desk.staff[%d]", i)
		at := slices.IndexFunc(e.Users, func(u user) bool { return u.Email == m.Email })
		if at < 0 {
			wrong = append(wrong, fmt.Errorf("%s.email: %s is not in users", place, m.Email))
			continue
		}
		wrong = append(wrong, m.check(place), names.add(m.Email, place, "email"), names.add(m.ID, place, "id"))
		if id := cmp.Or(e.Users[at].ID, ids[m.Email]); id != "" { // else the log says why
			staff[id] = desk.Staff{ID: m.ID, Roles: m.Roles, Groups: m.Groups}
		}
	}
	return staff, wrong
}

func (m employee) check(place string) error {
	if m.ID == "host" || strings.ContainsFunc(m.ID, func(r rune) bool { return r == ':' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return fmt.Errorf("%s.id: %q is no name for the audit log, which has neither spaces nor colons, and is not host", place, m.ID)
	}
	if len(m.Roles) == 0 {
		return fmt.Errorf("%s.roles: is missing; the roles are %v", place, deskRoles)
	}
	for i, r := range m.Roles {
		if !slices.Contains(deskRoles, r) {
			return fmt.Errorf("%s.roles[%d]: %q is none; the roles are %v", place, i, r, deskRoles)
		}
	}
	return nil
}

// checkStaff returns an error for the first member of the staff who cannot be meant.
func (e *environment) checkStaff(p *provider.Provider) error {
	if e.Desk == nil {
		return nil
	}
	if e.Desk.URL != "" {
		if _, err := p.Rooms().Pages.ScreensAt(e.Desk.URL); err != nil {
			return fmt.Errorf("desk.url: %w", err)
		}
	}
	known := p.Rooms().Installation().Groups
	for i, m := range e.Desk.Staff {
		for j, g := range m.Groups {
			if !slices.ContainsFunc(known, func(k catalogue.Group) bool { return k.Name == g }) {
				return fmt.Errorf("desk.staff[%d].groups[%d]: %q is none", i, j, g)
			}
		}
	}
	return checkAnchor(e.Desk.Anchor)
}

// openDesk mounts the desk of an environment, for those whom its file names, over what stands
// beside the provider already. Who is in no file finds nothing there.
func (s *service) openDesk(ctx context.Context, r *router, e *environment, p opened, dashboard *developer.Dashboard) error {
	staff, _ := e.staff(p.users) // was checked when it was read
	if len(staff) == 0 {
		return desk.ServeFiles(p.Provider) // for a desk in another process
	}
	kept, ok := p.store.(desk.Store)
	if !ok {
		return errors.New("desk: this database cannot keep what the staff does")
	}
	log := s.log.With("base_url", e.BaseURL)
	cfg := desk.Config{
		Provider: p.Provider, Store: kept, Dashboard: dashboard, Verification: p.cases, Mailer: p.mailer, Logger: log,
		Staff:     func(_ context.Context, userID string) (desk.Staff, error) { return staff[userID], nil },
		Approvers: func(context.Context) ([]string, error) { return operatorsOf(staff), nil },
		Alarm:     func(ctx context.Context, a desk.Alarm) error { return alarm(ctx, log, a) },
		Anchor:    anchorIn(e.Desk.Anchor),
	}
	wellKnown := desk.WellKnown(e.deskURL())
	if e.Desk.URL == "" {
		d, err := desk.New(cfg)
		if err == nil {
			r.add(e.BaseURL+"/desk", s.cfg.BaseURL, d, "/", wellKnown)
		}
		return err
	}
	host, err := newDeskHost(ctx, p, e.Desk.URL, e.BaseURL+"/account", staff, log)
	if err != nil {
		return err
	}
	if host.desk, err = desk.New(host.atHost(cfg)); err != nil {
		return err
	}
	r.add(e.Desk.URL, s.cfg.BaseURL, host, "/desk/", wellKnown)
	return nil
}

// lastOperator is the last user of the file who operates the service; the zero user for none.
func (e *environment) lastOperator() (last user) {
	if e.Desk == nil {
		return user{}
	}
	for _, m := range e.Desk.Staff {
		at := slices.IndexFunc(e.Users, func(u user) bool { return u.Email == m.Email })
		if at >= 0 && (desk.Staff{Roles: m.Roles}).Operates() {
			last = e.Users[at]
		}
	}
	return last
}

func operatorsOf(staff map[string]desk.Staff) (ids []string) {
	for id, m := range staff {
		if m.Operates() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// alarm writes that the desk has to tell something to the log, for whoever watches that. Whom it is
// about, and why, stands encrypted in the database, and on the desk.
func alarm(ctx context.Context, log *slog.Logger, a desk.Alarm) error {
	log.ErrorContext(ctx, "alarm of the desk", "kind", string(a.Kind), "staff", a.Staff, "action", a.Action, "at", a.At)
	return nil
}
