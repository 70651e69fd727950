package signals

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// applied applies the body of a request.
func applied(t *testing.T, now streamWishes, body string, replace bool) (streamWishes, error) {
	t.Helper()
	given, err := members([]byte(body))
	if err != nil {
		return streamWishes{}, err
	}
	return now.apply(given, replace, func(address string) error { return outbound.ValidateURL(address, false) })
}

var pushed = streamWishes{
	Requested: []string{sessionRevoked}, Description: "Shop", Method: methodPush, Endpoint: "https://rp.example/events", Header: "Bearer x",
}

func TestStreamWishes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now     streamWishes
		body    string
		replace bool
		want    streamWishes
	}{
		// SSF 1.0 section 8.1.1: without delivery, the method is poll.
		"PollByDefault": {body: `{}`, replace: true, want: streamWishes{Method: methodPoll}},
		"Push": {
			body: `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/e","authorization_header":"Bearer y"},"events_requested":["a"],"description":"d"}`, replace: true,
			want: streamWishes{Method: methodPush, Endpoint: "https://rp.example/e", Header: "Bearer y", Requested: []string{"a"}, Description: "d"},
		},
		// Section 8.1.1.3: what a PATCH does not name stays.
		"PatchKeeps": {now: pushed, body: `{"events_requested":["a","b"]}`, want: streamWishes{
			Requested: []string{"a", "b"}, Description: "Shop", Method: methodPush, Endpoint: pushed.Endpoint, Header: "Bearer x",
		}},
		// Section 8.1.1.4: what a PUT does not name is gone.
		"PutRemoves": {now: pushed, body: `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/events"}}`, replace: true,
			want: streamWishes{Method: methodPush, Endpoint: pushed.Endpoint}},
		"PatchKeepsTheHeaderOfAnAddress": {now: pushed, body: `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/events"}}`, want: pushed},
		"TheHeaderGoesToNoOtherAddress": {now: pushed, body: `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://evil.example/events"}}`, want: streamWishes{
			Requested: pushed.Requested, Description: "Shop", Method: methodPush, Endpoint: "https://evil.example/events",
		}},
		"PollHasNoAddressOfItsOwn": {now: pushed, body: `{"delivery":{"method":"urn:ietf:rfc:8936","endpoint_url":"https://evil.example"}}`, want: streamWishes{
			Requested: pushed.Requested, Description: "Shop", Method: methodPoll,
		}},
		"UnknownMembers":    {body: `{"format":"email","x":{"y":[1]}}`, replace: true, want: streamWishes{Method: methodPoll}},
		"NoEventsAreNotAll": {body: `{"events_requested":[]}`, replace: true, want: streamWishes{Method: methodPoll, Requested: []string{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := applied(t, c.now, c.body, c.replace)
			if err != nil || !cmp.Equal(got, c.want) {
				t.Errorf("%v %s", err, cmp.Diff(c.want, got))
			}
		})
	}
	if pushed.Requested[0] != sessionRevoked {
		t.Error("a request has changed what was")
	}
}

func TestStreamRefuses(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"NoObject":         `[]`,
		"Cut":              `{"description":`,
		"Behind":           `{} {}`,
		"Twice":            `{"description":"a","description":"b"}`,
		"Method":           `{"delivery":{"method":"push"}}`,
		"NoAddress":        `{"delivery":{"method":"urn:ietf:rfc:8935"}}`,
		"Private":          `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://169.254.169.254/"}}`,
		"Plain":            `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"http://rp.example/"}}`,
		"HeaderOfTwoLines": `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"https://rp.example/","authorization_header":"a\r\nX: b"}}`,
		"Events":           `{"events_requested":"all"}`,
		"ManyEvents":       `{"events_requested":["` + strings.Repeat(`","`, maxRequested) + `"]}`,
		"LongEvent":        `{"events_requested":["` + strings.Repeat("x", maxEventType+1) + `"]}`,
		"Description":      `{"description":"` + strings.Repeat("ü", maxDescription+1) + `"}`,
	} {
		var wrong streamError
		if _, err := applied(t, streamWishes{}, body, true); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// SSF 1.0 section 8.1.1: events_delivered is the intersection of what is supported and requested.
func TestDeliveredIsTheIntersection(t *testing.T) {
	t.Parallel()
	if got := delivered([]string{"urn:other", accountPurged, sessionRevoked}); !slices.Equal(got, []string{sessionRevoked, accountPurged}) {
		t.Error(got)
	}
	if got := delivered([]string{}); len(got) != 0 {
		t.Error(got)
	}
	if !slices.Equal(delivered(nil), supported()) {
		t.Error("a receiver that requests nothing in particular gets", delivered(nil))
	}
}

// SSF 1.0 sections 8.1.1.3 and 8.1.1.4: what the transmitter says may be in a request as it is.
func TestStreamAgrees(t *testing.T) {
	t.Parallel()
	c := streamConfiguration{Issuer: "https://id.example", Audience: "c1", Supported: supported(), Delivered: delivered(nil), MinVerification: verifyAfter}
	own, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]bool{
		string(own):                       true,
		`{}`:                              true,
		`{"aud":["c1"]}`:                  true,
		`{"aud":"c2"}`:                    false,
		`{"aud":["c1","c2"]}`:             false,
		`{"iss":"https://other.example"}`: false,
		`{"min_verification_interval":1}`: false,
		`{"events_delivered":[]}`:         false,
		`{"events_supported":["` + claimsChange + `"]}`: false,
	} {
		given, err := members([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.agrees(given); (err == nil) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A receiver's header is a secret that no answer shows.
func TestConfigurationShowsNoHeader(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(streamConfiguration{Delivery: streamDelivery{Method: methodPush, Endpoint: pushed.Endpoint}})
	if err != nil || strings.Contains(string(body), "authorization") {
		t.Errorf("%s, %v", body, err)
	}
}
