package provider_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// sealedTrail returns a provider whose audit log has a closed block of some lines about alice and bob.
func sealedTrail(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	w := lab.New(t, change...).WithClients().WithUsers()
	w.Alice()
	for _, disabled := range []bool{true, false} {
		w.OK(w.Accounts().SetDisabled(t.Context(), "bob", disabled))
	}
	w.Advance(11 * time.Minute)
	w.Maintain(t.Context())
	return w
}

func verifyTrail(t *testing.T, w *lab.Fixture, anchors ...provider.Checkpoint) *provider.Finding {
	t.Helper()
	v := testkit.Must(w.Trail().Verify(t.Context(), anchors...))(t)
	return v.Finding
}

func TestTrail(t *testing.T) {
	t.Parallel()
	t.Run("IsSealedWithinTenMinutes", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		w.Maintain(t.Context())
		if _, err := w.Trail().Checkpoint(t.Context()); !errors.Is(err, provider.ErrNoCheckpoint) {
			t.Errorf("error %v", err)
		}
		w.Advance(11 * time.Minute)
		w.Maintain(t.Context())
		c, err := w.Trail().Checkpoint(t.Context())
		if err != nil || c.Size != 1 || !bytes.Contains(c.Signed, []byte("/oidc/trail\n1\n")) {
			t.Errorf("checkpoint %+v, error %v", c, err)
		}
		if s, err := w.Rooms().Trail.State(t.Context()); err != nil || s.Blocks != 1 || !s.LateSince.IsZero() || !s.VerifiedAt.IsZero() {
			t.Errorf("state %+v, error %v", s, err)
		}
	})
	t.Run("IsAsItWasSealed", func(t *testing.T) {
		w := sealedTrail(t)
		if f := verifyTrail(t, w); f != nil {
			t.Error(f)
		}
		s, err := w.Rooms().Trail.State(t.Context())
		if err != nil || s.VerifiedAt.Before(s.SealedAt) || s.Wrong != "" {
			t.Errorf("state %+v, error %v", s, err)
		}
		w.MustExec(`UPDATE events SET detail = 'passkey' WHERE name = 'sign_in'`)
		f := verifyTrail(t, w)
		if f == nil || f.Block != 1 || f.Line == 0 || f.Cause != "the line was changed" {
			t.Errorf("found %+v", f)
		}
		if !strings.Contains(w.Log.String(), "the audit log is not what was sealed") || !w.Saw(event.TrailBroken) {
			t.Error("nobody is told")
		}
		if s, err := w.Rooms().Trail.State(t.Context()); err != nil || !strings.Contains(s.Wrong, "the line was changed") {
			t.Errorf("state %+v, error %v", s, err)
		}
	})
	t.Run("IsAsItWasSealedAfterADeletion", func(t *testing.T) {
		w := sealedTrail(t)
		w.OK(w.Accounts().Delete(t.Context(), "alice"))
		if f := verifyTrail(t, w); f != nil {
			t.Error(f)
		}
		w.MustExec(`DELETE FROM events WHERE name = 'account_deleted'`)
		if f := verifyTrail(t, w); f == nil || f.Cause != "the line was rewritten as if its person had been deleted" {
			t.Errorf("found %+v", f)
		}
	})
	t.Run("IsAsItWasSealedAfterASweep", func(t *testing.T) {
		w := sealedTrail(t, func(c *provider.Config) { c.KeepEvents = 24 * time.Hour })
		before := testkit.Must(w.Trail().Checkpoint(t.Context()))(w.T)
		for range 4 {
			w.Advance(25 * time.Hour)
			w.AgreeOnTime()
			w.Maintain(t.Context())
		}
		if f := verifyTrail(t, w, before); f != nil {
			t.Error(f)
		}
		blocks, err := w.Rooms().Trail.Blocks(t.Context(), storage.BlockFilter{After: -1})
		if err != nil || len(blocks) < 2 || !blocks[0].Removed || blocks[0].Names[event.SignedIn] != 1 {
			t.Errorf("blocks %+v, error %v", blocks, err)
		}
		if !w.Saw(event.EventsRemoved) {
			t.Error("no line says so")
		}
		w.MustExec(`DELETE FROM events WHERE name = 'events_removed'`)
		if f := verifyTrail(t, w); f == nil {
			t.Error("nothing found")
		}
	})
	t.Run("KeepsItsKeysWithAnotherSecret", func(t *testing.T) {
		w := sealedTrail(t)
		c := testkit.Must(w.Trail().Checkpoint(t.Context()))(w.T)
		other := w.Twin(func(cfg *provider.Config) {
			cfg.PreviousSecrets, cfg.Secret = [][]byte{cfg.Secret}, []byte("a secret of other random bytes: 1f9Qz7")
		})
		if other.Trail().VerifierKey() != w.Trail().VerifierKey() {
			t.Error("another key")
		}
		if f := verifyTrail(t, other, c); f != nil {
			t.Error(f)
		}
	})
	t.Run("IsTakenElsewhere", func(t *testing.T) {
		w := sealedTrail(t)
		taken := make(chan provider.Checkpoint, 1)
		w.Trail().AnchorWith(func(_ context.Context, c provider.Checkpoint) error {
			taken <- c
			return nil
		})
		w.OK(w.GuardTrail(t.Context()))
		c := <-taken
		if s, err := w.Rooms().Trail.State(t.Context()); err != nil || !s.HasAnchor || s.AnchoredAt.Before(s.SealedAt) {
			t.Errorf("state %+v, error %v", s, err)
		}
		w.MustExec(`DELETE FROM event_blocks`)
		if f := verifyTrail(t, w, c); f == nil || f.Cause != "the log ends here, before the checkpoint: it was rolled back" {
			t.Errorf("found %+v", f)
		}
		forged := c
		forged.Signed = bytes.Replace(c.Signed, []byte("\n1\n"), []byte("\n2\n"), 1)
		if _, err := w.Trail().Verify(t.Context(), forged); !errors.Is(err, provider.ErrCheckpoint) {
			t.Errorf("error %v", err)
		}
	})
}

// TestTrailIsGuarded lets weeks pass.
func TestTrailIsGuarded(t *testing.T) {
	t.Parallel()
	verified := func(t *testing.T, w *lab.Fixture) time.Time {
		t.Helper()
		w.OK(w.GuardTrail(t.Context()))
		s := testkit.Must(w.Rooms().Trail.State(t.Context()))(w.T)
		return s.VerifiedAt
	}
	t.Run("IsVerifiedOnceAWeek", func(t *testing.T) {
		w := sealedTrail(t)
		if at := verified(t, w); !at.IsZero() {
			t.Errorf("verified at %v, in its first week", at)
		}
		w.Advance(7 * 24 * time.Hour)
		first := verified(t, w)
		if first.IsZero() {
			t.Fatal("not verified after a week")
		}
		w.Advance(6 * 24 * time.Hour)
		if at := verified(t, w); !at.Equal(first) {
			t.Errorf("verified again at %v", at)
		}
		w.Advance(24 * time.Hour)
		if at := verified(t, w); !at.After(first) {
			t.Error("not verified after another week")
		}
	})
	t.Run("TellsOfAChangeWithinAWeek", func(t *testing.T) {
		w := sealedTrail(t)
		w.MustExec(`UPDATE events SET detail = 'passkey' WHERE name = 'sign_in'`)
		w.Advance(7 * 24 * time.Hour)
		if verified(t, w).IsZero() || !w.Saw(event.TrailBroken) || !strings.Contains(w.Log.String(), "the audit log is not what was sealed") {
			t.Error("nobody is told")
		}
	})
	t.Run("IsLateAfterAnHour", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.Alice()
		late := func() time.Time {
			s := testkit.Must(w.Rooms().Trail.State(t.Context()))(w.T)
			return s.LateSince
		}
		w.Advance(50 * time.Minute)
		if since := late(); !since.IsZero() {
			t.Errorf("late since %v", since)
		}
		w.Advance(11 * time.Minute)
		if late().IsZero() {
			t.Error("not late after an hour")
		}
		w.Maintain(t.Context())
		if since := late(); !since.IsZero() {
			t.Errorf("late since %v, though it is sealed", since)
		}
	})
}

// TestAnchorThatFails has an anchor that takes nothing beside one that does.
func TestAnchorThatFails(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	t.Cleanup(func() { close(hung) })
	for _, c := range []struct {
		name   string
		anchor func(context.Context, provider.Checkpoint) error
	}{
		{"WithAnError", func(context.Context, provider.Checkpoint) error { return errors.New("the bucket is gone") }},
		{"WithAPanic", func(context.Context, provider.Checkpoint) error { panic("the bucket is gone") }},
		{"AfterItsTime", func(ctx context.Context, _ provider.Checkpoint) error { <-ctx.Done(); return ctx.Err() }},
		{"AndHangs", func(context.Context, provider.Checkpoint) error { <-hung; return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := sealedTrail(t)
			var calls, taken atomic.Int32
			w.Trail().AnchorWith(func(ctx context.Context, p provider.Checkpoint) error { calls.Add(1); return c.anchor(ctx, p) })
			w.Trail().AnchorWith(func(context.Context, provider.Checkpoint) error { taken.Add(1); return nil })
			w.Advance(8 * 24 * time.Hour)
			for range 2 {
				if err := w.GuardTrail(t.Context()); err == nil || !strings.Contains(err.Error(), "take checkpoint elsewhere") {
					t.Errorf("error %v", err)
				}
			}
			if want := map[bool]int32{true: 1, false: 2}[c.name == "AndHangs"]; calls.Load() != want || taken.Load() != 2 {
				t.Errorf("called %d times, the other %d times", calls.Load(), taken.Load())
			}
			s, err := w.Rooms().Trail.State(t.Context())
			if err != nil || !s.AnchoredAt.IsZero() || s.VerifiedAt.IsZero() || s.Wrong != "" {
				t.Errorf("state %+v, error %v", s, err)
			}
		})
	}
}

// TestTrailOnPostgreSQL seals, verifies and changes the audit log where steps run beside each other.
func TestTrailOnPostgreSQL(t *testing.T) {
	t.Parallel()
	store := testkit.Must(postgres.Open(t.Context(), pgtest.Shared(t).Schema(t)))(t)
	w := sealedTrail(t, func(c *provider.Config) { c.Store = store })
	c := testkit.Must(w.Trail().Checkpoint(t.Context()))(w.T)
	w.OK(w.Accounts().Delete(t.Context(), "alice"))
	if f := verifyTrail(t, w, c); f != nil || c.Size != 1 {
		t.Errorf("%d blocks, found %+v", c.Size, f)
	}
	w.Advance(11 * time.Minute)
	w.Maintain(t.Context())
	later := testkit.Must(w.Trail().Checkpoint(t.Context()))(w.T)
	if f := verifyTrail(t, w, c, later); f != nil || later.Size != 2 {
		t.Errorf("%d blocks, found %+v", later.Size, f)
	}
	other := lab.New(t) // with the secret of the first, and another log
	if _, err := other.Trail().Verify(t.Context(), later); !errors.Is(err, provider.ErrCheckpoint) {
		t.Errorf("the checkpoint of another log: error %v", err)
	}
}
