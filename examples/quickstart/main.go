// Command quickstart runs, in one process, an identity provider at
// http://localhost:8080, its sandbox below /sandbox, a provider of its own whose screens
// say that it is one, and at http://localhost:8081 a sample client site:
//
//	go run ./examples/quickstart
//
// It prints what to open and whom to sign in as, and prints mails, with their codes,
// instead of sending them. It keeps what has to last in ./data, which only its owner can
// read, and stops on Ctrl-C, after requests in flight, within five seconds.
//
// The site signs in by the v3 dialect as plain OAuth 2, by the v3 dialect as OpenID
// Connect, and by the standard dialect, and shows all that came back. Look at
// sampleclient, which is written as a client developer would: standard.go uses
// golang.org/x/oauth2 and coreos/go-oidc, v3.go net/http, and flow.go has what every
// client needs: state, nonce, PKCE and the check of iss.
//
//	go run ./examples/quickstart -config service.json
//
// runs what the file says instead, as a small service. docs/config.md documents every
// key of the file, docs/operate.md how to run the service; with -check it only says what
// the file would do. The other commands are listed by -help.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	// The second Ctrl-C kills: once the first has arrived, stop gives signals
	// back their usual effect.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(exitCode(err))
	}
}

// userinfo is what opens an address in a text.
var userinfo = regexp.MustCompile(`//[^\s"]*@`)

// told is an error without it: many quote the value of a key, and who writes an address may write a password.
type told struct{ error }

func (t told) Error() string { return userinfo.ReplaceAllString(t.error.Error(), "//…@") }

func (t told) Unwrap() error { return t.error }

// run does what the command line says until ctx ends.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	defer func() {
		if err != nil {
			err = told{err}
		}
	}()
	c, err := parseCommand(args)
	if err != nil || c.help {
		return err
	}
	if c.version {
		return sayVersion(out)
	}
	cfg, err := loadConfig(c.file)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	switch {
	case c.check:
		return cfg.check(ctx, out)
	case c.install:
		return cfg.install(ctx, out, log)
	case c.diff:
		return cfg.applyAll(ctx, looking, out, log)
	case c.apply:
		return cfg.applyAll(ctx, forced, out, log)
	case c.ready:
		return cfg.askReady(ctx, out)
	case c.mailTo != "":
		return cfg.sendTestMail(ctx, c.mailTo, out)
	case c.backup != "":
		return cfg.backup(ctx, c.backup, out)
	case !c.revokeBefore.IsZero():
		return cfg.revokeBefore(ctx, c.revokeBefore, out, log)
	case c.rotateKeys:
		return cfg.rotateKeys(ctx, out, log)
	case c.rotateDataKey:
		return cfg.rotateDataKey(ctx, out, log)
	case c.revokeKeys:
		return cfg.revokeKeys(ctx, out, log)
	}
	if do := c.staffCommand.of(in, out); do != nil {
		return cfg.beside(ctx, c.sandbox, out, log, do)
	}
	s, err := open(ctx, cfg, out, log)
	if err != nil {
		return err
	}
	if c.file == "" {
		s.introduce(out)
	} else {
		s.announce(out)
	}
	return s.serve(ctx)
}
