package verification

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// companion is the service's part in the provider's user management.
type companion struct{ *Service }

// Duties implements host.Companion: nobody answers for anything here.
func (c companion) Duties(context.Context, string) ([]ui.Duty, error) { return nil, nil }

// exportedCase is a case in the file that a user downloads. Its facts and the decisions on
// the way are of the reviewers.
type exportedCase struct {
	ID        string    `json:"id"`
	Group     string    `json:"group"`
	State     string    `json:"state"`
	Method    string    `json:"method,omitempty"`
	Name      string    `json:"name,omitempty"`
	Reasons   []Reason  `json:"reasons,omitempty"`
	Subgroups []string  `json:"subgroups,omitempty"`
	Source    string    `json:"source,omitempty"`
	Until     time.Time `json:"until,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`

	Files []exportedFile `json:"files,omitempty"`
}

// exportedFile is a file that the user has submitted.
type exportedFile struct {
	Kind      string    `json:"kind"`
	MediaType string    `json:"media_type"`
	Size      int64     `json:"size"`
	AddedAt   time.Time `json:"added_at"`
	ShredAt   time.Time `json:"deleted_at"`
}

// Export implements host.Companion.
func (c companion) Export(ctx context.Context, userID string) (map[string]any, error) {
	list := []exportedCase{}
	filter := storage.CaseFilter{Subject: userID}
	for {
		page, err := c.Cases(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			exported, err := c.export(ctx, one)
			if err != nil {
				return nil, err
			}
			list = append(list, exported)
			filter.BeforeID = one.ID
		}
		if len(page) == 0 {
			return map[string]any{"verifications": list}, nil
		}
	}
}

func (c companion) export(ctx context.Context, one RecordedCase) (exportedCase, error) {
	e := exportedCase{
		ID: one.ID, Group: one.Group, State: string(one.State), Method: one.Method, Name: one.Claimed, CreatedAt: one.CreatedAt, EndedAt: one.EndedAt,
	}
	for _, reason := range one.Reasons {
		e.Reasons = append(e.Reasons, reason.Public())
	}
	if one.Member != nil && one.State == storage.CaseApproved {
		e.Subgroups, e.Source, e.Until = one.Member.Subgroups, one.Member.Source, one.Member.Until
	}
	files, err := c.Store.Evidence(ctx, storage.EvidenceID{CaseID: one.ID})
	if err != nil {
		return e, fmt.Errorf("read evidence: %w", err)
	}
	for _, f := range files {
		e.Files = append(e.Files, exportedFile{f.Kind, f.MediaType, f.Size, f.AddedAt, f.ShredAt})
	}
	return e, nil
}

// Forget implements host.Companion. What other sides have to delete is kept apart, for they
// may fail: nothing else tells afterwards what that is.
func (c companion) Forget(ctx context.Context, userID, pseudonym string) error {
	filter := storage.CaseFilter{Subject: userID}
	for {
		page, err := c.Store.Cases(ctx, filter)
		if err != nil {
			return fmt.Errorf("list cases: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, one := range page {
			filter.BeforeID = one.ID
			k, err := c.open(one)
			if err != nil { // a damaged record is deleted as well
				c.Logger.ErrorContext(ctx, "a case cannot be decrypted, so that no other side is asked to forget it")
				continue
			}
			if left := c.leave(one, k); len(left) > 0 {
				if err := c.Store.ForgetCase(ctx, one.ID, one.Version, left...); err != nil {
					return fmt.Errorf("forget case: %w", err)
				}
			}
		}
	}
	for {
		removed, err := c.Store.ForgetCases(ctx, userID, pseudonym, sweepBatch)
		if err != nil {
			return fmt.Errorf("forget cases: %w", err)
		}
		if removed == 0 {
			return nil
		}
	}
}

// RemoveEnded implements host.Companion.
func (c companion) RemoveEnded(ctx context.Context, now time.Time, limit int) (int, error) {
	removed, err := c.Store.Trim(ctx, storage.Trim{Kind: storage.OldCodes, Before: now.Add(-day)}, limit)
	if err != nil || removed > 0 {
		return removed, err
	}
	var endedBefore time.Time // proofs that are free go in any event
	if c.Keep > 0 {
		endedBefore = now.Add(-c.Keep)
	}
	return c.Store.Trim(ctx, storage.Trim{Kind: storage.OldCases, Before: endedBefore, Now: now}, limit)
}
