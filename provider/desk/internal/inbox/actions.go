package inbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// The facts of a roster that is to be in force.
const (
	factRoster   = "roster"
	factRows     = "rows"
	factAdded    = "added"
	factVanished = "vanished"
)

// Actions returns what can be done with the rosters of a service, which may be nil.
func Actions(service *verification.Service) []action.Action {
	if service == nil {
		return nil
	}
	u := rosterUse{service}
	return []action.Action{{Rule: action.Rule{Name: action.UseRoster}, Check: u.check, Do: u.do}}
}

// rosterUse puts a roster in force that was checked, or the former one.
type rosterUse struct{ service *verification.Service }

// written is the value that names a roster with its generation.
func written(name string, generation int64) string {
	return strconv.FormatInt(generation, 10) + " " + name
}

func (u rosterUse) check(ctx context.Context, o action.Order) (action.Effect, error) {
	report, err := u.report(ctx, o)
	return action.Effect{
		Revision: fmt.Sprint(report.Replaces, " ", report.Rows, " ", report.Vanished),
		Facts: []action.Fact{
			{Name: factRoster, Value: report.Roster}, {Name: factRows, Value: strconv.Itoa(report.Rows)},
			{Name: factAdded, Value: strconv.Itoa(report.Added)}, {Name: factVanished, Value: strconv.Itoa(report.Vanished)},
		},
	}, err
}

func (u rosterUse) report(ctx context.Context, o action.Order) (verification.RosterReport, error) {
	var name string
	var generation int64
	_, err := fmt.Sscanf(o.Values[action.FieldRoster], "%d %s", &generation, &name)
	if err == nil {
		var report verification.RosterReport
		report, err = u.service.StagedRoster(ctx, name, generation)
		if err == nil || !errors.Is(err, verification.ErrNotNow) && !errors.Is(err, verification.ErrNoRoster) {
			return report, err
		}
	}
	return verification.RosterReport{}, &provider.FieldError{Field: action.FieldRoster, Err: errors.New("is none that was checked within a day")}
}

// do puts it in force: that so many vanish was said when it was asked for, and seen by both.
func (u rosterUse) do(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	report, err := u.report(ctx, o)
	if err != nil {
		return action.Result{}, err
	}
	if fmt.Sprint(report.Replaces, " ", report.Rows, " ", report.Vanished) != revision {
		return action.Result{}, provider.ErrChanged
	}
	err = u.service.UseRoster(ctx, verification.RosterUse{
		Roster: report.Roster, Generation: report.Generation, Replaces: report.Replaces, By: o.Staff, ManyVanish: true,
	})
	if errors.Is(err, verification.ErrNotNow) {
		err = provider.ErrChanged
	}
	return action.Result{}, err
}
