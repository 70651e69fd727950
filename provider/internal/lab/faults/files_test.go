//go:build linux

package faults

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestFewFilesAndLittleMemory opens 500 connections to a process that may have 64
// files open and tries to live in 64 MiB. While they last nobody gets a wrong answer;
// when they are gone all goes on.
func TestFewFilesAndLittleMemory(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: time.Hour, DearPasswords: true}
	const count = 16
	populate(t, s, count)
	p := s.run(t, "sh", "-c", `ulimit -n 64 && GOGC=100 GOMEMLIMIT=64MiB exec "$0"`)
	users := newUsers(s, count, func() string { return p.url })
	all(t, users, (*user).begin)

	var crowd []net.Conn
	for range 500 {
		conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(p.url, "http://")))(t)
		crowd = append(crowd, conn)
	}
	leave := time.AfterFunc(fewFilesFor, func() {
		for _, conn := range crowd {
			conn.Close()
		}
	})
	defer leave.Stop()
	if open := p.openFiles(t); open < 60 {
		t.Errorf("the process has %d files open, which is no hardship", open)
	}
	done, refused := workFor(t, users, fewFilesFor+time.Second, 0, 0)
	t.Logf("%d connections: %d steps, %d times 503", len(crowd), done, refused)
	workFor(t, users, 0, count, 0)
	all(t, users, (*user).check)
	checkIntegrity(t, s.Database)
}

// openFiles counts what the process has open when it cannot open more.
func (p *process) openFiles(t *testing.T) (count int) {
	t.Helper()
	for deadline := time.Now().Add(patience); count < 60 && time.Now().Before(deadline); <-time.After(time.Millisecond) {
		entries := testkit.Must(os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.command.Process.Pid)))(t)
		count = len(entries)
	}
	return count
}
