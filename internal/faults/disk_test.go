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
	members := newMembers(s, count, func() string { return p.url })
	workFor(t, members, time.Second)
	for _, m := range members {
		if err := must("sign-in", true, func() (bool, error) { err := m.begin(); return err == nil, err }); err != nil {
			t.Fatal(err)
		}
	}

	for round := range 2 {
		ballast := filepath.Join(disk, "ballast")
		fill(t, ballast)
		// What has been reserved for the database takes some more writes.
		refused := 0
		for range 20 {
			_, n := workFor(t, members, 500*time.Millisecond)
			if refused += n; refused > 2*count {
				break
			}
		}
		if refused == 0 {
			t.Fatal("the disk is full and nothing was refused")
		}
		t.Logf("round %d: full disk, %d times 503", round, refused)
		all(t, members, (*member).checkReads)

		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		done, _ := workFor(t, members, time.Second)
		if done < count {
			t.Fatalf("with space again, %d steps in a second", done)
		}
		all(t, members, (*member).check)
		for _, m := range members {
			if err := m.begin(); err != nil {
				t.Fatal(err)
			}
		}
	}
	checkIntegrity(t, s.Database)
}

// begin makes sure that there is a session, and an access token to read with.
func (m *member) begin() error {
	if m.signedIn != yes {
		if err := m.signIn(); err != nil {
			return err
		}
	}
	if m.tokens != nil {
		return nil
	}
	return m.authorize()
}

// checkReads demands what needs no write.
func (m *member) checkReads() error {
	if _, err := m.get("/oidc/.well-known/jwks"); err != nil {
		return err
	}
	if m.signedIn == yes {
		if err := m.checkSession(); err != nil {
			return err
		}
	}
	if m.tokens == nil {
		return nil
	}
	return m.userinfo()
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
	if err != nil {
		t.Fatal(err)
	}
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
