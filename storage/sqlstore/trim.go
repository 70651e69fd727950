package sqlstore

import (
	"context"
	"fmt"

	"github.com/bonafide-id/bonafide/storage"
)

var trims = map[storage.TrimKind]func(s *Store, ctx context.Context, t storage.Trim, limit int) (int, error){
	storage.OldChanges:        (*Store).trimChanges,
	storage.OldLog:            (*Store).trimOldLog,
	storage.SurplusLog:        (*Store).trimSurplusLog,
	storage.OldPlans:          (*Store).trimPlans,
	storage.OldMatters:        (*Store).trimMatters,
	storage.OldEvents:         (*Store).trimEvents,
	storage.OldCases:          (*Store).trimCases,
	storage.OldCodes:          (*Store).trimVerificationCodes,
	storage.OldRosters:        (*Store).trimRosters,
	storage.AllOneTimeCodes:   (*Store).trimOneTimeCodes,
	storage.AllPushedRequests: (*Store).trimPushedRequests,
}

// Trim implements storage.Trims.
func (s *Store) Trim(ctx context.Context, t storage.Trim, limit int) (int, error) {
	trim, known := trims[t.Kind]
	if !known {
		return 0, fmt.Errorf("sqlstore: no %q can be trimmed", t.Kind)
	}
	return trim(s, ctx, t, limit)
}
