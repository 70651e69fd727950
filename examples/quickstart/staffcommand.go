package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	osuser "os/user"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// staffCommand is what the command line says that is done to people and with the audit log, as
// the desk does it.
type staffCommand struct {
	find, person, lock, unlock, signOut string
	events, checkpoint, verifyAudit     bool

	// Options of these.
	sandbox      bool
	reason       string
	anchor       string
	filter       provider.EventFilter
	follow, json bool
}

// optionsOf are the commands that take an option.
var optionsOf = map[string][]string{
	"sandbox": {"find", "person", "lock", "unlock", "sign-out", "events", "checkpoint", "verify-audit"},
	"reason":  {"person", "lock", "unlock", "sign-out"},
	"anchor":  {"verify-audit"},
	"json":    {"events"}, "follow": {"events"}, "limit": {"events"}, "name": {"events"}, "user": {"events"}, "client": {"events"},
	"actor": {"events"}, "matter": {"events"}, "network": {"events"}, "from": {"events"}, "until": {"events"},
}

func (c *staffCommand) define(flags *flag.FlagSet) {
	flags.StringVar(&c.find, "find", "", "print the ID of the user with the e-mail address on standard input, for which - stands, and exit")
	flags.StringVar(&c.person, "person", "", "print what is known of the user with this `ID`, masked, and exit; wants -reason")
	flags.StringVar(&c.lock, "lock", "", "lock the account with this `ID`, which ends its sessions and tokens, and exit; wants -reason")
	flags.StringVar(&c.unlock, "unlock", "", "unlock the account with this `ID`, and exit; wants -reason")
	flags.StringVar(&c.signOut, "sign-out", "", "end all sessions of the account with this `ID`, and exit; wants -reason")
	flags.BoolVar(&c.events, "events", false, "print the latest lines of the audit log, and exit")
	flags.BoolVar(&c.checkpoint, "checkpoint", false, "print the signed head of the audit log, to be kept elsewhere, and exit")
	flags.BoolVar(&c.verifyAudit, "verify-audit", false, "compare the audit log with what was sealed, and exit: with 3 if it is not the same")

	flags.BoolVar(&c.sandbox, "sandbox", false, "in the sandbox instead of production")
	flags.StringVar(&c.reason, "reason", "", "why, which the user reads: "+strings.Join(reasons, ", "))
	flags.StringVar(&c.anchor, "anchor", "", "a `file` with a checkpoint of before that -verify-audit compares as well")
	flags.BoolVar(&c.json, "json", false, "print -events as JSON, one a line")
	flags.BoolVar(&c.follow, "follow", false, "go on printing -events as they happen")
	flags.IntVar(&c.filter.Limit, "limit", 0, "the `number` of -events; 100 if it is left out")
	flags.Func("name", "only -events with these `names`, as in sign_in,sign_in_failed", func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			c.filter.Names = append(c.filter.Names, name)
		}
		return nil
	})
	flags.StringVar(&c.filter.UserID, "user", "", "only -events of the user with this `ID`")
	flags.StringVar(&c.filter.ClientID, "client", "", "only -events of the application with this `ID`")
	flags.StringVar(&c.filter.Actor, "actor", "", "only -events of acts by this `name`, as in staff:olga")
	flags.StringVar(&c.filter.Matter, "matter", "", "only -events of the matter with this `ID`")
	flags.StringVar(&c.filter.Network, "network", "", "only -events from this `network`, as in 192.0.2.0/24")
	flags.Func("from", "only -events at this `time` or later, as in 2026-01-02T15:04:05Z", timeInto(&c.filter.From))
	flags.Func("until", "only -events before this `time`", timeInto(&c.filter.Until))
}

func timeInto(t *time.Time) func(string) error {
	return func(s string) (err error) {
		*t, err = time.Parse(time.RFC3339, s)
		return err
	}
}

// check returns an error for what the command line lacks.
func (c *staffCommand) check() error {
	switch {
	case c.find != "" && c.find != "-":
		return errors.New("-find takes -, and the address from standard input: everybody on the machine can read a command line")
	case cmp.Or(c.person, c.lock, c.unlock, c.signOut) != "" && !slices.Contains(reasons, c.reason):
		return fmt.Errorf("-reason is missing, or none of %s: the user reads it", strings.Join(reasons, ", "))
	case c.filter.Limit < 0 || c.filter.Limit > maxEvents:
		return fmt.Errorf("-limit is not between 1 and %d", maxEvents)
	case c.filter.Network != "" && c.filter.From.IsZero() && cmp.Or(c.filter.UserID, c.filter.ClientID, c.filter.Actor, c.filter.Matter) == "":
		return errors.New("-network wants -from, too, or whose events they are")
	case c.follow && !c.filter.Until.IsZero():
		return errors.New("-follow goes on, and -until ends")
	}
	return nil
}

// of returns what the command line wants, or nil for none of these commands.
func (c *staffCommand) of(in io.Reader, out io.Writer) func(context.Context, opened) error {
	of := func(id string, do func(*matter, context.Context) error) func(context.Context, opened) error {
		return func(ctx context.Context, p opened) error { return inMatter(ctx, p, id, c.reason, out, do) }
	}
	switch {
	case c.find != "":
		return func(ctx context.Context, p opened) error { return findPerson(ctx, p, in, out) }
	case c.person != "":
		return of(c.person, (*matter).show)
	case c.lock != "":
		return of(c.lock, (*matter).lock)
	case c.unlock != "":
		return of(c.unlock, (*matter).unlock)
	case c.signOut != "":
		return of(c.signOut, (*matter).signOut)
	case c.events:
		return func(ctx context.Context, p opened) error { return c.printEvents(ctx, p, out) }
	case c.checkpoint:
		return func(ctx context.Context, p opened) error { return printCheckpoint(ctx, p, out) }
	case c.verifyAudit:
		return func(ctx context.Context, p opened) error { return verifyAudit(ctx, p, c.anchor, out) }
	}
	return nil
}

// no is an error that is an answer: nobody has this address, or the audit log is not what was
// sealed. Its exit code is 3; that of everything that failed is 1.
type no struct{ error }

func exitCode(err error) int {
	if errors.As(err, new(no)) {
		return 3
	}
	return 1
}

// actor is the name under which a command is in the audit log: that of whoever is signed in to
// the machine, as far as it knows.
func actor() string {
	if u, err := osuser.Current(); err == nil && u.Username != "" {
		return "command:" + strings.ReplaceAll(u.Username, " ", "_")
	}
	return "command:unknown"
}
