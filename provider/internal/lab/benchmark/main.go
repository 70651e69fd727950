// Command benchmark measures Bonafide, on the machine that it runs on:
//
//	go run .              compares it with other OpenID Connect providers
//	go run . -beside REV  compares this checkout with another commit of it
//	go run . -scale       compares small tables with large ones, and looks at the sweep
//	go run . -ends 100000 has so many statuses end in a minute, and tells of them
//
// Every server runs in a process of its own, with RS256, with as many processors
// as GOMAXPROCS gives it, and is asked by the same generator over keep-alive
// connections on the loopback. The rounds are interleaved, so that whatever else the
// machine does meets all of them, and each figure is the median of its rounds. Only
// the ratios of one run tell anything: absolute figures are those of the machine.
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
	"runtime"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/opensslsigner"
)

// ownServer is Bonafide as most hosts run it.
var ownServer = server{name: "bonafide", store: "SQLite", start: bonafideOnSQLite}

// onPostgres is the name of Bonafide on PostgreSQL.
const onPostgres = "bonafide-postgres"

// servers are those that are compared, in the order of the table.
var servers = []server{
	{name: "bare", store: "none", start: bare},
	{name: "ceiling", store: "SQLite", start: ceiling},
	{name: "ceiling-es256", store: "SQLite", start: ceilingWithES256},
	ownServer,
	{name: "bonafide-es256", store: "SQLite", start: bonafideWithES256},
	{name: "bonafide-openssl", store: "SQLite", start: bonafideWithOpenSSL, available: opensslsigner.Available},
	{name: onPostgres, store: "PostgreSQL", start: bonafideOnPostgres, available: postgresAvailable},
	{name: "zitadel/oidc", store: "memory", start: zitadel},
	{name: "luikyv/go-oidc", store: "memory", start: goOIDC},
	{name: "oidc-provider", store: "memory", command: nodeServer, available: nodeAvailable},
}

// named returns the server of a name; those that are compared with no others, too.
func named(name string) (server, error) {
	all := append(slices.Concat(servers, endingServers), unheard, heard)
	i := slices.IndexFunc(all, func(s server) bool { return s.name == name })
	if i < 0 {
		return server{}, fmt.Errorf("no server %q", name)
	}
	return all[i], nil
}

type options struct {
	only           string
	operations     string
	rounds         int
	length         time.Duration
	flows, starts  int
	workers, crowd int
	procs          int

	beside  string
	scale   bool
	grants  sizes
	expired int

	ends, each int
	within     time.Duration

	dir          string
	report, json string
	postgres     string
	profiles     string
}

// quick replaces what decides how long a run takes. Such a run shows that everything
// works; its figures are no good, and go into no report.
func (o *options) quick() {
	o.rounds, o.length, o.flows, o.starts = 1, 100*time.Millisecond, 400, 3
	o.grants, o.expired = sizes{10_000, 100_000}, 20_000
	o.ends, o.within = min(o.ends, 2000), 2*time.Second
	o.report = ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := options{grants: sizes{10_000, 5_000_000}}
	child := flag.String("serve", "", "be one server; used by the benchmark itself")
	quick := flag.Bool("quick", false, "see within a minute that everything works; replaces all that decides the length")
	flag.StringVar(&o.only, "only", "", "comma-separated names of servers to compare; all when empty")
	flag.StringVar(&o.operations, "operations", "", "comma-separated names of operations to compare; all when empty")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds, from 1 to 100")
	flag.DurationVar(&o.length, "time", 2*time.Second, "length of one measurement, from 10ms to 1m")
	flag.IntVar(&o.flows, "flows", 20_000, "flows before memory is looked at, at most a million")
	flag.IntVar(&o.starts, "starts", 20, "starts of the minimal program, at most 1000")
	flag.IntVar(&o.workers, "workers", 8, "concurrent user agents")
	flag.IntVar(&o.crowd, "crowd", 64, "user agents of the last round, which looks for errors")
	flag.IntVar(&o.procs, "procs", runtime.NumCPU(), "processors (GOMAXPROCS) of each server")
	flag.StringVar(&o.beside, "beside", "", "another commit, to compare this checkout with round by round")
	flag.BoolVar(&o.scale, "scale", false, "compare tables of the sizes of -grants, then sweep -expired grants")
	flag.Var(&o.grants, "grants", "two numbers of grants, the small one first; at most ten million")
	flag.IntVar(&o.expired, "expired", 300_000, "expired grants for the sweep, at most ten million")
	flag.IntVar(&o.ends, "ends", 0, "have so many statuses end within -within, and see how soon is told; at most a million")
	flag.DurationVar(&o.within, "within", time.Minute, "the time in which they end, from 1s to 1h")
	flag.IntVar(&o.each, "each", 1, "how many of the applications each of their users has allowed something")
	flag.StringVar(&o.dir, "dir", ".", "folder for databases; on the disk to be measured, not in memory")
	flag.StringVar(&o.report, "report", "", "Markdown file with the marks between which tables are replaced")
	flag.StringVar(&o.json, "json", "", "file for everything in JSON")
	flag.StringVar(&o.profiles, "profiles", "", "folder for CPU profiles of the servers, which slow them down a little")
	flag.StringVar(&o.postgres, "postgres", "", "URL of a PostgreSQL database to use; a server is started when empty")
	flag.Parse()
	if *quick {
		o.quick()
	}
	err := o.validate()
	switch {
	case err != nil:
	case *child != "":
		err = serveNamed(ctx, *child, o.dir)
	case o.beside != "":
		o.report = "" // whose tables are of providers, not of commits
		err = run(ctx, o, compareBeside)
	case o.scale:
		err = run(ctx, o, measureScale)
	case o.ends > 0:
		err = run(ctx, o, measureEnds)
	default:
		err = run(ctx, o, compare)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func (o options) validate() error {
	within := func(n, least, most int) bool { return n >= least && n <= most }
	switch {
	case !within(o.rounds, 1, 100):
		return errors.New("-rounds must be from 1 to 100")
	case o.length < 10*time.Millisecond || o.length > time.Minute:
		return errors.New("-time must be from 10ms to 1m")
	case !within(o.workers, 1, 256) || !within(o.crowd, 1, 256):
		return errors.New("-workers and -crowd must be from 1 to 256")
	case !within(o.flows, o.workers, 1_000_000) || !within(o.starts, 1, 1000):
		return errors.New("-flows must be from -workers to 1000000, -starts from 1 to 1000")
	case !within(o.expired, 1, maxGrants):
		return fmt.Errorf("-expired must be from 1 to %d", maxGrants)
	case !within(o.ends, 0, 1_000_000) || !within(o.each, 1, webhooks+1):
		return fmt.Errorf("-ends must be at most 1000000, -each from 1 to %d", webhooks+1)
	case o.within < time.Second || o.within > time.Hour:
		return errors.New("-within must be from 1s to 1h")
	case o.runs() > 1:
		return errors.New("-beside, -scale and -ends are runs of their own")
	}
	return nil
}

// runs counts what is asked for beside the comparison.
func (o options) runs() (n int) {
	for _, asked := range []bool{o.beside != "", o.scale, o.ends > 0} {
		if asked {
			n++
		}
	}
	return n
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// findings are what one kind of run has found.
type findings interface {
	// section names the place of its tables in the report.
	section() string

	markdown() string
}

// run measures in a new folder, removes it, and writes the reports.
func run[F findings](ctx context.Context, o options, measure func(context.Context, options, string) (F, error)) error {
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
	found, err := measure(ctx, o, dir)
	if err != nil {
		return err
	}
	return write(found, o)
}

// serveNamed is the child process.
func serveNamed(ctx context.Context, name, dir string) error {
	s, err := named(name)
	if err != nil {
		return err
	}
	return profiled(func() error { return serve(ctx, s, dir) })
}
