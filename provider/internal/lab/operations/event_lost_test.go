package operations

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// loses has the database refuse the lines of a name.
func loses(w *lab.Fixture, name string) {
	w.Exec(`CREATE TRIGGER lost BEFORE INSERT ON events WHEN NEW.name = '` + name + `' BEGIN SELECT RAISE(ABORT, 'lost'); END`)
}

// What is recorded with an act has not happened without its line.
func TestActWithoutItsLine(t *testing.T) {
	t.Parallel()
	t.Run("RevokesNoToken", func(t *testing.T) {
		t.Parallel()
		w, b := lab.WithAlice(t)
		tokens := b.StandardTokens()
		refresh, _ := tokens["refresh_token"].(string)
		loses(w, event.Revoked)
		if p := b.Client(lab.RevokePath, "std", "token", refresh); p.StatusCode == http.StatusOK {
			t.Errorf("revoked without a line: %s", p.Status)
		}
		w.Exec(`DROP TRIGGER lost`)
		if p, body := b.Refresh(refresh); body["access_token"] == nil {
			t.Errorf("what was not revoked is over: %s %s", p.Status, p.Text)
		}
	})
	t.Run("EndsNoGrantOfAStolenCode", func(t *testing.T) {
		t.Parallel()
		w, b := lab.WithAlice(t)
		code := b.Allow(lab.Ask()...).Get("code")
		_, tokens := b.Token(lab.Std("code", code)...)
		refresh, _ := tokens["refresh_token"].(string)
		loses(w, event.Reuse)
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode < http.StatusInternalServerError {
			t.Errorf("a code twice, without a line: %s", p.Status)
		}
		w.Exec(`DROP TRIGGER lost`)
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusBadRequest || !w.Saw(event.Reuse) {
			t.Errorf("a code twice: %s", p.Status)
		}
		if p, body := b.Refresh(refresh); body["access_token"] != nil {
			t.Errorf("the grant of a stolen code goes on: %s", p.Status)
		}
	})
	t.Run("ShowsNoSecret", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithClients()
		loses(w, event.SecretShown)
		if secret, err := w.Clients().Secret(t.Context(), "std"); err == nil || secret != "" {
			t.Errorf("shown is %q, %v", secret, err)
		}
	})
	t.Run("GivesNoFile", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithUsers()
		b := w.Alice()
		loses(w, event.DataExported)
		p := b.Submit(b.Open("/account/export"), "password", lab.AlicePass)
		if p.StatusCode == http.StatusOK || p.Header.Get("Content-Disposition") != "" {
			t.Errorf("given without a line: %s", p.Status)
		}
	})
}
