package plans

import (
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/storage"
)

// FuzzCanonical moves text between neighbouring parts of a plan: no two plans are written alike,
// and one is always written the same way.
func FuzzCanonical(f *testing.F) {
	f.Add("lock", "person", "incident", "staff:olga", "olga", "note", "matter", "email", "a@example.com", "gone", "sessions", "3", "4~AAAA", 1)
	f.Add("", "", "", "", "", "", "", "", "", "", "", "", "", 0)
	f.Fuzz(func(t *testing.T, name, kind, reason, by, as, note, matter, value, is, why, fact, number, revision string, n int) {
		parts := []string{name, kind, reason, by, as, note, matter, value, is, why, fact, number, revision}
		sum := written(parts, n)
		if written(slices.Clone(parts), n) != sum {
			t.Fatal("the same plan is written in two ways")
		}
		if written(parts, n+1) == sum {
			t.Error("another number is written alike")
		}
		for i := range len(parts) - 1 {
			moved := slices.Clone(parts)
			moved[i], moved[i+1] = parts[i]+parts[i+1], ""
			if !slices.Equal(moved, parts) && written(moved, n) == sum {
				t.Errorf("part %d with the next one is written alike", i)
			}
		}
		if twice := canonical(plan(parts), said(parts, n), []storage.PlanTarget{{Number: 1, Revision: revision}, {Number: 2, Revision: revision}}); twice == sum {
			t.Error("another target is written alike")
		}
	})
}

func written(parts []string, n int) [32]byte {
	return canonical(plan(parts), said(parts, n), []storage.PlanTarget{{Number: 1, Revision: parts[12]}})
}

func plan(p []string) storage.Plan {
	return storage.Plan{Action: p[0], Kind: p[1], Reason: p[2], ProposedBy: p[3], ProposedAs: p[4]}
}

func said(p []string, n int) content {
	return content{
		Note: p[5], Matter: p[6], Values: map[string]string{p[7]: p[8]}, Left: []Left{{Why(p[9]), n}}, Facts: []action.Fact{{Name: p[10], Value: p[11]}},
	}
}
