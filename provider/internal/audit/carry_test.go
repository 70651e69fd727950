package audit_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// lines is an audit log in memory. It carries out deeds only if carries is set.
type lines struct {
	names   []string
	carries bool
}

func (l *lines) AppendEvent(ctx context.Context, e storage.Event) error {
	if d := storage.DeedOf(ctx); d != nil && l.carries {
		if d.On.Matter != "open" && d.On.Matter != "" {
			return &storage.DeedError{Err: storage.ErrEnded}
		}
		d.Done()
	}
	l.names = append(l.names, e.Name+" "+e.Detail)
	return nil
}

func TestStep_ConditionWithoutDeeds(t *testing.T) {
	t.Parallel()
	conditions := map[string]storage.Actor{
		"Matter":  {Name: "staff:sue", On: storage.DeedBasis{Matter: "open", Staff: "sue", Subject: "alice"}},
		"Account": {Name: "staff:sue", On: storage.DeedBasis{Account: "alice", Epoch: 1}},
		"Target":  {Name: "staff:sue", Target: storage.TargetID{Plan: "plan", Number: 1}},
		"Break":   {Name: "staff:sue", Break: &storage.Break{}},
		"Answer":  {Name: "client:crm", Answer: &storage.Answer{}},
	}
	for name, actor := range conditions {
		t.Run(name, func(t *testing.T) {
			store, logged := &lines{}, &strings.Builder{}
			l := logOf(store, logged)
			done := false
			err := l.Step(audit.By(t.Context(), actor), func(context.Context) error { done = true; return nil }, storage.Event{Name: event.AccountDisabled})
			if !errors.Is(err, audit.ErrNoDeeds) || done {
				t.Errorf("done: %v, error %v", done, err)
			}
			if err := l.Write(audit.By(t.Context(), actor), storage.Event{Name: event.SupportLooked}); !errors.Is(err, audit.ErrNoDeeds) {
				t.Errorf("error %v of an event", err)
			}
			for _, line := range store.names {
				if line != "desk_refused store without deeds" {
					t.Errorf("line %q", line)
				}
			}
			if !strings.Contains(logged.String(), "does not carry out deeds") {
				t.Errorf("the operator is told %q", logged)
			}
		})
	}
}

func TestStep_DeedLostOnTheWay(t *testing.T) {
	t.Parallel()
	store, logged := &lines{carries: true}, &strings.Builder{}
	ctx := audit.By(t.Context(), storage.Actor{Name: "staff:sue", On: storage.DeedBasis{Matter: "open"}})
	err := logOf(store, logged).Step(ctx, func(context.Context) error { return nil }, storage.Event{Name: event.AccountDisabled})
	if !errors.Is(err, audit.ErrNoDeeds) || !strings.Contains(logged.String(), "has not carried out its deed") {
		t.Errorf("error %v, the operator is told %q", err, logged)
	}
	if len(store.names) != 1 || store.names[0] != "account_disabled " {
		t.Errorf("lines %q, want that of what has happened", store.names)
	}
}

func TestStep_WithoutConditions(t *testing.T) {
	t.Parallel()
	store, logged := &lines{}, &strings.Builder{}
	ctx := audit.By(t.Context(), storage.Actor{Name: "command:disable"})
	err := logOf(store, logged).Step(ctx, func(context.Context) error { return nil }, storage.Event{Name: event.AccountDisabled})
	if err != nil || len(store.names) != 1 || logged.Len() > 0 {
		t.Errorf("error %v, lines %q, logged %q", err, store.names, logged)
	}
}

func logOf(store *lines, logged *strings.Builder) *audit.Log {
	return audit.New(audit.Options{Store: store, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(logged, nil))})
}
