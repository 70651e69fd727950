package providertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Receiver is a server that takes the webhooks of a client, checks their signatures, and keeps them
// for a test to look at.
type Receiver struct {
	// URL is where messages are sent, and Key that of their signatures ("whsec_…").
	URL, Key string

	mu       sync.Mutex
	came     chan struct{} // closed by the next message
	messages []Message
}

// Message is one whose signature is good. One that comes again, under its ID, is kept once.
type Message struct {
	ID string `json:"-"`

	// Type is a name of package signals.
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		Subject string `json:"sub"`
		Group   string `json:"group"`
	} `json:"data"`
}

// NewReceiver starts a Receiver of a client that was registered, which ends with the test. It returns
// once it is told: the Server needs Config.Signals.Webhooks and AllowPrivateNetworks (Config.Change),
// and the test runs Provider.Run.
func (s *Server) NewReceiver(t testing.TB, clientID string) *Receiver {
	t.Helper()
	r := &Receiver{came: make(chan struct{})}
	r.mu.Lock() // until there is a key
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL
	saved, key, err := s.Provider.Signals().Save(t.Context(), signals.Receiver{ClientID: clientID, Address: server.URL})
	r.Key = key
	r.mu.Unlock()
	for err == nil && saved.State != string(storage.ReceiverEnabled) {
		select {
		case <-t.Context().Done():
			err = t.Context().Err()
		case <-time.After(10 * time.Millisecond):
			var found []signals.Receiver
			if found, err = s.Provider.Signals().List(t.Context(), storage.ReceiverFilter{ID: saved.ID}); len(found) == 1 {
				saved = found[0]
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ServeHTTP takes a message (Standard Webhooks 1.0).
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 64<<10))
	r.mu.Lock()
	defer r.mu.Unlock()
	m := Message{ID: request.Header.Get("Webhook-Id")}
	if err != nil || !r.signed(request.Header, body) || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if !slices.ContainsFunc(r.messages, func(known Message) bool { return known.ID == m.ID }) {
		r.messages = append(r.messages, m)
		close(r.came)
		r.came = make(chan struct{})
	}
	w.WriteHeader(http.StatusNoContent)
}

// signed reports whether one of the signatures of a message is by the key.
func (r *Receiver) signed(h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Key, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Get("Webhook-Id") + "." + h.Get("Webhook-Timestamp") + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return err == nil && slices.ContainsFunc(strings.Fields(h.Get("Webhook-Signature")), func(s string) bool {
		return hmac.Equal([]byte(s), []byte(want))
	})
}

// Messages returns what has come, in that order.
func (r *Receiver) Messages() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.messages)
}

// Wait returns the first message that is meant, and waits for it as long as the test goes on.
func (r *Receiver) Wait(t testing.TB, meant func(Message) bool) Message {
	t.Helper()
	for {
		r.mu.Lock()
		came := r.came
		found := slices.IndexFunc(r.messages, meant)
		var m Message
		if found >= 0 {
			m = r.messages[found]
		}
		r.mu.Unlock()
		if found >= 0 {
			return m
		}
		select {
		case <-came:
		case <-t.Context().Done():
			t.Fatal("the message that is meant has not come")
		}
	}
}
