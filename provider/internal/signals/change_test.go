package signals

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// A change concerns who has a grant in force that covers its group, or one that this change has ended.
func TestWhomAChangeConcerns(t *testing.T) {
	t.Parallel()
	at := time.Unix(1796000000, 0)
	c, _ := ChangeOf(storage.Event{At: at, Name: event.StatusEnded, Subject: "ann", Detail: "student"})
	for name, tc := range map[string]struct {
		l    storage.Listener
		want bool
	}{
		"InForce":    {storage.Listener{Subject: "ann", Groups: []string{"teacher", "student"}}, true},
		"EndedByIt":  {storage.Listener{Subject: "ann", Groups: []string{"student"}, EndedAt: at.Add(-justNow)}, true},
		"EndedLater": {storage.Listener{Subject: "ann", Groups: []string{"student"}, EndedAt: at.Add(time.Hour)}, true},
		"EndedThen":  {storage.Listener{Subject: "ann", Groups: []string{"student"}, EndedAt: at.Add(-justNow - time.Microsecond)}, false},
		"OtherGroup": {storage.Listener{Subject: "ann", Groups: []string{"teacher"}}, false},
		"OtherUser":  {storage.Listener{Subject: "bob", Groups: []string{"student"}}, false},
	} {
		if got := c.concerns(tc.l); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
