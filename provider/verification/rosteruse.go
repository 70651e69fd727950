package verification

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

// RosterUse names a staged roster, or a former one.
type RosterUse struct {
	// Roster, Generation and Replaces are those of the RosterReport.
	Roster               string
	Generation, Replaces int64

	// By is who does it. It is kept.
	By string

	// ManyVanish says that more than a fifth of the rows in force are meant to vanish.
	ManyVanish bool

	// ManySkipped says that more than a tenth of the rows of the file are meant to be left out.
	ManySkipped bool
}

// UseRoster puts a staged roster in force. Memberships whose rows have vanished end, after
// the RosterConfig.Grace. ErrManyVanish and ErrManySkipped where RosterReport.ManyVanish and
// ManySkipped report true and the RosterUse does not; ErrNotNow if another roster is in
// force by now, or the staged one is gone.
func (s *rosterLists) UseRoster(ctx context.Context, u RosterUse) error {
	report, err := s.StagedRoster(ctx, u.Roster, u.Generation)
	if err != nil {
		return err
	}
	// What was compared is what the swap replaces, or the swap fails.
	switch {
	case report.Replaces != u.Replaces:
		return ErrNotNow
	case report.ManyVanish() && !u.ManyVanish:
		return ErrManyVanish
	case report.ManySkipped() && !u.ManySkipped:
		return ErrManySkipped
	}
	return s.swapRoster(ctx, u.Roster, u.Generation, u.Replaces, u.By)
}

// StagedRoster reports what would change if a staged roster came into force, and changes
// nothing. ErrNotNow if it is gone.
func (s *rosterLists) StagedRoster(ctx context.Context, name string, generation int64) (RosterReport, error) {
	if s.roster(name) == nil {
		return RosterReport{}, ErrNoRoster
	}
	report := RosterReport{Roster: name, Generation: generation}
	if err := s.compare(ctx, &report); err != nil {
		return RosterReport{}, err
	}
	return report, nil
}

// FormerRoster is StagedRoster for the one that the last import has replaced, of which UseRoster
// makes the same. ErrNotNow if there is none. Memberships that have ended stay so: see
// RosterConfig.Grace.
func (s *rosterLists) FormerRoster(ctx context.Context, name string) (RosterReport, error) {
	inForce, err := s.Store.Roster(ctx, name)
	if err != nil {
		return RosterReport{}, fmt.Errorf("read roster: %w", err)
	}
	report, err := s.StagedRoster(ctx, name, inForce.Previous)
	if err == nil && report.Replaces != inForce.Generation {
		err = ErrNotNow
	}
	return report, err
}

// Rosters returns the rosters of the policies, by name. One that was never imported has
// Generation zero.
func (s *rosterLists) Rosters(ctx context.Context) ([]storage.Roster, error) {
	var all []storage.Roster
	for _, name := range s.rosterNames() {
		r, err := s.Store.Roster(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read roster: %w", err)
		}
		r.Name = name
		all = append(all, r)
	}
	return all, nil
}

func (s *rosterLists) rosterNames() []string {
	names := map[string]bool{}
	for _, p := range s.Policies {
		for _, v := range p.Rule.verifiers() {
			if v.roster != nil {
				names[v.roster.Roster] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (s *rosterLists) swapRoster(ctx context.Context, name string, generation, replaced int64, by string) error {
	ctx = audit.ByDefault(ctx, "", name)
	err := s.inStep(ctx, func(ctx context.Context) error {
		return s.Store.SwapRoster(ctx, storage.Roster{Name: name, Generation: generation, ImportedAt: s.Clock(), ImportedBy: by}, replaced)
	}, provider.Event{Name: event.RosterImported, Detail: name})
	if errors.Is(err, storage.ErrChanged) {
		return ErrNotNow
	}
	if err != nil {
		return fmt.Errorf("swap roster: %w", err)
	}
	// What is cut off here is done by Run.
	if err := s.endVanished(ctx, name); batch.IsFailure(ctx, err) {
		s.Logger.WarnContext(ctx, "memberships of a roster have yet to end", "roster", name, "error", err)
	}
	return nil
}

// sweepRosters ends what the rosters in force no longer have, and removes what was staged
// and never used. It is called by Run.
func (s *rosterLists) sweepRosters(ctx context.Context) error {
	var failed []error
	for _, name := range s.rosterNames() {
		failed = append(failed, s.sweepVanished(ctx, name))
	}
	for {
		now, err := s.Provider.Rooms().People.CertainTime(ctx)
		removed := 0
		if err == nil {
			removed, err = s.Store.Trim(ctx, storage.Trim{Kind: storage.OldRosters, Before: now.Add(-day)}, rosterBatch)
		}
		if err != nil {
			return errors.Join(append(failed, fmt.Errorf("remove staged rosters: %w", err))...)
		}
		if removed == 0 {
			return errors.Join(failed...)
		}
	}
}

const (
	// sweepVanishedEvery is how often all members of a roster are compared with it although it
	// is the same: a case may have matched a row before it vanished, and be approved later.
	sweepVanishedEvery = time.Hour
	// sweepVanishedAfter is how long after an import they are compared in each round.
	sweepVanishedAfter = 10 * time.Minute
)

// sweepVanished calls endVanished where somebody may have vanished.
func (s *rosterLists) sweepVanished(ctx context.Context, name string) error {
	inForce, err := s.Store.Roster(ctx, name)
	if err != nil {
		return fmt.Errorf("read roster: %w", err)
	}
	now, err := s.Provider.Rooms().People.CertainTime(ctx)
	if err != nil {
		return err
	}
	last := rosterSweep{}
	if known, ok := s.swept.Load(name); ok {
		last = known.(rosterSweep)
	}
	ends := inForce.ImportedAt.Add(s.roster(name).Grace)
	if last.generation == inForce.Generation && now.Sub(last.at).Abs() < sweepVanishedEvery && now.Sub(ends).Abs() > sweepVanishedAfter {
		return nil
	}
	err = s.endVanished(ctx, name)
	if !now.Before(ends) && (err == nil || errors.As(err, new(*batch.Failed))) { // those that failed have their turn with all
		s.swept.Store(name, rosterSweep{inForce.Generation, now})
	}
	return err
}

// rosterSweep is when this process has compared the members with a generation of a roster.
type rosterSweep struct {
	generation int64
	at         time.Time
}

// endVanished ends the memberships of one roster whose rows are gone.
func (s *rosterLists) endVanished(ctx context.Context, name string) error {
	inForce, err := s.Store.Roster(ctx, name)
	if err != nil {
		return fmt.Errorf("read roster: %w", err)
	}
	if grace := s.roster(name).Grace; grace > 0 {
		if is, err := s.isPast(ctx, inForce.ImportedAt.Add(grace)); err != nil || !is {
			return err
		}
	}
	var failed error
	for _, group := range s.rosterGroups(name) {
		_, err := batch.Over(ctx, nil, 100,
			func(ctx context.Context, after storage.Digest, limit int) ([]storage.BoundFingerprint, error) {
				return s.Store.Fingerprints(ctx, group, rosterKind(name), after, limit, name)
			},
			func(g storage.BoundFingerprint) storage.Digest { return g.Digest },
			func(ctx context.Context, g storage.BoundFingerprint) error {
				// An undo in the meantime brings the rows back.
				if now, err := s.Store.Roster(ctx, name); err != nil || now.Generation != inForce.Generation {
					return cmp.Or(err, batch.ErrEnough)
				}
				if _, err := s.memberships.RevokeCase(ctx, g.CaseID, "not_found"); err != nil && !errors.Is(err, ErrNoCase) {
					return fmt.Errorf("case %s: end membership: %w", g.CaseID, err)
				}
				return nil
			})
		failed = errors.Join(failed, err)
	}
	return failed
}

// rosterTries is how often a person can look for a row, whatever the outcome: a stranger
// uses up nobody's but their own.
var rosterTries = provider.Limit{Burst: 10, Every: 30 * time.Minute}

// matchRoster implements lookup. Whatever the answer, the way to it is the same: a digest, a
// look at the limit, one query.
func (s *rosterLists) matchRoster(ctx context.Context, c *Case, name, value string) (rosterRow, bool, error) {
	digest := s.proofDigest(Fact{Kind: rosterKind(name), Value: value})
	if err := s.allowLookup(ctx, "verification roster", c.Subject, rosterTries); err != nil {
		return rosterRow{}, false, err
	}
	stored, err := s.Store.MatchRoster(ctx, name, []storage.Digest{digest})
	if errors.Is(err, storage.ErrNotFound) {
		return rosterRow{}, false, nil
	}
	if err != nil {
		return rosterRow{}, false, fmt.Errorf("match roster: %w", err)
	}
	var row rosterRow
	if err := s.unseal(sealedRoster, hex.EncodeToString(digest[:]), stored.Content, &row); err != nil {
		return rosterRow{}, false, err
	}
	if row.Canary {
		s.Provider.Rooms().Events.Note(ctx, provider.Event{Name: event.RosterCanary, UserID: c.Subject, Detail: name})
		s.Logger.WarnContext(ctx, "a canary of a roster was entered: the list is known elsewhere", "roster", name, "case", c.ID)
		return rosterRow{}, false, nil
	}
	return row, true, nil
}

// allowLookup counts a try of a person.
func (s *rosterLists) allowLookup(ctx context.Context, what, subject string, limit provider.Limit) error {
	err := s.allow(ctx, limited{what, subject, limit})
	if over := (LimitError{}); errors.As(err, &over) {
		return errTooMany
	}
	return err
}
