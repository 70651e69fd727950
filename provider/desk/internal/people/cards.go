package people

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

func words(s string) ui.Label { return ui.Label{Text: s} }

// chosen is a name that somebody chose.
func chosen(s string) ui.Label { return ui.Label{Text: ui.Clean(s, ui.MaxName), Lang: ui.Undetermined} }

// state is one of two.
func state(is bool, yes, no views.State) views.State {
	if is {
		return yes
	}
	return no
}

// account lists what is recorded about the person, hidden.
func (d *Room) account(v *look) error {
	pages := v.Frame.Provider.Rooms().Pages
	v.view.Masked = true
	if a := v.data.Account; a != nil {
		c := views.Card{
			Title: pages.AttributeWords(v.Locale(), "email"), States: []views.State{state(a.EmailVerified, views.StateVerified, views.StateUnverified)},
			Rows: []views.Row{{Name: views.RowValue, Text: frame.MaskEmail(a.Email)}, {Name: views.RowCreated, At: a.CreatedAt}},
			Acts: slices.Concat(d.act(v, action.ShowValue, "", action.FieldHandle, "email"), d.act(v, action.ChangeEmail, "")),
		}
		if !a.DeleteAt.IsZero() {
			c.Rows = append(c.Rows, views.Row{Name: views.RowDeletion, At: a.DeleteAt})
		}
		v.view.Cards = append(v.view.Cards, c)
	}
	sensitive := map[string]bool{}
	for _, a := range v.Frame.Provider.Rooms().Installation().Attributes {
		sensitive[a.Handle] = a.Sensitive
	}
	for _, handle := range slices.Sorted(maps.Keys(v.data.Attributes)) {
		title := pages.AttributeWords(v.Locale(), handle)
		c := views.Card{Title: title, Rows: []views.Row{{Name: views.RowValue, Text: frame.Mask(string(v.data.Attributes[handle]))}}}
		show := action.ShowValue
		if sensitive[handle] {
			show, c.States = action.ShowSensitive, []views.State{views.StateSensitive}
		}
		c.Acts = slices.Concat(d.act(v, show, title.Text, action.FieldHandle, handle), d.act(v, action.CorrectValue, title.Text, action.FieldHandle, handle))
		v.view.Cards = append(v.view.Cards, c)
	}
	return nil
}

// factors say what the person signs in with.
func (d *Room) factors(v *look) error {
	a := v.data.Account
	if a == nil {
		return nil
	}
	has, err := v.Frame.Provider.Accounts().Authenticators(v.Context(), a.ID)
	if err != nil {
		return err
	}
	v.view.Cards = append(v.view.Cards, views.Card{
		Title: words(frame.MaskEmail(a.Email)), Rows: factorRows(a, has),
		Acts: slices.Concat(d.act(v, action.SendReset, ""), d.act(v, action.ResetFactors, "")),
	})
	for _, k := range has.Passkeys {
		v.view.Cards = append(v.view.Cards, views.Card{Title: chosen(k.Name), Rows: used(k.CreatedAt, k.LastUsedAt)})
	}
	for _, l := range has.Links {
		name := views.Row{Name: views.RowValue, Text: frame.MaskEmail(l.Name)}
		v.view.Cards = append(v.view.Cards, views.Card{Title: words(l.Title), Rows: append([]views.Row{name}, used(l.CreatedAt, l.LastUsedAt)...)})
	}
	return nil
}

// factorRows say what there is to sign in with.
func factorRows(a *provider.RecordedAccount, has provider.RecordedAuthenticators) []views.Row {
	rows := []views.Row{
		{Name: views.RowPassword, State: state(a.HasPassword, views.StateRecorded, views.StateNone)},
		{Name: views.RowPasskeys, Text: strconv.Itoa(len(has.Passkeys))},
		{Name: views.RowLinks, Text: strconv.Itoa(len(has.Links))},
		{Name: views.RowApp, State: state(!has.AppSince.IsZero(), views.StateRecorded, views.StateNone)},
		{Name: views.RowCodes, Text: strconv.Itoa(has.RecoveryCodes)},
		{Name: views.RowSecondStep, State: state(has.SecondStep, views.StateOn, views.StateOff)},
	}
	if has.Recovery != nil {
		rows = append(rows, views.Row{Name: views.RowRecovery, At: has.Recovery.EndsAt})
	}
	return rows
}

// used says since when something is there, and when it was last used.
func used(since, last time.Time) []views.Row {
	rows := []views.Row{{Name: views.RowSince, At: since}}
	if !last.IsZero() {
		rows = append(rows, views.Row{Name: views.RowLast, At: last})
	}
	return rows
}

// sessions are the browsers in which the person is signed in.
func (d *Room) sessions(v *look) error {
	now := v.Frame.Now()
	for _, s := range v.data.Sessions {
		if !now.Before(s.ExpiresAt) {
			continue
		}
		agent := request.DeviceOf(s.UserAgent)
		name := strings.Trim(agent.Browser+" – "+agent.System, " –")
		rows := used(s.CreatedAt, s.LastSeenAt)
		if s.Address != "" {
			rows = append(rows, views.Row{Name: views.RowNetwork, Text: s.Address})
		}
		v.view.Cards = append(v.view.Cards, views.Card{Title: chosen(name), Rows: rows, Acts: d.act(v, action.EndSession, name, action.FieldSession, s.Handle)})
	}
	if len(v.view.Cards) > 1 {
		v.view.Cards = append(v.view.Cards, views.Card{Acts: d.act(v, action.EndSessions, "")})
	}
	return nil
}

// applications are those that the person allows to get data.
func (d *Room) applications(v *look) error {
	pages, l := v.Frame.Provider.Rooms().Pages, v.Locale()
	after, err := v.After("applications", v.Matter.ID)
	if err != nil {
		return err
	}
	consents, err := v.Frame.Provider.Rooms().People.Consents(v.Context(), v.Matter.Subject, after, frame.Few+1)
	if err != nil {
		return err
	}
	if len(consents) > frame.Few {
		consents = consents[:frame.Few]
		v.view.MoreURL = v.MatterPath("applications") + "?" + url.Values{
			frame.ParameterAfter: {v.Next(consents[frame.Few-1].ClientID, "applications", v.Matter.ID)},
		}.Encode()
	}
	for _, c := range consents {
		var received []ui.Label
		for _, handle := range c.Attributes {
			received = append(received, pages.AttributeWords(l, handle))
		}
		for _, group := range c.Groups {
			title, _ := pages.GroupWords(l, group)
			received = append(received, title)
		}
		rows := []views.Row{{Name: views.RowAllowed, At: c.CreatedAt}}
		if len(received) > 0 {
			rows = append(rows, views.Row{Name: views.RowReceived, Labels: received})
		}
		if !c.LastUsedAt.IsZero() {
			rows = append(rows, views.Row{Name: views.RowLast, At: c.LastUsedAt})
		}
		if d.Dashboard != nil { // by which the staff of the application asks about the person
			rows = append(rows, views.Row{Name: views.RowCalled, Text: d.Dashboard.CalledAs(d.environment(), c.ClientID, v.Matter.Subject)})
		}
		v.view.Cards = append(v.view.Cards, views.Card{
			Title: chosen(c.ClientName), Rows: rows, Acts: d.act(v, action.RevokeApplication, c.ClientName, action.FieldClient, c.ClientID),
		})
	}
	return nil
}

// environment is that of the desk in the logs of applications.
func (d *Room) environment() string {
	if d.Frame.Provider.Rooms().Installation().Sandbox {
		return storage.Sandbox
	}
	return storage.Production
}

// groups are those that the person belongs to, or has asked to.
func (d *Room) groups(v *look) error {
	now := v.Frame.Now()
	for _, s := range v.data.Statuses {
		title, parts := v.Frame.Provider.Rooms().Pages.GroupWords(v.Locale(), s.Group, s.Subgroups...)
		c := views.Card{Title: title}
		ended := !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt)
		switch {
		case ended:
			c.States = append(c.States, views.StateEnded)
		case s.Pending:
			c.States = append(c.States, views.StatePending)
		default:
			c.States = append(c.States, state(s.Verified, views.StateVerified, views.StateUnverified))
		}
		if len(parts) > 0 {
			c.Rows = append(c.Rows, views.Row{Name: views.RowReceived, Labels: parts})
		}
		if s.Source != "" {
			c.Rows = append(c.Rows, views.Row{Name: views.RowSource, Text: s.Source})
		}
		if !s.VerifiedAt.IsZero() {
			c.Rows = append(c.Rows, views.Row{Name: views.RowSince, At: s.VerifiedAt})
		}
		if !s.ExpiresAt.IsZero() {
			c.Rows = append(c.Rows, views.Row{Name: views.RowUntil, At: s.ExpiresAt})
		}
		if !ended {
			c.Acts = d.act(v, action.EndStatus, title.Text, action.FieldGroup, s.Group)
		}
		v.view.Cards = append(v.view.Cards, c)
	}
	return d.credentials(v)
}

// credentials are what the person has of these groups in wallets.
func (d *Room) credentials(v *look) error {
	all, err := v.Frame.Provider.Rooms().People.Credentials(v.Context(), v.Matter.Subject)
	if err != nil {
		return err
	}
	for _, c := range all {
		title, _ := v.Frame.Provider.Rooms().Pages.GroupWords(v.Locale(), c.Group)
		wallet, err := v.Room().Client(c.ClientID)
		if err != nil {
			return err
		}
		v.view.Cards = append(v.view.Cards, views.Card{
			Title: title, States: []views.State{views.StateInWallet},
			Rows: []views.Row{
				{Name: views.RowApplication, Text: cmp.Or(wallet.Name, c.ClientID)}, {Name: views.RowSince, At: c.IssuedAt}, {Name: views.RowUntil, At: c.ExpiresAt},
			},
			Acts: d.act(v, action.EndCredential, title.Text, action.FieldCredential, c.ID),
		})
	}
	return nil
}

// caseStates are the words for the states of cases.
var caseStates = map[storage.CaseState]views.State{
	storage.CaseOpen: views.StateOpen, storage.CasePending: views.StatePending, storage.CaseReview: views.StateReview,
	storage.CaseApproved: views.StateApproved, storage.CaseDeclined: views.StateDeclined,
	storage.CaseWithdrawn: views.StateWithdrawn, storage.CaseExpired: views.StateExpired,
}

// cases are those of verification: how they stand, and nothing of what is in them.
func (d *Room) cases(v *look) error { return d.listCases(v, false) }

// listCases lists the cases, or those alone that have not ended.
func (d *Room) listCases(v *look, open bool) error {
	cases, err := d.Verification.Cases(v.Context(), storage.CaseFilter{Subject: v.Matter.Subject, Limit: frame.Few})
	if err != nil {
		return err
	}
	for _, c := range cases {
		if open && c.State.IsFinal() {
			continue
		}
		title, _ := v.Frame.Provider.Rooms().Pages.GroupWords(v.Locale(), c.Group)
		card := views.Card{Title: title, States: []views.State{caseStates[c.State]}}
		if c.State == storage.CaseReview && !c.DueAt.IsZero() {
			card.Rows = append(card.Rows, views.Row{Name: views.RowDue, At: c.DueAt})
		}
		v.view.Cards = append(v.view.Cards, card)
	}
	return nil
}
