package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// purpose says what a command may make where it is missing.
type purpose int

const (
	// serving makes a secret and a database where there is neither: a first start.
	serving purpose = iota
	// installing makes a database under a secret that is there already, too.
	installing
	// maintaining makes neither.
	maintaining
)

// data is what an environment keeps: what opens the database, and the database.
type data struct {
	secret []byte
	store  storage.Store
	first  bool // the secret is a draft
}

// openData opens what an environment keeps. The one without the other is refused, with
// nothing made in its place: a disk that is not mounted, or a path with a slip in it,
// would else begin a new provider without users under the name of the old one, and a
// fresh secret would be in the next backup in the place of the right one. The folder is
// locked.
func (e *environment) openData(ctx context.Context, why purpose) (data, error) {
	secret, err := readSecret(e.secretFile())
	if errors.Is(err, fs.ErrNotExist) && why != maintaining {
		return e.openFirst(ctx)
	}
	if err != nil {
		return data{}, fmt.Errorf("data: %w", err)
	}
	store, err := e.openStore(ctx, why)
	if errors.Is(err, fs.ErrNotExist) && e.Database != "" {
		return data{}, e.emptyDatabase()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return data{}, fmt.Errorf("data: there is no database %s, but %s was made for one. %s", e.file(), e.secretFile(), lost)
	}
	if err != nil || why == installing {
		return data{secret: secret, store: store}, err
	}
	if empty, err := isEmpty(ctx, store); err != nil || empty {
		if err == nil {
			err = e.emptyDatabase()
		}
		return data{}, errors.Join(err, store.Close())
	}
	return data{secret: secret, store: store}, nil
}

// recognize returns an error for a database that is not of this secret and base URL, before any
// is changed. What is wrong with files that are not there, or that only a migration can read, is said
// when they are opened.
func (e *environment) recognize(ctx context.Context) error {
	secret, err := readSecret(e.secretFile())
	if err != nil {
		return nil // said by openData
	}
	store, err := e.openDatabase(ctx, maintaining)
	if err != nil {
		return nil // said by openData
	}
	defer store.Close()
	cfg := e.Config
	if cfg.PreviousSecrets, err = e.previousSecrets(); err != nil {
		return err
	}
	cfg.Secret, cfg.Store = secret, store
	return e.inKeys(cfg.CheckStore(ctx))
}

func (e *environment) emptyDatabase() error {
	return fmt.Errorf("%s: the database is empty, but %s was made for one that is not. %s", e.databaseKey(), e.secretFile(), lost)
}

const lost = "Has it been lost, or moved, or is its disk not mounted? Bring it back; " +
	"or, to begin without users and with new keys, run once with -init"

// openFirst opens what an environment keeps when there is no secret: what a first start
// has left, or else nothing.
func (e *environment) openFirst(ctx context.Context) (data, error) {
	store, err := e.openStore(ctx, serving)
	empty := errors.Is(err, fs.ErrNotExist)
	if err != nil && !empty {
		return data{}, err
	}
	if err == nil {
		if empty, err = isEmpty(ctx, store); err != nil {
			return data{}, errors.Join(err, store.Close())
		}
	}
	if _, err := os.Stat(e.draftFile()); !empty && errors.Is(err, fs.ErrNotExist) {
		return data{}, errors.Join(fmt.Errorf("%s: there is a database, but not the secret that opens it, %s. "+
			"Bring it back from its backup, or copy it from another process of this provider; nothing was made in its place",
			e.databaseKey(), e.secretFile()), store.Close())
	}
	secret, err := e.draftSecret()
	if err == nil && store == nil {
		store, err = e.openStore(ctx, installing)
	}
	if err != nil {
		if store != nil {
			err = errors.Join(err, store.Close())
		}
		return data{}, fmt.Errorf("data: %w", err)
	}
	return data{secret: secret, store: store, first: true}, nil
}

// isEmpty reports whether a database has never belonged to a provider: the first thing
// that one records are its keys.
func isEmpty(ctx context.Context, store storage.Store) (bool, error) {
	keys, err := store.Keys(ctx)
	return len(keys) == 0, err
}

// databaseKey is the key of the file that says where the database is.
func (e *environment) databaseKey() string {
	if e.Database != "" {
		return "database"
	}
	return "data"
}

// openStore opens the database for a purpose; where it is missing it is made when that is
// installing, and else is fs.ErrNotExist. Who maintains it migrates nothing: the service that
// runs may be an earlier program, which could not go on.
func (e *environment) openStore(ctx context.Context, why purpose) (storage.Store, error) {
	store, err := e.openDatabase(ctx, why)
	if errors.Is(err, storage.ErrOlderSchema) {
		err = fmt.Errorf("%w: run this command of the program that serves it; or stop that, and migrate the database with -init", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.databaseKey(), err)
	}
	return store, nil
}

// openNew opens a database that may be missing. Tests have it copy one.
var openNew = sqlite.Open

func (e *environment) openDatabase(ctx context.Context, why purpose) (storage.Store, error) {
	switch {
	case e.Database != "" && why == maintaining:
		return postgres.OpenCurrent(ctx, e.Database)
	case e.Database != "":
		return postgres.Open(ctx, e.Database)
	case why == maintaining:
		return sqlite.OpenCurrent(ctx, e.file())
	case why == installing:
		return openNew(ctx, e.file())
	}
	return sqlite.OpenExisting(ctx, e.file())
}
