//go:build linux

package faults

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestFullDisk fills the disk that the database is on. Writes answer 503 and give out
// nothing, reads go on, and when there is space again so does everything, in the
// same process.
func TestFullDisk(t *testing.T) {
	skipShort(t)
	t.Parallel()
	disk := mountDisk(t)
	s := setup{Database: filepath.Join(disk, "identity.db"), Grace: time.Hour}
	const count = 4
	populate(t, s, count)
	p := s.run(t)
	users := newUsers(s, count, func() string { return p.url })
	workFor(t, users, time.Second, 0, 0)
	for _, u := range users {
		testkit.OK(t, must("sign-in", true, func() (bool, error) { err := u.begin(); return err == nil, err }))
	}

	for round := range 2 {
		ballast := filepath.Join(disk, "ballast")
		fill(t, ballast)
		// What has been reserved for the database takes some more writes.
		_, refused := workFor(t, users, 0, 0, 2*count)
		t.Logf("round %d: full disk, %d times 503", round, refused)
		all(t, users, (*user).checkReads)
		users[0].becomesReady(t, false)

		testkit.OK(t, os.Remove(ballast))
		users[0].becomesReady(t, true)
		workFor(t, users, 0, count, 0)
		all(t, users, (*user).check)
		for _, u := range users {
			testkit.OK(t, u.begin())
		}
	}
	checkIntegrity(t, s.Database)
}

// mountDisk mounts a small disk for the length of the test.
func mountDisk(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=16m,mode=700"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("a disk to fill cannot be mounted: %v", err)
		}
		t.Skipf("a disk to fill cannot be mounted (it needs root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fill writes a file until there is no space left.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	testkit.OK(t, err)
	defer file.Close()
	for _, size := range []int{1 << 20, 1 << 12, 1} {
		block := bytes.Repeat([]byte{1}, size)
		for err = nil; err == nil; {
			_, err = file.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, io.ErrShortWrite) {
			t.Fatal(err)
		}
	}
}
