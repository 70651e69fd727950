package factor

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestNew(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$`)
	seen := map[string]bool{}
	for range 100 {
		codes := NewRecoveryCodes()
		if len(codes) != 10 {
			t.Fatalf("%d codes", len(codes))
		}
		for _, code := range codes {
			if !shape.MatchString(code) || seen[code] {
				t.Fatalf("code %q", code)
			}
			seen[code] = true
		}
	}
	used := map[rune]bool{}
	for code := range seen {
		for _, char := range strings.ReplaceAll(code, "-", "") {
			used[char] = true
		}
	}
	if len(used) != 32 {
		t.Errorf("1,000 codes use %d characters", len(used))
	}
}

func TestSet(t *testing.T) {
	codes := NewRecoveryCodes()
	set := testkit.Must(RecoverySet(codes))(t)
	for i, code := range codes {
		if digest, ok := RecoveryDigest(set.Salt, code); !ok || slices.Index(set.Digests, digest) != i {
			t.Errorf("code %d is not found in its set", i)
		}
	}
	again := testkit.Must(RecoverySet(codes))(t)
	for _, digest := range set.Digests {
		if slices.Contains(again.Digests, digest) {
			t.Error("two sets of the same codes have a digest in common")
		}
	}
	if _, err := RecoverySet([]string{codes[0], "no code"}); !errors.Is(err, errMalformed) {
		t.Errorf("error = %v", err)
	}
}

func TestDigestAsEntered(t *testing.T) {
	salt := []byte("0123456789abcdef")
	want, ok := RecoveryDigest(salt, "01AB-CDEF-GHJKM")
	if !ok || want.IsZero() {
		t.Fatal("no digest")
	}
	for _, entered := range []string{
		"01abcdefghjkm", "O1ABCDEFGHJKM", "olab cdef ghjkm", " 0IAB–CDEF–GHJKM\r\n", "0lab_cdef_ghjkm", "\u206801AB-CDEF-GHJKM\u2069",
	} {
		if got, ok := RecoveryDigest(salt, entered); !ok || got != want {
			t.Errorf("RecoveryDigest(%q) = %x, %v", entered, got, ok)
		}
	}
	for _, entered := range []string{
		"", "01AB-CDEF-GHJK", "01AB-CDEF-GHJKMN", "U1AB-CDEF-GHJKM", "01AB.CDEF.GHJKM", "01AB-CDEF-GHJKé", strings.Repeat("-", 200) + "01ABCDEFGHJKM",
	} {
		if _, ok := RecoveryDigest(salt, entered); ok {
			t.Errorf("%q is taken for a code", entered)
		}
	}
	if got, _ := RecoveryDigest(salt, "01AB-CDEF-GHJKN"); got == want {
		t.Error("two codes have one digest")
	}
}
