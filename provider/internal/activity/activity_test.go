package activity

import (
	"log/slog"
	"testing"
	"time"
)

func TestARequestThatNobodyWatchesCostsNothing(t *testing.T) {
	log, ctx := New(time.Now, slog.New(slog.DiscardHandler)), t.Context()
	if n := testing.AllocsPerRun(100, func() { log.Succeeded(ctx, Userinfo, Party{"client", "alice"}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
