package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// unheard is Bonafide with signals switched on, and nobody who listens; heard tells a webhook of the host of
// all that there is.
var (
	unheard = server{name: "bonafide-unheard", store: "SQLite", start: func(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
		return signalling(ctx, base, dir)
	}}
	heard = server{name: "bonafide-heard", store: "SQLite", start: func(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
		told, err := toldTo()
		if err != nil {
			return nil, nil, err
		}
		return signalling(ctx, base, dir, signals.Endpoint{
			Address: told.Receivers[0], Secret: "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 24)),
		})
	}}
)

func signalling(ctx context.Context, base, dir string, endpoints ...signals.Endpoint) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{
		Store: store, AllowPrivateNetworks: true, Signals: signals.Config{Webhooks: true, SharedSignals: true, Endpoints: endpoints},
	})
}

// telling is what a server needs to know that tells: whom, and of which ends of statuses.
type telling struct {
	// Receivers are the addresses of webhooks.
	Receivers []string

	// Ends is how many statuses end, evenly within Within, of users who have allowed Each of the
	// applications something.
	Ends   int
	Within time.Duration
	Each   int
}

// tellingEnv tells it the child process.
const tellingEnv = "BENCHMARK_TELLING"

// variable is that of the child process.
func (t telling) variable() string {
	raw, _ := json.Marshal(t) // of texts and numbers
	return tellingEnv + "=" + string(raw)
}

func toldTo() (t telling, err error) {
	err = json.Unmarshal([]byte(os.Getenv(tellingEnv)), &t)
	if err == nil && len(t.Receivers) == 0 {
		err = errors.New("nobody is to be told")
	}
	return t, err
}

// receivers are webhooks, each at a host of its own, as far as calls are counted.
type receivers struct {
	addresses []string
	servers   []*http.Server
}

// newReceivers starts n of them, of which took gets the bodies of messages.
func newReceivers(n int, took func(i int, body []byte)) (*receivers, error) {
	all := &receivers{}
	for i := range n {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			all.close()
			return nil, err
		}
		server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			took(i, body)
			w.WriteHeader(http.StatusNoContent)
		})}
		all.addresses = append(all.addresses, "http://"+listener.Addr().String()+"/hook")
		all.servers = append(all.servers, server)
		go func() { _ = server.Serve(listener) }()
	}
	return all, nil
}

func (r *receivers) close() {
	for _, s := range r.servers {
		_ = s.Close()
	}
}

// subjectOf returns the user of a message, or of a security event token.
func subjectOf(claims []byte) string {
	var m struct {
		Data struct {
			Sub string `json:"sub"`
		} `json:"data"`
		Subject struct {
			Sub string `json:"sub"`
		} `json:"sub_id"`
	}
	if json.Unmarshal(claims, &m) != nil {
		return ""
	}
	return m.Data.Sub + m.Subject.Sub
}

// claimsOf are those of a token, whose signature is nobody's concern here.
func claimsOf(token string) []byte {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil
	}
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	return claims
}
