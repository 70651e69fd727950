package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// soaking is Bonafide on SQLite with lives so short that tables stop to grow within
// a soak.
var soaking = server{name: "bonafide-soaking", store: "SQLite", start: func(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{Store: store, Lifetimes: provider.Lifetimes{
		AccessToken: 30 * time.Second, RefreshToken: time.Minute, Grant: time.Minute,
	}})
}}

// soak is a server under load, looked at now and then.
type soak struct {
	Machine string    `json:"machine"`
	When    time.Time `json:"when"`
	Workers int       `json:"workers"`
	Glances []glance  `json:"glances"`
}

type glance struct {
	After  time.Duration `json:"after_ns"`
	Flows  sample        `json:"flows"`
	MiB    float64       `json:"resident_mib"`
	Grants int           `json:"grants"`
	Tokens int           `json:"tokens"`
}

func (*soak) section() string { return "soak" }

func measureSoak(ctx context.Context, o options, dir string) (*soak, error) {
	home, err := newFolder(dir, soaking.name)
	if err != nil {
		return nil, err
	}
	server, err := launch(soaking, home, o)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	rows, err := openTableRows(home)
	if err != nil {
		return nil, err
	}
	defer rows.db.Close()
	s := &soak{Machine: machine(dir), When: time.Now().UTC().Truncate(time.Second), Workers: o.workers}
	every := min(30*time.Second, o.soak/5)
	for begin := time.Now(); time.Since(begin) < o.soak; {
		var g glance
		if g.Flows, err = measure(ctx, server, flows, o.workers, every); err != nil {
			return nil, err
		}
		g.After, g.MiB = time.Since(begin), memoryOf(server.process.Process.Pid).total()
		if g.Grants, err = rows.count(ctx, `SELECT count(*) FROM grants`); err != nil {
			return nil, err
		}
		if g.Tokens, err = rows.count(ctx, `SELECT count(*) FROM tokens`); err != nil {
			return nil, err
		}
		s.Glances = append(s.Glances, g)
		progress("%5.0f s  %4.0f MiB  %7d grants  %7d tokens  %s", g.After.Seconds(), g.MiB, g.Grants, g.Tokens, g.Flows.line(flows))
	}
	return s, nil
}

// markdown renders the table: every glance of a short soak, and every so many of a
// long one.
func (s *soak) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %s; %d user agents. Access tokens last 30 s here and grants a minute, so that the tables reach their size soon.\n\n",
		s.When.Format(time.DateOnly), s.Machine, s.Workers)
	fmt.Fprint(&b, "| after | resident MiB | grants | tokens | flows/s | p99 ms | errors |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	step := max(1, len(s.Glances)/10)
	for i := step - 1; i < len(s.Glances); i += step {
		g := s.Glances[i]
		fmt.Fprintf(&b, "| %s | %.0f | %d | %d | %.0f | %.1f | %d |\n", g.After.Round(time.Second),
			g.MiB, g.Grants, g.Tokens, g.Flows.PerSecond, g.Flows.P99/1000, g.Flows.Errors)
	}
	return b.String()
}
