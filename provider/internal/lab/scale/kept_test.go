package scale

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var folder = flag.String("dir", "", "a folder, with a short and absolute path, where filled databases are kept for the next run; they are filled again when the figures differ")

// record is what is known about a kept database: what it was filled with, and the address of
// its service, from which the keys of its log are derived.
type record struct {
	People, Applications, Lines int
	Listens                     string
	Runs                        int // in which it was measured
}

// kept is the folder of a kept database; "" for one that goes with its test.
type kept struct {
	path   string
	record record
}

// keeps returns the folder of one database, emptied when it is not filled as the flags say.
func keeps(t *testing.T, name string) *kept {
	t.Helper()
	if *folder == "" {
		return &kept{}
	}
	k := &kept{path: filepath.Join(*folder, name)}
	raw, err := os.ReadFile(k.file())
	if err == nil {
		err = json.Unmarshal(raw, &k.record)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if k.record.People == *people && k.record.Applications == *applications && k.record.Lines == *lines {
		return k
	}
	k.record = record{}
	if err := errors.Join(os.RemoveAll(k.path), os.MkdirAll(k.path, 0o755)); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *kept) file() string { return filepath.Join(k.path, "filled.json") }

// filled reports whether the database needs nothing more.
func (k *kept) filled() bool { return k.record.People > 0 }

// notes records that the database is filled, and in which run.
func (k *kept) notes(t *testing.T) {
	t.Helper()
	k.record.People, k.record.Applications, k.record.Lines = *people, *applications, *lines
	if k.path == "" {
		return
	}
	raw, err := json.Marshal(k.record)
	if err == nil {
		err = os.WriteFile(k.file(), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// listens has a service answer at the address that its database knows.
func (k *kept) listens(t *testing.T, service http.Handler) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", k.record.Listens)
	if err != nil {
		t.Fatalf("the address of the kept database: %v", err)
	}
	server := &http.Server{Handler: service, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}
