package clientauth

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

func FuzzParseBasic(f *testing.F) {
	for _, seed := range []string{
		"Basic c3RkOnNlY3JldA==", "basic c3RkOnNlY3JldA==", "Basic", "Basic  c3Q6eA==", "Basic !!!", "Bearer x", "Basic Og==", "Basic YTpiOmM=",
		"Basic " + base64.StdEncoding.EncodeToString([]byte("a%3Ab:c%2Bd+e")), "Basic " + base64.StdEncoding.EncodeToString([]byte("a:%zz")), "Basic\tYTpi",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		readings, err := parseBasic(header)
		if err != nil {
			return
		}
		// The header as it was written is always among the readings, and a
		// second one differs from it.
		if len(readings) < 1 || len(readings) > 2 || len(readings) == 2 && readings[0] == readings[1] {
			t.Fatalf("%q has readings %q", header, readings)
		}
		written := readings[len(readings)-1]
		encoded := base64.StdEncoding.EncodeToString([]byte(written[0] + ":" + written[1]))
		decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(header[len("Basic "):]))
		if err != nil || !slices.Equal(decoded, []byte(written[0]+":"+written[1])) || strings.Contains(written[0], ":") {
			t.Fatalf("%q reads %q, which is written %q", header, readings, encoded)
		}
	})
}
