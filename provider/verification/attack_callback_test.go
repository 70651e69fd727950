package verification

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

var peerSecret = []byte("a secret of the other side, 32 b")

// peer is the other side of a Redirect. It is asked over HTTP, and what it says about an
// attempt only moves on: open, then its outcome.
type peer struct {
	server *httptest.Server

	mu       sync.Mutex
	started  map[string]string // reference by idempotency key
	outcomes map[string]string // by reference
	failures int               // how often it answers 500 before it answers
	fetched  int
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{started: map[string]string{}, outcomes: map[string]string{}}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		fails := p.failures > 0
		p.failures--
		p.fetched++
		outcome := p.outcomes[r.URL.Query().Get("reference")]
		p.mu.Unlock()
		if fails {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, outcome)
	}))
	t.Cleanup(p.server.Close)
	return p
}

func (p *peer) set(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

// verifier is a Redirect to the peer, whose clock is that of the world.
func (p *peer) verifier(name string, now func() time.Time) Verifier {
	return Redirect(RedirectConfig{
		Name: name, Title: english("At the peer"), Egress: Egress{AllowPrivate: true, Timeout: 200 * time.Millisecond},
		Start: func(_ context.Context, _ *http.Client, c *Case) (to Destination, err error) {
			p.set(func() {
				if p.started[c.Key] == "" {
					p.started[c.Key] = name + "-" + c.Key
					p.outcomes[p.started[c.Key]] = "open"
				}
				to = Destination{URL: "https://peer.example/", Reference: p.started[c.Key]}
			})
			return to, nil
		},
		Signature: func(r *http.Request, body []byte) (Message, error) {
			id, err := VerifyWebhook(r.Header, body, now(), peerSecret)
			reference, _, _ := strings.Cut(string(body), " ") // and what the callback claims
			return Message{ID: id, Reference: reference}, err
		},
		Fetch: func(ctx context.Context, client *http.Client, reference string) ([]byte, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.server.URL+"/?reference="+reference, http.NoBody)
			if err != nil {
				return nil, err
			}
			res, err := client.Do(r)
			if err != nil {
				return nil, err
			}
			defer func() { _ = res.Body.Close() }()
			if res.StatusCode != http.StatusOK {
				return nil, errors.New(res.Status)
			}
			return io.ReadAll(res.Body)
		},
		Outcome: func(_ *Case, data []byte) (Result, error) {
			switch string(data) {
			case "yes":
				return Accept{Source: "Peer"}, nil
			case "no":
				return Refuse{[]Reason{ReasonNotInGroup}}, nil
			default:
				return Wait{}, nil
			}
		},
	})
}

// callback is a message of the peer.
type callback struct {
	method string
	header http.Header
	body   string
}

func (p *peer) says(method, id string, at time.Time, body string) callback {
	return callback{method, signWebhook(peerSecret, id, at, body), body}
}

// receives sends a callback to a world and returns the status of the answer.
func (w *world) receives(c callback) int {
	w.t.Helper()
	r := testkit.Must(http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+"/verification/callback/"+c.method, strings.NewReader(c.body)))(w.t)
	r.Header = c.header.Clone()
	res, err := http.DefaultClient.Do(r)
	testkit.OK(w.t, err)
	_ = res.Body.Close()
	return res.StatusCode
}

// newPeerWorld returns a world whose students are verified by a peer.
func newPeerWorld(t *testing.T) (*world, *peer) {
	t.Helper()
	p := newPeer(t)
	var w *world
	now := func() time.Time { return w.now() }
	w = newWorld(t, Policies{{Group: "student", Rule: AnyOf(By(p.verifier("peer", now)), By(p.verifier("other", now)))}})
	return w, p
}

func (w *world) reference(c RecordedCase) string {
	w.t.Helper()
	to, ok := c.Step.(GoTo)
	if !ok {
		w.t.Fatalf("the person is not sent away: %+v", c.Step)
	}
	return to.Reference
}

// TestAttackCallback has strangers call back. What else callbacks may do is in callback_test.go.
func TestAttackCallback(t *testing.T) {
	t.Parallel()
	t.Run("Forged", func(t *testing.T) {
		t.Parallel()
		w, p := newPeerWorld(t)
		c := w.begin("alice", "peer")
		reference := w.reference(c)
		p.set(func() { p.outcomes[reference] = "yes" })
		unsigned := p.says("peer", "m-1", w.now(), reference)
		unsigned.header.Del("webhook-signature")
		forged := callback{"peer", signWebhook([]byte("the secret of somebody else, 32b"), "m-1", w.now(), reference), reference}
		changed := p.says("peer", "m-1", w.now(), reference)
		changed.body += " approved"
		for name, forgery := range map[string]callback{
			"Unsigned": unsigned, "Forged": forged, "Changed": changed,
			"Old": p.says("peer", "m-1", w.now().Add(-6*time.Minute), reference), "Early": p.says("peer", "m-1", w.now().Add(6*time.Minute), reference),
			"EmptySecret": {"peer", signWebhook(nil, "m-1", w.now(), reference), reference},
		} {
			if status := w.receives(forgery); status != http.StatusUnauthorized {
				t.Errorf("%s: %d", name, status)
			}
		}
		if w.read(c.ID).State != storage.CaseOpen || p.fetched != 0 {
			t.Error("a forged callback has woken the case")
		}
	})
	t.Run("OfAnotherMethod", func(t *testing.T) {
		t.Parallel()
		w, p := newPeerWorld(t)
		c := w.begin("alice", "peer")
		reference := w.reference(c)
		p.set(func() { p.outcomes[reference] = "yes" })
		if status := w.receives(p.says("other", "m-1", w.now(), reference)); status != http.StatusNoContent || w.read(c.ID).State != storage.CaseOpen {
			t.Errorf("%d, %+v", status, w.read(c.ID))
		}
	})
}

// TestHostilePeer tests that the outcome does not depend on how often, in which order and
// how late callbacks come, nor on failures in between: it equals that of the ordered run.
func TestHostilePeer(t *testing.T) {
	t.Parallel()
	for _, outcome := range []struct {
		says string
		want storage.CaseState
	}{{"yes", storage.CaseApproved}, {"no", storage.CaseOpen}} { // the other method is left
		seeds := uint64(6)
		if testing.Short() {
			seeds = 3
		}
		for seed := range seeds {
			t.Run(outcome.says, func(t *testing.T) {
				t.Parallel()
				w, p := newPeerWorld(t)
				chance := rand.New(rand.NewPCG(seed, 7))
				c := w.begin("alice", "peer")
				reference := w.reference(c)
				acts := []func(){
					func() {
						_, err := w.comeBack(t.Context(), "alice", c.ID, map[string]string{"approved": "1"})
						if err != nil && !errors.Is(err, ErrNotNow) {
							t.Error(err)
						}
					},
					func() { p.set(func() { p.outcomes[reference] = outcome.says }) },
					func() { p.set(func() { p.failures = chance.IntN(3) }) },
					func() { w.pass(time.Duration(chance.IntN(20)) * time.Minute) },
				}
				for range 6 { // messages, some of them twice, some late
					id := "m-" + string(rune('a'+chance.IntN(4)))
					sent := p.says("peer", id, w.now().Add(time.Duration(chance.IntN(8)-4)*time.Minute), reference)
					acts = append(acts, func() {
						if status := w.receives(sent); status != http.StatusNoContent && status != http.StatusUnauthorized {
							t.Errorf("answers %d", status)
						}
					})
				}
				chance.Shuffle(len(acts), func(i, k int) { acts[i], acts[k] = acts[k], acts[i] })
				for _, act := range acts {
					act()
				}
				// Whatever came before: in the end somebody asks.
				p.set(func() { p.failures = 0 })
				_, _ = w.comeBack(t.Context(), "alice", c.ID, nil)
				for range 8 {
					w.pass(30 * time.Minute)
				}
				got := w.read(c.ID)
				if got.State != outcome.want || (w.status("alice").Verified) != (outcome.says == "yes") {
					t.Errorf("seed %d: %s, verified is %t", seed, got.State, w.status("alice").Verified)
				}
				if outcome.says == "no" {
					for _, m := range got.Methods {
						if m.Name == "peer" && m.State != "refused" {
							t.Errorf("seed %d: the method is %q", seed, m.State)
						}
					}
				}
			})
		}
	}
}
