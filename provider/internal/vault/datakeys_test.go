package vault_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

func rotate(t *testing.T, v *vault.Vault, number int, made bool) {
	t.Helper()
	n, did, err := v.Rotate(t.Context(), atNoon, unrecorded)
	if err != nil || n != number || did != made {
		t.Errorf("data key %d, made: %t, %v; want %d, %t", n, did, err, number, made)
	}
}

func unrecorded(ctx context.Context, _ int, write func(context.Context) error) error {
	return write(ctx)
}

// renew seals again at a time after the rotation.
func renew(t *testing.T, v *vault.Vault, after time.Duration) (int, error) {
	t.Helper()
	return v.Renew(t.Context(), func() time.Time { return atNoon.Add(after) })
}

func note(text string) map[string]json.RawMessage {
	return map[string]json.RawMessage{"note": json.RawMessage(`"` + text + `"`)}
}

// noted returns how an attribute is stored, after it has been read.
func noted(t *testing.T, clear, behind storage.Store, subject, want string) string {
	t.Helper()
	person, err := clear.Person(t.Context(), subject)
	if err != nil || string(person.Attributes["note"]) != `"`+want+`"` {
		t.Errorf("%s: %s, %v; want %s", subject, person.Attributes["note"], err, want)
	}
	stored := testkit.Must(behind.Person(t.Context(), subject))(t)
	return string(stored.Attributes["note"])
}

func TestADataKeyIsRotatedUnderTwoProcesses(t *testing.T) {
	here, behind, v := openSealed(t)
	there, w := openVault(t, behind, secret)
	set := func(clear storage.Store, subject, text string) {
		t.Helper()
		testkit.OK(t, clear.SetAttributes(t.Context(), subject, note(text), nil))
	}
	set(here, "ann", "first")
	digest := v.Digest("a")
	rotate(t, v, 2, true)
	rotate(t, w, 2, false)
	set(there, "bob", "late") // has not heard of it: nothing has been read
	if stored := noted(t, here, behind, "bob", "late"); !strings.HasPrefix(stored, `"sealed2:`) {
		t.Errorf("stored as %s", stored)
	}
	set(here, "cem", "second")
	if stored := noted(t, there, behind, "cem", "second"); !strings.HasPrefix(stored, `"sealed2:2:`) {
		t.Errorf("stored as %s", stored)
	}
	testkit.OK(t, behind.SetAttributes(t.Context(), "bad", map[string]json.RawMessage{"note": json.RawMessage(`"sealed2:1:damaged"`)}, nil))
	for _, step := range []struct {
		after time.Duration
		n     int
	}{{0, 2}, {time.Minute, 0}, {6 * time.Minute, 0}} {
		n, err := renew(t, w, step.after)
		if n > step.n || err == nil || !strings.Contains(err.Error(), "attributes.sealed_value of [bad note]") {
			t.Errorf("%d sealed again after %s, %v; want %d, and to hear of the damaged one", n, step.after, err, step.n)
		}
	}
	for subject, text := range map[string]string{"ann": "first", "bob": "late", "cem": "second"} {
		if stored := noted(t, here, behind, subject, text); !strings.HasPrefix(stored, `"sealed2:2:`) {
			t.Errorf("%s is stored as %s", subject, stored)
		}
	}
	if n, err := renew(t, v, time.Hour); n != 0 || err != nil {
		t.Errorf("all is done, and sealed again: %d, %v", n, err)
	}
	rotate(t, w, 3, true)
	if _, x := openVault(t, behind, secret); x.Digest("a") != digest || v.Digest("a") != digest {
		t.Error("another data key has another digest")
	}
}

func TestADataKeyIsRotatedOnce(t *testing.T) {
	next := random.Bytes(32)
	_, behind, v := openSealed(t)
	_, w := openVault(t, behind, next, secret)
	secrets := newSecrets(t, next, secret)
	var all sync.WaitGroup
	made := make(chan int, 9)
	for range 8 {
		all.Go(func() {
			n, did, err := w.Rotate(t.Context(), atNoon, unrecorded)
			if err != nil {
				t.Error(err)
			}
			if did {
				made <- n
			}
		})
		all.Go(func() { // which has the same record
			if _, err := vault.Reseal(t.Context(), behind, secrets); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(made) != 1 || <-made != 2 {
		t.Error("there is not one new key")
	}
	value := w.Seal(alice, []byte("value"))
	if _, x := openVault(t, behind, next); true {
		if plain, err := x.Open(alice, []byte(value)); err != nil || string(plain) != "value" {
			t.Errorf("without the former secret it opens as %q, %v", plain, err)
		}
	}
	if _, err := v.Open(alice, []byte(value)); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("a process that does not know the secret of the keys: %v", err)
	}
}

// meanwhile is a store in which somebody else is faster.
type meanwhile struct {
	storage.Store
	first func()
}

func (s meanwhile) ReplaceSealed(ctx context.Context, values []storage.Resealed) (int, error) {
	s.first()
	return s.Store.ReplaceSealed(ctx, values)
}

func TestSealingAgainLosesNoChange(t *testing.T) {
	clear, behind, v := openSealed(t)
	for _, subject := range []string{"ann", "bob"} {
		testkit.OK(t, clear.SetAttributes(t.Context(), subject, note("first"), nil))
	}
	rotate(t, v, 2, true)
	_, w := openVault(t, meanwhile{behind, func() {
		if err := clear.SetAttributes(t.Context(), "ann", note("meanwhile"), nil); err != nil {
			t.Error(err)
		}
	}}, secret)
	if n, err := renew(t, w, 0); n != 1 || err != nil {
		t.Errorf("%d sealed again, %v", n, err)
	}
	noted(t, clear, behind, "ann", "meanwhile")
	noted(t, clear, behind, "bob", "first")
}

func TestAnUnknownDataKeyIsNamed(t *testing.T) {
	_, behind, v := openSealed(t)
	value := []byte("sealed2:7:" + v.Seal(alice, []byte("value"))[len("sealed2:1:"):])
	if _, err := v.Open(alice, value); !errors.Is(err, vault.ErrOpen) || !strings.Contains(err.Error(), "data key 7, and the database has 1") {
		t.Errorf("err = %v", err)
	}
	testkit.OK(t, behind.Close())
	if _, err := v.Open(alice, value); !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, vault.ErrOpen) {
		t.Errorf("while the database does not answer: %v", err)
	}
}
