package plans

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const sentence = "The caller is robbed right now, and nobody else is here."

// alone has olga lock somebody alone.
func (w *place) alone(target string) (storage.Break, error) {
	w.T.Helper()
	e, err := w.check(w.T.Context(), action.Order{Target: target})
	w.OK(err)
	_, err = w.Break(w.T.Context(), w.member("olga"), Alone{Action: action.Lock, Target: target, Revision: e.Revision, Sentence: sentence})
	if err != nil {
		return storage.Break{}, err
	}
	breaks, err := w.store.Breaks(w.T.Context(), storage.BreakFilter{Open: true, Limit: 1})
	if err != nil || len(breaks) != 1 {
		w.T.Fatalf("breaks: %v, %v", breaks, err)
	}
	return breaks[0], nil
}

func TestBreak(t *testing.T) {
	t.Run("IsDoneToldAndSignedOff", func(t *testing.T) {
		w := newPlace(t, 0)
		var told []frame.Alarm
		w.alarm = func(_ context.Context, a frame.Alarm) error { told = append(told, a); return nil }
		b := testkit.Must(w.alone("sam"))(w.T)
		if b.Staff != "olga" || b.Action != action.Lock || b.Target != "sam" || !b.Told || strings.Contains(string(b.Sentence), "robbed") {
			t.Errorf("break: %+v", b)
		}
		if w.sentence(t.Context(), b) != sentence {
			t.Error("the sentence is not what was typed")
		}
		if len(told) != 1 || told[0].Sentence != sentence || told[0].Kind != frame.AlarmBreak || told[0].Target != "sam" {
			t.Errorf("told: %+v", told)
		}
		if err := w.SignOff(t.Context(), w.member("olga"), b.ID); !errors.Is(err, ErrOwn) {
			t.Errorf("own break: %v", err)
		}
		if err := w.SignOff(t.Context(), w.member("sam"), b.ID); !errors.Is(err, ErrForbidden) {
			t.Errorf("support: %v", err)
		}
		w.OK(w.SignOff(t.Context(), w.member("oleg"), b.ID))
		if err := w.SignOff(t.Context(), w.member("otto"), b.ID); !errors.Is(err, ErrOver) {
			t.Errorf("again: %v", err)
		}
		want := []string{"account_disabled sam by staff:olga", "break_made sam by staff:olga", "break_signed_off  by staff:oleg"}
		if diff := cmp.Diff(want, w.lines()); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
	t.Run("IsRefused", func(t *testing.T) {
		w := newPlace(t, 1)
		for name, tt := range map[string]struct {
			by, target, sentence string
			err                  error
		}{
			"ToSupport":    {"sam", "p1", sentence, ErrForbidden},
			"OnOneself":    {"olga", "olga", sentence, ErrOwn},
			"ShortReason":  {"olga", "p1", "because", nil},
			"LongReason":   {"olga", "p1", strings.Repeat("é", maxSentence+1), nil},
			"ReasonOfAir":  {"olga", "p1", strings.Repeat(" ", 40), nil},
			"WrongLetters": {"olga", "p1", strings.Repeat("\xff", 40), nil},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := w.Break(t.Context(), w.member(tt.by), Alone{Action: action.Lock, Target: tt.target, Sentence: tt.sentence})
				var wrong *provider.FieldError
				if tt.err != nil && !errors.Is(err, tt.err) || tt.err == nil && (!errors.As(err, &wrong) || wrong.Field != "sentence") {
					t.Errorf("got %v", err)
				}
			})
		}
	})
	t.Run("OfWhatFailedIsNone", func(t *testing.T) {
		w := newPlace(t, 1)
		_, err := w.Break(t.Context(), w.member("olga"), Alone{Action: action.Lock, Target: "p1", Revision: "0", Sentence: sentence})
		if !errors.Is(err, provider.ErrChanged) {
			t.Errorf("got %v", err)
		}
		if breaks, err := w.store.Breaks(t.Context(), storage.BreakFilter{Limit: 1}); err != nil || len(breaks) != 0 {
			t.Errorf("breaks: %v, %v", breaks, err)
		}
	})
}

// Attack 22: a break that nobody signs off, and a host that hangs when it is told.
func TestBreakThatNobodySignsOff(t *testing.T) {
	w := newPlace(t, 1)
	w.alarm = func(ctx context.Context, _ frame.Alarm) error { panic("the pager is broken") }
	b := testkit.Must(w.alone("p1"))(w.T)
	if b.Told {
		t.Error("it is said that the host was told")
	}
	w.Advance(Overdue - time.Minute)
	if w.isOverdue(b) {
		t.Error("it is overdue too early")
	}
	w.Advance(time.Minute)
	if !w.isOverdue(b) {
		t.Error("it is not overdue")
	}
}

func TestHostIsToldOfABreakAgain(t *testing.T) {
	w := newPlace(t, 1)
	hears, told := false, []frame.Alarm(nil)
	w.alarm = func(_ context.Context, a frame.Alarm) error {
		if !hears {
			return errors.New("the pager is broken")
		}
		told = append(told, a)
		return nil
	}
	b, err := w.alone("p1")
	w.OK(err)
	hears = true
	w.tellAgain(t.Context()) // who has made it may be telling it
	if len(told) != 0 {
		t.Errorf("told at once: %+v", told)
	}
	hears = false
	w.Advance(tellEvery)
	w.tellAgain(t.Context())
	hears = true
	w.Advance(tellEvery - time.Second)
	w.tellAgain(t.Context()) // not at each round
	if len(told) != 0 {
		t.Errorf("told too often: %+v", told)
	}
	w.Advance(time.Second)
	for range 2 {
		w.tellAgain(t.Context())
		w.Advance(tellEvery)
	}
	if len(told) != 1 || told[0].Kind != frame.AlarmBreak || told[0].Sentence != sentence || told[0].Target != "p1" || !told[0].At.Equal(b.At) {
		t.Errorf("told: %+v", told)
	}
	if b, err = storage.One(w.store.Breaks(t.Context(), storage.BreakFilter{ID: new(b.ID)})); err != nil || !b.Told {
		t.Errorf("it is not recorded: %+v, %v", b, err)
	}
}

// An approver is mailed that something waits, and at most once an hour.
func TestApproversAreMailed(t *testing.T) {
	w := newPlace(t, 2)
	w.Service.Mailer = w.Mails
	w.Approvers = func(context.Context) ([]string, error) { return []string{"oleg", "nobody"}, nil }
	sent := func() (to []string) {
		for _, m := range w.Mails.Since(0) {
			if m.Kind == ui.MailPlanWaiting {
				to = append(to, m.To)
			}
		}
		return to
	}
	w.tellApprovers(t.Context())
	if got := sent(); got != nil {
		t.Errorf("mailed %v before there was a plan", got)
	}
	w.proposed("p1")
	w.tellApprovers(t.Context())
	w.proposed("p2")
	w.tellApprovers(t.Context())
	if diff := cmp.Diff([]string{"oleg@example.com"}, sent()); diff != "" {
		t.Errorf("mailed (-want +got):\n%s", diff)
	}
	w.Advance(announcement)
	w.tellApprovers(t.Context())
	if got := sent(); len(got) != 2 {
		t.Errorf("mailed %v after an hour", got)
	}
	w.Approvers = func(context.Context) ([]string, error) { panic("no list") }
	w.Advance(announcement)
	w.proposed("p1")
	w.tellApprovers(t.Context())
}
