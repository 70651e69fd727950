//go:build linux

package faults

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// powerSupply lets the power of a disk be cut, by LD_PRELOAD. See testdata/powercut.c.
type powerSupply struct {
	shim   string // the library to put before the C library
	data   string // folder of the database
	copies string // folder of what is durable
}

func newPowerSupply(t *testing.T, database string) powerSupply {
	t.Helper()
	s := powerSupply{filepath.Join(t.TempDir(), "powercut.so"), filepath.Dir(database), t.TempDir()}
	build := exec.Command("cc", "-shared", "-fPIC", "-o", s.shim, "testdata/powercut.c", "-ldl", "-lpthread")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// on is the wrapper of a process whose disk hangs on this power supply.
func (s powerSupply) on(more ...string) []string {
	return append([]string{"env", "LD_PRELOAD=" + s.shim, "POWERCUT=" + s.copies}, more...)
}

// sector is what a disk writes whole.
const sector = 512

// cut leaves of each file what was synchronised, and of what was written later any
// sectors, each with a chance of luck.
func (s powerSupply) cut(t *testing.T, luck float64) {
	t.Helper()
	written, err := filepath.Glob(filepath.Join(s.data, "*"))
	testkit.OK(t, err)
	for _, path := range written {
		durable, err := os.ReadFile(filepath.Join(s.copies, filepath.Base(path)))
		if errors.Is(err, fs.ErrNotExist) { // the -shm file is memory; any other was never synchronised
			err = os.Remove(path)
		} else if err == nil {
			err = afterCut(path, durable, luck)
		}
		testkit.OK(t, err)
	}
}

func afterCut(path string, durable []byte, luck float64) error {
	written, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	left := durable
	for at := 0; at < len(written); at += sector {
		end := min(at+sector, len(written))
		if rand.Float64() >= luck || end <= len(durable) && bytes.Equal(written[at:end], durable[at:end]) {
			continue
		}
		if more := end - len(left); more > 0 {
			left = append(left, make([]byte, more)...)
		}
		copy(left[at:end], written[at:end])
	}
	return os.WriteFile(path, left, 0o600)
}

// TestPowerCut cuts the power of the disk at random moments under load. What was
// acknowledged is still so afterwards, and nothing works twice: every answer waited
// for the disk.
func TestPowerCut(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: -1}
	power := newPowerSupply(t, s.Database)
	populate(t, s, killUsers)
	p := s.run(t, power.on()...)
	users := newUsers(s, killUsers, func() string { return p.url })
	steps := 0
	for round := 0; round < powerCuts || steps < powerCuts; round++ {
		steps += p.killUnderLoad(t, users, 0)
		power.cut(t, rand.Float64())
		p = s.run(t, power.on()...)
		all(t, users, (*user).check)
		checkIntegrity(t, s.Database)
	}
	t.Logf("%d steps acknowledged", steps)
}

// TestPowerCutOfADiskThatLies shows that TestPowerCut would notice: on a disk that
// synchronises nothing, what was acknowledged is lost.
func TestPowerCutOfADiskThatLies(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: -1}
	power := newPowerSupply(t, s.Database)
	populate(t, s, killUsers)
	p := s.run(t, power.on("POWERCUT_LIES=1")...)
	users := newUsers(s, killUsers, func() string { return p.url })
	steps := p.killUnderLoad(t, users, 4*killUsers)
	power.cut(t, 0)
	p = s.run(t)
	if err := each(users, (*user).check); err == nil {
		t.Errorf("nothing of %d acknowledged steps was lost", steps)
	}
}
