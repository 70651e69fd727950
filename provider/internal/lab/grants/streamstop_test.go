package grants

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// What the staff has switched off the application switches on in no way: neither by the status, nor by
// another configuration, nor as a new stream.
func TestStreamThatTheStaffHasSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newStreams(t)
	const here = `{"stream_id":"ssf_rp"`
	s.as("rp", "ssf.manage", http.MethodPost, streamPath, `{"delivery":{"method":"urn:ietf:rfc:8936"}}`)
	of := func() (state string, stopped bool) {
		r, err := storage.One(s.Signals().List(t.Context(), storage.ReceiverFilter{ID: "ssf_rp"}))
		s.OK(err)
		return r.State, r.Stopped
	}
	r, err := storage.One(s.Signals().List(t.Context(), storage.ReceiverFilter{ID: "ssf_rp"}))
	s.OK(err)
	r.State, r.Stopped = "disabled", true
	_, _, err = s.Signals().Save(t.Context(), r)
	s.OK(err)
	const says = "The operator of this service has switched the stream off."
	if p, got := s.as("rp", "ssf.read", http.MethodGet, statusPath+"?stream_id=ssf_rp", ""); p.StatusCode != http.StatusOK || got["status"] != "disabled" || got["reason"] != says {
		t.Errorf("%s %v", p.Status, got)
	}
	for name, ask := range map[string]struct {
		method, path, body string
		status             int
	}{
		"Enabled":  {http.MethodPost, statusPath, here + `,"status":"enabled"}`, http.StatusForbidden},
		"Paused":   {http.MethodPost, statusPath, here + `,"status":"paused"}`, http.StatusForbidden},
		"Patched":  {http.MethodPatch, streamPath, here + `,"description":"new"}`, http.StatusOK},
		"Replaced": {http.MethodPut, streamPath, here + `,"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/"}}`, http.StatusOK},
		"Verified": {http.MethodPost, verifyPath, here + `}`, http.StatusBadRequest},
		"Deleted":  {http.MethodDelete, streamPath + "?stream_id=ssf_rp", "", http.StatusForbidden},
		"Created":  {http.MethodPost, streamPath, `{"delivery":{"method":"urn:ietf:rfc:8936"}}`, http.StatusConflict},
	} {
		p, got := s.as("rp", "ssf.manage", ask.method, ask.path, ask.body)
		if p.StatusCode != ask.status || ask.status == http.StatusForbidden && got["error_description"] != says {
			t.Errorf("%s: %s %v", name, p.Status, got)
		}
		if state, stopped := of(); state != "disabled" || !stopped {
			t.Errorf("%s: it is %s", name, state)
		}
	}
	r, err = storage.One(s.Signals().List(t.Context(), storage.ReceiverFilter{ID: "ssf_rp"}))
	s.OK(err)
	r.State, r.Stopped = "enabled", false
	_, _, err = s.Signals().Save(t.Context(), r)
	s.OK(err)
	if p, _ := s.as("rp", "ssf.manage", http.MethodDelete, streamPath+"?stream_id=ssf_rp", ""); p.StatusCode != http.StatusNoContent {
		t.Errorf("removed afterwards: %s", p.Status)
	}
}
