package verification

import (
	"context"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// inStep makes a write and records events in its step; after it, if the service has a store of
// its own.
func (s *core) inStep(ctx context.Context, write func(context.Context) error, events ...provider.Event) error {
	return s.Provider.Rooms().Events.WriteIn(ctx, s.Store, write, events...)
}

// reviewing returns the context of what a reviewer does in a case, which is the matter of its lines.
func reviewing(ctx context.Context, by storage.Reviewer, caseID string) context.Context {
	return audit.ByDefault(ctx, "staff:"+by.ID, caseID)
}

// byItself is the context of what becomes of a case without whoever looks at it.
func byItself(ctx context.Context) context.Context { return provider.By(ctx, storage.Actor{}) }
