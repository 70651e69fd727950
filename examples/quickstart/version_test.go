package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

func TestVersion(t *testing.T) {
	t.Run("IsSaid", func(t *testing.T) {
		var out strings.Builder
		ok(t, run(t.Context(), []string{"-version", "-config", "none.json"}, nil, &out))
		if want := fmt.Sprintf("bonafide %s, schema %d, config file 1, go1", provider.Version(), sqlstore.SchemaVersion); !strings.HasPrefix(out.String(), want) {
			t.Errorf("it says %q, want %q", out.String(), want)
		}
	})
	t.Run("OfTheConfigFile", func(t *testing.T) {
		for text, want := range map[string]string{
			`{"version": 1}`:                     "",
			`{}`:                                 "",
			`{"version": 2, "a key of then": 1}`: "version: is a config file of form 2, and this program reads form 1: run the program that it was written for",
			`{"version": -1}`:                    "version: is a config file of form -1, and this program reads form 1: run the program that it was written for",
			`{"version": "1"}`:                   `key "version": cannot be a string`,
		} {
			got := ""
			if _, err := parseConfig([]byte(text), t.TempDir()); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	})
}
