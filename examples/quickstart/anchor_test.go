package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

func TestAnchor(t *testing.T) {
	folder := t.TempDir()
	keep := anchorIn(folder)
	first := provider.Checkpoint{Size: 12, Signed: []byte("id.example\n12\nroot\n")}
	for range 2 { // also again, as after a start
		ok(t, keep(t.Context(), first))
	}
	if err := keep(t.Context(), provider.Checkpoint{Size: 12, Signed: []byte("another")}); err == nil {
		t.Error("a log that was put back is taken for the same")
	}
	names, err := os.ReadDir(folder)
	if err != nil || len(names) != 1 || names[0].Name() != "checkpoint-000000000012.txt" {
		t.Fatalf("%v, %v", names, err)
	}
	if kept, err := os.ReadFile(filepath.Join(folder, names[0].Name())); err != nil || string(kept) != string(first.Signed) {
		t.Errorf("%q, %v", kept, err)
	}
	if anchorIn("") != nil || checkAnchor("") != nil {
		t.Error("no folder is one")
	}
	for _, none := range []string{filepath.Join(folder, "none"), filepath.Join(folder, names[0].Name())} {
		if checkAnchor(none) == nil {
			t.Errorf("%s is a folder", none)
		}
	}
	if err := anchorIn(filepath.Join(folder, "none"))(t.Context(), first); err == nil {
		t.Error("kept in a folder that is not there")
	}
}
