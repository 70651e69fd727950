package main

import (
	"context"
	"fmt"
)

// marathon is what many flows leave in one server: memory, and tokens that nobody
// has asked with lately.
type marathon struct {
	Flows  sample `json:"flows"`
	Memory memory `json:"memory_mib"`

	// First are first requests with a token, which its server cannot have in
	// memory, and Bare the bare handler, in pairs.
	First []sample `json:"first"`
	Bare  []sample `json:"bare"`
}

// remembering is a flow that keeps its token for firstRead.
var remembering = operation{name: "flow", do: func(u *visitor) error {
	err := u.flow()
	if err == nil {
		u.unused = append(u.unused, u.access)
	}
	return err
}}

// firstRead asks with a token that was not used lately, the oldest first.
var firstRead = operation{name: "first read", do: func(u *visitor) error {
	u.access, u.unused = u.unused[0], u.unused[1:]
	return u.data(u.Userinfo)
}}

// marathon measures Bonafide on SQLite, when it is in the fleet.
func (r *result) marathon(ctx context.Context, o options, fleet []*running) error {
	s, bare := find(fleet, "bonafide"), find(fleet, "bare")
	if s == nil {
		return nil
	}
	m := &r.Marathon
	users, err := crew(s, o.workers)
	if err != nil {
		return err
	}
	each := o.flows / o.workers
	if m.Flows, err = work(ctx, s, users, remembering, bound{times: each}); err != nil {
		return err
	}
	m.Memory = memoryOf(s.process.Process.Pid)
	progress("after %d flows %.0f MiB: %s", m.Flows.Operations, m.Memory.total(), m.Flows.line(remembering))
	if bare == nil || m.Flows.Errors > 0 {
		return nil
	}
	// The last flows are what a server may still have in memory: they are left out.
	for range o.rounds {
		first, err := work(ctx, s, users, firstRead, bound{times: each / 2 / o.rounds})
		if err != nil {
			return err
		}
		if first.Errors > 0 {
			return fmt.Errorf("%s: %s", firstRead.name, first.FirstError)
		}
		beside, err := measure(ctx, bare, userinfo, o.workers, o.length)
		if err != nil {
			return err
		}
		m.First, m.Bare = append(m.First, first), append(m.Bare, beside)
		progress("%-18s %s", s.name, first.line(firstRead))
	}
	return nil
}

// find returns the server of a name, or nil.
func find(fleet []*running, name string) *running {
	for _, s := range fleet {
		if s.name == name {
			return s
		}
	}
	return nil
}
