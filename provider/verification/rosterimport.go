package verification

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// RosterReport says what putting a staged roster in force changes.
type RosterReport struct {
	Roster string

	// Generation is the staged one, Replaces the one in force, or zero: UseRoster takes both.
	Generation, Replaces int64

	// Rows are those of the staged roster, canaries included, and InForce those of the one
	// in force.
	Rows, InForce int

	// Added are rows that are not in force, Vanished those in force that are not staged.
	Added, Vanished int

	// Skipped are rows of the file in which something of a member is missing or cannot be
	// read, zero for the former roster. Repeated are those that the file has already had: only
	// StageRoster knows them.
	Skipped, Repeated int

	// Skips are the first ten rows that were skipped, and Sample the first three as they are
	// understood, in the order of the columns: show them to who sends the file. Only StageRoster
	// knows both.
	Skips  []RosterSkip
	Sample [][]string
}

// ManyVanish reports whether more than a fifth of the rows in force would vanish, which looks
// like a wrong file: UseRoster then wants to be told that this is meant.
func (r RosterReport) ManyVanish() bool { return r.Vanished*5 > r.InForce }

// ManySkipped reports whether more than a tenth of the rows were skipped, which looks like a
// file in another form: UseRoster then wants to be told that this is meant.
func (r RosterReport) ManySkipped() bool { return r.Skipped*9 > r.Rows }

// ErrManySkipped means that more than a tenth of the rows of a roster were skipped.
var ErrManySkipped = errors.New("verification: more than a tenth of the rows were skipped")

// ErrManyVanish means that more than a fifth of the rows of a roster would vanish.
var ErrManyVanish = errors.New("verification: more than a fifth of the rows would vanish")

// ErrNoRoster means that no policy has a roster with this name.
var ErrNoRoster = errors.New("verification: no policy has such a roster")

// ImportRoster puts a file in force in place of the roster of its name. It is StageRoster
// and UseRoster in one step, for programs that do so every night: unless certain is true it
// fails with ErrManyVanish and ErrManySkipped as that does, and changes nothing.
func (s *rosterLists) ImportRoster(ctx context.Context, f RosterFile, by string, certain bool) (RosterReport, error) {
	report, err := s.StageRoster(ctx, f)
	if err != nil {
		return report, err
	}
	return report, s.UseRoster(ctx, RosterUse{
		Roster: report.Roster, Generation: report.Generation, Replaces: report.Replaces, By: by, ManyVanish: certain, ManySkipped: certain,
	})
}

// rosterBatch is how many rows are staged at once.
const rosterBatch = 1000

// StageRoster reads a file and reports what it would change, but changes nothing: UseRoster
// does, within a day. A file that is none of this roster is a RosterFileError.
func (s *rosterLists) StageRoster(ctx context.Context, f RosterFile) (RosterReport, error) {
	r := s.roster(f.Roster)
	if r == nil {
		return RosterReport{}, ErrNoRoster
	}
	report := RosterReport{Roster: f.Roster, Generation: newGeneration()}
	batch, err := s.canaries(r, f)
	if err != nil {
		return RosterReport{}, err
	}
	reader, err := r.newReader(f, s.subgroupsOf(f.Roster), &report.Sample)
	if err != nil {
		return RosterReport{}, err
	}
	staged, line := len(batch), []provider.Event{{Name: event.RosterStaged, Detail: f.Roster}}
	ctx = audit.ByDefault(ctx, "", f.Roster)
	for {
		m, err := reader.Next()
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return RosterReport{}, fileError(err)
		}
		if ended || len(batch) == rosterBatch {
			if len(batch) > 0 {
				skipped := reader.Skipped() - report.Skipped
				err := s.inStep(ctx, func(ctx context.Context) error {
					return s.Store.StageRoster(ctx, f.Roster, report.Generation, batch, skipped, s.Clock())
				}, line...)
				if err != nil {
					return RosterReport{}, fmt.Errorf("stage roster: %w", err)
				}
				line, report.Skipped = nil, report.Skipped+skipped // the line is of the first rows
			}
			if ended {
				break
			}
			batch = batch[:0]
		}
		row, err := s.rosterRow(r, m.Value, rosterRow{Subgroup: m.Subgroup, Until: m.Until})
		if err != nil {
			return RosterReport{}, err
		}
		batch = append(batch, row)
		staged++
	}
	if staged == len(f.Canaries) {
		return RosterReport{}, &RosterFileError{0, errors.New("has no member")}
	}
	for _, skip := range reader.Skips() {
		report.Skips = append(report.Skips, RosterSkip(skip))
	}
	if err := s.compare(ctx, &report); err != nil {
		return RosterReport{}, err
	}
	report.Repeated = staged - report.Rows
	return report, nil
}

// compare counts what a staged roster changes.
func (s *rosterLists) compare(ctx context.Context, report *RosterReport) error {
	inForce, err := s.Store.Roster(ctx, report.Roster)
	if err != nil {
		return fmt.Errorf("read roster: %w", err)
	}
	change, err := s.Store.CompareRoster(ctx, report.Roster, report.Generation)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNotNow
	}
	if err != nil {
		return fmt.Errorf("compare roster: %w", err)
	}
	report.Replaces, report.InForce = inForce.Generation, inForce.Rows
	report.Rows, report.Added, report.Vanished, report.Skipped = change.Rows, change.Added, change.Vanished, change.Skipped
	if report.Generation == inForce.Previous {
		report.Skipped = 0 // it was in force: that was meant
	}
	return nil
}

// canaries are the rows of nobody. They come first, because the first of equal rows counts.
func (s *rosterLists) canaries(r *roster, f RosterFile) ([]storage.RosterRow, error) {
	if len(f.Canaries) >= rosterBatch {
		return nil, &RosterFileError{0, fmt.Errorf("there are more than %d canaries", rosterBatch-1)}
	}
	var rows []storage.RosterRow
	for i, canary := range f.Canaries {
		value, ok := r.value(func(c RosterColumn) string { return canary[c.Name] })
		if !ok {
			return nil, &RosterFileError{0, fmt.Errorf("canary %d lacks a column", i+1)}
		}
		row, err := s.rosterRow(r, value, rosterRow{Canary: true})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

const sealedRoster = "roster"

// rosterRow returns a row as the store has it: whoever copies its content to another row
// cannot open it there.
func (s *rosterLists) rosterRow(r *roster, value string, row rosterRow) (storage.RosterRow, error) {
	content, err := json.Marshal(row)
	if err != nil {
		return storage.RosterRow{}, fmt.Errorf("encode row: %w", err)
	}
	digest := s.proofDigest(Fact{Kind: r.kind(), Value: value})
	return storage.RosterRow{Digest: digest, Content: s.Provider.Rooms().People.Seal(sealedRoster, hex.EncodeToString(digest[:]), content)}, nil
}

// newGeneration returns a random number above zero.
func newGeneration() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.BigEndian.Uint64(b[:])>>1 | 1)
}

// roster returns the roster with a name, or nil.
func (s *rosterLists) roster(name string) *roster {
	for _, p := range s.Policies {
		for _, v := range p.Rule.verifiers() {
			if v.roster != nil && v.roster.Roster == name {
				return v.roster
			}
		}
	}
	return nil
}

// rosterGroups returns the groups in which a roster verifies.
func (s *rosterLists) rosterGroups(name string) (groups []string) {
	for _, p := range s.Policies {
		if slices.ContainsFunc(p.Rule.verifiers(), func(v *Verifier) bool { return v.roster != nil && v.roster.Roster == name }) {
			groups = append(groups, p.Group)
		}
	}
	return groups
}

// subgroupsOf reports whether a subgroup is one of a group of the roster.
func (s *rosterLists) subgroupsOf(name string) func(string) bool {
	known := map[string]bool{}
	for _, g := range s.Provider.Rooms().Installation().Groups {
		if slices.Contains(s.rosterGroups(name), g.Name) {
			for _, subgroup := range g.Subgroups {
				known[subgroup] = true
			}
		}
	}
	return func(subgroup string) bool { return known[subgroup] }
}
