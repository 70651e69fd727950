package verification

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// killedRows is how many rows each of the two rosters has that replace each other.
const killedRows = 300

func killedRoster(second bool) RosterFile {
	var b strings.Builder
	b.WriteString("number,family,born\n")
	for i := range killedRows {
		if second {
			i += killedRows
		}
		fmt.Fprintf(&b, "S%d,Name,1990-12-31\n", i)
	}
	return RosterFile{Roster: "students", Content: strings.NewReader(b.String())}
}

// TestKillInSwap kills a process that replaces one roster by another, again and again: what
// is in force is one of them, whole, and an import goes on from there.
func TestKillInSwap(t *testing.T) {
	const file = "BONAFIDE_TEST_KILLED_ROSTER"
	if path := os.Getenv(file); path != "" {
		o := openOffice(t, path)
		fmt.Println("ready")
		for second := false; ; second = !second {
			o.imported(killedRoster(second), true)
			fmt.Println("swapped")
		}
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "killed.db")
	openOffice(t, path).imported(killedRoster(false), false)
	for round := range 6 {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillInSwap$")
		child.Env = append(os.Environ(), file+"="+path)
		out := testkit.Must(child.StdoutPipe())(t)
		testkit.OK(t, child.Start())
		lines := bufio.NewScanner(out)
		for range 2 + rand.IntN(3) { // after some swaps
			lines.Scan()
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // a kill at any point, not a wait for something
		_ = child.Process.Kill()
		_ = child.Wait()

		o := openOffice(t, path)
		r, err := o.Store.Roster(t.Context(), "students")
		if err != nil || r.Generation == 0 || r.Rows != killedRows {
			t.Fatalf("round %d: %+v, %v", round, r, err)
		}
		found := [2]int{}
		for i := range 2 * killedRows {
			value, _ := o.roster("students").value(func(c RosterColumn) string {
				return map[string]string{"number": fmt.Sprintf("S%d", i), "family": "Name", "born": "1990-12-31"}[c.Name]
			})
			digest := o.proofDigest(Fact{Kind: "roster_students", Value: value})
			if _, err := o.Store.MatchRoster(t.Context(), "students", []storage.Digest{digest}); err == nil {
				found[i/killedRows]++
			}
		}
		if found != [2]int{killedRows, 0} && found != [2]int{0, killedRows} {
			t.Fatalf("round %d: of one roster %d rows are in force, and of the other %d", round, found[0], found[1])
		}
		testkit.OK(t, o.Provider.Close())
	}
	openOffice(t, path).imported(killedRoster(true), true)
}
