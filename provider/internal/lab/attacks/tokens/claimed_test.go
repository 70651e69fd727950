package tokens

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackGuessesUnderNoName guesses at the secret of an application with a header that
// one reader takes for its credentials and another for none.
func TestAttackGuessesUnderNoName(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	header := "Basic  " + base64.StdEncoding.EncodeToString([]byte("std:guess"))
	p := b.Send(http.MethodPost, lab.TokenPath, "grant_type=authorization_code&code=x", "Content-Type", "application/x-www-form-urlencoded", "Authorization", header)
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	if !w.Saw(event.ClientRefused) {
		t.Error("the audit log does not know of it")
	}
}

// TestAttackNamesOfNobody floods the endpoints with names that nobody has: each is looked up
// once, and all are counted in one place.
func TestAttackNamesOfNobody(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients()
	b := w.NewBrowser()
	calls := func(path, id string) string {
		var asked []string
		store.BreakBefore(func(_ context.Context, method string) error {
			if method != "Keys" {
				asked = append(asked, method)
			}
			return nil
		})
		defer store.BreakBefore(nil)
		lab.Refused(t, b.Client(path, id, "grant_type", "client_credentials", "token", "x"), http.StatusUnauthorized, "invalid_client")
		slices.Sort(asked)
		return strings.Join(asked, " ")
	}
	for _, path := range []string{lab.TokenPath, lab.PARPath, lab.RevokePath, lab.IntrospectPath} {
		for _, want := range []string{"AllowAttempt Client", "AllowAttempt"} {
			if diff := cmp.Diff(want, calls(path, "nobody at "+path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
	for i := range 40 {
		b.Token("client_id", "nobody-"+strconv.Itoa(i), "client_secret", "x")
	}
	if n := w.Count("attempts"); n != 1 {
		t.Errorf("%d rows for names that nobody has", n)
	}
	if w.Saw(event.ClientRefused) {
		t.Error("the audit log has a name that somebody made up")
	}
	// Who knows its secret is not held up by them, and who errs is counted by itself.
	b.Token("client_id", "std", "client_secret", "wrong-guess")
	if n := w.Count("attempts"); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// TestClientThatWasNobodyAMomentAgo holds that who is registered works within a second, in
// the process that does it at once, and that a database which does not answer is nobody's
// fault.
func TestClientThatWasNobodyAMomentAgo(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients()
	b, late := w.NewBrowser(), provider.Client{ID: "late", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}
	asks := func() lab.Page {
		p, _ := b.Token("client_id", "late", "client_secret", lab.ClientSecret, "code", "x", "redirect_uri", lab.CallbackURI)
		return p
	}
	lab.Refused(t, asks(), http.StatusUnauthorized, "invalid_client")
	w.OK(w.Clients().Save(t.Context(), late))
	lab.Refused(t, asks(), http.StatusBadRequest, "invalid_grant")

	record, err := w.Store.Client(t.Context(), "late")
	w.OK(err)
	w.OK(w.Clients().Delete(t.Context(), "late", 0))
	w.OK(w.RemoveDeleted(t.Context()))
	lab.Refused(t, asks(), http.StatusUnauthorized, "invalid_client")
	record.Version = 0
	w.OK(w.Store.SaveClient(t.Context(), record)) // by another process
	w.Advance(time.Second)
	lab.Refused(t, asks(), http.StatusBadRequest, "invalid_grant")

	w.Advance(time.Second)
	store.BreakBefore(func(context.Context, string) error { return storage.ErrUnavailable })
	for range 2 {
		if p := asks(); p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("the database does not answer: %s %s", p.Status, p.Text)
		}
	}
	store.BreakBefore(nil)
	lab.Refused(t, asks(), http.StatusBadRequest, "invalid_grant")
}

func TestGuessesAtASecretAreRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	for range 3 {
		for range 10 {
			b.Token("client_id", "std", "client_secret", "wrong-guess")
		}
		w.Advance(time.Minute)
	}
	told, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.ClientRefused})
	if err != nil || len(told) != 3 {
		t.Errorf("%d events, %v", len(told), err)
	}
}
