package service

import (
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// How late something may be before it is said to be wrong.
const (
	roundLate  = 5 * time.Minute
	verifyLate = 24 * time.Hour
	anchorLate = 3 * time.Hour
	queueFull  = 1000
)

// showHealth says how the service is doing.
func (r *Room) showHealth(q *frame.Request) error {
	page, err := q.Page(desk.SectionHealth)
	if err != nil {
		return err
	}
	condition, now := r.Provider.Rooms().Condition(q.Context()), q.Frame.Now()
	v := screens.HealthView{Page: page, Checks: checks(condition, now)}
	if state, err := r.Provider.Rooms().Trail.State(q.Context()); err == nil { // a database that fails is said already
		v.Checks = append(v.Checks, trailChecks(state, now)...)
	}
	if schema, err := r.Store.Schema(q.Context()); err == nil {
		v.Checks = append(v.Checks, screens.Checked{Check: screens.CheckSchema, Value: strconv.Itoa(schema)})
	}
	v.Checks = append(v.Checks,
		screens.Checked{Check: screens.CheckVersion, Value: r.Provider.Rooms().Installation().Version}, screens.Checked{Check: screens.CheckGo, Value: condition.GoVersion})
	for _, s := range condition.Settings {
		v.Settings = append(v.Settings, screens.Setting(s))
	}
	if c := r.report.Load(); c != nil {
		v.CountedAt, v.Report = c.at, totals(c)
	}
	q.Render(http.StatusOK, screens.Health(v))
	return nil
}

// checks are what a process says of itself.
func checks(c room.Condition, now time.Time) []screens.Checked {
	database := screens.Checked{Check: screens.CheckDatabase, Value: c.Answered.Round(100 * time.Microsecond).String()}
	if c.Database != nil {
		database.Wrong, database.Value = true, c.Database.Error()
	}
	mail := screens.Checked{Check: screens.CheckMail, At: c.Mailed, Wrong: c.Unmailed.After(c.Mailed)}
	queue := screens.Checked{Check: screens.CheckQueue, Value: strconv.Itoa(c.LogoutTokens), Wrong: c.LogoutTokens >= queueFull}
	return []screens.Checked{
		database, {Check: screens.CheckBackground, At: c.Round, Wrong: now.Sub(c.Round) > roundLate}, mail, queue,
	}
}

// trailChecks are what is known of the audit log.
func trailChecks(s room.TrailState, now time.Time) []screens.Checked {
	checks := []screens.Checked{
		{Check: screens.CheckSealed, At: s.SealedAt, Wrong: !s.LateSince.IsZero()},
		{Check: screens.CheckVerified, At: s.VerifiedAt, Value: s.Wrong, Wrong: s.Wrong != "" || !s.VerifyDue.IsZero() && now.Sub(s.VerifyDue) > verifyLate},
	}
	if s.HasAnchor {
		checks = append(checks, screens.Checked{Check: screens.CheckAnchor, At: s.AnchoredAt, Wrong: s.Blocks > 0 && now.Sub(s.AnchoredAt) > anchorLate})
	}
	return checks
}

// totals are the counts of the last time.
func totals(c *counted) (all []screens.Counted) {
	for _, one := range []struct {
		count  screens.Count
		number int
	}{
		{screens.CountAccounts, c.Accounts}, {screens.CountDisabled, c.Disabled}, {screens.CountSessions, c.Sessions}, {screens.CountGrants, c.Grants},
		{screens.CountEvents, c.Events}, {screens.CountApplications, c.Applications}, {screens.CountOrganizations, c.Organizations},
		{screens.CountCases, c.CasesWaiting}, {screens.CountPlans, c.PlansProposed}, {screens.CountBreaks, c.BreaksOpen},
	} {
		all = append(all, screens.Counted{Count: one.count, Number: int64(one.number)})
	}
	return all
}
