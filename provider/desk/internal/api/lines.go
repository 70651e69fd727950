package api

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
)

// lineFields are what a plan selects lines of the audit log by.
var lineFields = []string{"name", "person", "client_id", "actor", "matter", "from", "until"}

// planTargets returns whom a plan is to be for: those that it names, or everybody of some lines of
// the audit log, each once. The list is frozen now, and is whole or none.
func (c *call) planTargets(r action.Rule, in newPlan) ([]string, error) {
	if in.Lines == nil {
		if in.Targets == nil {
			return nil, lineFault("/targets", "is missing, or lines")
		}
		return in.Targets, nil
	}
	switch {
	case in.Targets != nil:
		return nil, lineFault("/lines", "is beside targets")
	case !c.has(ScopeEventsRead):
		return nil, &problem{kind: kindScope, Detail: "It needs " + ScopeEventsRead + ".", scope: ScopeEventsRead}
	case !r.Bulk || c.api.Lines == nil:
		return nil, lineFault("/lines", "is for an action that is done to many")
	}
	for _, name := range slices.Sorted(maps.Keys(in.Lines)) {
		if !slices.Contains(lineFields, name) {
			return nil, at400("/lines"+pointer(name), "is unknown")
		}
		if in.Lines[name] == "" {
			return nil, lineFault("/lines"+pointer(name), "is empty")
		}
	}
	if len(in.Lines) == 0 {
		return nil, lineFault("/lines", "selects by nothing")
	}
	match := linesOf(func(name string) string { return in.Lines[name] })
	for name, at := range map[string]*time.Time{"from": &match.From, "until": &match.Until} {
		if in.Lines[name] == "" {
			continue
		}
		var err error
		if *at, err = time.Parse(time.RFC3339, in.Lines[name]); err != nil {
			return nil, lineFault("/lines"+pointer(name), "is no time like 2026-11-26T05:30:00Z")
		}
	}
	ids, more, err := c.api.Lines(c.Context(), match, r.Target, plans.MaxTargets)
	switch {
	case err != nil:
		return nil, err
	case more:
		return nil, lineFault("/lines", fmt.Sprintf("are about more than %d, or are too many", plans.MaxTargets))
	case len(ids) == 0:
		return nil, lineFault("/lines", "are about nobody")
	}
	return ids, nil
}

func lineFault(at, detail string) *problem {
	return &problem{kind: kindValue, Faults: []fault{{at, detail}}}
}
