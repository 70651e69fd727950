package upkeep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// reading is a store in which it takes a second to read a block.
type reading struct {
	storage.Store
	read int
}

func (s *reading) BlockEvents(ctx context.Context, number int64) ([]storage.Event, []storage.Erasure, error) {
	time.Sleep(time.Second)
	s.read++
	return s.Store.BlockEvents(ctx, number)
}

// sealedLog is an upkeep over a log of so many blocks, of ten lines each: eight of amy between two of ann.
func sealedLog(t *testing.T, store storage.Store, blocks int) *Upkeep {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		testkit.OK(t, err)
	}
	keys, err := trail.NewKeys("https://id.example.com", func(purpose string) ([]byte, error) {
		key := sha256.Sum256([]byte(purpose))
		return key[:], nil
	})
	ok(err)
	now := time.Now()
	for range blocks {
		lines := slices.Repeat([]storage.Event{{At: now, Name: "sign_in", Subject: "ann", Address: "192.0.2.0/24"}}, 10)
		for i := range lines[1:9] {
			lines[1+i].Subject = "amy"
		}
		ok(store.AppendEvent(storage.WithDeed(t.Context(), &storage.Deed{Events: lines[1:]}), lines[0]))
		sealed, err := store.SealEvents(t.Context(), 10, now, keys.Seal(now))
		ok(err)
		if !sealed {
			t.Fatal("no block")
		}
	}
	quiet := slog.New(slog.DiscardHandler)
	return &Upkeep{Options: Options{Companions: new(host.Companions), Store: store, Trail: keys, Clock: time.Now, Logger: quiet, Audit: audit.New(audit.Options{
		Store: store, Clock: time.Now, Logger: quiet,
	})}}
}

func TestVerificationOfRun(t *testing.T) {
	t.Run("RestsForAsLongAsItReads", func(t *testing.T) {
		store := open(t)
		synctest.Test(t, func(t *testing.T) {
			slow := &reading{Store: store}
			u := sealedLog(t, store, 5)
			u.Store = slow
			if err := u.verifyIfDue(t.Context()); err != nil || slow.read != 0 {
				t.Errorf("before it is due: %d blocks are read, %v", slow.read, err)
			}
			time.Sleep(verifyEvery)
			begin := time.Now()
			if err := u.verifyIfDue(t.Context()); err != nil || slow.read != 5 {
				t.Errorf("%d blocks are read, %v", slow.read, err)
			}
			if took := time.Since(begin); took != 10*time.Second {
				t.Errorf("it took %s, want as much rest as work", took)
			}
			if err := u.verifyIfDue(t.Context()); err != nil || slow.read != 5 {
				t.Errorf("once more: %d blocks are read, %v", slow.read, err)
			}
		})
	})
	t.Run("EndsInARest", func(t *testing.T) {
		store := open(t)
		synctest.Test(t, func(t *testing.T) {
			slow := &reading{Store: store}
			u := sealedLog(t, store, 5)
			u.Store = slow
			time.Sleep(verifyEvery)
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			if err := u.verifyIfDue(ctx); !errors.Is(err, context.DeadlineExceeded) || slow.read != 1 {
				t.Errorf("%d blocks are read, %v", slow.read, err)
			}
			if last, _, err := u.LastVerified(t.Context()); last.ID != 0 || err != nil {
				t.Errorf("recorded: %v, %v", last, err)
			}
		})
	})
}

// removing is a store that asks before it removes who is deleted.
type removing struct {
	storage.Store
	before func(subject string) error
}

func (s removing) RemoveDeparted(ctx context.Context, d storage.Departed, erase storage.Erase) (bool, error) {
	if err := s.before(d.Subject); err != nil {
		return false, err
	}
	return s.Store.RemoveDeparted(ctx, d, erase)
}

// Who is deleted and has many lines is removed by Run, whoever began that.
func TestRunRemovesWhoIsDeleted(t *testing.T) {
	store := open(t)
	u := sealedLog(t, store, 40)
	slowly := func(e storage.Event) storage.Erasure { // so that a step has time for few
		var digest [32]byte
		for range 8000 {
			digest = sha256.Sum256(digest[:])
		}
		return u.Trail.Erase(e)
	}
	for _, who := range []string{"amy", "ann"} {
		_, err := audit.StepIf(t.Context(), u.Audit, func(ctx context.Context) (bool, error) {
			return store.DeleteAccount(ctx, who, "deleted-"+who, slowly)
		}, storage.Event{Name: event.AccountDeleted, Subject: "deleted-" + who})
		testkit.OK(t, err)
	}
	departed, err := store.Departed(t.Context(), "", 10)
	if err != nil || len(departed) != 2 {
		t.Fatalf("%v, %v", departed, err)
	}
	isWhole := func() {
		t.Helper()
		if v, err := u.VerifyTrail(t.Context(), nil); err != nil || v.Finding != nil {
			t.Fatalf("the log: %v, %v", v.Finding, err)
		}
	}
	isWhole()
	u.Store = removing{store, func(subject string) error {
		isWhole()
		if subject == "amy" {
			return errors.New("a row of hers is damaged")
		}
		return nil
	}}
	u.removeDeparted(t.Context())
	isWhole()
	if departed, err = store.Departed(t.Context(), "", 10); err != nil || len(departed) != 1 || departed[0].Subject != "amy" {
		t.Errorf("%v, %v; want the one who cannot be removed", departed, err)
	}
	for number := int64(1); number <= 40; number++ {
		events, _, err := store.BlockEvents(t.Context(), number)
		testkit.OK(t, err)
		if fmt.Sprint(events[0].Subject, events[9].Subject, events[0].Address) != "deleted-anndeleted-ann" {
			t.Fatalf("block %d names %q", number, events[0].Subject)
		}
	}
}

func open(t *testing.T) storage.Store {
	t.Helper()
	store := testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db")))(t)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}
