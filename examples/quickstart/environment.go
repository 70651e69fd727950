package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// The names of the files in data.
const (
	secretName   = "secret"
	databaseName = "identity.db"
)

// file is the path of the database when it is SQLite's.
func (e *environment) file() string { return filepath.Join(e.Data, databaseName) }

// open makes the provider of an environment, with its users and clients.
func (e *environment) open(ctx context.Context, sandbox bool, out io.Writer, log *slog.Logger) (*provider.Provider, error) {
	p, err := e.openProvider(ctx, sandbox, out, log)
	if err != nil {
		return nil, err
	}
	if err := e.apply(ctx, p); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// openProvider makes the provider of an environment with those users and clients that
// it has already. Mails are printed to out.
func (e *environment) openProvider(ctx context.Context, sandbox bool, out io.Writer, log *slog.Logger) (*provider.Provider, error) {
	cfg, err := e.providerConfig()
	if err != nil {
		return nil, err
	}
	cfg.Sandbox, cfg.Logger, cfg.Mailer = sandbox, log, provider.InsecureMailPrinter(out)
	if cfg.Secret, err = loadSecret(e.Data); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if cfg.Store, err = e.openStore(ctx); err != nil {
		return nil, err
	}
	p, err := provider.New(ctx, cfg)
	if err != nil {
		return nil, errors.Join(inKeys(err), cfg.Store.Close())
	}
	return p, nil
}

func (e *environment) openStore(ctx context.Context) (storage.Store, error) {
	if e.Database != "" {
		store, err := postgres.Open(ctx, e.Database)
		if err != nil {
			return nil, fmt.Errorf("database: %w", err)
		}
		return store, nil
	}
	store, err := sqlite.Open(ctx, e.file())
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return store, nil
}

// providerConfig returns what the file says about the provider itself.
func (e *environment) providerConfig() (provider.Config, error) {
	cfg := provider.Config{
		BaseURL:        e.BaseURL,
		Brand:          provider.Brand{Name: e.Brand.Name, ButtonColor: e.Brand.ButtonColor},
		TrustedProxies: e.TrustedProxies,
	}
	var err error
	if cfg.Brand.Logo, err = readImage(e.Brand.Logo); err != nil {
		return cfg, fmt.Errorf("brand.logo: %w", err)
	}
	for _, s := range e.Scopes {
		cfg.Scopes = append(cfg.Scopes, provider.Scope(s))
	}
	for _, g := range e.Groups {
		cfg.Groups = append(cfg.Groups, provider.Group(g))
	}
	for i, a := range e.Attributes {
		kind, ok := attributeTypes[a.Type]
		if !ok {
			return cfg, fmt.Errorf("attributes[%d].type: %q is none of string, integer, date, records", i, a.Type)
		}
		cfg.Attributes = append(cfg.Attributes, provider.Attribute{
			Handle: a.Handle, Name: a.Name, Type: kind, Members: a.Members,
		})
	}
	return cfg, nil
}

var attributeTypes = map[string]provider.AttributeType{
	"":        provider.String,
	"string":  provider.String,
	"integer": provider.Integer,
	"date":    provider.Date,
	"records": provider.Records,
}

// readImage returns the content of a file, or nil for no path.
func readImage(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return os.ReadFile(path) //nolint:gosec // the operator names the file
}

// loadSecret returns the secret in a folder, and makes both at the first start.
func loadSecret(folder string) ([]byte, error) {
	// Nobody else on the machine needs to see who signs in.
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, secretName)
	text, err := os.ReadFile(path) //nolint:gosec // below the operator's folder
	if errors.Is(err, os.ErrNotExist) {
		if err := makeSecret(folder, path); err != nil {
			return nil, fmt.Errorf("make secret: %w", err)
		}
		text, err = os.ReadFile(path) //nolint:gosec // below the operator's folder
	}
	if err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		// The decoder's error would quote the secret.
		return nil, fmt.Errorf("%s: is not base64", path)
	}
	return secret, nil
}

// makeSecret writes a new secret to path. It appears there complete or not at all,
// and the first of several processes wins: a half-written or replaced secret would
// make what the database holds unreadable for good.
func makeSecret(folder, path string) error {
	var secret [32]byte
	_, _ = rand.Read(secret[:])                      // never fails: the program stops when there is no randomness
	draft, err := os.CreateTemp(folder, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	_, err = fmt.Fprintln(draft, base64.StdEncoding.EncodeToString(secret[:]))
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}
