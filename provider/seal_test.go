package provider_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

func TestWhatAHostSealsOpensForItsPurposeOnly(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	sealed := w.Seal("note", []byte("plain text"))
	if bytes.Contains(sealed, []byte("plain")) {
		t.Error("the value can be read")
	}
	if plain, err := w.Open("note", sealed); err != nil || string(plain) != "plain text" {
		t.Errorf("%q, %v", plain, err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return w.Open("letter", sealed) },
		"damage":          func() ([]byte, error) { return w.Open("note", damaged) },
		"nothing":         func() ([]byte, error) { return w.Open("note", nil) },
	} {
		if plain, err := open(); !errors.Is(err, provider.ErrSealed) {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
}
