package signals

import (
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Each type is of a signal that there is, and of CAEP 1.0 or RISC 1.0.
func TestEventTypes(t *testing.T) {
	t.Parallel()
	for _, of := range eventTypes {
		if !slices.Contains(signals.Names(), of.signal) || !strings.HasPrefix(of.uri, caep) && !strings.HasPrefix(of.uri, risc) {
			t.Errorf("%s of %s", of.uri, of.signal)
		}
	}
	if got := signalsOf([]string{accountPurged, "urn:other"}); !slices.Equal(got, []string{signals.AccountDeleted}) {
		t.Error(got)
	}
	if got := signalsOf(supported()); len(got) != len(eventTypes) {
		t.Error(got)
	}
}

// CAEP 1.0 section 2: initiating_entity is one of four words.
func TestInitiatingEntity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		e    storage.Event
	}{
		{"admin", storage.Event{Name: event.AccountDisabled, Subject: "u1", Actor: "staff:ada"}},
		{"admin", storage.Event{Name: event.StatusEnded, Subject: "u1", Actor: "staff:ada", Detail: "student"}},
		{"admin", storage.Event{Name: event.SignedOut, Subject: "u1", Detail: "by the host"}},
		{"admin", storage.Event{Name: event.Revoked, Subject: "u1", Detail: "everything of the user, by the host"}},
		{"policy", storage.Event{Name: event.StatusEnded, Subject: "u1", Detail: "student"}},
		{"policy", storage.Event{Name: event.Reuse, Subject: "u1", ClientID: "c1", Detail: "refresh token"}},
		{"user", storage.Event{Name: event.PasswordChanged, Subject: "u1"}},
		{"user", storage.Event{Name: event.SignedOut, Subject: "u1"}},
		{"system", storage.Event{Name: event.StatusChanged, Subject: "u1", Detail: "student"}},
		{"system", storage.Event{Name: event.KeyRotated}},
	} {
		if got := initiator(c.e); got != c.want {
			t.Errorf("%s %q is by %s, want %s", c.e.Name, c.e.Detail, got, c.want)
		}
	}
}

// CAEP 1.0 section 3.3.1: credential_type and change_type are of these words, and always there. Sections
// 3.1.1 and 3.2.1: a session-revoked has nothing of its own, a token-claims-change the claims.
func TestEventsHaveWhatTheirTypesRequire(t *testing.T) {
	t.Parallel()
	kinds := []string{"password", "pin", "x509", "fido2-platform", "fido2-roaming", "fido-u2f", "verifiable-credential", "phone-voice", "phone-sms", "app"}
	changes := []string{"create", "revoke", "update", "delete"}
	for name, signal := range signalOf {
		c, told := ChangeOf(storage.Event{ID: 1, Name: name, Subject: "u1", ClientID: "c1", Detail: "by the user"})
		uri, o, is := occurrenceOf(c)
		if is != slices.ContainsFunc(eventTypes, func(of struct{ signal, uri string }) bool { return of.signal == signal }) || !told {
			t.Errorf("%s: %t, told %t", name, is, told)
		}
		switch {
		case strings.HasPrefix(uri, risc), !is: // RISC 1.0 section 2: the events have no claims that are required
			if o != (occurrence{}) {
				t.Errorf("%s says %+v", name, o)
			}
			continue
		case uri == credentialChange:
			if !slices.Contains(kinds, o.CredentialType) || !slices.Contains(changes, o.ChangeType) {
				t.Errorf("%s is %q %q", name, o.CredentialType, o.ChangeType)
			}
		case uri == claimsChange:
			if o.Claims == nil || len(o.Claims.Status) != 1 {
				t.Errorf("%s changes %+v", name, o.Claims)
			}
		}
		if uri != credentialChange && o.CredentialType+o.ChangeType != "" || uri != claimsChange && o.Claims != nil {
			t.Errorf("%s says what its type has not: %+v", name, o)
		}
	}
}
