package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// What an operator does beside the service, whether it runs or not.

// backup copies the database of each environment into a new folder that only its
// owner can access, where it has the place that it has in data. The secret, which
// opens it, is not copied: whoever finds the one should not have found the other.
func (c *config) backup(ctx context.Context, folder string, out io.Writer) error {
	if err := c.backupOne(ctx, &c.environment, folder, out); err != nil {
		return err
	}
	if c.Sandbox == nil {
		return nil
	}
	if err := c.backupOne(ctx, c.Sandbox, filepath.Join(folder, "sandbox"), out); err != nil {
		return fmt.Errorf("sandbox.%w", err)
	}
	return nil
}

func (c *config) backupOne(ctx context.Context, e *environment, folder string, out io.Writer) error {
	if e.Database != "" {
		return errors.New("database: back up PostgreSQL with pg_dump")
	}
	if err := e.mustExist(); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	store, err := sqlite.Open(ctx, e.file())
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	copied := filepath.Join(folder, databaseName)
	if err := errors.Join(store.Backup(ctx, copied), store.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_, _ = fmt.Fprintf(out, "copied %s to %s; keep %s elsewhere\n", e.file(), copied, filepath.Join(e.Data, secretName))
	return nil
}

// revokeBefore ends every grant, token and session of each environment that was made
// before a moment.
func (c *config) revokeBefore(ctx context.Context, moment time.Time, out io.Writer, log *slog.Logger) error {
	if c.BaseURL == "" {
		// Nothing listens, so the port may be any; it is in no record either.
		_, port, err := net.SplitHostPort(c.Listen)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		c.BaseURL = "http://localhost:" + port
	}
	if err := c.revokeOne(ctx, &c.environment, moment, out, log); err != nil {
		return err
	}
	if c.Sandbox == nil {
		return nil
	}
	if c.Sandbox.BaseURL == "" {
		c.Sandbox.BaseURL = c.BaseURL + "/sandbox"
	}
	if err := c.revokeOne(ctx, c.Sandbox, moment, out, log); err != nil {
		return fmt.Errorf("sandbox.%w", err)
	}
	return nil
}

func (c *config) revokeOne(ctx context.Context, e *environment, moment time.Time, out io.Writer, log *slog.Logger) error {
	if err := e.mustExist(); err != nil {
		return err
	}
	p, err := e.openProvider(ctx, false, io.Discard, log)
	if err != nil {
		return err
	}
	if err := errors.Join(p.RevokeIssuedBefore(ctx, moment), p.Close()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%s: ended what was issued before %s\n", e.Data, moment.Format(time.RFC3339Nano))
	return nil
}

// mustExist keeps a slip in a path from making a new secret, or a new database, and
// succeeding with it.
func (e *environment) mustExist() error {
	if _, err := os.Stat(filepath.Join(e.Data, secretName)); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if e.Database != "" {
		return nil
	}
	if _, err := os.Stat(e.file()); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return nil
}
