package signals

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// The types of events, by CAEP 1.0, RISC 1.0, and SSF 1.0 of a stream itself.
const (
	caep = "https://schemas.openid.net/secevent/caep/event-type/"
	risc = "https://schemas.openid.net/secevent/risc/event-type/"
	ssf  = "https://schemas.openid.net/secevent/ssf/event-type/"

	claimsChange     = caep + "token-claims-change"
	sessionRevoked   = caep + "session-revoked"
	credentialChange = caep + "credential-change"
	accountDisabled  = risc + "account-disabled"
	accountEnabled   = risc + "account-enabled"
	accountPurged    = risc + "account-purged"
	verification     = ssf + "verification"
	streamUpdated    = ssf + "stream-updated"
)

// eventTypes are the types that a stream can deliver, by the signal of which they tell. Other
// signals have no event in CAEP or RISC.
var eventTypes = []struct{ signal, uri string }{
	{signals.SessionsEnded, sessionRevoked},
	{signals.StatusChanged, claimsChange},
	{signals.CredentialChanged, credentialChange},
	{signals.AccountDisabled, accountDisabled},
	{signals.AccountEnabled, accountEnabled},
	{signals.AccountDeleted, accountPurged},
}

// supported are the URIs of all of them.
func supported() []string { return delivered(nil) }

// delivered are those of the supported types that a receiver has requested; all if it has
// requested none.
func delivered(requested []string) []string {
	uris := []string{}
	for _, t := range eventTypes {
		if requested == nil || slices.Contains(requested, t.uri) {
			uris = append(uris, t.uri)
		}
	}
	return uris
}

// signalsOf are the signals of types of events.
func signalsOf(uris []string) []string {
	names := []string{}
	for _, t := range eventTypes {
		if slices.Contains(uris, t.uri) {
			names = append(names, t.signal)
		}
	}
	return names
}

// credentials are what has changed by an event (CAEP 1.0 section 3.3.1). Whether a passkey stays on
// one device nobody says; most are on those of its user's account.
var credentials = map[string]struct{ kind, change string }{
	event.PasswordChanged: {"password", "update"}, event.EmailReturned: {"password", "update"}, event.PasswordRemoved: {"password", "delete"},
	event.PasskeyAdded: {"fido2-platform", "create"}, event.PasskeyRemoved: {"fido2-platform", "delete"}, event.AuthenticatorsReset: {"fido2-platform", "revoke"},
	event.TOTPAdded: {"app", "create"}, event.TOTPRemoved: {"app", "delete"},
}

// occurrenceOf returns the type of the event by which a stream tells of a change, and what it says.
// False if there is none. RISC 1.0 gives its events nothing that we would have to say.
func occurrenceOf(c Change) (uri string, o occurrence, ok bool) {
	for _, t := range eventTypes {
		if t.signal == c.Signal {
			uri = t.uri
		}
	}
	if uri == "" || strings.HasPrefix(uri, risc) {
		return uri, o, uri != ""
	}
	o = occurrence{Timestamp: c.Event.At.Unix(), Entity: initiator(c.Event)}
	switch uri {
	case claimsChange:
		o.Claims = &changedClaims{[]changedStatus{{Group: c.Group}}}
	case credentialChange:
		of := credentials[c.Event.Name]
		o.CredentialType, o.ChangeType = of.kind, of.change
	}
	return uri, o, true
}

// initiator is who is behind an event (CAEP 1.0 section 2): a status that ends by its time, and a grant
// of which a token came twice, do so by a rule, the staff and the programs of the host administer, a
// verification or the host asserts a status, and users act for themselves.
func initiator(e storage.Event) string {
	switch {
	case e.Actor != "", strings.HasSuffix(e.Detail, "by the host"):
		return "admin"
	case e.Name == event.StatusEnded, e.Name == event.VerificationEnded, e.Name == event.Reuse:
		return "policy"
	case e.Subject == "", e.Name == event.StatusChanged:
		return "system"
	default:
		return "user"
	}
}
