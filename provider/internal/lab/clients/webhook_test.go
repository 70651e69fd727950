package clients

import (
	"crypto/ed25519"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// webhookMessage is one that has come.
type webhookMessage struct {
	header http.Header
	body   []byte
}

// by has the library of Standard Webhooks check a message.
func (m webhookMessage) by(t *testing.T, key string) error {
	t.Helper()
	return library(t, key).Verify(m.body, m.header)
}

func library(t *testing.T, key string) *standardwebhooks.Webhook {
	t.Helper()
	hook := testkit.Must(standardwebhooks.NewWebhook(key))(t)
	return hook
}

// isByKey reports whether one of the signatures v1a, which no library checks, is by a public key.
func (m webhookMessage) isByKey(t *testing.T, key string) bool {
	t.Helper()
	public := testkit.Must(base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whpk_")))(t)
	signed := m.header.Get("Webhook-Id") + "." + m.header.Get("Webhook-Timestamp") + "." + string(m.body)
	for _, one := range strings.Split(m.header.Get("Webhook-Signature"), " ") {
		text, isAsymmetric := strings.CutPrefix(one, "v1a,")
		signature, err := base64.StdEncoding.DecodeString(text)
		if isAsymmetric && err == nil && ed25519.Verify(public, []byte(signed), signature) {
			return true
		}
	}
	return false
}

// The library of Standard Webhooks takes messages, and no other: before, during and after a rotation of the
// keys, beside a signature of Ed25519 (v1a), which it leaves out.
func TestWebhooksAreCheckedByOthers(t *testing.T) {
	t.Parallel()
	came := make(chan webhookMessage, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- webhookMessage{r.Header, body}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	w := lab.New(t, lab.AllowPrivate, func(c *provider.Config) { c.Signals.Webhooks = true }).WithClients().Runs()
	saved, key, err := w.Signals().Save(t.Context(), signals.Receiver{ClientID: "std", Address: server.URL, Asymmetric: true})
	w.OK(err)
	seen := make(map[string]bool)
	next := func() webhookMessage {
		for {
			m := <-came
			if id := m.header.Get("Webhook-Id"); !seen[id] { // one may come again
				seen[id] = true
				return m
			}
		}
	}
	ping := func() webhookMessage {
		t.Helper()
		w.OK(w.Signals().Test(t.Context(), saved.ID))
		return next()
	}

	m := next()
	w.OK(m.by(t, key))
	if !m.isByKey(t, saved.PublicKey) {
		t.Errorf("v1a is not by %s: %v", saved.PublicKey, m.header)
	}
	tampered := webhookMessage{m.header, append([]byte(" "), m.body...)}
	if tampered.by(t, key) == nil || tampered.isByKey(t, saved.PublicKey) {
		t.Error("another body is taken")
	}
	another := webhookMessage{m.header.Clone(), m.body}
	another.header.Set("Webhook-Id", "msg_other")
	if another.by(t, key) == nil || another.isByKey(t, saved.PublicKey) {
		t.Error("another ID is taken")
	}
	if m.by(t, "whsec_"+strings.Repeat("A", 32)) == nil {
		t.Error("another key is taken")
	}

	second := testkit.Must(w.Signals().Rotate(t.Context(), saved.ID))(w.T)
	rotated := testkit.Must(w.Signals().List(t.Context(), storage.ReceiverFilter{ID: saved.ID}))(w.T)
	m = ping()
	for _, of := range []string{key, second} {
		w.OK(m.by(t, of))
	}
	for _, of := range []string{saved.PublicKey, rotated[0].PublicKey} {
		if !m.isByKey(t, of) {
			t.Errorf("no v1a is by %s: %v", of, m.header)
		}
	}

	// The clock of the machine, by which the library judges, stays where it is.
	w.Advance(25 * time.Hour)
	m = ping()
	if m.by(t, second) == nil {
		t.Error("a message that was signed at another time is taken")
	}
	w.OK(library(t, second).VerifyIgnoringTimestamp(m.body, m.header))
	if library(t, key).VerifyIgnoringTimestamp(m.body, m.header) == nil || m.isByKey(t, saved.PublicKey) || !m.isByKey(t, rotated[0].PublicKey) {
		t.Error("a day after the rotation the former keys sign, or the present ones do not")
	}
}
