package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// opening says how an environment is opened.
type opening struct {
	why     purpose
	sandbox bool
	testing *testbed  // of a sandbox that serves
	demo    bool      // users get verified by saying so
	others  bool      // developers register clients in the dashboard, beside those of the file
	sample  bool      // its sample client is registered beside the clients of the file
	strict  bool      // what cannot be applied is an error
	out     io.Writer // for mails when there is no SMTP server
	log     *slog.Logger
}

// opened is the provider of an environment, with its database and its way to send mails for
// what stands beside it.
type opened struct {
	*provider.Provider
	store  storage.Store
	mailer provider.Mailer
	cases  *verification.Service // nil without verification
	users  map[string]string     // the IDs of users of the file, by address
}

// open makes the provider of an environment, with its users and clients.
func (e *environment) open(ctx context.Context, o opening) (opened, error) {
	p, err := e.openProvider(ctx, o)
	if err != nil {
		return opened{}, err
	}
	if err := e.checkStaff(p.Provider); err != nil {
		return opened{}, errors.Join(err, p.Close())
	}
	if p.users, err = e.apply(ctx, p, o); err != nil {
		return opened{}, errors.Join(err, p.Close())
	}
	return p, nil
}

// openProvider makes the provider of an environment with those users and clients that
// it has already. Of processes that start together on one folder, one makes what is
// missing, and the others find it.
func (e *environment) openProvider(ctx context.Context, o opening) (opened, error) {
	cfg, err := e.providerConfig(o.out)
	if err != nil {
		return opened{}, err
	}
	cfg.Sandbox, cfg.Logger = o.sandbox, o.log
	if o.sandbox {
		cfg.UnknownClients.Documents, cfg.UnknownClients.Register = true, "open"
	}
	if e.dropsMail {
		cfg.Mailer = dropping{o.log}
	}
	if cfg.Verifiers, err = e.verifiers(o.demo); err != nil {
		return opened{}, err
	}
	e.Wallet.addTo(&cfg)
	if o.testing != nil {
		cfg.Testing, cfg.Mailer = o.testing.Testing, o.testing.mailer(cfg.Mailer)
	}
	if o.why != maintaining {
		// Nobody else on the machine needs to see who signs in.
		if err := os.MkdirAll(e.Data, 0o700); err != nil {
			return opened{}, fmt.Errorf("data: %w", err)
		}
	}
	lock, err := lockFolder(ctx, e.Data)
	if err != nil {
		return opened{}, fmt.Errorf("data: %w", err)
	}
	defer lock.Close()
	if cfg.PreviousSecrets, err = e.previousSecrets(); err != nil {
		return opened{}, err
	}
	kept, err := e.openData(ctx, o.why)
	if err != nil {
		return opened{}, err
	}
	cfg.Secret, cfg.Store = kept.secret, kept.store
	p, err := provider.New(ctx, cfg)
	if err != nil {
		return opened{}, errors.Join(e.inKeys(err), kept.store.Close())
	}
	if kept.first {
		if err := e.keepSecret(); err != nil {
			return opened{}, errors.Join(fmt.Errorf("data: %w", err), p.Close())
		}
	}
	return opened{Provider: p, store: kept.store, mailer: cfg.Mailer}, nil
}

// providerConfig returns what the file says about the provider itself.
// Mails go to its SMTP server, or to out.
func (e *environment) providerConfig(out io.Writer) (provider.Config, error) {
	cfg := e.Config
	cfg.Resources = e.resources()
	var err error
	if cfg.Brand, err = e.Brand.read(); err != nil {
		return cfg, err
	}
	if cfg.Upstreams, err = e.upstreams(); err != nil {
		return cfg, err
	}
	if cfg.Mailer, err = e.mailer(out); err != nil {
		return cfg, err
	}
	if e.Texts != "" {
		cfg.Texts = os.DirFS(e.Texts)
	}
	return cfg, nil
}

// readImage returns the content of a file, or nil for no path.
func readImage(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return readFile(path, 1<<20) // the provider says how large it may be
}
