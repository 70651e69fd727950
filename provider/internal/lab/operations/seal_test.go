package operations

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestWhatAHostSealsOpensForItsPurposeOnly(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	sealed := w.Keys().Seal("note", []byte("plain text"))
	if bytes.Contains(sealed, []byte("plain")) {
		t.Error("the value can be read")
	}
	if plain, err := w.Keys().Open("note", sealed); err != nil || string(plain) != "plain text" {
		t.Errorf("%q, %v", plain, err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return w.Keys().Open("letter", sealed) },
		"damage":          func() ([]byte, error) { return w.Keys().Open("note", damaged) },
		"nothing":         func() ([]byte, error) { return w.Keys().Open("note", nil) },
	} {
		if plain, err := open(); !errors.Is(err, provider.ErrSealed) {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
}

func TestWhatAHostSealsIsApartFromWhatTheProviderSeals(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	stored, err := w.Store.Client(t.Context(), "std")
	w.OK(err)
	for _, purpose := range []string{"client secret", "host: client secret", "", ": client secret"} {
		if plain, err := w.Keys().Open(purpose, stored.Secrets[0].Sealed); err == nil {
			t.Errorf("%q opens a client secret: %q", purpose, plain)
		}
	}
}

func TestWhatAHostSealsOpensUnderAFormerSecret(t *testing.T) {
	t.Parallel()
	sealed := lab.New(t).Keys().Seal("note", []byte("plain text"))
	next := []byte("Zq8sTzLw3bXy0cQe5RvUo1aIp7kJm2Hd")
	replaced := lab.New(t, func(c *provider.Config) { c.Secret, c.PreviousSecrets = next, [][]byte{c.Secret} })
	if plain, err := replaced.Keys().Open("note", sealed); err != nil || string(plain) != "plain text" {
		t.Errorf("%q, %v", plain, err)
	}
	dropped := lab.New(t, lab.WithoutKey(t), func(c *provider.Config) { c.Secret = next })
	if plain, err := dropped.Keys().Open("note", sealed); !errors.Is(err, provider.ErrSealed) {
		t.Errorf("under a secret that was dropped: %q, %v", plain, err)
	}
}
