package passkey_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// The fuzz targets have a second verifier beside them, of the standard library alone: what
// the relying party accepts, it must accept. It reads one kind of key, at fixed places.

func vectorsParty(t testing.TB) *passkey.Party {
	t.Helper()
	party := testkit.Must(passkey.New("vectors", "https://example.org", "", "Example"))(t)
	return party
}

func FuzzCreated(f *testing.F) {
	party := vectorsParty(f)
	handle := party.NewHandle()
	for _, v := range readVectors(f) {
		f.Add(unhex(f, v.Create.Challenge), unhex(f, v.Create.ClientDataJSON), unhex(f, v.Create.AttestationObject), unhex(f, v.ID))
	}
	f.Fuzz(func(t *testing.T, challenge, clientData, object, id []byte) {
		response := answer(t, hex.EncodeToString(id), map[string]string{
			"clientDataJSON": hex.EncodeToString(clientData), "attestationObject": hex.EncodeToString(object),
		})
		k, err := party.Created(challenge, handle, response, now)
		if err != nil {
			return
		}
		sum := sha256.Sum256([]byte("example.org"))
		place := bytes.Index(object, sum[:])
		if place < 0 || object[place+32]&5 != 5 {
			t.Fatalf("accepted without ID and flags: %x", object)
		}
		if !isOurClientData(clientData, "webauthn.create", challenge) || !bytes.Equal(k.ID, id) || !bytes.Contains(object, id) {
			t.Errorf("accepted %q with ID %x", clientData, id)
		}
	})
}

func FuzzVerify(f *testing.F) {
	party := vectorsParty(f)
	for _, v := range readVectors(f) {
		if len(v.key(f)) != coseSize {
			continue
		}
		f.Add(unhex(f, v.Get.Challenge), unhex(f, v.Get.ClientDataJSON), unhex(f, v.Get.AuthenticatorData), unhex(f, v.Get.Signature), v.key(f), true)
		f.Add(unhex(f, v.Get.Challenge), unhex(f, v.Get.ClientDataJSON), unhex(f, v.Get.AuthenticatorData), unhex(f, v.Get.Signature), v.key(f), false)
	}
	f.Fuzz(func(t *testing.T, challenge, clientData, data, signature, key []byte, verify bool) {
		assertion, err := passkey.ReadAssertion(answer(t, "01", map[string]string{
			"clientDataJSON": hex.EncodeToString(clientData), "authenticatorData": hex.EncodeToString(data), "signature": hex.EncodeToString(signature),
		}))
		if err != nil {
			return
		}
		use, verified, err := party.Verify(challenge, assertion, storage.Passkey{ID: []byte{1}, RPID: "example.org", PublicKey: key}, verify)
		if err != nil || len(key) != coseSize {
			return
		}
		sum := sha256.Sum256([]byte("example.org"))
		switch {
		case len(data) < 37 || !bytes.HasPrefix(data, sum[:]) || data[32]&1 == 0:
			t.Errorf("accepted %x", data)
		case verified != (data[32]&4 != 0) || verify && !verified || use.Flags != data[32]:
			t.Errorf("verified %t of %x", verified, data)
		case !isOurClientData(clientData, "webauthn.get", challenge):
			t.Errorf("accepted %q", clientData)
		case !isSigned(key, data, clientData, signature):
			t.Errorf("accepted signature %x", signature)
		}
	})
}

func isOurClientData(text []byte, kind string, challenge []byte) bool {
	var c struct {
		Type, Challenge, Origin, TopOrigin string
		CrossOrigin                        bool
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return false
	}
	return c.Type == kind && c.Challenge == base64url(challenge) && c.Origin == "https://example.org" && !c.CrossOrigin && c.TopOrigin == ""
}

// coseSize is the size of a P-256 key in canonical COSE.
const coseSize = 77

// isSigned verifies ES256 with a key in canonical COSE.
func isSigned(key, data, clientData, signature []byte) bool {
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, key[10:42]...), key[45:77]...))
	if err != nil {
		return false
	}
	hash := sha256.Sum256(clientData)
	digest := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	return ecdsa.VerifyASN1(public, digest[:], signature)
}
