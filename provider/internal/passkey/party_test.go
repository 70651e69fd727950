package passkey_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestNew(t *testing.T) {
	for _, c := range []struct{ base, rpID, id, origin string }{
		{"https://login.example.com/id", "", "login.example.com", "https://login.example.com"},
		{"https://login.example.com:443", "", "login.example.com", "https://login.example.com"},
		{"https://login.example.com:8443", "example.com", "example.com", "https://login.example.com:8443"},
		{"http://localhost:8080", "", "localhost", "http://localhost:8080"},
		{"http://id.localhost:80", "", "id.localhost", "http://id.localhost"},
		{"https://intranet", "", "intranet", "https://intranet"},
		{"https://new.example.org", "old.example.com", "old.example.com", "https://new.example.org"},
		{"https://xn--bcher-kva.example", "", "xn--bcher-kva.example", "https://xn--bcher-kva.example"},
	} {
		party, err := passkey.New("installation", c.base, c.rpID, "Example")
		if err != nil || party.ID != c.id || party.Origin != c.origin {
			t.Errorf("%+v: %+v, %v", c, party, err)
		}
	}
	for _, c := range []struct{ base, rpID string }{
		{"http://127.0.0.1:8080", ""}, {"http://[::1]:8080", ""}, {"https://example.com", "EXAMPLE.com"}, {"https://example.com", "example.com:443"},
		{"https://example.com", "https://example.com"}, {"https://example.com", "example.com."}, {"https://example.com", ".com"}, {"https://example.com", "10.0.0.1"},
	} {
		if party, err := passkey.New("installation", c.base, c.rpID, "Example"); !errors.Is(err, passkey.ErrID) {
			t.Errorf("%+v: %+v, %v", c, party, err)
		}
	}
}

func TestHandlesTellInstallationsApart(t *testing.T) {
	party := newParty(t)
	sandbox := testkit.Must(passkey.New("another installation", origin+"/sandbox", "", "Example"))(t)
	moved := testkit.Must(passkey.New("installation", "https://login.example.org", "", "Example"))(t)
	one, two := party.NewHandle(), party.NewHandle()
	if len(one) != 64 || bytes.Equal(one, two) {
		t.Errorf("%x and %x", one, two)
	}
	if !party.IsOurs(one) || !moved.IsOurs(one) {
		t.Error("its own handle is not its own")
	}
	for name, handle := range map[string][]byte{
		"Sandbox": sandbox.NewHandle(), "Empty": nil, "Random": random.Bytes(64), "Short": one[:63], "Long": append(one[:64:64], 0),
	} {
		if party.IsOurs(handle) {
			t.Errorf("%s is taken for its own", name)
		}
	}
}
