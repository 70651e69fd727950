package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scaling is how a large database compares with a small one, and what a sweep of it
// does to those who sign in meanwhile.
type scaling struct {
	Machine string    `json:"machine"`
	When    time.Time `json:"when"`
	Workers int       `json:"workers"`

	Grants sizes               `json:"-"`
	Small  map[string][]sample `json:"small"`
	Large  map[string][]sample `json:"large"`

	Expired     int           `json:"expired"`
	SweepTook   time.Duration `json:"sweep_took_ns"`
	Left        int           `json:"rows_left"`
	DuringSweep []sample      `json:"during_sweep"`
	AfterSweep  []sample      `json:"after_sweep"`
}

func (*scaling) section() string { return "scale" }

func measureScale(ctx context.Context, o options, dir string) (*scaling, error) {
	s := &scaling{
		Machine: machine(dir), When: time.Now().UTC().Truncate(time.Second), Workers: o.workers,
		Grants: o.grants, Expired: o.expired, Small: map[string][]sample{}, Large: map[string][]sample{},
	}
	if err := s.compare(ctx, o, dir); err != nil {
		return nil, err
	}
	return s, s.sweep(ctx, o, dir)
}

// onFilled starts Bonafide on a database that was filled.
func onFilled(ctx context.Context, o options, dir string, grants int, ended time.Time) (*running, error) {
	progress("filling in %d grants", grants)
	if err := fill(ctx, dir, grants, ended); err != nil {
		return nil, err
	}
	return launch(ownServer, dir, o)
}

func (s *scaling) compare(ctx context.Context, o options, dir string) error {
	fleet := make([]*running, 0, 2)
	defer func() { stopAll(fleet) }()
	for _, grants := range []int{o.grants.small, o.grants.large} {
		home, err := newFolder(dir, fmt.Sprintf("grants-%d", grants))
		if err != nil {
			return err
		}
		r, err := onFilled(ctx, o, home, grants, time.Now())
		if err != nil {
			return err
		}
		fleet = append(fleet, r)
	}
	for round := range o.rounds {
		for _, op := range operations {
			if !names(o.operations, op.name) {
				continue
			}
			for turn := range 2 {
				i := (turn + round) % 2 // who goes first changes with the round
				m, err := measure(ctx, fleet[i], op, o.workers, o.length)
				if err != nil {
					return err
				}
				into := []map[string][]sample{s.Small, s.Large}[i]
				into[op.name] = append(into[op.name], m)
				progress("round %d/%d  %-6s %s", round+1, o.rounds, []string{"small", "large"}[i], m.line(op))
			}
		}
	}
	return nil
}

// sweep lets a server begin with expired grants only, and measures flows until it
// has removed them, and again when there is nothing left to remove.
func (s *scaling) sweep(ctx context.Context, o options, dir string) error {
	home, err := newFolder(dir, "sweep")
	if err != nil {
		return err
	}
	now := time.Now()
	server, err := onFilled(ctx, o, home, o.expired, now.Add(-month))
	if err != nil {
		return err
	}
	defer server.stop()
	rows, err := openTableRows(home)
	if err != nil {
		return err
	}
	defer rows.db.Close()
	for {
		left, err := rows.count(ctx, `SELECT EXISTS (SELECT 1 FROM grants WHERE coalesce(kept_until, expires_at) <= ?1)`, now.UnixMicro())
		if err != nil {
			return err
		}
		if left == 0 {
			break
		}
		m, err := measure(ctx, server, flows, o.workers, o.length)
		if err != nil {
			return err
		}
		s.DuringSweep, s.SweepTook = append(s.DuringSweep, m), time.Since(now)
		progress("sweeping  %s", m.line(flows))
	}
	if len(s.DuringSweep) == 0 {
		return errors.New("the sweep had ended before flows could be measured: more -expired are needed")
	}
	for range o.rounds {
		m, err := measure(ctx, server, flows, o.workers, o.length)
		if err != nil {
			return err
		}
		s.AfterSweep = append(s.AfterSweep, m)
		progress("swept     %s", m.line(flows))
	}
	s.Left, err = rows.count(ctx, `SELECT (SELECT count(*) FROM grants WHERE client_id = ?1)
		+ (SELECT count(*) FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE g.client_id = ?1)`, fillingClient)
	return err
}

// markdown renders the tables.
func (s *scaling) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %s; %d user agents, medians of the ratios of %d rounds, with their quartiles.\n\n",
		s.When.Format(time.DateOnly), s.Machine, s.Workers, len(s.Small["flow"]))
	fmt.Fprintf(&b, "| %d grants ÷ %d | per second | p50 | p99 |\n|---|---:|---:|---:|\n", s.Grants.large, s.Grants.small)
	for _, op := range operations {
		small, large := s.Small[op.name], s.Large[op.name]
		if len(large) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", op.title, spread(ratios(large, small, perSecond)),
			spread(ratios(large, small, p50)), spread(ratios(large, small, p99)))
	}
	during, after := median(s.DuringSweep, p99), median(s.AfterSweep, p99)
	fmt.Fprintf(&b, "\nThe sweep of %d expired grants, with two tokens each, took %.0f s beside %d user agents and left %d rows. "+
		"The p99 of a flow was %.1f ms meanwhile and %.1f ms afterwards: %.2f times as long; the longest took %.1f and %.1f ms in most rounds, and flows per second were %.2f times as many.\n",
		s.Expired, s.SweepTook.Seconds(), s.Workers, s.Left, during/1000, after/1000, during/after,
		median(s.DuringSweep, longest)/1000, median(s.AfterSweep, longest)/1000,
		median(s.DuringSweep, perSecond)/median(s.AfterSweep, perSecond))
	return b.String()
}

// newFolder makes a folder for a server.
func newFolder(dir, name string) (string, error) {
	home := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
	return home, os.Mkdir(home, 0o700)
}
