package verification

import (
	"context"
	"errors"
	"io"

	"github.com/bonafide-id/bonafide/storage"
)

// evidenceRoutes receive files.
func (s *Service) evidenceRoutes() []route { return nil }

// openEvidence opens evidence of a case.
func (s *Service) openEvidence(context.Context, storage.Case, string) (io.ReadCloser, error) {
	return nil, errors.ErrUnsupported
}

// sweepEvidence shreds evidence whose time has come, and deletes what is left of it.
func (s *Service) sweepEvidence(context.Context) {}
