package operations

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// verbs are what a host, or its staff, does to a user or an application in one write.
func verbs(w *lab.Fixture) map[string]struct {
	do   func(ctx context.Context) error
	name string
} {
	type verb = struct {
		do   func(ctx context.Context) error
		name string
	}
	return map[string]verb{
		"Lock":        {func(ctx context.Context) error { return w.Accounts().SetDisabled(ctx, "alice", true) }, event.AccountDisabled},
		"Unlock":      {func(ctx context.Context) error { return w.Accounts().SetDisabled(ctx, "alice", false) }, event.AccountEnabled},
		"Reset":       {func(ctx context.Context) error { return w.Accounts().ResetAuthenticators(ctx, "alice") }, event.AuthenticatorsReset},
		"Revoke":      {func(ctx context.Context) error { return w.People().Revoke(ctx, "alice") }, event.Revoked},
		"EndSessions": {func(ctx context.Context) error { return w.People().EndSessions(ctx, "alice", "") }, event.SignedOut},
		"SetAttributes": {func(ctx context.Context) error {
			return w.People().SetAttributes(ctx, "alice", map[string]any{"fname": "Al"})
		}, event.AttributesChanged},
		"DeleteStatus":    {func(ctx context.Context) error { return w.People().DeleteStatus(ctx, "alice", "student") }, event.StatusEnded},
		"StopApplication": {func(ctx context.Context) error { return w.Clients().SetDisabled(ctx, "std", true, 0) }, event.ClientStopped},
		"RotateSecret": {func(ctx context.Context) error {
			_, err := w.Clients().RotateSecret(ctx, "std", time.Hour, 0)
			return err
		}, event.SecretChanged},
		"Write": {func(ctx context.Context) error {
			return w.Events().Record(ctx, provider.Event{Name: event.ValueShown, UserID: "alice"})
		}, event.ValueShown},
	}
}

func TestActor(t *testing.T) {
	t.Parallel()
	recorded := func(w *lab.Fixture, name string) []provider.RecordedEvent {
		t.Helper()
		events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: name}))(t)
		return slices.DeleteFunc(events, func(e provider.RecordedEvent) bool { return e.Actor != "staff:sam" })
	}
	open := func(w *lab.Fixture, id string) storage.Actor {
		t.Helper()
		m := storage.Matter{
			ID: id, Staff: "sam", Role: "support", Subject: "alice", Reason: "caller", OpenedAt: w.Now(), EndsAt: w.Now().Add(time.Hour),
		}
		testkit.OK(t, w.Store.(storage.Matters).OpenMatter(t.Context(), m))
		return storage.Actor{
			Name: "staff:sam", Matter: id, On: storage.DeedBasis{Matter: id, Staff: "sam", Subject: "alice", At: w.Now()},
		}
	}
	t.Run("IsInTheEventOfEveryVerb", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		actor := open(w, "m1")
		for name, v := range verbs(w) {
			before := len(recorded(w, v.name))
			if err := v.do(provider.By(t.Context(), actor)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			events := recorded(w, v.name)
			if len(events) != before+1 || events[0].Matter != "m1" {
				t.Errorf("%s: events %v, had %d", name, events, before)
			}
		}
	})
	t.Run("WritesNothingOnceTheMatterIsClosed", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		actor := open(w, "m1")
		testkit.OK(t, w.Store.(storage.Matters).CloseMatter(t.Context(), "m1", "sam", w.Now()))
		for name, v := range verbs(w) {
			if err := v.do(provider.By(t.Context(), actor)); !errors.Is(err, audit.ErrMatter) {
				t.Errorf("%s: %v", name, err)
			}
			if events := recorded(w, v.name); len(events) > 0 {
				t.Errorf("%s: events %v", name, events)
			}
		}
		if a, err := w.Accounts().Get(t.Context(), "alice"); err != nil || a.Disabled {
			t.Errorf("alice is locked: %v, error %v", a.Disabled, err)
		}
	})
	t.Run("IsAskedForProof", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		actor := open(w, "m1")
		actor.On.Proof = storage.MailboxProof
		if err := w.Accounts().SetDisabled(provider.By(t.Context(), actor), "alice", true); !errors.Is(err, audit.ErrProof) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("ActsOnTheAccountThatWasLookedAt", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		a, err := w.Store.Account(t.Context(), "alice")
		testkit.OK(t, err)
		actor := storage.Actor{Name: "staff:sam", On: storage.DeedBasis{Account: "alice", Epoch: a.Epoch, FactorsVersion: a.FactorsVersion}}
		ctx := provider.By(t.Context(), actor)
		testkit.OK(t, w.Accounts().SetDisabled(ctx, "alice", true))
		// The rest of the same act rests on what it has changed itself.
		if err := w.People().Revoke(ctx, "alice"); err != nil {
			t.Errorf("second write: %v", err)
		}
		_, err = w.Accounts().Save(provider.By(t.Context(), actor), provider.Account{ID: "alice", Email: "other@example.com"})
		if !errors.Is(err, provider.ErrChanged) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("IsNobodyForTheHost", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		testkit.OK(t, w.Accounts().SetDisabled(t.Context(), "alice", true))
		events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.AccountDisabled})
		if err != nil || len(events) != 1 || events[0].Actor != "" {
			t.Errorf("events %v, error %v", events, err)
		}
	})
}
