package operations

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestEverythingIsRotatedUnderLoad has people sign in, refresh and change their data at two
// processes, while secret, signing keys and data key change.
func TestEverythingIsRotatedUnderLoad(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir() + "/id.db"
		testRotation(t, func() (storage.Store, error) { return sqlite.Open(t.Context(), path) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Shared(t).Schema(t)
		testRotation(t, func() (storage.Store, error) { return postgres.Open(t.Context(), url) })
	})
}

func testRotation(t *testing.T, open func() (storage.Store, error)) {
	former, next := lab.Secret(t), otherSecret()
	w := lab.New(t, lab.InPlace(t, open), secrets(former, next)).WithClients().WithUsers()
	at := func(secrets func(*provider.Config)) *lab.Fixture {
		return w.Twin(secrets, func(c *provider.Config) {
			store, err := open()
			w.OK(errors.Join(err, c.Store.Close()))
			c.Store = store
		})
	}
	other := at(secrets(former, next))
	rotated := make(chan error, 1)
	go func() {
		replaced := at(secrets(next, former))
		start := len(w.Log.String())
		replaced.Until(func() bool { return len(w.Lines(start, "records encrypted under the current secret")) > 0 })
		_, first := replaced.Keys().Rotate(t.Context())
		n, made, second := replaced.Keys().RotateData(t.Context())
		if n != 2 || !made {
			second = fmt.Errorf("data key %d, made: %t, %w", n, made, second)
		}
		replaced.Until(func() bool { return len(underFormerKeys(t, w.Store)) == 0 })
		rotated <- errors.Join(first, second)
	}()
	n := 0
	live := func() {
		for _, process := range []*lab.Fixture{w, other} {
			n++
			b := process.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			if p, answer := b.Refresh(lab.Member(t, b.StandardTokens(), "refresh_token")); p.StatusCode != http.StatusOK {
				t.Errorf("refresh: %v", answer)
			}
			zip := fmt.Sprint("Z", n)
			w.OK(process.People().SetAttributes(t.Context(), "alice", map[string]any{"zip": zip}))
			if data, err := process.People().Get(t.Context(), "alice"); err != nil || !strings.Contains(string(data.Attributes["zip"]), zip) {
				t.Errorf("her data: %v, %v", data, err)
			}
		}
	}
	for done := false; !done; {
		live()
		select {
		case err := <-rotated:
			w.OK(err)
			done = true
		default:
		}
	}
	live()
	if left := underFormerKeys(t, w.Store); len(left) > 0 {
		t.Errorf("under a former key: %v", left)
	}
	if got := w.Lines(0, "level=ERROR"); len(got) > 0 {
		t.Errorf("the log says %q", got)
	}
	after := at(secrets(next))
	b := after.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	if b.Attributes(t); !knows(after, "std", lab.ClientSecret) {
		t.Error("a client secret went with the former secret")
	}
}

// underFormerKeys returns where values are under another data key than the second.
func underFormerKeys(t *testing.T, store storage.Store) (left []string) {
	for after := (storage.SealedValue{}); ; {
		values, err := store.SealedValues(t.Context(), after, 100)
		if err != nil {
			t.Error(err)
		}
		if len(values) == 0 {
			return left
		}
		for _, v := range values {
			if len(v.Value) > 0 && !strings.HasPrefix(strings.Trim(string(v.Value), `"`), "sealed2:2:") {
				left = append(left, v.Column)
			}
		}
		after = values[len(values)-1]
	}
}
