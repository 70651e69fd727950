package selfservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// historyPage is the number of events on a page.
const historyPage = 30

// acts are the audit events that users see.
var acts = map[string]ui.HistoryAct{
	event.SignedIn: ui.HistorySignedIn, event.SignInFailed: ui.HistorySignInFailed, event.SignedOut: ui.HistorySignedOut,
	event.SignedUp: ui.HistorySignedUp, event.AccountCreated: ui.HistorySignedUp,
	event.PasswordChanged: ui.HistoryPasswordChanged, event.PasswordRemoved: ui.HistoryPasswordRemoved,
	event.PasskeyAdded: ui.HistoryPasskeyAdded, event.PasskeyRemoved: ui.HistoryPasskeyRemoved,
	event.DeviceAllowed: ui.HistoryDeviceAllowed, event.DeviceReported: ui.HistoryDeviceReported,
	event.LinkAdded: ui.HistoryLinkAdded, event.LinkRemoved: ui.HistoryLinkRemoved,
	event.TOTPAdded: ui.HistoryTOTPAdded, event.TOTPRemoved: ui.HistoryTOTPRemoved, event.RecoveryCodesMade: ui.HistoryCodesMade,
	event.SecondStepOn: ui.HistoryStepOn, event.SecondStepOff: ui.HistoryStepOff, event.DevicesForgotten: ui.HistoryForgotten,
	event.EmailChanged: ui.HistoryEmailChanged, event.EmailReturned: ui.HistoryEmailReturned, event.EmailVerified: ui.HistoryEmailVerified,
	event.Consent: ui.HistoryAppAllowed, event.Denied: ui.HistoryAppDenied, event.Revoked: ui.HistoryAppRemoved,
	event.Exchanged: ui.HistoryExchanged, event.Reuse: ui.HistoryReuse,
	event.AccountDisabled: ui.HistoryLocked, event.AccountEnabled: ui.HistoryUnlocked,
	event.RecoveryStarted: ui.HistoryRecoveryStarted, event.RecoveryStopped: ui.HistoryRecoveryStopped, event.RecoveryApproved: ui.HistoryRecoveryApproved,
	event.Recovered: ui.HistoryRecovered, event.AuthenticatorsReset: ui.HistoryAuthenticatorsReset,
	event.DeletionRequested: ui.HistoryDeletionBegun, event.DeletionWithdrawn: ui.HistoryDeletionEnded, event.DataExported: ui.HistoryExported,
	event.MatterOpened: ui.HistoryLooked, event.SupportLooked: ui.HistoryPartLooked, event.ValueShown: ui.HistoryValueShown,
	event.CallerCodeMade: ui.HistoryCallerCode, event.CallerProved: ui.HistoryCallerProved,
	event.ResetSent: ui.HistoryResetSent, event.ExportSent: ui.HistoryExportSent, event.SessionEnded: ui.HistorySessionEnded,
	event.VerificationStarted: ui.HistoryVerificationStarted, event.VerificationEnded: ui.HistoryVerificationEnded,
	event.CredentialIssued: ui.HistoryProofAdded, event.CredentialEnded: ui.HistoryProofEnded,
	event.AttributesChanged: ui.HistoryValueCorrected, event.StatusChanged: ui.HistoryStatusSet, event.StatusEnded: ui.HistoryStatusEnded,
}

// ActOf returns what users read of an event; empty for nothing.
func ActOf(e storage.Event) ui.HistoryAct {
	switch {
	case e.Name == event.Revoked && e.ClientID == "":
		return ui.HistorySignedOut
	case e.Name == event.VerificationEnded && strings.HasSuffix(e.Detail, " "+string(storage.CaseApproved)):
		return ui.HistoryVerified
	case e.Name == event.VerificationEnded && strings.HasSuffix(e.Detail, " "+string(storage.CaseDeclined)):
		return ui.HistoryNotApproved
	default:
		return acts[e.Name]
	}
}

// GroupOf returns the group that an event is about, with what its detail says beside it; the
// whole detail if it is about none.
func GroupOf(e storage.Event) (group, rest string) {
	switch e.Name {
	case event.VerificationStarted, event.VerificationEnded, event.StatusChanged, event.StatusEnded, event.EvidenceHeld,
		event.CaseTaken, event.CaseReturned, event.CaseDecided, event.DecisionUndone, event.CredentialIssued, event.CredentialEnded:
		group, rest, _ = strings.Cut(e.Detail, " ")
		return group, rest
	}
	return "", e.Detail
}

// sealAfterPurpose differs for each user, because event numbers would reveal how many
// events others have.
func (p *dataPages) sealAfterPurpose(userID string) string {
	return "history " + p.Site.Issuer + " " + userID
}

// showHistory lists the events of the user's account.
func (p *dataPages) showHistory(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	match := storage.EventFilter{Subject: user.UserID, Limit: historyPage}
	if sealed := web.Parameter(r, web.AfterParameter); sealed != "" {
		plain, err := p.Site.Secrets.OpenString(p.sealAfterPurpose(user.UserID), sealed)
		if err != nil {
			return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
		}
		if match.BeforeID, err = strconv.ParseInt(string(plain), 10, 64); err != nil {
			return fmt.Errorf("decode page: %w", err)
		}
	}
	events, err := p.Store.Events(r.Context(), match)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	view := ui.HistoryView{Page: p.Site.PageView(r, nil), AccountURL: p.Site.Link("/account")}
	by := p.others(r.Context())
	for _, e := range events {
		act := ActOf(e)
		actor, visible, err := by.of(e)
		if err != nil {
			return err
		}
		if act == "" || !visible {
			continue
		}
		client, err := p.ClientName(r.Context(), e.ClientID)
		if err != nil {
			return err
		}
		entry := ui.HistoryEntry{Act: act, At: e.At, Client: client, How: howOf(e), Upstream: p.upstreamIn(e), By: actor, Place: placeFor(r, e)}
		if group, _ := GroupOf(e); group != "" {
			entry.Group = p.Claims.Catalogue.GroupWords(view.Locale, group)
		}
		view.Entries = append(view.Entries, entry)
	}
	if len(events) == historyPage {
		last := strconv.FormatInt(events[len(events)-1].ID, 10)
		sealed := p.Site.Secrets.SealString(p.sealAfterPurpose(user.UserID), []byte(last))
		view.OlderURL = p.Site.Link("/account/history", web.AfterParameter, sealed)
	}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.History(view))
	return nil
}

// placeFor describes where something was done from; nowhere for what others, or APIs, have done,
// whose network is not the user's business.
func placeFor(r *http.Request, e storage.Event) ui.Place {
	if e.Actor != "" || e.Name == event.Exchanged {
		return ui.Place{}
	}
	return placeOf(r, e.Address)
}

// howOf says how a user has signed in, by the factors that the event of a sign-in names; empty if
// it is none, or names none.
func howOf(e storage.Event) ui.SessionHow {
	switch {
	case e.Name != event.SignedIn || e.Detail == "":
		return ""
	case e.Detail == "passkey":
		return ui.SessionByPasskey
	case e.Detail == "password":
		return ui.SessionByPassword
	case strings.HasPrefix(e.Detail, upstreamDetail) && !strings.Contains(e.Detail, ","):
		return ui.SessionByUpstream
	default: // several, or one beside the password of before
		return ui.SessionByTwoSteps
	}
}

// upstreamDetail is before the ID of an upstream provider in the audit log.
const upstreamDetail = "upstream "

// upstreamIn returns what people call the upstream provider that an event is about; empty for
// none.
func (p *dataPages) upstreamIn(e storage.Event) string {
	id, named := strings.CutPrefix(e.Detail, upstreamDetail)
	if !named || e.Name != event.SignedIn && e.Name != event.LinkAdded && e.Name != event.LinkRemoved {
		return ""
	}
	return p.UpstreamTitle(id)
}

// ClientName returns the name of an application, or its ID if it is gone; empty for none.
func (p *frame) ClientName(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	client, err := p.Engine.Client(ctx, id)
	if errors.Is(err, registry.ErrNoClient) {
		return id, nil
	}
	if err != nil {
		return "", err
	}
	return client.Name, nil
}
