package passkey_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestOptions(t *testing.T) {
	party := newParty(t)
	kept := []storage.Passkey{
		{ID: []byte{1, 2}, RPID: party.ID, Transports: []string{"usb"}},
		{ID: []byte{3}, RPID: "former.example.com"},
	}
	user := passkey.User{Handle: []byte{0xfb, 0xff}, Name: "ada@example.com", DisplayName: "Ada <script>"}
	for name, c := range map[string]struct {
		make func() ([]byte, error)
		want string
	}{
		"Create": {func() ([]byte, error) { return party.CreateOptions([]byte{0}, user, kept) }, `{
			"rp": {"id": "login.example.com", "name": "Example"},
			"user": {"id": "-_8", "name": "ada@example.com", "displayName": "Ada <script>"},
			"challenge": "AA",
			"pubKeyCredParams": [{"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -8}, {"type": "public-key", "alg": -257}],
			"excludeCredentials": [{"type": "public-key", "id": "AQI", "transports": ["usb"]}],
			"authenticatorSelection": {"residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
			"attestation": "none",
			"extensions": {"credProps": true}
		}`},
		"CreateTheFirst": {func() ([]byte, error) {
			return party.CreateOptions([]byte{0}, passkey.User{Handle: []byte{1}, Name: "bob"}, nil)
		}, `{
			"rp": {"id": "login.example.com", "name": "Example"},
			"user": {"id": "AQ", "name": "bob", "displayName": "bob"},
			"challenge": "AA",
			"pubKeyCredParams": [{"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -8}, {"type": "public-key", "alg": -257}],
			"excludeCredentials": [],
			"authenticatorSelection": {"residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
			"attestation": "none",
			"extensions": {"credProps": true}
		}`},
		"Get": {func() ([]byte, error) { return party.GetOptions([]byte{0}, nil, true) },
			`{"challenge": "AA", "rpId": "login.example.com", "allowCredentials": [], "userVerification": "required"}`},
		"GetOne": {func() ([]byte, error) { return party.GetOptions([]byte{0}, kept, false) },
			`{"challenge": "AA", "rpId": "login.example.com", "userVerification": "preferred",
			"allowCredentials": [{"type": "public-key", "id": "AQI", "transports": ["usb"]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			text := testkit.Must(c.make())(t)
			if strings.Contains(string(text), "<") {
				t.Errorf("%s cannot stand in a page", text)
			}
			requireJSON(t, text, c.want)
		})
	}
}

func TestNamesCarryTheEnvironment(t *testing.T) {
	party := newParty(t)
	party.Environment = "Sandbox"
	for name, want := range map[string]string{
		"ada@example.com":        "ada@example.com (Sandbox)",
		strings.Repeat("ü", 40):  strings.Repeat("ü", 27) + " (Sandbox)",
		strings.Repeat("a", 100): strings.Repeat("a", 54) + " (Sandbox)",
	} {
		text := testkit.Must(party.CreateOptions([]byte{0}, passkey.User{Handle: party.NewHandle(), Name: name}, nil))(t)
		var o struct {
			User struct{ Name, DisplayName string }
		}
		if err := json.Unmarshal(text, &o); err != nil || o.User.Name != want || o.User.DisplayName != want {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

func TestSignals(t *testing.T) {
	party := newParty(t)
	handle := party.NewHandle()
	id, shown := base64url(handle), base64url([]byte{1, 2})
	kept := []storage.Passkey{{ID: []byte{1, 2}, RPID: party.ID}, {ID: []byte{3}, RPID: "former.example.com"}}

	text := testkit.Must(party.SignalUser(passkey.User{Handle: handle, Name: "ada@example.com"}, kept))(t)
	requireJSON(t, text, `{
		"signalAllAcceptedCredentials": {"rpId": "login.example.com", "userId": "`+id+`", "allAcceptedCredentialIds": ["`+shown+`"]},
		"signalCurrentUserDetails": {"rpId": "login.example.com", "userId": "`+id+`", "name": "ada@example.com", "displayName": "ada@example.com"}
	}`)
	text = testkit.Must(party.SignalUnknown(passkey.Assertion{ID: []byte{1, 2}, Handle: handle}))(t)
	requireJSON(t, text, `{"signalUnknownCredential": {"rpId": "login.example.com", "credentialId": "`+shown+`"}}`)

	for name, handle := range map[string][]byte{"NoHandle": nil, "AnotherProvider": make([]byte, 64)} {
		unknown, err := party.SignalUnknown(passkey.Assertion{ID: []byte{1}, Handle: handle})
		if err != nil || unknown != nil {
			t.Errorf("%s: %s, %v", name, unknown, err)
		}
		user, err := party.SignalUser(passkey.User{Handle: handle}, kept)
		if err != nil || user != nil {
			t.Errorf("%s: %s, %v", name, user, err)
		}
	}
}

func TestLabel(t *testing.T) {
	known := [16]byte{0xea, 0x9b, 0x8d, 0x66, 0x4d, 0x01, 0x1d, 0x21, 0x3c, 0xe4, 0xb6, 0xb4, 0x8c, 0xb5, 0x75, 0xd4}
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"
	for _, c := range []struct {
		aaguid [16]byte
		agent  string
		want   string
	}{
		{known, firefox, "Google Password Manager"}, {[16]byte{}, firefox, "Firefox · Linux"},
		{[16]byte{1}, "Safari/1", "Safari"}, {[16]byte{}, "iPhone", "iPhone"}, {[16]byte{}, "<b>", ""},
	} {
		if got := passkey.Label(c.aaguid, c.agent); got != c.want {
			t.Errorf("%x in %q: %q", c.aaguid, c.agent, got)
		}
	}
}

func requireJSON(t *testing.T, text []byte, want string) {
	t.Helper()
	var got, wanted any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	testkit.OK(t, json.Unmarshal([]byte(want), &wanted))
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}
