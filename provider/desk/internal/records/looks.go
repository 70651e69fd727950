package records

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	words "github.com/bonafide-id/bonafide/ui/desk/person"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// linesOfMatter is the number of events of a matter that are read: nobody does more.
const linesOfMatter = 200

// looking are the events that are no action.
var looking = []string{
	event.MatterOpened, event.MatterClosed, event.MatterReleased, event.SupportLooked,
	event.CallerProved, event.PersonFound,
}

// showLooks lists what the staff looked at, by day and member, the latest first.
func (r *Room) showLooks(q *frame.Request) error {
	staff := strings.TrimSpace(q.Query(screens.FieldStaff))
	if len(staff) > maxValue {
		return frame.Malformed("too long a name")
	}
	if err := q.Looked("", provider.Event{Name: event.StaffLooked, Detail: "looks"}); err != nil {
		return err
	}
	page, err := q.Page(desk.SectionLooks)
	if err != nil {
		return err
	}
	at, err := q.After("looks", staff)
	if err != nil {
		return err
	}
	matters, err := r.Matters.Matters(q.Context(), storage.MatterFilter{Staff: staff, BeforeID: at, Limit: frame.Few + 1})
	if err != nil {
		return err
	}
	v := screens.LooksView{Page: page, Form: q.Form(), URL: q.Path("looks"), Staff: staff}
	if len(matters) > frame.Few {
		matters = matters[:frame.Few]
		v.EarlierURL = "?" + url.Values{
			screens.FieldStaff: {staff}, frame.ParameterAfter: {q.Next(matters[frame.Few-1].ID, "looks", staff)},
		}.Encode()
	}
	for _, m := range matters {
		look, err := r.look(q, m)
		if err != nil {
			return err
		}
		day := m.OpenedAt.UTC().Truncate(24 * time.Hour)
		i := slices.IndexFunc(v.Days, func(d screens.LookDay) bool { return d.Day.Equal(day) && d.Staff == m.Staff })
		if i < 0 {
			i, v.Days = len(v.Days), append(v.Days, screens.LookDay{Day: day, Staff: m.Staff})
		}
		v.Days[i].Looks = append(v.Days[i].Looks, look)
	}
	q.Render(http.StatusOK, screens.Looks(v))
	return nil
}

// look says what was looked at and done in a matter.
func (r *Room) look(q *frame.Request, m storage.Matter) (screens.Look, error) {
	look := screens.Look{
		Matter: m.ID, URL: q.Path("trail") + "?" + url.Values{screens.FieldMatter: {m.ID}}.Encode(), Person: m.Subject, Reason: reasonOf(q, m.Reason), At: m.OpenedAt,
	}
	if q.Frame.Now().Before(m.WithheldUntil) {
		mayRelease, err := r.mayRelease(q, m)
		if err != nil {
			return screens.Look{}, err
		}
		look.WithheldUntil, look.MayRelease = m.WithheldUntil, mayRelease
		if mayRelease {
			look.Note = r.note(q, m)
		}
	}
	events, err := r.Provider.Events().List(q.Context(), provider.EventFilter{Matter: m.ID, Limit: linesOfMatter})
	if err != nil {
		return screens.Look{}, err
	}
	for _, e := range slices.Backward(events) {
		switch {
		case e.Name == event.SupportLooked:
			look.Parts = add(look.Parts, e.Detail)
		case e.Name == event.ValueShown:
			look.Parts = add(look.Parts, e.Detail)
		case !slices.Contains(looking, e.Name):
			look.Acts = add(look.Acts, e.Name)
		}
	}
	return look, nil
}

// mayRelease reports whether who asks decides when the person reads of a matter: an operator, of
// the matters of others.
func (r *Room) mayRelease(q *frame.Request, m storage.Matter) (bool, error) {
	if !q.Staff.Operates() {
		return false, nil
	}
	standing, err := q.StandingOf(m.Subject)
	return standing != frame.Self, err
}

// note is what the staff wrote down when a matter was opened, for who has to decide whether the
// person reads of it. One that cannot be read is empty, and logged.
func (r *Room) note(q *frame.Request, m storage.Matter) string {
	if len(m.Note) == 0 {
		return ""
	}
	plain, err := r.Provider.Rooms().People.Open(frame.NoteKind, m.ID, m.Note)
	if err != nil {
		q.Frame.Logger.ErrorContext(q.Context(), "the note of a matter cannot be read", "matter", m.ID, "error", err)
	}
	return string(plain)
}

// reasonOf says a reason in words; one that the host no longer has by its name.
func reasonOf(q *frame.Request, name string) ui.Label {
	if word, ok := words.ReasonWord(q.Locale(), name); ok {
		return ui.Label{Text: word}
	}
	reason, ok := q.Frame.Reason(name)
	if !ok || reason.Title == "" {
		return ui.Label{Text: name, Lang: ui.Undetermined}
	}
	if word, ok := reason.Translations[q.Locale().Lang]; ok {
		return ui.Label{Text: word}
	}
	return ui.Label{Text: reason.Title, Lang: ui.Undetermined}
}

// add adds what is not there.
func add(all []string, one string) []string {
	if one == "" || slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// release lets a person read of a matter that was withheld.
func (r *Room) release(q *frame.Request) error {
	if err := q.Only(screens.FieldMatter); err != nil {
		return err
	}
	if !q.Staff.Operates() {
		return q.Refuse(frame.Refusal{Action: "release_matter"})
	}
	if q.Action() != screens.ActionRelease {
		return frame.Malformed("no such action")
	}
	m, err := storage.One(r.Matters.Matters(q.Context(), storage.MatterFilter{ID: new(q.Posted(screens.FieldMatter))}))
	if errors.Is(err, storage.ErrNotFound) {
		return frame.NotFound
	}
	if err != nil {
		return err
	}
	if mayRelease, err := r.mayRelease(q, m); err != nil || !mayRelease {
		if err == nil {
			err = q.Refuse(frame.Refusal{Action: "release_matter", Person: m.Subject})
		}
		return err
	}
	err = r.Provider.Rooms().Events.WriteWith(audit.ByDefault(q.Context(), "", m.ID), func(ctx context.Context) error {
		return r.Matters.ReleaseMatter(ctx, m.ID, q.Frame.Now())
	}, provider.Event{Name: event.MatterReleased, UserID: m.Subject})
	if err != nil && !errors.Is(err, storage.ErrEnded) { // released before
		return err
	}
	return q.Done(q.Path("looks"), desk.NoticeActed)
}
