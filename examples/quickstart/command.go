package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// command is what the command line says.
type command struct {
	file    string
	help    bool
	version bool

	// At most one of these; without any the service runs.
	check, install, ready bool
	diff, apply           bool
	backup, mailTo        string
	revokeBefore          time.Time
	rotateKeys            bool
	rotateDataKey         bool
	revokeKeys            bool

	staffCommand
}

// parseCommand reads the command line, and has printed the help when it asks for that.
func parseCommand(args []string) (command, error) {
	var c command
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.StringVar(&c.file, "config", "", "JSON `file` that says what to run; see docs/config.md")
	flags.BoolVar(&c.version, "version", false, "say which version this is, and what it reads, and exit")
	flags.BoolVar(&c.check, "check", false, "say what the config file would do, change and reach nothing, and exit")
	flags.BoolVar(&c.install, "init", false, "make secret and database where they are missing, also the database of a secret that is there, and exit")
	flags.BoolVar(&c.diff, "diff", false, "say which users and clients of the config file are otherwise in the database, and exit")
	flags.BoolVar(&c.apply, "apply", false, "apply the config file to all its users and clients, whatever was decided since, and exit")
	flags.BoolVar(&c.ready, "ready", false, "ask the service that runs from the config file whether it is ready, and exit")
	flags.StringVar(&c.mailTo, "test-mail", "", "send a mail to an `address`, and exit")
	flags.StringVar(&c.backup, "backup", "", "copy the databases into a new `folder`, and exit")
	flags.Func("revoke-before", "end what was issued before this `time`, as in 2026-01-02T15:04:05Z, and exit", func(s string) (err error) {
		c.revokeBefore, err = time.Parse(time.RFC3339, s)
		return err
	})
	flags.BoolVar(&c.rotateKeys, "rotate-keys", false, "make the next signing key, which signs in a day and leaves all others, and exit")
	flags.BoolVar(&c.rotateDataKey, "rotate-data-key", false, "make the next key that encrypts what is known about people, and exit")
	flags.BoolVar(&c.revokeKeys, "revoke-keys", false, "make a new signing key, end all others at once, and exit")
	c.staffCommand.define(flags)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return command{help: true}, nil
	}
	if err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("%q is no command; a config file is named by -config", flags.Arg(0))
	}
	var commands, options []string
	flags.Visit(func(f *flag.Flag) {
		switch {
		case f.Name == "config":
		case optionsOf[f.Name] != nil:
			options = append(options, f.Name)
		default:
			commands = append(commands, f.Name)
		}
	})
	if len(commands) > 1 {
		return c, fmt.Errorf("-%s are %d commands; run one after the other", strings.Join(commands, " and -"), len(commands))
	}
	for _, option := range options {
		if !slices.Contains(optionsOf[option], strings.Join(commands, "")) {
			return c, fmt.Errorf("-%s is for -%s", option, strings.Join(optionsOf[option], ", -"))
		}
	}
	return c, c.staffCommand.check()
}
