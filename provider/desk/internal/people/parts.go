package people

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

// look is a look at one part of a person.
type look struct {
	*frame.Request
	data provider.PersonalData
	view views.PartView
}

// reads is what each part reads whole beside the account: applications and the history are read by
// pages.
var reads = map[views.Part][]room.PersonPart{
	views.PartAccount: {room.PersonValues}, views.PartGroups: {room.PersonValues},
	views.PartSessions: {room.PersonSessions},
}

// part serves a part: the line that it was looked at is written before anything is read.
func (d *Room) part(name views.Part, cards func(*look) error) frame.Handler {
	return func(r *frame.Request) error {
		if err := r.LookedAt(string(name)); err != nil {
			if errors.Is(err, audit.ErrMatter) {
				return r.Done(r.Path(), screens.NoticeMatterEnded)
			}
			return err
		}
		page, err := r.Page(screens.SectionFind)
		if err != nil {
			return err
		}
		v := &look{Request: r, view: views.PartView{Page: page, Part: name}}
		v.data, err = r.Frame.Provider.Rooms().People.GetParts(r.Context(), r.Matter.Subject, reads[name]...)
		if err != nil {
			return err
		}
		v.view.Head = d.head(v)
		if err := cards(v); err != nil {
			return err
		}
		r.Room().RenderSecret(http.StatusOK, views.Person(v.view))
		return nil
	}
}

// head is what may be read of who the person is.
func (d *Room) head(v *look) views.Head {
	var h views.Head
	for _, p := range d.parts() {
		h.Parts = append(h.Parts, views.PartLink{Part: p.name, URL: v.MatterPath(string(p.name))})
	}
	if a := v.data.Account; a != nil {
		h.Address, h.Since = frame.MaskEmail(a.Email), a.CreatedAt
		if a.Disabled {
			h.States = append(h.States, views.StateLocked)
		}
		if !a.DeleteAt.IsZero() {
			h.States = append(h.States, views.StateDeletion)
		}
		return h
	}
	h.Host = true
	shown, err := d.Host.ShowUser(v.Context(), v.Matter.Subject)
	if err != nil && !errors.Is(err, provider.ErrNoUser) { // what the host knows is unavailable, and no more
		d.Frame.Logger.ErrorContext(v.Context(), "The host cannot show a user to the desk.", "error", err)
		return h
	}
	h.Address, h.Since = frame.MaskEmail(shown.Email), shown.Since
	if shown.Locked {
		h.States = append(h.States, views.StateLocked)
	}
	return h
}

// act returns the link to the form of an action, if who looks has a role for it and it can be
// done here.
func (d *Room) act(v *look, name, of string, values ...string) []views.ActLink {
	a, ok := d.Book.Action(name)
	if !ok || !v.Staff.Is(a.Roles...) {
		return nil
	}
	address := v.MatterPath("do", name)
	if len(values) > 0 {
		query := url.Values{}
		for i := 0; i+1 < len(values); i += 2 {
			query.Set(values[i], values[i+1])
		}
		address += "?" + query.Encode()
	}
	return []views.ActLink{{Name: name, URL: address, Of: of}}
}

// undoes are the actions of which one fits at a time, by the state in which it does; the other
// one does in every other state.
var undoes = map[string]struct {
	state views.State
	fits  bool
}{
	action.Lock: {views.StateLocked, false}, action.Unlock: {views.StateLocked, true},
	action.StartDeletion: {views.StateDeletion, false}, action.StopDeletion: {views.StateDeletion, true},
}

// actions lists what can be done to the person as a whole, as they are now.
func (d *Room) actions(v *look) error {
	for _, a := range d.Book.On(action.Person) {
		if u, ok := undoes[a.Name]; ok && slices.Contains(v.view.Head.States, u.state) != u.fits {
			continue
		}
		if len(a.Fields) == 1 && a.Fields[0].Name != action.FieldEmail || a.Name == action.CorrectValue {
			continue // it stands at what it is about
		}
		if links := d.act(v, a.Name, ""); links != nil {
			v.view.Cards = append(v.view.Cards, views.Card{
				Title: words(screens.ActTitle(v.Locale(), a.Name)), Text: screens.ActDoes(v.Locale(), a.Name), Acts: links,
			})
		}
	}
	return nil
}

// madeBy says who has made an event whose detail ends so; an application is named beside it.
var madeBy = map[string]views.By{"by the host": views.ByHost, "by the application": "", "by the user": views.ByPerson}

// by says who has made an event; empty where its line does not tell, such as of a wrong password,
// which a stranger can enter as well.
func by(e provider.RecordedEvent) views.By {
	switch kind, _, _ := strings.Cut(e.Actor, ":"); kind {
	case "staff":
		return views.ByStaff
	case "client":
		return views.ByClient
	case "command":
		return views.ByCommand
	case "host":
		return views.ByHost
	}
	parts := strings.Split(e.Detail, ", ")
	if who, told := madeBy[parts[len(parts)-1]]; told || !slices.Contains(event.Names(), e.Name) { // or of the host's own
		return who
	}
	switch e.Name {
	case event.CredentialEnded:
		if strings.HasSuffix(e.Detail, " "+string(storage.EndedByOwner)) {
			return views.ByPerson
		}
		return ""
	case event.SignInFailed, event.PasskeyCounter, event.Throttled, event.Exchanged, event.Reuse, event.StatusChanged, event.StatusEnded,
		event.AttributesChanged, event.VerificationEnded, event.RecoveryStarted, event.RecoveryStopped, event.EmailReturned:
		return ""
	case event.AccountCreated, event.AccountDisabled, event.AccountEnabled, event.RecoveryApproved, event.AuthenticatorsReset:
		return views.ByHost
	}
	return views.ByPerson
}
