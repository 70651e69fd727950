package credential

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"
)

// TestDigestsAreThoseOfTheStandard has the example of RFC 9901 sections 4.2.1 and 4.2.3.
func TestDigestsAreThoseOfTheStandard(t *testing.T) {
	t.Parallel()
	const disclosure = "WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0"
	if got := digestOf(disclosure); got != "X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0" {
		t.Errorf("digest %s", got)
	}
}

// TestConcealedClaimsAreFoundByTheirDigests processes a payload as RFC 9901 section 7.1 has it.
func TestConcealedClaimsAreFoundByTheirDigests(t *testing.T) {
	t.Parallel()
	salts := map[string]bool{}
	for hidden := range digests {
		all := []disclosable{{"a", []string{"x", "y"}}, {"b", "<&>é"}, {"c", "3"}, {"d", ""}, {"e", "5"}}[:hidden]
		payload, disclosures, err := conceal(map[string]any{"iss": "https://id.test"}, all)
		if err != nil || len(disclosures) != hidden {
			t.Fatalf("%d disclosures of %d: %v", len(disclosures), hidden, err)
		}
		var seen struct {
			Issuer    string   `json:"iss"`
			Digests   []string `json:"_sd"`
			Algorithm string   `json:"_sd_alg"`
		}
		if err := json.Unmarshal(payload, &seen); err != nil || seen.Issuer != "https://id.test" || seen.Algorithm != "sha-256" {
			t.Fatalf("%s: %v", payload, err)
		}
		if len(seen.Digests) != digests || !slices.IsSorted(seen.Digests) || len(slices.Compact(slices.Clone(seen.Digests))) != digests {
			t.Errorf("%d claims have the digests %q", hidden, seen.Digests)
		}
		for i, disclosure := range disclosures {
			raw, err := base64.RawURLEncoding.DecodeString(disclosure)
			var parts []any
			if err != nil || json.Unmarshal(raw, &parts) != nil || len(parts) != 3 || parts[1] != all[i].name || !slices.Contains(seen.Digests, digestOf(disclosure)) {
				t.Fatalf("disclosure %s", raw)
			}
			salt, _ := parts[0].(string)
			if random, err := base64.RawURLEncoding.DecodeString(salt); err != nil || len(random) != saltSize || salts[salt] {
				t.Errorf("salt %q", salt)
			}
			salts[salt] = true
		}
	}
}

func TestCompactFormEndsWithATilde(t *testing.T) {
	t.Parallel()
	if got := compact("a.b.c", []string{"d", "e"}); got != "a.b.c~d~e~" {
		t.Error(got)
	}
	if got := compact("a.b.c", nil); got != "a.b.c~" {
		t.Error(got)
	}
}
