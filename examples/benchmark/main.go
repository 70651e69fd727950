// Command benchmark measures Bonafide and other OpenID Connect providers doing the
// same work, one after the other on one machine, over HTTP on the loopback:
//
//	go run . -markdown table.md -json result.json
//
// Every server runs in a process of its own, with RS256, with as many processors
// as GOMAXPROCS gives it, and is asked by the same generator over keep-alive
// connections. The rounds are interleaved, so that whatever else the machine does
// meets all of them, and each figure is the median of its rounds. Only the ratios
// of one run tell anything: absolute figures are those of the machine.
//
// What each server does is in a file named after it. The bare handler and the
// ceiling bound what any provider in Go could reach.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// servers are those that can be measured, in the order of the table.
var servers = []server{
	{name: "bare", store: "none", start: bare},
	{name: "ceiling", store: "SQLite", start: ceiling},
	{name: "bonafide", store: "SQLite", start: bonafideOnSQLite},
	{name: "bonafide-postgres", store: "PostgreSQL", start: bonafideOnPostgres, available: postgresAvailable},
	{name: "zitadel/oidc", store: "memory", start: zitadel},
	{name: "luikyv/go-oidc", store: "memory", start: goOIDC},
	{name: "oidc-provider", store: "memory", command: nodeServer, available: nodeAvailable},
}

type options struct {
	only           string
	rounds         int
	length         time.Duration
	workers, crowd int
	procs          int
	dir            string
	markdown, json string
	postgres       string
	profiles       string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	child := flag.String("serve", "", "be one server; used by the benchmark itself")
	flag.StringVar(&o.only, "only", "", "comma-separated names of servers; all when empty")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds, from 1 to 100")
	flag.DurationVar(&o.length, "time", time.Second, "length of one measurement, at most 1m")
	flag.IntVar(&o.workers, "workers", 8, "concurrent user agents")
	flag.IntVar(&o.crowd, "crowd", 64, "user agents of the last round, which looks for errors")
	flag.IntVar(&o.procs, "procs", runtime.NumCPU(), "processors (GOMAXPROCS) of each server")
	flag.StringVar(&o.dir, "dir", ".", "folder for databases; on the disk to be measured, not in memory")
	flag.StringVar(&o.markdown, "markdown", "", "file for the table in Markdown")
	flag.StringVar(&o.json, "json", "", "file for everything in JSON")
	flag.StringVar(&o.profiles, "profiles", "", "folder for CPU profiles of the servers, which slow them down a little")
	flag.StringVar(&o.postgres, "postgres", "", "URL of a PostgreSQL database to use; a server is started when empty")
	flag.Parse()
	var err error
	if *child != "" {
		i := slices.IndexFunc(servers, func(s server) bool { return s.name == *child })
		if i < 0 {
			err = fmt.Errorf("no server %q", *child)
		} else {
			err = profiled(func() error { return serve(ctx, servers[i], o.dir) })
		}
	} else {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func (o options) validate() error {
	switch {
	case o.rounds < 1 || o.rounds > 100:
		return errors.New("-rounds must be from 1 to 100")
	case o.length < 10*time.Millisecond || o.length > time.Minute:
		return errors.New("-time must be from 10ms to 1m")
	case o.workers < 1 || o.workers > 256 || o.crowd < 1 || o.crowd > 256:
		return errors.New("-workers and -crowd must be from 1 to 256")
	}
	return nil
}

// selected returns the servers to measure.
func (o options) selected() (chosen []server, err error) {
	for _, s := range servers {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), s.name) {
			continue
		}
		if s.available != nil {
			if err := s.available(); err != nil {
				progress("leaving out %s: %v", s.name, err)
				continue
			}
		}
		chosen = append(chosen, s)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %q names no server", o.only)
	}
	return chosen, nil
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// run measures everything and writes the reports.
func run(ctx context.Context, o options) error {
	if err := o.validate(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.dir, "benchmark-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.profiles != "" {
		if err := os.MkdirAll(o.profiles, 0o700); err != nil {
			return err
		}
	}
	stop, err := providePostgres(o.postgres)
	if err != nil {
		return err
	}
	defer stop()
	chosen, err := o.selected()
	if err != nil {
		return err
	}
	var fleet []*running
	defer func() {
		for _, s := range fleet {
			s.stop()
		}
	}()
	for _, s := range chosen {
		progress("starting %s", s.name)
		home := filepath.Join(dir, strings.ReplaceAll(s.name, "/", "-"))
		if err := os.Mkdir(home, 0o700); err != nil {
			return err
		}
		r, err := launch(s, home, o)
		if err != nil {
			return err
		}
		fleet = append(fleet, r)
	}
	result, err := measureAll(ctx, o, dir, fleet)
	if err != nil {
		return err
	}
	return result.write(o)
}

// measureAll goes round by round over the operations, and in each over the
// servers.
func measureAll(ctx context.Context, o options, dir string, fleet []*running) (*result, error) {
	result := newResult(o, fleet)
	for round := range o.rounds {
		home, err := os.MkdirTemp(dir, "floor-")
		if err != nil {
			return nil, err
		}
		f, err := measureFloor(ctx, home, o.procs, o.length)
		if err != nil {
			return nil, fmt.Errorf("floor: %w", err)
		}
		result.Floors = append(result.Floors, f)
		for _, op := range operations {
			for _, s := range fleet {
				if op.path(s.Target) == "" {
					continue
				}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				m, err := measure(s, op, o.workers, o.length)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", s.name, op.name, err)
				}
				result.add(s.name, op.name, m)
				progress("round %d/%d  %-18s %-10s %8.0f/s  p50 %6.2f ms  p99 %6.2f ms  errors %d %s",
					round+1, o.rounds, s.name, op.name, m.PerSecond, m.P50/1000, m.P99/1000, m.Errors, m.FirstError)
			}
		}
	}
	return result, result.crowd(ctx, o, fleet)
}
