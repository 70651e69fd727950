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
	for want, e := range map[string]storage.Event{
		"admin":  {Name: event.AccountDisabled, Subject: "u1", Actor: "staff:ada"},
		"policy": {Name: event.StatusEnded, Subject: "u1"},
		"user":   {Name: event.PasswordChanged, Subject: "u1"},
		"system": {Name: event.KeyRotated},
	} {
		if got := initiator(e); got != want {
			t.Errorf("%s is by %s, want %s", e.Name, got, want)
		}
	}
}
