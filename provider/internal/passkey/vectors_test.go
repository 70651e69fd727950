package passkey_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// vector is one of WebAuthn Level 3 section 16, in hexadecimal.
type vector struct {
	Section, Title, ID string
	Create             struct{ Challenge, ClientDataJSON, AttestationObject string }
	Get                struct{ Challenge, ClientDataJSON, AuthenticatorData, Signature string }
}

// TestVectorsOfTheStandard has the two ceremonies of each vector. Some are what this relying
// party does not accept: a creation without user verification, a page in a frame, another
// algorithm.
func TestVectorsOfTheStandard(t *testing.T) {
	const unverified, framed = "the user was not verified", "in a frame"
	refused := map[string]struct{ create, get string }{
		"16.2":  {create: unverified},
		"16.4":  {framed, framed},
		"16.5":  {framed, framed},
		"16.6":  {create: unverified},
		"16.8":  {create: unverified},                 // and ES384
		"16.9":  {create: "the algorithm of the key"}, // ES512
		"16.11": {create: unverified},
		"16.15": {create: unverified},
		"16.16": {create: unverified},
	}
	for _, v := range readVectors(t) {
		t.Run(v.Title, func(t *testing.T) {
			party := testkit.Must(passkey.New("vectors", "https://example.org", "", "Example"))(t)
			handle := party.NewHandle()
			k, err := party.Created(unhex(t, v.Create.Challenge), handle, v.creation(t), now)
			if want := refused[v.Section].create; want != "" {
				requireRefused(t, err, want)
				k = storage.Passkey{ID: unhex(t, v.ID), RPID: "example.org", UserHandle: handle, PublicKey: v.key(t)}
			} else if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(k.ID, unhex(t, v.ID)) || !bytes.Equal(k.PublicKey, v.key(t)) {
				t.Errorf("ID %x, key %x", k.ID, k.PublicKey)
			}
			assertion := testkit.Must(passkey.ReadAssertion(v.assertion(t)))(t)
			use, _, err := party.Verify(unhex(t, v.Get.Challenge), assertion, k, false)
			if want := refused[v.Section].get; want != "" {
				requireRefused(t, err, want)
				return
			}
			if data := unhex(t, v.Get.AuthenticatorData); err != nil || use.Flags != data[32] {
				t.Errorf("flags %#x, %v", use.Flags, err)
			}
		})
	}
}

func readVectors(t testing.TB) (all []vector) {
	t.Helper()
	text := testkit.Must(os.ReadFile("testdata/vectors.json"))(t)
	testkit.OK(t, json.Unmarshal(text, &all))
	return all
}

// key returns the public key, which is the last thing in an attestation object of the vectors.
func (v vector) key(t testing.TB) []byte {
	t.Helper()
	object, id := unhex(t, v.Create.AttestationObject), unhex(t, v.ID)
	return object[bytes.LastIndex(object, id)+len(id):]
}

func (v vector) creation(t testing.TB) string {
	t.Helper()
	return answer(t, v.ID, map[string]string{"clientDataJSON": v.Create.ClientDataJSON, "attestationObject": v.Create.AttestationObject})
}

func (v vector) assertion(t testing.TB) string {
	t.Helper()
	return answer(t, v.ID, map[string]string{
		"clientDataJSON": v.Get.ClientDataJSON, "authenticatorData": v.Get.AuthenticatorData, "signature": v.Get.Signature,
	})
}

// answer writes the answer of a browser, whose parts are in hexadecimal.
func answer(t testing.TB, id string, parts map[string]string) string {
	t.Helper()
	encoded := map[string]string{}
	for name, part := range parts {
		encoded[name] = base64url(unhex(t, part))
	}
	name := base64url(unhex(t, id))
	text := testkit.Must(json.Marshal(map[string]any{
		"id": name, "rawId": name, "type": "public-key", "clientExtensionResults": struct{}{}, "response": encoded,
	}))(t)
	return string(text)
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b := testkit.Must(hex.DecodeString(text))(t)
	return b
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
