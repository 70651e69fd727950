package signals

import (
	"context"
	"log/slog"
)

// Source is work that is looked for at a ring, and each second: another process may have made some.
type Source struct {
	// What names it in the log of the operator.
	What string

	// Do does some of it, and reports whether there may be more.
	Do func(ctx context.Context) (more bool, err error)
}

// Loop does the work of sources until ctx ends. One that fails holds up no other.
func Loop(ctx context.Context, bell *Bell, logger *slog.Logger, sources []Source) {
	failing := make([]bool, len(sources))
	for ctx.Err() == nil {
		ring, again := bell.Hear(), false
		for i, s := range sources {
			more, err := s.Do(ctx)
			if err != nil && !failing[i] && ctx.Err() == nil {
				logger.ErrorContext(ctx, "background task failed; will retry", slog.String("task", s.What), slog.Any("error", err))
			}
			failing[i] = err != nil
			again = again || more && err == nil
		}
		if !again {
			wait(ctx, ring, tick)
		}
	}
}
