package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// check says what the config would do. It runs all of it on an empty database in a
// folder of its own, which finds what is wrong with any value, and looks at the folders
// of the real ones; it opens no database, makes no connection, and leaves nothing.
func (c *config) check(ctx context.Context, out io.Writer) error {
	if err := c.assumeURLs(); err != nil {
		return err
	}
	if err := c.separate(); err != nil {
		return err
	}
	if err := errors.Join(c.checkListeners(), c.rehearse(ctx)); err != nil {
		return err
	}
	for i, e := range c.environments() {
		name, address := "provider", c.Listen
		if i > 0 {
			name = "sandbox"
		}
		_, _ = fmt.Fprintf(out, "%s %s\n  answers at  %s\n", name, e.BaseURL, address)
		if err := e.plan(out); err != nil {
			return inSandbox(err, i > 0)
		}
	}
	if c.ProbeListen != "" {
		_, _ = fmt.Fprintf(out, "probes http://%s/ready\n", c.ProbeListen)
	}
	if c.SampleClient != nil {
		_, _ = fmt.Fprintf(out, "sample client %s\n  answers at  %s\n", c.SampleClient.BaseURL, c.SampleClient.Listen)
	}
	_, _ = fmt.Fprintln(out, "Nothing was changed; no database and no mail server was asked.")
	return nil
}

var errNoScratch = errors.New("there is no temporary folder to try the config file in")

// rehearse makes all that a start makes, in another place, so that a start that fails has changed nothing.
func (c *config) rehearse(ctx context.Context) error {
	scratch, err := os.MkdirTemp("", "quickstart-check-*")
	if err != nil {
		return fmt.Errorf("%w: %w", errNoScratch, err)
	}
	defer os.RemoveAll(scratch)
	s := &service{cfg: *c, log: slog.New(slog.DiscardHandler), rehearsing: true}
	if c.Sandbox != nil {
		sandbox := *c.Sandbox
		s.cfg.Sandbox = &sandbox
	}
	for i, e := range s.cfg.environments() {
		if err := e.stage(filepath.Join(scratch, fmt.Sprint(i))); err != nil {
			return inSandbox(err, i > 0)
		}
	}
	return errors.Join(s.build(ctx, servers{&http.Server{}, &http.Server{}, &http.Server{}}, io.Discard), s.close()) //nolint:gosec // they never serve
}

// stage has an environment keep everything in a folder of its own.
func (e *environment) stage(folder string) error {
	if e.Database != "" {
		if _, err := url.Parse(e.Database); err != nil {
			return errors.New("database: is not an address such as postgres://user@host/name") // the error would quote it
		}
	}
	if info, err := os.Stat(e.evidenceFolder()); err == nil && !info.IsDir() {
		return fmt.Errorf("evidence: %s is no folder", e.evidenceFolder())
	}
	e.Data, e.Database, e.Evidence = folder, "", ""
	return nil
}

// inSandbox names the sandbox in an error of its environment.
func inSandbox(err error, sandbox bool) error {
	if err != nil && sandbox {
		return fmt.Errorf("sandbox.%w", err)
	}
	return err
}

// checkListeners returns an error for an address at which nothing can listen.
func (c *config) checkListeners() error {
	for _, l := range c.listeners() {
		if _, err := net.ResolveTCPAddr("tcp", numeric(l.address)); err != nil {
			return fmt.Errorf("%s: %w", l.key, err)
		}
	}
	return nil
}

// numeric has the port of an address without its host, which may be one that only a resolver knows.
func numeric(address string) string {
	if _, port, err := net.SplitHostPort(address); err == nil {
		return ":" + port
	}
	return address
}

// plan says what a start would find and make, as far as that can be told from outside.
func (e *environment) plan(out io.Writer) error {
	secret, database := exists(e.secretFile()), exists(e.file())
	say := func(there bool) string {
		if there {
			return "is there"
		}
		return "will be made"
	}
	if e.Database == "" {
		if secret != database && !exists(e.draftFile()) {
			there, missing := e.secretFile(), e.file()
			if database {
				there, missing = missing, there
			}
			return fmt.Errorf("data: %s is there, but %s is not: bring it back, or see -init", there, missing)
		}
		_, _ = fmt.Fprintf(out, "  database    %s %s\n", e.file(), say(database))
	} else {
		_, _ = fmt.Fprintf(out, "  database    %s\n", withoutPassword(e.Database))
	}
	_, _ = fmt.Fprintf(out, "  secret      %s %s; after a change the former one stays in %s for %d days\n",
		e.secretFile(), say(secret), previousName, int(e.longest().Hours()+23)/24)
	_, _ = fmt.Fprintln(out, "  data keys   are in the database and in each backup of it, and are never removed")
	mails := "are printed, with their codes"
	if s := e.SMTP; s != nil {
		mails = fmt.Sprintf("go to %s from %s", s.Host, s.From)
	}
	if e.dropsMail {
		mails = "are dropped, save for those to its inboxes"
	}
	_, _ = fmt.Fprintf(out, "  mails       %s\n", mails)
	if strings.HasPrefix(e.BaseURL, "https:") && len(e.TrustedProxies) == 0 {
		_, _ = fmt.Fprintln(out, "  callers     share the limits of the proxy that ends TLS, for trusted_proxies does not name it")
	}
	if b, err := url.Parse(e.BaseURL); err == nil && strings.Trim(b.Path, "/") != "" {
		_, _ = fmt.Fprintf(out, "  path        a proxy must keep %s: what it hands on without it is 404\n", b.Path)
	}
	if e.Verification != nil && slices.ContainsFunc(slices.Collect(maps.Values(e.Verification.Verifiers)), func(m method) bool { return m.Document != nil }) {
		_, _ = fmt.Fprintln(out, "  documents   have up to 8 MB: a proxy must let 10 MB through")
	}
	if e.AllowPrivateNetworks && !isOwnMachine(e.BaseURL) {
		_, _ = fmt.Fprintln(out, "  calls       go to private networks, too: allow_private_networks is for machines of your own")
	}
	if e.Desk != nil && e.Desk.Demo && !isOwnMachine(e.BaseURL) {
		_, _ = fmt.Fprintln(out, "  people      of the demonstration will be made, and stay: desk.demo is for trying it out")
	}
	for _, u := range e.Users {
		_, _ = fmt.Fprintf(out, "  user        %s\n", u.Email)
	}
	for _, cl := range e.Clients {
		_, _ = fmt.Fprintf(out, "  client      %s\n", cl.ID)
	}
	if e.RemoveStatuses {
		_, _ = fmt.Fprintln(out, "  statuses of these users that are not in the file will be removed")
	}
	return nil
}

// longest is how long what was issued under a secret can last: sessions, grants whose refresh token
// is kept, and trusted devices.
func (e *environment) longest() time.Duration {
	const day = 24 * time.Hour
	return max(cmp.Or(e.Lifetimes.Session, 14*day), cmp.Or(e.Lifetimes.Grant, 30*day), e.SignIn.TrustDevices)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// withoutPassword names a database without what opens it, which may be in the query as
// well.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "in PostgreSQL"
	}
	return fmt.Sprintf("%s://%s%s", u.Scheme, u.Host, u.Path)
}
