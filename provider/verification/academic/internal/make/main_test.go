package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"abused.txt": "sold.edu\nbad.good.edu\n", "stoplist.txt": "alumni.good.edu\nelsewhere.com\nac.xx\n", "tlds.txt": "edu.cn\n",
		"edu/good.txt":         "\ufeff.group\n  Good\tUniversity \nThe Good One\n",
		"edu/sold.txt":         "Sold University\n",
		"edu/good/bad.txt":     "Bad School\n",
		"edu/sold/dept.txt":    "Department of Sold\n",
		"edu/empty.txt":        "\n",
		"edu/bücher.txt":       "Bücher\n",
		"edu/not a domain.txt": "Nothing\n",
		"uk/ac.txt":            "Everybody\n",
		"com.txt":              "Everybody\n",
		"xx/ac/one.txt":        "One\n",
	} {
		path := filepath.Join(folder, name)
		testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		testkit.OK(t, os.WriteFile(path, []byte(content), 0o600))
	}
	list, dropped, err := read(folder)
	want := map[string]string{"good.edu": "Good University", "bad.good.edu": "", "alumni.good.edu": "", "xn--bcher-kva.edu": "Bücher"}
	if diff := cmp.Diff(want, list); diff != "" || dropped != 7 || err != nil {
		t.Error(dropped, err, diff)
	}
	if got := string(write(list, "1, 2026-01-01")); got != "# JetBrains/swot 1, 2026-01-01\nalumni.good.edu\t\nbad.good.edu\t\ngood.edu\tGood University\nxn--bcher-kva.edu\tBücher\n" {
		t.Error(got)
	}
	if _, _, err := read(t.TempDir()); err == nil {
		t.Error("an empty folder is read")
	}
}
