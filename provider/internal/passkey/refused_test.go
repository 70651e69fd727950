package passkey_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// wrong are answers that neither ceremony accepts, and words of the reason.
var wrong = map[string]struct {
	change func(*authenticator.Answer)
	reason string
}{
	"AnotherPort":      {func(a *authenticator.Answer) { a.Origin = origin + ":8443" }, "the origin is"},
	"DefaultPort":      {func(a *authenticator.Answer) { a.Origin = origin + ":443" }, "the origin is"},
	"PlainHTTP":        {func(a *authenticator.Answer) { a.Origin = "http://login.example.com" }, "the origin is"},
	"AnotherSubdomain": {func(a *authenticator.Answer) { a.Origin = "https://shop.example.com" }, "the origin is"},
	"Subdomain":        {func(a *authenticator.Answer) { a.Origin = "https://evil.login.example.com" }, "the origin is"},
	"OriginInCapitals": {func(a *authenticator.Answer) { a.Origin = "https://LOGIN.example.com" }, "the origin is"},
	"OriginWithPath":   {func(a *authenticator.Answer) { a.Origin = origin + "/" }, "the origin is"},
	"NoOrigin":         {func(a *authenticator.Answer) { a.Origin = "" }, "the origin is"},
	"CrossOrigin":      {func(a *authenticator.Answer) { a.CrossOrigin = true }, "in a frame"},
	"TopOrigin":        {func(a *authenticator.Answer) { a.TopOrigin = origin }, "in a frame"},
	"CrossOriginOfOurs": {func(a *authenticator.Answer) {
		a.CrossOrigin, a.TopOrigin = true, origin
	}, "in a frame"},
	"AnotherChallenge": {func(a *authenticator.Answer) { a.Challenge = "AAAA" }, "the challenge is another"},
	"NoChallenge":      {func(a *authenticator.Answer) { a.Challenge = "" }, "the challenge is another"},
	"PaddedChallenge":  {func(a *authenticator.Answer) { a.Challenge += "=" }, "the challenge is another"},
	"AnotherRPID":      {func(a *authenticator.Answer) { a.RPID = "example.com" }, "the answer is wrong"},
	"NobodyPresent":    {func(a *authenticator.Answer) { a.Flags &^= authenticator.UserPresent }, "nobody was present"},
	"NobodyVerified":   {func(a *authenticator.Answer) { a.Flags &^= authenticator.UserVerified }, "the user was not verified"},
	"BackedUpIneligible": {func(a *authenticator.Answer) {
		a.Flags = a.Flags&^authenticator.BackupEligible | authenticator.BackedUp
	}, "it is backed up and cannot be"},
	"TrailingData":     {func(a *authenticator.Answer) { a.Trailing = []byte{0} }, "cannot be read"},
	"ClientDataNoJSON": {func(a *authenticator.Answer) { a.ClientData = []byte("{") }, "cannot be read"},
	"ClientDataTrails": {func(a *authenticator.Answer) { a.ClientData = []byte(`{"type":"webauthn.get"}{}`) }, "cannot be read"},
	"ExtensionsNoMap":  {func(a *authenticator.Answer) { a.Extensions = []byte{0x01} }, "cannot be read"},
}

func TestCreationIsRefused(t *testing.T) {
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	cases := map[string]struct {
		change func(*authenticator.Answer)
		reason string
	}{
		"TypeOfSignIn":   {func(a *authenticator.Answer) { a.Type = "webauthn.get" }, "the ceremony is"},
		"NoKey":          {func(a *authenticator.Answer) { a.COSE = []byte{0xa0} }, "the key is invalid"},
		"KeyNoMap":       {func(a *authenticator.Answer) { a.COSE = []byte{0x01} }, "the key is invalid"},
		"KeyOffTheCurve": {func(a *authenticator.Answer) { a.COSE = cose(2, -7, -1, 1, -2, make([]byte, 32), -3, make([]byte, 32)) }, "the key is invalid"},
		"KeyOfP384": {func(a *authenticator.Answer) {
			a.COSE = cose(2, -35, -1, 2, -2, pad(key.X.Bytes()), -3, pad(key.Y.Bytes()))
		}, "the algorithm of the key"},
		"CurveOfAnother": {func(a *authenticator.Answer) {
			a.COSE = cose(2, -7, -1, 2, -2, pad(key.X.Bytes()), -3, pad(key.Y.Bytes()))
		}, "the key is invalid"},
		"AlgorithmOfRSA": {func(a *authenticator.Answer) {
			a.COSE = cose(2, -257, -1, 1, -2, make([]byte, 32), -3, make([]byte, 32))
		}, "the key is invalid"},
		"SmallRSA": {func(a *authenticator.Answer) { a.COSE = rsaKey(128) }, "the RSA key has 128 bytes"},
		"SmallRSAWithZeros": {func(a *authenticator.Answer) {
			a.COSE = cose(3, -257, -1, append(make([]byte, 256), ones(64)...), -2, []byte{1, 0, 1})
		}, "the RSA key has 64 bytes"},
		"LargeRSA":         {func(a *authenticator.Answer) { a.COSE = rsaKey(1024) }, "the RSA key has 1024 bytes"},
		"RSAWithSHA1":      {func(a *authenticator.Answer) { a.COSE = cose(3, -65535, -1, ones(256), -2, []byte{1, 0, 1}) }, "the algorithm of the key"},
		"ShortEdDSA":       {func(a *authenticator.Answer) { a.COSE = cose(1, -8, -1, 6, -2, ones(31)) }, "the key is invalid"},
		"NoCredentialID":   {func(a *authenticator.Answer) { a.ID = nil }, "cannot be read"},
		"LongCredentialID": {func(a *authenticator.Answer) { a.ID = ones(1024) }, "cannot be read"},
	}
	for name, c := range wrong {
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			device := authenticator.New()
			device.Change = c.change
			_, err := create(t, newParty(t), device)
			requireRefused(t, err, c.reason)
		})
	}
	t.Run("HandleOfAnother", func(t *testing.T) {
		party := newParty(t)
		_, err := party.Created(random.Bytes(32), random.Bytes(passkey.HandleSize), "{}", now)
		requireRefused(t, err, "the user handle is not ours")
	})
	t.Run("TooLarge", func(t *testing.T) {
		party := newParty(t)
		_, err := party.Created(random.Bytes(32), party.NewHandle(), strings.Repeat(" ", passkey.MaxResponse+1), now)
		requireRefused(t, err, "the answer has 32769 bytes")
	})
	t.Run("AnotherIDOutside", func(t *testing.T) {
		party, device := newParty(t), authenticator.New()
		challenge, handle := random.Bytes(32), party.NewHandle()
		options := testkit.Must(party.CreateOptions(challenge, passkey.User{Handle: handle, Name: "ada"}, nil))(t)
		response, err := device.Create(options, origin)
		testkit.OK(t, err)
		_, err = party.Created(challenge, handle, with(t, response, map[string]any{"id": "AAAA", "rawId": "AAAA"}), now)
		requireRefused(t, err, "the credential ID is another")
	})
}

func TestAssertionIsRefused(t *testing.T) {
	party, device := newParty(t), authenticator.New()
	k := testkit.Must(create(t, party, device))(t)
	cases := map[string]struct {
		change func(*authenticator.Answer)
		reason string
	}{
		"TypeOfCreation": {func(a *authenticator.Answer) { a.Type = "webauthn.create" }, "the ceremony is"},
		"AnotherHandle":  {func(a *authenticator.Answer) { a.UserHandle = party.NewHandle() }, "the user handle is another"},
		"AnotherKey": {func(a *authenticator.Answer) {
			key := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
			a.Key = key
		}, "the answer is wrong"},
		"BrokenSignature": {func(a *authenticator.Answer) {
			a.Spoil = func(s []byte) []byte { s[len(s)-1] ^= 1; return s }
		}, "the answer is wrong"},
		"NoSignature":         {func(a *authenticator.Answer) { a.Spoil = func([]byte) []byte { return nil } }, "the answer is wrong"},
		"SignatureWithMore":   {func(a *authenticator.Answer) { a.Spoil = func(s []byte) []byte { return append(s, 0) } }, "the answer is wrong"},
		"AnotherCredentialID": {func(a *authenticator.Answer) { a.ID = ones(32) }, "the passkey is another"},
	}
	for name, c := range wrong {
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			challenge := random.Bytes(32)
			options := testkit.Must(party.GetOptions(challenge, nil, true))(t)
			device := *device
			device.Change = c.change
			response := testkit.Must(device.Get(options, origin))(t)
			assertion, err := passkey.ReadAssertion(response)
			if err == nil {
				_, _, err = party.Verify(challenge, assertion, k, true)
			}
			requireRefused(t, err, c.reason)
		})
	}
	t.Run("OfAnotherRPID", func(t *testing.T) {
		challenge := random.Bytes(32)
		assertion, moved := get(t, party, device, challenge, true), k
		moved.RPID = "example.org"
		_, _, err := party.Verify(challenge, assertion, moved, true)
		requireRefused(t, err, "the passkey is of")
	})
	t.Run("NoChallenge", func(t *testing.T) {
		device := *device
		device.Change = func(a *authenticator.Answer) { a.Challenge = "" }
		_, _, err := party.Verify(nil, get(t, party, &device, nil, true), k, true)
		requireRefused(t, err, "the challenge is another")
	})
	t.Run("Nothing", func(t *testing.T) {
		_, _, err := party.Verify(random.Bytes(32), passkey.Assertion{}, storage.Passkey{RPID: party.ID}, false)
		requireRefused(t, err, "the passkey is another")
	})
	t.Run("TooLarge", func(t *testing.T) {
		_, err := passkey.ReadAssertion(strings.Repeat(" ", passkey.MaxResponse+1))
		requireRefused(t, err, "the answer has 32769 bytes")
	})
}

func requireRefused(t *testing.T, err error, reason string) {
	t.Helper()
	if !errors.Is(err, passkey.ErrRefused) || !strings.Contains(err.Error(), reason) {
		t.Errorf("the error is %v, not about %q", err, reason)
	}
}

// with changes members of an answer.
func with(t *testing.T, response string, members map[string]any) string {
	t.Helper()
	var all map[string]any
	testkit.OK(t, json.Unmarshal([]byte(response), &all))
	for name, value := range members {
		all[name] = value
	}
	changed := testkit.Must(json.Marshal(all))(t)
	return string(changed)
}

func ones(n int) []byte   { return bytes.Repeat([]byte{0xff}, n) }
func pad(b []byte) []byte { return append(make([]byte, 48-len(b)), b...) }
func rsaKey(n int) []byte { return cose(3, -257, -1, ones(n), -2, []byte{1, 0, 1}) }

// cose writes a key of a type and an algorithm, and further labels with their values.
func cose(kind, algorithm int, more ...any) []byte {
	b := authenticator.Int([]byte{0xa2 + byte(len(more)/2), 1}, kind)
	b = authenticator.Int(append(b, 3), algorithm)
	for i := 0; i < len(more); i += 2 {
		b = authenticator.Int(b, more[i].(int))
		switch value := more[i+1].(type) {
		case int:
			b = authenticator.Int(b, value)
		case []byte:
			b = authenticator.Bytes(b, value)
		}
	}
	return b
}
