package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/examples/quickstart/sampleclient"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// dashboard is what the file says about the dashboard for client developers.
type dashboard struct {
	// Review has applications begin in the sandbox and ask for production. It needs a sandbox and operators.
	// Defaults to false.
	Review bool `json:"review"`

	// Operators are the e-mail addresses of those of users who decide about applications.
	// Defaults to none.
	Operators []string `json:"operators"`

	// OperatorScopes are scopes that developers cannot give their applications.
	// Defaults to none.
	OperatorScopes []string `json:"operator_scopes"`

	// Devices lets developers give their applications the grant of devices, which can be phished; under review an operator
	// approves it.
	// Defaults to false.
	Devices bool `json:"devices"`
}

// prepared is a dashboard between its two providers.
type prepared struct {
	*dashboard
	production, sandbox opened
	trials              *developer.Trials
}

// testbed is what a sandbox that serves has beside production.
type testbed struct {
	provider.Testing
	trials *developer.Trials
}

// prepare returns the dashboard on the database of production. It may be nil: then there is
// none.
func (d *dashboard) prepare(production opened) prepared {
	p := prepared{dashboard: d, production: production}
	if records, ok := production.store.(storage.Developers); ok && d != nil {
		p.trials = developer.NewTrials(records)
	}
	return p
}

// testing returns what the sandbox has. Without a dashboard that are the personas that come
// with the product.
func (p prepared) testing() *testbed {
	if p.trials != nil {
		return &testbed{p.trials.Testing(), p.trials}
	}
	return &testbed{Testing: provider.Testing{Personas: func(context.Context, string) (sandbox.PersonaSet, error) {
		return sandbox.PersonaSet{Personas: sandbox.DefaultPersonas()}, nil
	}}}
}

// mailer returns that of the sandbox.
func (t *testbed) mailer(next provider.Mailer) provider.Mailer {
	if t.trials == nil {
		return next
	}
	return t.trials.Mailer(next)
}

// openDashboard mounts the dashboard beside the provider of production, and returns it; nil if
// there is none.
func (s *service) openDashboard(ctx context.Context, r *router, p prepared) (*developer.Dashboard, error) {
	if p.dashboard == nil {
		return nil, nil
	}
	records, ok := p.production.store.(storage.Developers)
	if !ok {
		return nil, errors.New("developer: this database keeps no organizations")
	}
	operators, err := s.operators(p)
	if err != nil {
		return nil, err
	}
	cfg := developer.Config{
		Provider: p.production.Provider, Store: records, Review: p.Review, OperatorScopes: p.OperatorScopes, Devices: p.Devices, Logger: s.log,
		Operator:  func(_ context.Context, userID string) (bool, error) { return slices.Contains(operators, userID), nil },
		Operators: func(context.Context) ([]string, error) { return operators, nil },
	}
	if s.cfg.SMTP != nil { // otherwise invitations are links to copy
		if cfg.Mailer, err = s.cfg.mailer(nil); err != nil {
			return nil, err
		}
	}
	if p.sandbox.Provider != nil {
		cfg.Sandbox, cfg.Trials = p.sandbox.Provider, p.trials
	}
	handler, err := developer.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("developer: %w", err)
	}
	if err := s.showSample(ctx, p.production, records); err != nil {
		s.log.ErrorContext(ctx, "the sample organization could not be made; will retry at the next start", slog.Any("error", err))
	}
	r.add(s.cfg.BaseURL+"/developer", s.cfg.BaseURL, handler, "/")
	return handler, nil
}

// operators returns the user IDs of those who are named.
func (s *service) operators(p prepared) (ids []string, err error) {
	for i, email := range p.Operators {
		if !slices.ContainsFunc(s.cfg.Users, func(u user) bool { return u.Email == email }) {
			return nil, fmt.Errorf("developer.operators[%d]: %s is not in users", i, email)
		}
		if id := p.production.users[email]; id != "" { // else the log says why
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// sampleOrganization owns the sample client site.
const sampleOrganization = "sample"

// showSample gives the sample client site an organization, of which the first user of the
// file is the owner, so that there is something to look at.
func (s *service) showSample(ctx context.Context, p opened, records storage.Developers) error {
	if s.cfg.SampleClient == nil || len(s.cfg.Users) == 0 || s.cfg.Users[0].ID == "" {
		return nil
	}
	now, owner := time.Now(), s.cfg.Users[0].ID
	err := once(ctx, p, "sample organization", func(ctx context.Context) error {
		return unlessThere(records.CreateOrganization(ctx, storage.Organization{ID: sampleOrganization, Name: "Sample organization", CreatedAt: now},
			storage.Member{OrganizationID: sampleOrganization, UserID: owner, Role: storage.RoleOwner, JoinedAt: now}, 1<<20))
	})
	for i, environment := range []string{storage.Production, storage.Sandbox} {
		if err != nil || i >= len(s.providers) {
			return err
		}
		err = once(ctx, p, "sample in "+environment, func(ctx context.Context) (err error) {
			for _, id := range []string{sampleV3, sampleStandard} {
				err = errors.Join(err, unlessThere(records.CreateApplication(ctx, storage.Application{
					Environment: environment, ClientID: id, OrganizationID: sampleOrganization, Name: sampleclient.Name,
					Kind: "web", CreatedBy: owner, CreatedAt: now, UpdatedAt: now,
				}, 1<<20)))
			}
			return err
		})
	}
	return err
}
