package clientauth

import (
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// TestVerifySecretOfARegistrationInMemory tests that a secret which has been unsealed once
// ends when it ends, and that nothing is remembered of one that could not be.
func TestVerifySecretOfARegistrationInMemory(t *testing.T) {
	now, sealed, broken := time.Now(), 0, errors.New("sealed under another secret")
	a := Authenticator{
		OpenSecret: func(text []byte) ([]byte, error) {
			sealed++
			if string(text) == "broken" {
				return nil, broken
			}
			return text, nil
		},
		Clock: func() time.Time { return now },
	}
	client := testkit.Must(registry.Enabled(storage.Client{ID: "app", Dialect: registry.DialectStandard, Secrets: []storage.ClientSecret{
		{Sealed: []byte("old"), ExpiresAt: now.Add(time.Hour)}, {Sealed: []byte("new")}, {Sealed: []byte("broken")},
	}}))(t)
	verify := func(secret string) (bool, error) {
		ok, _, err := a.verifySecret(client, protocol.AuthBasic, secret)
		return ok, err
	}
	for range 2 {
		for _, secret := range []string{"old", "new"} {
			if ok, err := verify(secret); !ok || err != nil {
				t.Errorf("%s is refused: %v", secret, err)
			}
		}
		if ok, err := verify("other"); ok || !errors.Is(err, broken) {
			t.Errorf("another is accepted: %v %v", ok, err)
		}
	}
	if want := 2 + 6; sealed != want {
		t.Errorf("unsealed %d times instead of %d: what opened once, and what did not each time", sealed, want)
	}
	now = now.Add(time.Hour)
	if ok, _ := verify("old"); ok {
		t.Error("the old one is accepted after its end")
	}
	if ok, err := verify("new"); !ok || err != nil {
		t.Errorf("the new one is refused: %v", err)
	}
}
