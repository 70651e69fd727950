package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// match is one server that is compared with its like of another commit.
type match struct {
	server string

	// theirs is what it is compared with there; its like when empty. heard has it tell a webhook.
	theirs string
	heard  bool

	// workers are those of -workers when zero, and late how much later a database of its own
	// answers.
	workers int
	late    time.Duration
}

// minimal is the name of the minimal program among servers.
const minimal = "minimal"

var matches = []match{
	{server: ownServer.name},
	{server: "bonafide-es256"},
	{server: "bonafide-openssl"},
	{server: unheard.name, theirs: ownServer.name},
	{server: heard.name, theirs: ownServer.name, heard: true},
	{server: onPostgres},
	{server: onPostgres, late: time.Millisecond, workers: 1},
	{server: onPostgres, late: time.Millisecond},
}

func (m match) title() string {
	title := m.server
	if m.late > 0 {
		title += fmt.Sprintf(" %v away", m.late)
	}
	if m.workers > 0 {
		title += fmt.Sprintf(", %d user agent", m.workers)
	}
	return title
}

// operations of a database of its own are those that ask it.
func (m match) operations() []operation {
	if m.server == onPostgres {
		return operations[:2]
	}
	return operations
}

// pair is one server of both, and by operation one sample of each per round.
type pair struct {
	Name   string              `json:"name"`
	Mine   map[string][]sample `json:"mine"`
	Theirs map[string][]sample `json:"theirs"`
}

// measure starts the server of both and lets them take turns; who goes first changes with the
// round.
func (m match) measure(ctx context.Context, o options, dir string, of server) (*pair, error) {
	mine, err := named(m.server)
	if err != nil {
		return nil, err
	}
	theirs, err := named(cmp.Or(m.theirs, m.server))
	if err != nil {
		return nil, err
	}
	if m.heard {
		all, err := newReceivers(1, func(int, []byte) {})
		if err != nil {
			return nil, err
		}
		defer all.close()
		mine.telling = &telling{Receivers: all.addresses}
	}
	if reason := mine.available; reason != nil && m.server != onPostgres {
		if err := reason(); err != nil {
			return nil, unavailableError{err}
		}
	}
	theirs.program, theirs.secret = of.program, of.secret
	found := &pair{Name: m.title(), Mine: map[string][]sample{}, Theirs: map[string][]sample{}}
	fleet := make([]*running, 0, 2)
	defer func() { stopAll(fleet) }()
	for _, s := range []server{mine, theirs} {
		if m.server == onPostgres {
			end, err := m.provide(&s)
			if err != nil {
				return nil, err
			}
			defer end()
		}
		home, err := os.MkdirTemp(dir, m.server)
		if err != nil {
			return nil, err
		}
		progress("starting %s", found.Name)
		r, err := launch(s, home, o)
		if err != nil {
			return nil, err
		}
		fleet = append(fleet, r)
	}
	fleet[1].Target.Introspect = cmp.Or(fleet[1].Target.Introspect, fleet[0].Target.Introspect)
	for round := range o.rounds {
		for _, op := range m.operations() {
			if !names(o.operations, op.name) || op.path(fleet[0].Target) == "" || op.path(fleet[1].Target) == "" {
				continue
			}
			for turn := range 2 {
				who, into, label := fleet[0], found.Mine, "this"
				if (turn+round)%2 == 1 {
					who, into, label = fleet[1], found.Theirs, o.beside
				}
				got, err := measure(ctx, who, op, cmp.Or(m.workers, o.workers), o.length)
				if err != nil {
					return nil, err
				}
				if got.Errors > 0 {
					return nil, fmt.Errorf("%s: %d errors: %s", op.name, got.Errors, got.FirstError)
				}
				into[op.name] = append(into[op.name], got)
				progress("round %d/%d  %-18s %-9s %s", round+1, o.rounds, found.Name, label, got.line(op))
			}
		}
	}
	return found, nil
}

// provide gives a server a PostgreSQL of its own, and 8 connections to it.
func (m match) provide(s *server) (end func(), err error) {
	database, err := newCluster()
	if errors.Is(err, errNoPostgres) {
		return nil, unavailableError{err}
	}
	if err != nil {
		return nil, err
	}
	s.owns, s.database, end = database, database.url, database.stop
	if m.late > 0 {
		url, leave, err := database.away(m.late)
		if err != nil {
			return nil, errors.Join(err, database.Process.Kill())
		}
		s.database, end = url, func() { _ = leave(); database.stop() }
	}
	s.database += "&pool_max_conns=8"
	return end, nil
}

// unavailableError says that a server cannot run here.
type unavailableError struct{ error }

// start lets the minimal programs of both start in turn.
func (p *pairing) start(ctx context.Context, o options, dir string, of server) error {
	home, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	var both [2]program
	for i, folder := range []string{"mine", "theirs"} {
		path := filepath.Join(home, folder, minimal)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if both[i], err = newProgram(path); err != nil {
			return err
		}
	}
	if err := errors.Join(buildMinimal(ctx, checkout, both[0].path), os.Rename(of.program+"-"+minimal, both[1].path)); err != nil {
		return err
	}
	for i := range o.starts + 1 {
		for j, into := range []*[]start{&p.MyStarts, &p.TheirStarts} {
			once, err := both[j].start(ctx)
			if err != nil {
				return err
			}
			if i > 0 { // the first one makes the database
				*into = append(*into, once)
			}
		}
	}
	return nil
}

// markdown renders the ratios: above 1 is better than the other commit.
func (p *pairing) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s beside %s on %s, %s; %d user agents. Medians of the ratios of each round, with their quartiles.\n\n",
		p.Commit, p.Beside, p.When.Format(time.DateOnly), p.Machine, p.Workers)
	fmt.Fprint(&b, "| | per second | by processor time | p50 | rounds |\n|---|---:|---:|---:|---:|\n")
	for _, of := range p.Pairs {
		for _, op := range operations {
			mine, theirs := of.Mine[op.name], of.Theirs[op.name]
			if len(mine) == 0 {
				continue
			}
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %d |\n", of.Name, op.title,
				spread(ratios(mine, theirs, perSecond)), spread(ratios(theirs, mine, cpuEach)), spread(ratios(theirs, mine, p50)), len(mine))
		}
	}
	if n := len(p.MyStarts); n > 0 {
		fmt.Fprintf(&b, "\nUntil its first answer the minimal program takes %s times its processor time there, and has %s times its memory then (%d starts).\n",
			spread(ratios(p.MyStarts, p.TheirStarts, start.cpu)), spread(ratios(p.MyStarts, p.TheirStarts, start.resident)), n)
	}
	return b.String()
}

// ratios returns the ratio of each round, sorted.
func ratios[T any](over, under []T, figure func(T) float64) []float64 {
	var found []float64
	for i := range min(len(over), len(under)) {
		if below := figure(under[i]); below > 0 {
			found = append(found, figure(over[i])/below)
		}
	}
	slices.Sort(found)
	return found
}

// spread renders the median of sorted values, and their quartiles.
func spread(sorted []float64) string {
	if len(sorted) == 0 {
		return "–"
	}
	at := func(quarter int) float64 { return sorted[(len(sorted)-1)*quarter/4] }
	return fmt.Sprintf("%.3f [%.2f–%.2f]", median(sorted, func(v float64) float64 { return v }), at(1), at(3))
}
