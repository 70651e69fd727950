package people

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

// signingIn are the events that say why somebody can or cannot sign in.
var signingIn = []string{
	event.SignedIn, event.SignInFailed, event.SignedOut, event.PasswordChanged, event.AccountDisabled, event.AccountEnabled,
	event.RecoveryStarted, event.RecoveryStopped, event.RecoveryApproved, event.Recovered, event.AuthenticatorsReset, event.ResetSent,
}

// parameterOf filters the history: by signIn, or not at all.
const (
	parameterOf = "of"
	signIn      = "sign_in"
)

// history lists the events of the person, the latest first, in the words of the person's own
// history. What who asks has looked at in this matter is one card.
func (d *Room) history(v *look) error {
	of := v.Query(parameterOf)
	filter := provider.EventFilter{UserID: v.Matter.Subject, Limit: frame.Few}
	address := v.MatterPath("history")
	if of == signIn {
		filter.Names, v.view.AllURL = signingIn, address
	} else {
		of, v.view.SignInURL = "", address+"?"+url.Values{parameterOf: {signIn}}.Encode()
	}
	at, err := v.After("history", v.Matter.ID, of)
	if err == nil && at != "" {
		filter.Before, err = strconv.ParseInt(at, 10, 64)
	}
	if err != nil {
		return err
	}
	lines, err := v.Frame.Provider.Events().List(v.Context(), filter)
	if err != nil {
		return err
	}
	own := func(e provider.RecordedEvent) bool {
		return e.Name == event.SupportLooked && e.Matter == v.Matter.ID && e.Actor == v.Actor(storage.NoProof).Name
	}
	looks := 0
	for i, e := range lines {
		if !own(e) {
			v.view.Cards = append(v.view.Cards, d.happened(v, e))
			continue
		}
		if looks++; looks > 1 {
			continue
		}
		for _, other := range lines[i+1:] {
			if own(other) {
				looks++
			}
		}
		v.view.Cards = append(v.view.Cards, views.Card{
			Title: words(views.Looked(v.Locale(), looks)), Code: e.Name, Rows: []views.Row{{Name: views.RowAt, At: e.At}},
		})
	}
	if len(lines) == frame.Few {
		next := v.Next(strconv.FormatInt(lines[len(lines)-1].ID, 10), "history", v.Matter.ID, of)
		query := url.Values{frame.ParameterAfter: {next}}
		if of != "" {
			query.Set(parameterOf, of)
		}
		v.view.MoreURL = address + "?" + query.Encode()
	}
	return nil
}

// happened is an event of the person.
func (d *Room) happened(v *look, e provider.RecordedEvent) views.Card {
	c := views.Card{Code: e.Name, Rows: []views.Row{{Name: views.RowAt, At: e.At}}}
	if e.Name != event.SignInFailed { // which a stranger can do as well
		c.Rows = append(c.Rows, views.Row{Name: views.RowBy, By: by(e.Actor)})
	}
	if said, told := v.Frame.Provider.Rooms().Pages.HistoryWords(v.Locale(), e.Name, e.ClientID); told {
		c.Title = words(said)
	}
	if e.ClientID != "" {
		c.Rows = append(c.Rows, views.Row{Name: views.RowApplication, Text: e.ClientID})
	}
	switch {
	case e.Name == event.SignInFailed:
		c.Rows = append(c.Rows, views.Row{Name: views.RowReason, Labels: []ui.Label{words(views.FailureWord(v.Locale(), e.Detail))}})
	case e.Detail != "":
		c.Rows = append(c.Rows, views.Row{Name: views.RowDetail, Text: e.Detail})
	}
	if e.Address != "" {
		c.Rows = append(c.Rows, views.Row{Name: views.RowNetwork, Text: e.Address})
	}
	return c
}

// lastFailures is how many failures the overview shows, and countedFailures how many it counts.
const (
	lastFailures    = 3
	countedFailures = 100
)

// overview answers why the person cannot sign in, in one look: the account, what there is to
// sign in with, what failed since it last worked, and which cases are open.
func (d *Room) overview(v *look) error {
	list := func(name string, from int64, limit int) ([]provider.RecordedEvent, error) {
		lines, err := v.Frame.Provider.Events().List(v.Context(), provider.EventFilter{UserID: v.Matter.Subject, Name: name, Limit: limit})
		return slices.DeleteFunc(lines, func(e provider.RecordedEvent) bool { return e.ID < from }), err
	}
	signedIn, err := list(event.SignedIn, 0, 1)
	if err != nil {
		return err
	}
	var since int64
	last := views.Row{Name: views.RowSignedIn, State: views.StateNone}
	if len(signedIn) > 0 {
		since, last.At = signedIn[0].ID, signedIn[0].At
	}
	failed, err := list(event.SignInFailed, since, countedFailures)
	if err != nil {
		return err
	}
	c := views.Card{
		Title: words(v.view.Head.Address), States: v.view.Head.States,
		Rows: []views.Row{last, {Name: views.RowFailures, Text: strconv.Itoa(len(failed))}},
	}
	if !slices.Contains(c.States, views.StateLocked) {
		c.States = append([]views.State{views.StateUsable}, c.States...)
	}
	if a := v.data.Account; a != nil {
		has, err := v.Frame.Provider.Accounts().Authenticators(v.Context(), a.ID)
		if err != nil {
			return err
		}
		c.Rows = append(c.Rows, factorRows(a, has)...)
		if !a.DeleteAt.IsZero() {
			c.Rows = append(c.Rows, views.Row{Name: views.RowDeletion, At: a.DeleteAt})
		}
	}
	v.view.Cards = append(v.view.Cards, c)
	for _, e := range failed[:min(len(failed), lastFailures)] {
		v.view.Cards = append(v.view.Cards, d.happened(v, e))
	}
	if d.Verification == nil {
		return nil
	}
	return d.listCases(v, true)
}
