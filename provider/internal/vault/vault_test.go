package vault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/vault"
)

func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	_, _, v := openSealed(t)
	return v
}

var alice = vault.Record{Kind: "attribute", ID: "alice", Field: "fname"}

func TestSealedValuesOpen(t *testing.T) {
	v := newVault(t)
	for _, plain := range []string{"", "1", `"Zoë"`, strings.Repeat("x", 10_000)} {
		sealed := v.Seal(alice, []byte(plain))
		if len(plain) > 1 && strings.Contains(sealed, plain) {
			t.Errorf("%q is sealed as %q", plain, sealed)
		}
		if sealed == v.Seal(alice, []byte(plain)) {
			t.Error("one value is sealed twice in the same way")
		}
		if !vault.IsSealed(sealed) || strings.ContainsAny(sealed, `"\ @`) {
			t.Errorf("sealed as %q", sealed)
		}
		if got, err := v.Open(alice, []byte(sealed)); err != nil || string(got) != plain {
			t.Errorf("opens as %q, %v; want %q", got, err, plain)
		}
	}
}

func TestOpen(t *testing.T) {
	v := newVault(t)
	sealed := v.Seal(alice, []byte("value"))
	for name, of := range map[string]vault.Record{
		"AnotherPersons": {"attribute", "bob", "fname"},
		"AnotherField":   {"attribute", "alice", "lname"},
		"AnotherKind":    {"email", "alice", "fname"},
		"MovedBoundary":  {"attribute", "alicef", "name"},
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			if _, err := v.Open(of, []byte(sealed)); !errors.Is(err, vault.ErrOpen) {
				t.Errorf("err = %v", err)
			}
		})
	}
	last := sealed[:len(sealed)-2] + "AA"
	if last == sealed {
		last = sealed[:len(sealed)-2] + "BB"
	}
	for name, damaged := range map[string]string{
		"Plain": "value", "Nothing": "", "NoBody": "sealed2:1:", "NotBase64": "sealed2:1:!", "Short": sealed[:30],
		"Cut": sealed[:len(sealed)-4], "Changed": last, "AnotherForm": "sealed1:" + sealed[8:],
		"NoNumber": "sealed2:" + sealed[10:], "NumberNone": "sealed2:0:" + sealed[10:], "NumberBelow": "sealed2:-1:" + sealed[10:],
		"NumberWithoutEnd": "sealed2:1", "HugeNumber": "sealed2:99999999999999999999:" + sealed[10:], "NumberOfNoKey": "sealed2:2:" + sealed[10:],
		"AnotherName": sealed[:10] + "AA" + sealed[12:],
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			if _, err := v.Open(alice, []byte(damaged)); !errors.Is(err, vault.ErrOpen) {
				t.Errorf("err = %v", err)
			}
		})
	}
	t.Run("RefusesAnotherKeys", func(t *testing.T) {
		if _, err := newVault(t).Open(alice, []byte(sealed)); !errors.Is(err, vault.ErrOpen) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestDigest(t *testing.T) {
	v, another := newVault(t), newVault(t)
	first := v.Digest("a")
	if again := v.Digest("a"); again != first {
		t.Error("a value has two digests")
	}
	if first == v.Digest("b") || first == another.Digest("a") {
		t.Error("two values, or two keys, have one digest")
	}
}

func TestVaultShowsNothing(t *testing.T) {
	if got := fmt.Sprintf("%v %+v %#v %s", newVault(t), newVault(t), newVault(t), newVault(t)); strings.Contains(got, "0x") {
		t.Errorf("it is printed as %s", got)
	}
}
