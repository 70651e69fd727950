package people

import (
	"context"
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

// maxTicket is how long a ticket may be, in characters.
const maxTicket = 60

// mostMatters is how many open matters a page lists.
const mostMatters = 10

// OpenMatters are those of who asks.
func (d *Room) OpenMatters(r *frame.Request) (open []screens.OpenMatter, err error) {
	matters, err := r.Frame.Store.Matters(r.Context(), storage.MatterFilter{Staff: r.Staff.ID, OpenAt: r.Frame.Now(), Limit: mostMatters})
	for _, m := range matters {
		open = append(open, screens.OpenMatter{URL: r.Path("matters", m.ID), Reason: d.reason(r.Locale(), m.Reason), Ticket: m.Ticket, EndsAt: m.EndsAt})
	}
	return open, err
}

// reason is what a reason is called.
func (d *Room) reason(l *ui.Locale, name string) ui.Label {
	if word, known := views.ReasonWord(l, name); known {
		return ui.Label{Text: word}
	}
	own, known := d.Frame.Reason(name)
	if !known {
		return ui.Label{Text: name, Lang: ui.Undetermined}
	}
	if translated, ok := own.Translations[l.OrEnglish().Lang]; ok {
		return ui.Label{Text: translated}
	}
	return l.OrEnglish().Word(own.Title)
}

func (d *Room) renderOpen(r *frame.Request, status int, v views.OpenView, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionFind)
	if err != nil {
		return err
	}
	v.Page, v.Form = page, r.Form(problems...)
	v.Action = r.Path("matters")
	for _, one := range r.Frame.AllReasons() {
		v.Reasons = append(v.Reasons, ui.Option{Value: one.Name, Title: d.reason(page.Locale, one.Name), Chosen: r.Posted(views.FieldReason) == one.Name})
	}
	r.Room().RenderSecret(status, views.Open(v))
	return nil
}

// open opens a matter about the person who was found.
func (d *Room) open(r *frame.Request) error {
	if err := r.Only(views.FieldPerson, views.FieldReason, views.FieldTicket, views.FieldNote); err != nil {
		return err
	}
	v := views.OpenView{Person: r.Posted(views.FieldPerson), Ticket: r.Posted(views.FieldTicket), Note: r.Posted(views.FieldNote)}
	id, ok := d.openFound(r, v.Person)
	if !ok {
		return d.renderFind(r, http.StatusUnprocessableEntity, "", views.ProblemOf(r.Locale(), screens.FieldSought, views.WrongOver))
	}
	standing, err := r.StandingOf(id)
	if err != nil {
		return err
	}
	if standing == frame.Self || standing == frame.Protected && !r.Staff.Operates() {
		return r.Refuse(frame.Refusal{Action: "matter", Person: id, Alarm: true})
	}
	reason, known := r.Frame.Reason(r.Posted(views.FieldReason))
	var problems []ui.Problem
	for field, w := range map[string]views.Wrong{
		views.FieldReason: wrongIf(!known, views.WrongReason), views.FieldTicket: wrongIf(utf8.RuneCountInString(v.Ticket) > maxTicket, views.WrongLength),
		views.FieldNote: wrongIf(utf8.RuneCountInString(v.Note) > views.MaxNote, views.WrongLength),
	} {
		if w != "" {
			problems = append(problems, views.ProblemOf(r.Locale(), field, w))
		}
	}
	if len(problems) > 0 {
		return d.renderOpen(r, http.StatusUnprocessableEntity, v, problems...)
	}
	m, err := d.record(r, id, reason, v)
	if err != nil {
		return err
	}
	r.Redirect(r.Path("matters", m.ID))
	return nil
}

func wrongIf(is bool, w views.Wrong) views.Wrong {
	if is {
		return w
	}
	return ""
}

// record records a matter and its line in one step.
func (d *Room) record(r *frame.Request, id string, reason frame.Reason, v views.OpenView) (storage.Matter, error) {
	now := r.Frame.Now()
	m := storage.Matter{
		ID: random.SortedUUID(now), Staff: r.Staff.ID, Role: roleOf(r.Staff), Subject: id, Reason: reason.Name,
		Ticket: ui.Clean(v.Ticket, maxTicket), OpenedAt: now, EndsAt: now.Add(frame.MatterIdle),
	}
	if v.Note != "" {
		m.Note = r.Frame.Provider.Rooms().People.Seal(frame.NoteKind, m.ID, []byte(v.Note))
	}
	if reason.Withheld {
		m.WithheldUntil = now.Add(frame.Withholding)
	}
	err := r.Frame.Provider.Rooms().Events.WriteWith(audit.ByDefault(r.Context(), "", m.ID), func(ctx context.Context) error {
		return r.Frame.Store.OpenMatter(ctx, m)
	}, provider.Event{Name: event.MatterOpened, UserID: id, Detail: m.Reason})
	return m, err
}

// roleOf is the role in which somebody looks at people.
func roleOf(s action.Staff) string {
	if s.Operates() {
		return string(action.Operator)
	}
	return string(action.Support)
}

// close closes the matter.
func (d *Room) close(r *frame.Request) error {
	m, now := r.Matter, r.Frame.Now()
	err := r.Frame.Provider.Rooms().Events.WriteWith(r.Context(), func(ctx context.Context) error {
		return r.Frame.Store.CloseMatter(ctx, m.ID, r.Staff.ID, now)
	}, provider.Event{Name: event.MatterClosed, UserID: m.Subject})
	if err != nil && !errors.Is(err, audit.ErrMatter) { // closed in this moment
		return err
	}
	return r.Done(r.Path(), screens.NoticeMatterDone)
}

// bar says on each page about a person in which matter it is shown.
func (d *Room) bar(r *frame.Request, page *screens.Page) error {
	if r.Matter == nil {
		return nil
	}
	v := views.BarView{
		Form: r.Form(), Reason: d.reason(page.Locale, r.Matter.Reason), Ticket: r.Matter.Ticket, EndsAt: r.Matter.EndsAt, ProofURL: r.MatterPath("proof"),
	}
	v.Action = r.MatterPath("close")
	if len(r.Matter.Note) > 0 { // of this staff: nobody else is in the matter
		note, err := r.Frame.Provider.Rooms().People.Open(frame.NoteKind, r.Matter.ID, r.Matter.Note)
		if err != nil {
			return err
		}
		v.Note = string(note)
	}
	switch r.Proof() {
	case storage.SessionProof:
		v.Session = r.Matter.ProvedUntil
	case storage.MailboxProof:
		v.Mailbox = r.Matter.ProvedUntil
	case storage.NoProof:
	}
	page.Remarks = append(page.Remarks, views.Bar(page.Locale, v))
	return nil
}
