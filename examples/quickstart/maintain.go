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

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// What an operator does beside the service, whether it runs or not.

// backup copies the database of each environment into a new folder that only its
// owner can access, where it has the place that it has in data. The secret, which
// opens it, is not copied: whoever finds the one should not have found the other. Nothing
// is migrated: before an upgrade the copy is one for the program that runs.
func (c *config) backup(ctx context.Context, folder string, out io.Writer) error {
	if err := c.backupOne(ctx, &c.environment, folder, out); err != nil {
		return err
	}
	if c.Sandbox == nil {
		return nil
	}
	return inSandbox(c.backupOne(ctx, c.Sandbox, filepath.Join(folder, "sandbox"), out), true)
}

func (c *config) backupOne(ctx context.Context, e *environment, folder string, out io.Writer) error {
	if e.Database != "" {
		return errors.New("database: back up PostgreSQL with pg_dump")
	}
	if _, err := os.Stat(e.secretFile()); err != nil {
		return fmt.Errorf("data: %w", err) // a slip in the path, perhaps
	}
	if _, err := os.Stat(e.file()); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	copied := filepath.Join(folder, databaseName)
	if err := sqlite.Backup(ctx, e.file(), copied); err != nil {
		_ = os.Remove(folder) // unless there is something in it
		return fmt.Errorf("backup: %w", err)
	}
	_, _ = fmt.Fprintf(out, "copied %s to %s; keep %s elsewhere\n", e.file(), copied, filepath.Join(e.Data, secretName))
	return nil
}

// revokeBefore ends every grant, token and session of each environment that was made
// before a moment.
func (c *config) revokeBefore(ctx context.Context, moment time.Time, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, maintaining, log, func(ctx context.Context, e *environment, p opened) error {
		if err := p.People().RevokeIssuedBefore(ctx, moment); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "%s: ended what was issued before %s\n", e.Data, moment.Format(time.RFC3339Nano))
		return nil
	})
}

// rotateKeys makes the next signing key of each environment, which signs in a day.
func (c *config) rotateKeys(ctx context.Context, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, maintaining, log, func(ctx context.Context, e *environment, p opened) error {
		rotated, err := p.Keys().Rotate(ctx)
		if err != nil {
			return err
		}
		said := "nothing is done: the next key is in the key set already, and signs within a day"
		if rotated {
			said = "the next key is in the key set, and signs in a day; all others stay"
		}
		_, _ = fmt.Fprintf(out, "%s: %s\n", e.Data, said)
		return nil
	})
}

// rotateDataKey makes the next data key of each environment, under which the service encrypts
// everything again.
func (c *config) rotateDataKey(ctx context.Context, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, maintaining, log, func(ctx context.Context, e *environment, p opened) error {
		number, rotated, err := p.Keys().RotateData(ctx)
		if err != nil {
			return err
		}
		said := "nothing is done: the service is still encrypting under data key %d what is under former ones"
		if rotated {
			said = "data key %d is made, under which the service encrypts what is under former ones"
		}
		_, _ = fmt.Fprintf(out, "%s: "+said+"\n", e.Data, number)
		return nil
	})
}

// revokeKeys puts a new signing key in the place of all others, in each environment.
func (c *config) revokeKeys(ctx context.Context, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, maintaining, log, func(ctx context.Context, e *environment, p opened) error {
		if err := p.Keys().Revoke(ctx); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "%s: a new key signs, all others are revoked\n", e.Data)
		return nil
	})
}

// applyAll applies users and clients of the file wherever the databases have something else, or
// only says where.
func (c *config) applyAll(ctx context.Context, m manner, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, maintaining, log, func(ctx context.Context, e *environment, p opened) error {
		d := declaration{opened: p, manner: m}
		if _, err := e.declare(ctx, &d, opening{log: log}); err != nil {
			return err
		}
		for _, name := range append(d.differs, d.done...) {
			_, _ = fmt.Fprintf(out, "%s: %s\n", e.Data, name)
		}
		if d.failed {
			return errors.New("not all was applied")
		}
		return nil
	})
}

// install makes the secret and the database of each environment where they are missing,
// also the database of a secret that is there already.
func (c *config) install(ctx context.Context, out io.Writer, log *slog.Logger) error {
	return c.each(ctx, installing, log, func(_ context.Context, e *environment, _ opened) error {
		_, _ = fmt.Fprintf(out, "%s: secret and database are there\n", e.Data)
		return nil
	})
}

// each does something with the provider of each environment, beside the service.
func (c *config) each(ctx context.Context, why purpose, log *slog.Logger, do func(context.Context, *environment, opened) error) error {
	if err := c.locate(); err != nil {
		return err
	}
	ctx = provider.By(ctx, storage.Actor{Name: actor()})
	for i, e := range c.environments() {
		err := c.with(ctx, e, opening{why: why, sandbox: i > 0, out: io.Discard, log: log}, func(p opened) error { return do(ctx, e, p) })
		if err != nil {
			return err
		}
	}
	return nil
}

// beside does something with the provider of production, or of the sandbox, beside the service.
// Mails without an SMTP server go to out.
func (c *config) beside(ctx context.Context, sandbox bool, out io.Writer, log *slog.Logger, do func(context.Context, opened) error) error {
	if err := c.locate(); err != nil {
		return err
	}
	e := &c.environment
	if sandbox {
		if e = c.Sandbox; e == nil {
			return errors.New("-sandbox: the file has none")
		}
	}
	return c.with(ctx, e, opening{why: maintaining, sandbox: sandbox, out: out, log: log}, func(p opened) error { return do(ctx, p) })
}

// locate finds out where everything is of a service that may run or not.
func (c *config) locate() error {
	if err := c.assumeURLs(); err != nil {
		return err
	}
	return c.separate()
}

// with does something with the provider of an environment.
func (c *config) with(ctx context.Context, e *environment, o opening, do func(opened) error) error {
	p, err := e.openProvider(ctx, o)
	if err == nil {
		err = errors.Join(do(p), p.Close())
	}
	return inSandbox(err, o.sandbox)
}

// environments returns production, and the sandbox if there is one.
func (c *config) environments() []*environment {
	if c.Sandbox == nil {
		return []*environment{&c.environment}
	}
	return []*environment{&c.environment, c.Sandbox}
}

// assumeURLs fills in base URLs where nothing listens: the port is that of the file.
func (c *config) assumeURLs() error {
	if err := assumeURL(&c.BaseURL, c.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if s := c.SampleClient; s != nil {
		if err := assumeURL(&s.BaseURL, s.Listen); err != nil {
			return fmt.Errorf("sample_client.listen: %w", err)
		}
	}
	c.completeURLs()
	return nil
}

func assumeURL(base *string, listen string) error {
	if *base != "" {
		return nil
	}
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	*base = "http://localhost"
	if port != "0" { // then it is known when something listens
		*base += ":" + port
	}
	return nil
}
