package verification

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/bonafide-id/bonafide/storage"
)

// Evidence returns the files of a case, the earliest first, shredded ones included. ErrNoCase
// if there is no such case.
func (s *evidenceFiles) Evidence(ctx context.Context, caseID string) ([]EvidenceFile, error) {
	c, err := s.Store.Case(ctx, caseID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNoCase
	}
	if err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	return s.files(ctx, c, true)
}

// OpenEvidence opens a file for a reviewer who has taken its case, which the caller closes.
// A JPEG or PNG has been drawn anew. A PDF is as it was sent: it is served as an attachment
// only, never shown within a page. ErrForbidden if the reviewer has not taken the case, or
// for a time that is over; ErrNoEvidence if the file is another case's, or is shredded. Whoever shows
// it records that before (event.EvidenceOpened), as package desk does.
func (s *evidenceFiles) OpenEvidence(ctx context.Context, by storage.Reviewer, caseID, id string) (EvidenceFile, io.ReadCloser, error) {
	c, err := s.Store.Case(ctx, caseID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return EvidenceFile{}, nil, ErrNoCase
	case err != nil:
		return EvidenceFile{}, nil, fmt.Errorf("read case: %w", err)
	case by.ID == "" || c.TakenBy != by.ID || !s.Clock().Before(c.TakenUntil):
		return EvidenceFile{}, nil, ErrForbidden
	case c.Subject == by.ID || c.Subject == by.Subject: // whatever the store has let through
		return EvidenceFile{}, nil, ErrForbidden
	}
	e, content, err := s.openFile(ctx, c, id)
	if err != nil {
		return EvidenceFile{}, nil, err
	}
	return EvidenceFile{ID: e.ID, Kind: e.Kind, MediaType: e.MediaType, Size: e.Size, AddedAt: e.AddedAt, ShredAt: e.ShredAt, HeldUntil: e.HeldUntil}, content, nil
}
