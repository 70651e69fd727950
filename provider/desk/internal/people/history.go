package people

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
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
			if err := d.happened(v, e); err != nil {
				return err
			}
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

// happened adds an event of the person, in words as far as there are some.
func (d *Room) happened(v *look, e provider.RecordedEvent) error {
	pages := v.Frame.Provider.Rooms().Pages
	client, err := pages.ClientName(v.Context(), e.ClientID)
	if err != nil {
		return err
	}
	c := views.Card{
		Title: words(cmp.Or(views.EventWord(v.Locale(), e.Name), pages.HistoryWords(v.Locale(), e.Event, client))), Code: e.Name,
		Rows: []views.Row{{Name: views.RowAt, At: e.At}},
	}
	if who := by(e); who != "" {
		c.Rows = append(c.Rows, views.Row{Name: views.RowBy, By: who})
	}
	if client != "" {
		c.Rows = append(c.Rows, views.Row{Name: views.RowApplication, Labels: []ui.Label{chosen(client)}})
	}
	details, err := d.details(v, e)
	if err != nil {
		return err
	}
	if len(details) > 0 {
		name := views.RowDetail
		if e.Name == event.SignInFailed {
			name = views.RowReason
		}
		c.Rows = append(c.Rows, views.Row{Name: name, Labels: details})
	}
	if e.Address != "" {
		c.Rows = append(c.Rows, views.Row{Name: views.RowNetwork, Text: e.Address})
	}
	v.view.Cards = append(v.view.Cards, c)
	return nil
}

// details says what an event is about, beside the person, the application and who has made it.
func (d *Room) details(v *look, e provider.RecordedEvent) (all []ui.Label, err error) {
	l, pages := v.Locale(), d.Frame.Provider.Rooms().Pages
	group, rest := pages.GroupOf(e.Event)
	if group != "" {
		title, _ := pages.GroupWords(l, group)
		all = append(all, title)
	}
	switch e.Name {
	case event.EvidenceOpened: // the ID of a file
	case event.CredentialEnded:
		all = append(all, words(views.DetailWord(l, "in_wallet "+rest)))
	case event.MatterOpened:
		all = append(all, d.reason(l, rest))
	case event.ValueShown, event.AttributesChanged:
		for _, handle := range strings.Fields(rest) {
			all = append(all, pages.AttributeWords(l, handle))
		}
	case event.Exchanged:
		resource, id, _ := strings.Cut(rest, ", for ")
		client, err := pages.ClientName(v.Context(), id)
		if err != nil {
			return nil, err
		}
		all = append(all, chosen(resource), chosen(client))
	case event.DeskRefused, event.PlanProposed, event.PlanApproved, event.PlanRefused, event.PlanStopped, event.PlanDone, event.BreakMade:
		if title := screens.ActTitle(l, rest); title != "" {
			all = append(all, words(title))
		}
	default:
		for part := range strings.SplitSeq(rest, ", ") {
			upstream, isUpstream := strings.CutPrefix(part, "upstream ")
			action, isDraft := strings.CutPrefix(part, "draft of a plan: ")
			_, isBy := madeBy[part]
			switch {
			case isUpstream:
				all = append(all, chosen(upstream))
			case isDraft:
				all = append(all, words(screens.ActTitle(l, action)))
			case part != "" && !isBy:
				all = append(all, words(views.DetailWord(l, part)))
			}
		}
	}
	return all, nil
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
		if err := d.happened(v, e); err != nil {
			return err
		}
	}
	if d.Verification == nil {
		return nil
	}
	return d.listCases(v, true)
}
