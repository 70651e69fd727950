package provider_test

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
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackGuessesUnderNoName guesses at the secret of an application with a header that
// one reader takes for its credentials and another for none.
func TestAttackGuessesUnderNoName(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	header := "Basic  " + base64.StdEncoding.EncodeToString([]byte("std:guess"))
	p := b.send(http.MethodPost, tokenPath, "grant_type=authorization_code&code=x", "Content-Type", "application/x-www-form-urlencoded", "Authorization", header)
	refused(t, p, http.StatusUnauthorized, "invalid_client")
	if !w.saw(provider.EventClientRefused) {
		t.Error("the audit log does not know of it")
	}
}

// TestAttackNamesOfNobody floods the endpoints with names that nobody has: each is looked up
// once, and all are counted in one place.
func TestAttackNamesOfNobody(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients()
	b := w.newBrowser()
	calls := func(path, id string) string {
		var asked []string
		store.breakBefore(func(_ context.Context, method string) error {
			if method != "Keys" {
				asked = append(asked, method)
			}
			return nil
		})
		defer store.breakBefore(nil)
		refused(t, b.client(path, id, "grant_type", "client_credentials", "token", "x"), http.StatusUnauthorized, "invalid_client")
		slices.Sort(asked)
		return strings.Join(asked, " ")
	}
	for _, path := range []string{tokenPath, parPath, revokePath, introspectPath} {
		for _, want := range []string{"AllowAttempt Client", "AllowAttempt"} {
			if diff := cmp.Diff(want, calls(path, "nobody at "+path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
	for i := range 40 {
		b.token("client_id", "nobody-"+strconv.Itoa(i), "client_secret", "x")
	}
	if n := w.count("attempts"); n != 1 {
		t.Errorf("%d rows for names that nobody has", n)
	}
	if w.saw(provider.EventClientRefused) {
		t.Error("the audit log has a name that somebody made up")
	}
	// Who knows its secret is not held up by them, and who errs is counted by itself.
	b.token("client_id", "std", "client_secret", "wrong-guess")
	if n := w.count("attempts"); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// TestClientThatWasNobodyAMomentAgo holds that who is registered works within a second, in
// the process that does it at once, and that a database which does not answer is nobody's
// fault.
func TestClientThatWasNobodyAMomentAgo(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients()
	b, late := w.newBrowser(), provider.Client{ID: "late", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}}
	asks := func() page {
		p, _ := b.token("client_id", "late", "client_secret", clientSecret, "code", "x", "redirect_uri", callbackURI)
		return p
	}
	refused(t, asks(), http.StatusUnauthorized, "invalid_client")
	w.ok(w.SaveClient(t.Context(), late))
	refused(t, asks(), http.StatusBadRequest, "invalid_grant")

	record, err := w.store.Client(t.Context(), "late")
	w.ok(err)
	w.ok(w.DeleteClient(t.Context(), "late"))
	w.ok(w.RemoveDeleted(t.Context()))
	refused(t, asks(), http.StatusUnauthorized, "invalid_client")
	record.Version = 0
	w.ok(w.store.SaveClient(t.Context(), record)) // by another process
	w.advance(time.Second)
	refused(t, asks(), http.StatusBadRequest, "invalid_grant")

	w.advance(time.Second)
	store.breakBefore(func(context.Context, string) error { return storage.ErrUnavailable })
	for range 2 {
		if p := asks(); p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("the database does not answer: %s %s", p.Status, p.body)
		}
	}
	store.breakBefore(nil)
	refused(t, asks(), http.StatusBadRequest, "invalid_grant")
}

func TestGuessesAtASecretAreRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	for range 3 {
		for range 10 {
			b.token("client_id", "std", "client_secret", "wrong-guess")
		}
		w.advance(time.Minute)
	}
	told, err := w.Events(t.Context(), provider.EventFilter{Name: provider.EventClientRefused})
	if err != nil || len(told) != 3 {
		t.Errorf("%d events, %v", len(told), err)
	}
}
