package inbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// The facts of a roster that is to be in force, and of codes that are to be redeemed.
const (
	factRoster   = "roster"
	factRows     = "rows"
	factAdded    = "added"
	factVanished = "vanished"
	factSkipped  = "skipped"

	factGroup   = "group"
	factCodes   = "invitations"
	factMembers = "members"
	factUntil   = "until"
)

// Actions returns what can be done with the rosters and codes of a service, which may be nil.
func Actions(service *verification.Service) []action.Action {
	if service == nil {
		return nil
	}
	u, c := rosterUse{service}, codesRelease{service}
	return []action.Action{
		{Rule: action.Rule{Name: action.UseRoster}, Check: u.check, Do: u.do},
		{Rule: action.Rule{Name: action.ReleaseCodes}, Check: c.check, Do: c.do},
	}
}

// codesRelease lets codes be redeemed that were made at the desk.
type codesRelease struct{ service *verification.Service }

func (c codesRelease) check(ctx context.Context, o action.Order) (action.Effect, error) {
	until, err := time.Parse(time.DateOnly, o.Values[action.FieldUntil])
	if err != nil {
		return action.Effect{}, &provider.FieldError{Field: action.FieldUntil, Err: errors.New("is not a day, such as 2026-03-12")}
	}
	batch, err := c.service.HeldCodes(ctx, o.Values[action.FieldBatch])
	if errors.Is(err, verification.ErrNotNow) {
		err = &provider.FieldError{Field: action.FieldBatch, Err: errors.New("is none that was made within a day and waits")}
	}
	return action.Effect{
		Revision: batch.Batch,
		Facts: []action.Fact{
			{Name: factGroup, Value: batch.Group}, {Name: factCodes, Value: strconv.Itoa(batch.Codes)},
			{Name: factMembers, Value: strconv.Itoa(batch.Uses)}, {Name: factUntil, Value: until.Format(time.DateOnly)},
		},
	}, err
}

func (c codesRelease) do(ctx context.Context, o action.Order, _ string) (action.Result, error) {
	until, err := time.Parse(time.DateOnly, o.Values[action.FieldUntil])
	if err == nil {
		err = c.service.ReleaseCodes(ctx, o.Values[action.FieldBatch], until)
	}
	if errors.Is(err, verification.ErrNotNow) {
		err = provider.ErrChanged
	}
	return action.Result{}, err
}

// rosterUse puts a roster in force that was checked, or the former one.
type rosterUse struct{ service *verification.Service }

// written is the value that names a roster with its generation, and with what was confirmed:
// how many rows vanish and were skipped.
func written(r verification.RosterReport) string {
	return fmt.Sprint(r.Generation, " ", r.Roster, " ", r.Vanished, " ", r.Skipped)
}

func (u rosterUse) check(ctx context.Context, o action.Order) (action.Effect, error) {
	report, err := u.report(ctx, o)
	return action.Effect{
		Revision: fmt.Sprint(report.Replaces, " ", report.Rows, " ", report.Vanished),
		Facts: []action.Fact{
			{Name: factRoster, Value: report.Roster}, {Name: factRows, Value: strconv.Itoa(report.Rows)},
			{Name: factAdded, Value: strconv.Itoa(report.Added)}, {Name: factVanished, Value: strconv.Itoa(report.Vanished)},
			{Name: factSkipped, Value: strconv.Itoa(report.Skipped)},
		},
	}, err
}

func (u rosterUse) report(ctx context.Context, o action.Order) (verification.RosterReport, error) {
	var name string
	var generation int64
	var vanished, skipped int
	_, err := fmt.Sscanf(o.Values[action.FieldRoster], "%d %s %d %d", &generation, &name, &vanished, &skipped)
	if err == nil {
		var report verification.RosterReport
		report, err = u.service.StagedRoster(ctx, name, generation)
		if err == nil && (report.ManyVanish() && vanished != report.Vanished || report.ManySkipped() && skipped != report.Skipped) {
			err = verification.ErrNotNow // another number was confirmed, or none
		}
		if err == nil || !errors.Is(err, verification.ErrNotNow) && !errors.Is(err, verification.ErrNoRoster) {
			return report, err
		}
	}
	return verification.RosterReport{}, &provider.FieldError{Field: action.FieldRoster, Err: errors.New("is none that was checked within a day")}
}

// do puts it in force: that so many vanish or were skipped was said when it was asked for, and seen by both.
func (u rosterUse) do(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	report, err := u.report(ctx, o)
	if err != nil {
		return action.Result{}, err
	}
	if fmt.Sprint(report.Replaces, " ", report.Rows, " ", report.Vanished) != revision {
		return action.Result{}, provider.ErrChanged
	}
	err = u.service.UseRoster(ctx, verification.RosterUse{
		Roster: report.Roster, Generation: report.Generation, Replaces: report.Replaces, By: o.Staff, ManyVanish: true, ManySkipped: true,
	})
	if errors.Is(err, verification.ErrNotNow) {
		err = provider.ErrChanged
	}
	return action.Result{}, err
}
