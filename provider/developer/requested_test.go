package developer_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func TestFindRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	begun := w.now().Truncate(time.Second)
	second := begun.Unix()
	id := hex.EncodeToString([]byte{byte(second >> 24), byte(second >> 16), byte(second >> 8), byte(second), 1, 2, 3, 4, 5, 6, 7, 8})
	w.lines(storage.Sandbox, "shop",
		storage.LogEntry{At: begun.Add(3 * time.Second), Event: "token", Outcome: "error", Error: "invalid_grant", RequestID: id},
		storage.LogEntry{At: begun, Event: "token", Outcome: "ok", RequestID: "another"},
		storage.LogEntry{At: begun.Add(time.Hour), Event: "token", Outcome: "ok", RequestID: id})
	t.Run("ByTheIDOfAnErrorPage", func(t *testing.T) {
		got, err := w.Dashboard.FindRequest(t.Context(), id)
		if err != nil || len(got) != 1 || got[0].ClientID != "shop" || got[0].Error != "invalid_grant" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("NoneByATextThatIsNone", func(t *testing.T) {
		for _, id := range []string{"", "another", "0123456789abcdef"} {
			if got, err := w.Dashboard.FindRequest(t.Context(), id); err != nil || len(got) != 0 {
				t.Errorf("%q: %+v, %v", id, got, err)
			}
		}
	})
	t.Run("CalledAsIsOfOneApplication", func(t *testing.T) {
		d := w.Dashboard
		name := d.CalledAs(storage.Sandbox, "shop", "nora")
		if name != d.CalledAs(storage.Sandbox, "shop", "nora") || name == d.CalledAs(storage.Production, "shop", "nora") || name == d.CalledAs(storage.Sandbox, "shop", "bob") {
			t.Errorf("got %q", name)
		}
	})
}
