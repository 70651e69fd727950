package frame

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/host"
)

// Refusal is what somebody with a role tried and may not do.
type Refusal struct {
	// Action is that of the table, or the pattern of a page; Person is who it was about, or
	// empty.
	Action, Person string
	// Alarm tells the host.
	Alarm bool
}

// The limits of lines about refusals and of alarms about one member of the staff: what is
// beyond them says nothing new.
var (
	refusalLimit = provider.Limit{Burst: 30, Every: time.Minute}
	alarmLimit   = provider.Limit{Burst: 3, Every: 10 * time.Minute}
)

// Refuse records that somebody with a role tried what they may not, and returns NotFound.
func (r *Request) Refuse(what Refusal) error {
	ctx, pages := r.Context(), r.Frame.Provider.Pages()
	if wait, err := pages.Room().Allow(ctx, "desk_refused", r.Staff.ID, refusalLimit); err != nil {
		return err
	} else if wait == 0 {
		r.Record(provider.Event{Name: event.DeskRefused, UserID: what.Person, Detail: what.Action})
	}
	if what.Alarm {
		r.Frame.Raise(ctx, Alarm{Kind: AlarmRefused, Staff: r.Staff.ID, Action: what.Action, Target: what.Person})
	}
	return NotFound
}

// Record adds a line about what somebody tried, under their name. What somebody looks at is
// written before they see it: Write.
func (r *Request) Record(e provider.Event) {
	r.Frame.Provider.Rooms().Events.Note(r.Context(), e)
}

// Write adds a line about a look, under the name of who asks and in the matter of the page. An
// error means that it is not recorded, and they must not see it.
func (r *Request) Write(e provider.Event) error {
	return r.Frame.Provider.Events().Record(r.Context(), e)
}

// Alarm is what the host is told at once.
type Alarm struct {
	Kind AlarmKind
	// Staff is who did it, Action what, to the Target of this ID; empty for none.
	Staff, Action, Target string
	// Sentence is why, in the words of the staff, of a break.
	Sentence string
	// At is when. The host is told later, and again, of a break of which it could not be told.
	At time.Time
}

// AlarmKind is why the host is told.
type AlarmKind string

// The kinds of alarms.
const (
	// AlarmBreak is that an operator did alone what would have needed another, or a proof.
	AlarmBreak AlarmKind = "break"
	// AlarmMisses is that somebody has looked for twenty people in a row who are not here.
	AlarmMisses AlarmKind = "misses"
	// AlarmRefused is that somebody with a role tried to act on themselves or on other staff.
	AlarmRefused AlarmKind = "refused"
)

// Raise tells the host, and reports whether it was told. A host that hangs or fails harms
// nothing: that is in the operator's log.
func (f *Frame) Raise(ctx context.Context, a Alarm) (told bool) {
	if a.At.IsZero() {
		a.At = f.Now()
	}
	if f.Options.Alarm == nil {
		return false
	}
	if a.Kind != AlarmBreak { // a break is told every time
		if wait, err := f.Provider.Rooms().Pages.Allow(ctx, "desk_alarm_"+string(a.Kind), a.Staff, alarmLimit); err != nil || wait > 0 {
			return false
		}
	}
	_, err := host.Call(context.WithoutCancel(ctx), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, f.Options.Alarm(ctx, a)
	})
	if err != nil {
		f.Logger.ErrorContext(ctx, "The host was not told of an alarm of the desk.", "kind", a.Kind, "staff", a.Staff, "error", err)
	}
	return err == nil
}
