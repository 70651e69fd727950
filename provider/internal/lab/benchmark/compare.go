package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// names reports whether a flag names something; an empty one names everything.
func names(flag, name string) bool {
	return flag == "" || slices.Contains(strings.Split(flag, ","), name)
}

// selected returns the servers to compare.
func (o options) selected() (chosen []server, err error) {
	for _, s := range servers {
		if !names(o.only, s.name) {
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

// compare measures all servers, and what Bonafide costs who imports it.
func compare(ctx context.Context, o options, dir string) (*result, error) {
	stop, err := providePostgres(o.postgres)
	if err != nil {
		return nil, err
	}
	defer stop()
	chosen, err := o.selected()
	if err != nil {
		return nil, err
	}
	cost, err := measureImport(ctx, dir, o.starts)
	if err != nil {
		return nil, fmt.Errorf("minimal program: %w", err)
	}
	fleet, err := launchAll(chosen, dir, o)
	defer stopAll(fleet)
	if err != nil {
		return nil, err
	}
	r := newResult(ctx, o, dir, fleet)
	r.Import = cost
	withFlows := names(o.operations, flows.name)
	if withFlows {
		if err := r.marathon(ctx, o, fleet); err != nil {
			return nil, err
		}
	}
	for round := range o.rounds {
		if err := r.round(ctx, o, dir, fleet, round); err != nil {
			return nil, err
		}
	}
	if withFlows {
		if err := r.crowd(ctx, o, fleet); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// launchAll starts servers, each with a folder of its own below dir. After an error
// it returns those that run.
func launchAll(chosen []server, dir string, o options) (fleet []*running, err error) {
	for _, s := range chosen {
		progress("starting %s", s.name)
		home, err := newFolder(dir, s.name)
		if err != nil {
			return fleet, err
		}
		r, err := launch(s, home, o)
		if err != nil {
			return fleet, err
		}
		fleet = append(fleet, r)
	}
	return fleet, nil
}

func stopAll(fleet []*running) {
	for _, s := range fleet {
		s.stop()
	}
}

// round measures the floor, and goes over the operations and in each over the
// servers.
func (r *result) round(ctx context.Context, o options, dir string, fleet []*running, number int) error {
	home, err := os.MkdirTemp(dir, "floor-")
	if err != nil {
		return err
	}
	f, err := measureFloor(ctx, home, o.procs, o.length)
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	r.Floors = append(r.Floors, f)
	for _, op := range operations {
		for _, s := range fleet {
			if op.path(s.Target) == "" || !names(o.operations, op.name) {
				continue
			}
			m, err := measure(ctx, s, op, o.workers, o.length)
			if err != nil {
				return err
			}
			r.add(s.name, op.name, m)
			progress("round %d/%d  %-18s %s", number+1, o.rounds, s.name, m.line(op))
		}
	}
	return nil
}

// crowd has many workers do flows at once, to see whether any fails.
func (r *result) crowd(ctx context.Context, o options, fleet []*running) error {
	for _, s := range fleet {
		found := r.rating(s.name)
		if s.Target.Authorize != "" {
			var err error
			if found.Crowded, err = measure(ctx, s, flows, o.crowd, o.length); err != nil {
				return err
			}
			progress("%d workers  %-18s %s", o.crowd, s.name, found.Crowded.line(flows))
		}
		found.Memory = memoryOf(s.process.Process.Pid)
	}
	return nil
}
