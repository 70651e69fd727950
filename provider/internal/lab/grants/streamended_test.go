package grants

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/signals"
)

// revoked checks that a SET is of the end of a session of alice, and who is behind it.
func revoked(t *testing.T, claims map[string]any, by string) {
	t.Helper()
	of, _ := claims["events"].(map[string]any)
	e, _ := of[caep+"session-revoked"].(map[string]any)
	subject, _ := claims["sub_id"].(map[string]any)
	if e == nil || e["initiating_entity"] != by || subject["sub"] != "alice" {
		t.Errorf("it hears %v, want the end of a session of alice by %s", claims, by)
	}
}

// Streams hear of a grant that ends because a token of it came twice, but only the one of its application; and
// of the end of everything that was issued before a moment, once for each user.
func TestStreamsHearOfWhatEnds(t *testing.T) {
	t.Parallel()
	s := newStreams(t)
	r, b := newReceiver(t), s.Alice()
	for client, delivery := range map[string]string{
		"rp":    `{"method":"urn:ietf:rfc:8935","endpoint_url":"` + r.URL + `","authorization_header":"Bearer of-the-receiver"}`,
		"other": `{"method":"urn:ietf:rfc:8936"}`,
	} {
		if p, _ := s.as(client, "ssf.manage", http.MethodPost, streamPath, `{"delivery":`+delivery+`}`); p.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s %s", client, p.Status, p.Text)
		}
	}
	b.TokensOf("other")
	refresh := []string{"client_id", "rp", "grant_type", "refresh_token", "redirect_uri", "", "refresh_token", lab.Member(t, b.TokensOf("rp"), "refresh_token")}
	if p, _ := b.Token(refresh...); p.StatusCode != http.StatusOK {
		t.Fatalf("refreshed: %s %s", p.Status, p.Text)
	}
	s.Advance(2 * time.Minute)
	if p, _ := b.Token(refresh...); p.StatusCode != http.StatusBadRequest {
		t.Fatalf("refreshed with a token that is spent: %s", p.Status)
	}
	revoked(t, s.wait(t, r, 1), "policy")

	s.OK(s.People().RevokeIssuedBefore(t.Context(), s.Now()))
	revoked(t, s.wait(t, r, 2), "admin")
	var sets map[string]any
	lab.Eventually(t, func() bool {
		_, got := s.as("other", "ssf.read", http.MethodPost, pollPath, `{}`)
		sets, _ = got["sets"].(map[string]any)
		return len(sets) > 0
	})
	if len(sets) != 1 { // an application does not hear of the grant of another
		t.Errorf("the other application hears %d times", len(sets))
	}
	for _, token := range sets {
		_, claims := lab.JWT(t, token.(string))
		revoked(t, claims, "admin")
	}
	ends, err := s.Events().List(t.Context(), provider.EventFilter{Name: event.Revoked, UserID: "alice"})
	if s.OK(err); len(ends) != 1 { // though a session and a grant have ended
		t.Errorf("the log has %+v", ends)
	}
}

// A stream is pushed to no new address to whose host an operator has yet to agree, who is asked.
func TestStreamToAHostInReview(t *testing.T) {
	t.Parallel()
	s := newStreams(t)
	var agrees atomic.Bool
	var asked atomic.Pointer[string]
	s.Rooms().LookAfterReceivers(func(context.Context, signals.Receiver) {}, func(_ context.Context, clientID, address string) (bool, error) {
		text := clientID + " " + address
		asked.Store(&text)
		return agrees.Load(), nil
	})
	push := func(path string) string {
		return `"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/` + path + `"}}`
	}
	do := func(method, body string, want int) {
		t.Helper()
		p, got := s.as("rp", "ssf.manage", method, streamPath, body)
		if p.StatusCode != want || want == http.StatusForbidden && (got["error"] != "access_denied" || *asked.Load() != "rp https://rp.example/in") {
			t.Errorf("%s %s: %s %v", method, body, p.Status, got)
		}
	}
	do(http.MethodPost, "{"+push("in"), http.StatusForbidden)
	do(http.MethodPost, `{}`, http.StatusCreated) // which is fetched
	const here = `{"stream_id":"ssf_rp",`
	do(http.MethodPatch, here+push("in"), http.StatusForbidden)
	do(http.MethodPut, here+push("in"), http.StatusForbidden)
	_, got := s.as("rp", "ssf.read", http.MethodGet, streamPath+"?stream_id=ssf_rp", "")
	if text, _ := json.Marshal(got["delivery"]); string(text) != `{"endpoint_url":"`+s.Server.URL+pollPath+`","method":"urn:ietf:rfc:8936"}` {
		t.Errorf("it is delivered %s", text)
	}
	agrees.Store(true)
	do(http.MethodPatch, here+push("in"), http.StatusOK)
	agrees.Store(false)
	do(http.MethodPatch, here+`"description":"As it was"}`, http.StatusOK) // nothing is new
}
