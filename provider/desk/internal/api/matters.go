package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// headerMatter has the ID of the matter in which a person is shown.
const headerMatter = "Desk-Matter"

// Matter is a matter of a client.
type matter struct {
	ID          string    `json:"id" doc:"What to send in Desk-Matter."`
	Person      string    `json:"person" doc:"The ID of the person whom it is about."`
	Reason      string    `json:"reason" doc:"Why it was opened."`
	Ticket      string    `json:"ticket,omitempty" doc:"The reference in the host's own system."`
	OpenedAt    time.Time `json:"opened_at"`
	EndsAt      time.Time `json:"ends_at" doc:"When it ends if it is not used again."`
	ClosedAt    time.Time `json:"closed_at,omitzero" doc:"When it was closed."`
	Proof       string    `json:"proof" enum:"none,mailbox,session" doc:"What the caller has proved."`
	ProvedUntil time.Time `json:"proved_until,omitzero" doc:"Until when that counts."`
}

// newMatter is what opens a matter.
type newMatter struct {
	Person   string `json:"person" doc:"The ID of the person whom it is about." max:"255"`
	Reason   string `json:"reason" doc:"Why: one of the reasons of the desk." max:"64"`
	Ticket   string `json:"ticket,omitempty" doc:"The reference in the host's own system." max:"100"`
	Note     string `json:"note,omitempty" doc:"What else should be known. It goes with the person." max:"1000"`
	OnBehalf string `json:"on_behalf,omitempty" doc:"Who of the staff is at work, as the client says. It is recorded and not believed." max:"100"`
}

var proofs = map[storage.CallerProof]string{storage.NoProof: "none", storage.MailboxProof: "mailbox", storage.SessionProof: "session"}

func asMatter(m storage.Matter) matter {
	return matter{
		ID: m.ID, Person: m.Subject, Reason: m.Reason, Ticket: m.Ticket, OpenedAt: m.OpenedAt, EndsAt: m.EndsAt, ClosedAt: m.ClosedAt,
		Proof: proofs[m.Proof], ProvedUntil: m.ProvedUntil,
	}
}

func (a *API) matterRows() []operation {
	return []operation{
		{
			Method: http.MethodPost, Path: "/matters", ID: "openMatter", Title: "Open a matter", Scope: ScopePeopleRead, Spend: acts, Act: true,
			Text: "A matter is the reason for which a person is looked at. It ends after 30 minutes without use. The person can read of it.",
			In:   newMatter{}, Out: matter{}, Status: http.StatusCreated, Problems: []kind{kindNotFound}, serve: openMatter,
		},
		{
			Method: http.MethodGet, Path: "/matters", ID: "listMatters", Title: "List the matters of this client", Scope: ScopePeopleRead, Spend: reads,
			Paged: true, Out: rows[matter]{}, serve: listMatters,
		},
		{
			Method: http.MethodGet, Path: "/matters/{matter}", ID: "getMatter", Title: "Read a matter", Scope: ScopePeopleRead, Spend: reads,
			Out: matter{}, serve: getMatter,
		},
		{
			Method: http.MethodPost, Path: "/matters/{matter}/close", ID: "closeMatter", Title: "Close a matter", Scope: ScopePeopleRead, Spend: acts, Act: true,
			In: nothing{}, Out: matter{}, serve: closeMatter,
		},
	}
}

// openMatter opens a matter about a person on whom the client may act.
func openMatter(c *call) (response, error) {
	var in newMatter
	if err := bind(c.tree, &in); err != nil {
		return response{}, err
	}
	reason, known := c.api.Frame.Reason(in.Reason)
	if !known {
		return response{}, errReason
	}
	if err := c.mayLookAt(in.Person); err != nil {
		return response{}, err
	}
	now := c.now()
	m := storage.Matter{
		ID: random.SortedUUID(now), Staff: c.name(), Role: "api", Subject: in.Person, Reason: in.Reason, Ticket: in.Ticket,
		OpenedAt: now, EndsAt: now.Add(frame.MatterIdle),
	}
	if note := noteOf(in); note != "" {
		m.Note = c.api.Provider.Rooms().People.Seal(frame.NoteKind, m.ID, []byte(note))
	}
	if reason.Withheld {
		m.WithheldUntil = now.Add(frame.Withholding)
	}
	return c.do(response{body: asMatter(m), location: "/matters/" + m.ID}, func(answer *storage.Answer) error {
		ctx := provider.By(c.Context(), storage.Actor{Name: c.name(), Matter: m.ID, Answer: answer})
		return c.api.Provider.Rooms().Events.WriteWith(ctx, func(ctx contextOf) error {
			return c.api.Frame.Store.OpenMatter(ctx, m)
		}, provider.Event{Name: events.MatterOpened, UserID: m.Subject, Detail: m.Reason})
	})
}

var errReason = &problem{kind: kindValue, Faults: []fault{{"/reason", "is none of the reasons of the desk"}}}

// noteOf is the note of a matter: who of the staff is at work stands in front of it.
func noteOf(in newMatter) string {
	if in.OnBehalf == "" {
		return in.Note
	}
	return fmt.Sprintf("on behalf of %q\n%s", in.OnBehalf, in.Note)
}

func listMatters(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]storage.Matter, error) {
		return c.api.Frame.Store.Matters(c.Context(), storage.MatterFilter{Staff: c.name(), BeforeID: after, Limit: limit})
	}, asMatter, func(last matter) string { return last.ID })
}

func getMatter(c *call) (response, error) {
	m, err := c.ownMatter(c.PathValue("matter"))
	return ok(asMatter(m)), err
}

func closeMatter(c *call) (response, error) {
	if err := bind(c.tree, &nothing{}); err != nil {
		return response{}, err
	}
	m, err := c.ownMatter(c.PathValue("matter"))
	if err != nil {
		return response{}, err
	}
	m.ClosedAt = c.now().Truncate(time.Microsecond) // as the store has it
	c.matter = &m
	done, err := c.do(ok(asMatter(m)), func(answer *storage.Answer) error {
		return c.api.Provider.Rooms().Events.WriteWith(c.by(storage.NoProof, answer), func(ctx contextOf) error {
			return c.api.Frame.Store.CloseMatter(ctx, m.ID, c.name(), m.ClosedAt)
		}, provider.Event{Name: events.MatterClosed, UserID: m.Subject})
	})
	if errors.Is(err, audit.ErrMatter) { // it was over, or is since
		m, err = c.ownMatter(m.ID)
		return ok(asMatter(m)), err
	}
	return done, err
}

// ownMatter returns a matter of the client. Of those of others nobody learns that they exist.
func (c *call) ownMatter(id string) (storage.Matter, error) {
	m, err := storage.One(c.api.Frame.Store.Matters(c.Context(), storage.MatterFilter{ID: new(id)}))
	if err == nil && m.Staff != c.name() {
		c.refuse("matter", "")
		return m, notFound
	}
	return m, err
}

// useMatter reads the matter of an operation, which is open and about the person of the path, and
// prolongs it.
func (c *call) useMatter() error {
	ids := c.Header.Values(headerMatter)
	switch {
	case len(ids) == 0:
		return fail(kindNoMatter, "")
	case len(ids) > 1:
		return fail(kindRequest, "Send one header "+headerMatter+".")
	}
	m, err := c.ownMatter(ids[0])
	switch {
	case err != nil:
		return err
	case m.Subject != c.PathValue("person"):
		c.refuse("matter", c.PathValue("person"))
		return notFound
	}
	if err := c.mayUse(m); err != nil {
		return err
	}
	now := c.now()
	if until := now.Add(frame.MatterIdle); until.Sub(m.EndsAt) > time.Minute {
		if err := c.api.Frame.Store.UseMatter(c.Context(), m.ID, c.name(), now, until); err != nil {
			return err
		}
		m.EndsAt = until
	}
	c.matter = &m
	c.acts()
	return nil
}

// mayUse returns notFound for a matter that is over, and for one about whom no client looks at.
func (c *call) mayUse(m storage.Matter) error {
	if !m.ClosedAt.IsZero() || !c.now().Before(m.EndsAt) {
		return notFound
	}
	return c.mayLookAt(m.Subject)
}

// mayLookAt returns notFound unless there is such a person, who does not work here: on staff no
// client acts.
func (c *call) mayLookAt(person string) error {
	if err := c.api.exists(c.Context(), person); err != nil {
		return err
	}
	standing, err := c.api.Frame.StandingOf(c.Context(), c.name(), "", person)
	if err != nil {
		return err
	}
	if standing != frame.Anybody {
		c.refuse("matter", person)
		return notFound
	}
	return nil
}

// exists returns provider.ErrNoUser if there is no such person. A locked account is one.
func (a *API) exists(ctx contextOf, person string) (err error) {
	if a.Provider.Rooms().Installation().HasAccounts {
		_, err = a.Provider.Accounts().Get(ctx, person)
	} else {
		_, err = a.Provider.People().Get(ctx, person)
	}
	return err
}

// looked records that a part of the person was shown: once for a matter and part.
func (c *call) looked(part string) error {
	return c.looks("", provider.Event{Name: events.SupportLooked, UserID: c.matter.Subject, Detail: part})
}

// looks records that the client was shown what an event says: in its matter, or else in this one.
func (c *call) looks(matter string, e provider.Event) error {
	a := c.actor(storage.NoProof, nil)
	a.Matter = cmp.Or(a.Matter, matter)
	return c.api.Frame.Looked(c.Context(), a, e)
}

// refuse records that a client tried what it may not.
func (c *call) refuse(what, person string) {
	wait, err := c.api.Provider.Rooms().Pages.Allow(c.Context(), "desk_api_refused", c.client, provider.Limit{Burst: 30, Every: minute})
	if err == nil && wait == 0 {
		c.api.Provider.Rooms().Events.Note(c.Context(), provider.Event{Name: events.DeskRefused, UserID: person, Detail: what})
	}
}
