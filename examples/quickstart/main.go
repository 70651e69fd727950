// Command quickstart runs an identity provider, its sandbox and a sample client
// site in one process:
//
//	go run ./examples/quickstart
//
// It prints what to open and whom to sign in as, prints mails instead of sending
// them, keeps what it must remember in ./data, and stops on Ctrl-C.
//
//	go run ./examples/quickstart -config service.json
//
// runs what the file says instead, as a small service of its own. README.md in the
// folder above documents every key of the file.
//
//	go run ./examples/quickstart -config service.json -backup /backup/monday
//	go run ./examples/quickstart -config service.json -revoke-before 2026-01-02T15:04:05Z
//
// copy the databases, and end everything that was issued before a moment. The service
// may run meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	// The second Ctrl-C kills: once the first has arrived, stop gives signals
	// back their usual effect.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run does what the command line says until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	file := flags.String("config", "", "JSON `file` that says what to run; see examples/README.md")
	backup := flags.String("backup", "", "copy the databases into a new `folder`, and exit")
	var moment time.Time
	flags.Func("revoke-before", "end what was issued before this `time`, as in 2026-01-02T15:04:05Z, and exit", func(s string) (err error) {
		moment, err = time.Parse(time.RFC3339, s)
		return err
	})
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	cfg, err := loadConfig(*file)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	switch {
	case *backup != "" && !moment.IsZero():
		return errors.New("-backup and -revoke-before are two commands; run one after the other")
	case *backup != "":
		return cfg.backup(ctx, *backup, out)
	case !moment.IsZero():
		return cfg.revokeBefore(ctx, moment, out, log)
	}
	s, err := open(ctx, cfg, out, log)
	if err != nil {
		return err
	}
	if *file == "" {
		s.introduce(out)
	} else {
		s.announce(out)
	}
	return s.serve(ctx)
}
