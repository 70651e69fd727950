package credential

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

func TestNonce(t *testing.T) {
	t.Parallel()
	secrets, err := keyring.NewSecrets([]byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM="))
	if err != nil {
		t.Fatal(err)
	}
	n := nonces{secrets.Seal, secrets.Open, "vci nonce a"}
	made := n.next(testNow)
	use, until, ok := n.read(made, testNow.Add(nonceLife-time.Second))
	if !ok || !until.Equal(testNow.Add(nonceLife)) || use == [sha256.Size]byte{} {
		t.Fatalf("%v, %v", until, ok)
	}
	if other, _, _ := n.read(n.next(testNow), testNow); other == use {
		t.Error("two nonces have one digest")
	}
	elsewhere := nonces{secrets.Seal, secrets.Open, "vci nonce b"}
	raw, _ := base64.RawURLEncoding.DecodeString(made)
	raw[len(raw)-1] ^= 1
	for name, c := range map[string]struct {
		nonces nonces
		nonce  string
		at     time.Time
	}{
		"Old":             {n, made, testNow.Add(nonceLife)},
		"OfAnotherIssuer": {elsewhere, made, testNow},
		"Changed":         {n, base64.RawURLEncoding.EncodeToString(raw), testNow},
		"Guessed":         {n, "abc", testNow},
		"Empty":           {n, "", testNow},
		"Ahead":           {n, made, testNow.Add(-nonceLife - time.Second)},
	} {
		if _, _, ok := c.nonces.read(c.nonce, c.at); ok {
			t.Errorf("accepts a nonce that is %s", name)
		}
	}
}
