package accounts

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

func TestPersonParts(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.Alice().StandardTokens()
	for name, c := range map[string]struct {
		part room.PersonPart
		has  [4]bool // values, consents, sessions, events
	}{
		"Values":   {room.PersonValues, [4]bool{true, false, false, false}},
		"Consents": {room.PersonConsents, [4]bool{false, true, false, false}},
		"Sessions": {room.PersonSessions, [4]bool{false, false, true, false}},
		"Events":   {room.PersonEvents, [4]bool{false, false, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := w.Rooms().People.GetParts(t.Context(), "alice", c.part)
			w.OK(err)
			if p.Account == nil || p.Account.Email != "alice@example.com" {
				t.Errorf("the account is %+v", p.Account)
			}
			if has := [4]bool{p.Attributes != nil && p.Statuses != nil, p.Consents != nil, p.Sessions != nil, p.Events != nil}; has != c.has {
				t.Errorf("it has %v, want %v", has, c.has)
			}
		})
	}
	if p, err := w.Rooms().People.GetParts(t.Context(), "nobody", room.PersonConsents); err != nil || p.Account != nil {
		t.Errorf("nobody: %+v, %v", p, err)
	}
	if _, err := w.Rooms().People.GetParts(t.Context(), "alice", 9); err == nil {
		t.Error("there is a part 9")
	}
}
