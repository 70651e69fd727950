package vault_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// Of two people whose values were recorded before they were findable, the first has one that
// cannot be decrypted.
func TestADamagedValueKeepsNobodyFromBeingFound(t *testing.T) {
	clear, behind, v := openSealed(t)
	value := func(text string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"card": json.RawMessage(text)}
	}
	for _, err := range []error{
		behind.SetAttributes(t.Context(), "a note beside", value(`["bob"]`), nil),
		behind.SetAttributes(t.Context(), "ann", value(`"damaged"`), nil),
		clear.SetAttributes(t.Context(), "bob", value(`"42"`), nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	index := vault.NewIndex(behind, v, true, func(_ string, value json.RawMessage) string { return string(value) })
	if err := index.Run(t.Context()); err == nil || errors.Is(err, storage.ErrUnavailable) || strings.Contains(err.Error(), "note") {
		t.Errorf("the damaged value is told of as %v", err)
	}
	found, err := behind.Subjects(t.Context(), storage.SubjectFilter{Handle: "card", Find: v.FindDigest("card", `"42"`)}, "", 9)
	if err != nil || len(found) != 1 || found[0] != "bob" {
		t.Errorf("found %v, %v", found, err)
	}
	if err := index.Run(t.Context()); err != nil {
		t.Errorf("all is done once more: %v", err)
	}
}
