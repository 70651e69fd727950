package selfservice

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// exported is all data about a user, and no secret: the file contains nothing with which
// its finder could get in.
type exported struct {
	ExportedAt   time.Time                  `json:"exported_at"`
	Account      exportedAccount            `json:"account"`
	SignIn       exportedSignIn             `json:"sign_in"`
	Attributes   map[string]json.RawMessage `json:"attributes"`
	Groups       []exportedStatus           `json:"groups"`
	Applications []exportedConsent          `json:"applications"`
	Former       []exportedRecipient        `json:"former_applications"`
	Devices      []exportedSession          `json:"devices"`
	History      []exportedEvent            `json:"history"`

	// HistoryCut reports that older history is missing: the file has the latest 10,000
	// events.
	HistoryCut bool `json:"history_cut,omitempty"`

	// Beside is the data of companions.
	Beside map[string]any `json:"beside,omitempty"`
}

type exportedAccount struct {
	ID                string    `json:"id"`
	Email             string    `json:"email"`
	EmailVerified     bool      `json:"email_verified"`
	Language          string    `json:"language,omitempty"`
	CreatedAt         time.Time `json:"created_at"`
	PasswordChangedAt time.Time `json:"password_changed_at,omitzero"`
}

type exportedStatus struct {
	Group      string    `json:"group"`
	Subgroups  []string  `json:"subgroups"`
	Verified   bool      `json:"verified"`
	Pending    bool      `json:"pending,omitempty"`
	VerifiedBy string    `json:"verified_by,omitempty"`
	VerifiedAt time.Time `json:"verified_at,omitzero"`
	Source     string    `json:"source,omitempty"`
	Method     string    `json:"method,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	ExpiresAt  time.Time `json:"expires_at,omitzero"`
}

type exportedConsent struct {
	ClientID   string    `json:"client_id"`
	Name       string    `json:"name"`
	Scopes     []string  `json:"scopes"`
	Attributes []string  `json:"attributes"`
	Groups     []string  `json:"groups"`
	Resources  []string  `json:"resources,omitempty"`
	LeftOut    []string  `json:"left_out,omitempty"`
	Since      time.Time `json:"since"`
	DecidedAt  time.Time `json:"decided_at,omitzero"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// exportedRecipient is an application that could see what it no longer can.
type exportedRecipient struct {
	ClientID   string    `json:"client_id"`
	Name       string    `json:"name"`
	Hosts      []string  `json:"hosts,omitempty"`
	Attributes []string  `json:"attributes"`
	Groups     []string  `json:"groups"`
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until"`
}

type exportedSession struct {
	UserAgent  string    `json:"user_agent"`
	Network    string    `json:"network"`
	SignedInAt time.Time `json:"signed_in_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

type exportedEvent struct {
	At       time.Time `json:"at"`
	Name     string    `json:"name"`
	ClientID string    `json:"client_id,omitempty"`
	Network  string    `json:"network,omitempty"`
	Detail   string    `json:"detail,omitempty"`

	// By is who else has done it: "staff", with the role and the reason, or "service".
	By     string `json:"by,omitempty"`
	Role   string `json:"role,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// maxExportedEvents limits the history of a file to the latest events.
const maxExportedEvents = 10_000

// showExport asks for the password before it releases everything at once.
func (p *dataPages) showExport(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	p.renderExport(w, r, user, known, http.StatusOK)
	return nil
}

func (p *dataPages) renderExport(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.Export(ui.ExportView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: user.Account.Email, Known: known, AccountURL: p.Site.Link("/account"),
	}))
}

// export responds with the file.
func (p *dataPages) export(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	owner, problem, wait, err := p.checkOwner(r, user, known)
	if err != nil {
		return err
	}
	if problem.Code != "" {
		p.renderExport(w, r, user, known, refused(w, wait), problem)
		return nil
	}
	file, err := p.everything(r, user, owner)
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return fmt.Errorf("encode export: %w", err)
	}
	if err := p.Audit.Write(r.Context(), storage.Event{Name: event.DataExported, Subject: owner.ID}); err != nil {
		return fmt.Errorf("record export: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="my-data.json"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(body)
	return nil
}

func (p *dataPages) everything(r *http.Request, user *authflow.User, owner storage.Account) (exported, error) {
	ctx := r.Context()
	file := exported{ExportedAt: p.Clock().UTC(), Account: exportedAccount{
		ID: owner.ID, Email: owner.Email, EmailVerified: owner.EmailVerified, Language: owner.Language,
		CreatedAt: owner.CreatedAt, PasswordChangedAt: owner.PasswordChangedAt,
	}}
	if err := p.exportPerson(r, user, &file); err != nil {
		return exported{}, err
	}
	var err error
	if file.SignIn, err = p.exportSignIn(ctx, owner.ID); err != nil {
		return exported{}, err
	}
	if err := p.exportRecipients(ctx, owner.ID, &file); err != nil {
		return exported{}, err
	}
	sessions, err := p.Store.Sessions(ctx, owner.ID)
	if err != nil {
		return exported{}, fmt.Errorf("read sessions: %w", err)
	}
	for _, s := range sessions {
		file.Devices = append(file.Devices, exportedSession{s.UserAgent, s.Address, s.CreatedAt, s.LastSeenAt, s.ExpiresAt})
	}
	for _, c := range p.Companions.All() {
		kept, err := c.Export(ctx, owner.ID)
		if err != nil {
			return exported{}, fmt.Errorf("read what is kept beside: %w", err)
		}
		if file.Beside == nil {
			file.Beside = map[string]any{}
		}
		maps.Copy(file.Beside, kept)
	}
	file.History, file.HistoryCut, err = p.exportHistory(ctx, owner.ID)
	return file, err
}

// exportRecipients adds who can see the user's data, and who could.
func (p *dataPages) exportRecipients(ctx context.Context, subject string, file *exported) error {
	consents, err := p.Store.Consents(ctx, storage.ConsentFilter{Subject: subject})
	if err != nil {
		return fmt.Errorf("read consents: %w", err)
	}
	for _, c := range consents {
		file.Applications = append(file.Applications, exportedConsent{
			c.ClientID, c.ClientName, c.Scopes, c.Attributes, c.Groups, c.Resources, c.LeftOut, c.CreatedAt, c.DecidedAt, c.LastUsedAt,
		})
	}
	former, err := p.Store.FormerRecipients(ctx, subject)
	if err != nil {
		return fmt.Errorf("read former recipients: %w", err)
	}
	for _, f := range former {
		file.Former = append(file.Former, exportedRecipient{f.ClientID, f.ClientName, f.RedirectHosts, f.Attributes, f.Groups, f.Since, f.Until})
	}
	return nil
}

// exportPerson adds the recorded data, including handles that are no longer in the
// catalogue, and the host's.
func (p *dataPages) exportPerson(r *http.Request, user *authflow.User, file *exported) error {
	stored, err := p.Store.Person(r.Context(), user.UserID)
	if err != nil {
		return fmt.Errorf("read person: %w", err)
	}
	record, err := p.record(r, user)
	if err != nil {
		return err
	}
	file.Attributes = map[string]json.RawMessage{}
	for handle, raw := range stored.Attributes {
		file.Attributes[handle] = raw
	}
	for _, a := range p.Claims.Catalogue.Attributes {
		if raw := record.Value(a.Handle); raw != nil {
			file.Attributes[a.Handle] = raw
		}
	}
	for _, s := range record.Statuses() {
		file.Groups = append(file.Groups, exportedStatus{
			s.Group, s.Subgroups, s.Verified, s.Pending, s.VerifiedBy, s.VerifiedAt, s.Source, s.Method, s.Reason, s.ExpiresAt,
		})
	}
	return nil
}

// unsaid are the events of the desk beside a matter, which a user does not read: they would
// tell of a matter that is withheld, or of a plan before it is carried out. What was looked at
// and done has lines of its own.
var unsaid = map[string]bool{
	event.PersonFound: true, event.DeskRefused: true, event.PlanProposed: true, event.PlanApproved: true, event.PlanRefused: true,
	event.PlanStopped: true, event.PlanDone: true, event.BreakMade: true, event.BreakSignedOff: true,
	// Whoever saw a reviewer at work could withdraw before the decision.
	event.CaseTaken: true, event.CaseReturned: true, event.CaseDecided: true, event.DecisionUndone: true, event.EvidenceOpened: true,
	event.StaffLooked: true,
}

// exportHistory returns the latest events about a user, and whether there are older ones.
func (p *dataPages) exportHistory(ctx context.Context, subject string) (all []exportedEvent, cut bool, err error) {
	match, by := storage.EventFilter{Subject: subject, Limit: 500}, p.others(ctx)
	for {
		events, err := p.Store.Events(ctx, match)
		if err != nil {
			return nil, false, fmt.Errorf("read events: %w", err)
		}
		for _, e := range events {
			if len(all) == maxExportedEvents {
				return all, true, nil
			}
			match.BeforeID = e.ID
			actor, visible, err := by.of(e)
			if err != nil {
				return nil, false, err
			}
			if visible && !unsaid[e.Name] {
				all = append(all, exportEvent(e, actor))
			}
		}
		if len(events) < match.Limit {
			return all, false, nil
		}
	}
}

// exportEvent returns an event as its user may have it: without the ID and the network of
// whoever else has done it.
func exportEvent(e storage.Event, by *ui.HistoryActor) exportedEvent {
	x := exportedEvent{At: e.At, Name: e.Name, ClientID: e.ClientID, Network: e.Address, Detail: e.Detail}
	switch {
	case by == nil:
		return x
	case *by == (ui.HistoryActor{}):
		x.By = "service"
	default:
		x.By, x.Role, x.Reason = "staff", by.Role, by.Reason
	}
	x.Network = ""
	return x
}
