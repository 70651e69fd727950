package verification

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// rosterOf returns a file with the students of these numbers.
func rosterOf(numbers ...int) RosterFile {
	var b strings.Builder
	b.WriteString("number,family,born,note\n")
	for _, n := range numbers {
		fmt.Fprintf(&b, "S%d,Secretname%d,1990-12-31,=cmd\n", n, n)
	}
	return RosterFile{Roster: "students", Content: strings.NewReader(b.String())}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// has reports whether a student is a member by the roster in force.
func (o *office) has(subject string, number int) (rosterRow, bool) {
	o.t.Helper()
	value, _ := o.roster("students").value(func(c RosterColumn) string {
		return map[string]string{"number": fmt.Sprintf("S%d", number), "family": fmt.Sprintf("secretname%d", number), "born": "1990-12-31"}[c.Name]
	})
	row, found, err := o.matchRoster(o.t.Context(), &Case{ID: "c", Subject: subject}, "students", value)
	testkit.OK(o.t, err)
	return row, found
}

func (o *office) imported(f RosterFile, manyVanish bool) RosterReport {
	o.t.Helper()
	report := testkit.Must(o.ImportRoster(o.t.Context(), f, "registrar", manyVanish))(o.t)
	return report
}

func TestImportRoster(t *testing.T) {
	t.Parallel()
	t.Run("CountsAndThenReplaces", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		first := o.imported(rosterOf(upTo(1500)...), false)
		if first.Rows != 1500 || first.Added != 1500 || first.Vanished != 0 || first.InForce != 0 {
			t.Errorf("first: %+v", first)
		}
		second := rosterOf(append(upTo(1499)[3:], 2000, 2001, 2001)...)
		second.Content = strings.NewReader(readString(t, second) + ",,1990-12-31,\n")
		report, err := o.StageRoster(t.Context(), second)
		want := RosterReport{
			Roster: "students", Replaces: first.Generation, Rows: 1498, InForce: 1500, Added: 2, Vanished: 4, Skipped: 1, Repeated: 1,
			Skips: []RosterSkip{{1501, "number"}},
		}
		if diff := cmp.Diff(want, report, cmpopts.IgnoreFields(RosterReport{}, "Generation", "Sample")); diff != "" || err != nil {
			t.Error(err, diff)
		}
		if _, ok := o.has("a", 0); !ok {
			t.Error("a dry run has removed a row")
		}
		if _, ok := o.has("a", 2000); ok {
			t.Error("a dry run has added a row")
		}
		use := RosterUse{Roster: "students", Generation: report.Generation, Replaces: report.Replaces, By: "registrar"}
		testkit.OK(t, o.UseRoster(t.Context(), use))
		for number, want := range map[int]bool{0: false, 3: true, 1499: false, 2000: true} {
			if _, ok := o.has("b", number); ok != want {
				t.Errorf("S%d: %t", number, ok)
			}
		}
		if err := o.UseRoster(t.Context(), use); !errors.Is(err, ErrNotNow) {
			t.Errorf("the same again: %v", err)
		}
		all, err := o.Rosters(t.Context())
		if err != nil || len(all) != 1 || all[0].Rows != 1498 || all[0].ImportedBy != "registrar" || all[0].Previous != first.Generation {
			t.Errorf("%+v, %v", all, err)
		}
		if !slices.Contains(o.events(), "roster_imported  students") {
			t.Error(o.events())
		}
	})
	t.Run("AWrongFileEndsNobody", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		o.imported(rosterOf(upTo(100)...), false)
		for name, f := range map[string]RosterFile{
			"OtherYear":  rosterOf(1000, 1001, 1002),
			"Truncated":  rosterOf(upTo(79)...),
			"HeaderOnly": rosterOf(),
			"OtherFile":  {Roster: "students", Content: strings.NewReader("a,b,c\n1,2,3\n")},
			"CutOff":     {Roster: "students", Content: strings.NewReader(strings.TrimSuffix(readString(t, rosterOf(upTo(100)...)), ",1990-12-31,=cmd\n"))},
			"Unreadable": {Roster: "students", Content: failing{errors.New("no disk")}},
			"SkipsAll":   {Roster: "students", Content: strings.NewReader("number,family,born\nS1,Secretname1,31/12/90\n")},
			"NoRoster":   {Roster: "teachers", Content: strings.NewReader(readString(t, rosterOf(1)))},
		} {
			if _, err := o.ImportRoster(t.Context(), f, "registrar", false); err == nil {
				t.Errorf("%s is put in force", name)
			}
		}
		if _, err := o.ImportRoster(t.Context(), rosterOf(upTo(79)...), "registrar", false); !errors.Is(err, ErrManyVanish) {
			t.Errorf("21 of 100 vanish: %v", err)
		}
		holes := rosterOf(upTo(100)...)
		holes.Content = strings.NewReader(readString(t, holes) + strings.Repeat(",,1990-12-31,\n", 12))
		if _, err := o.ImportRoster(t.Context(), holes, "registrar", false); !errors.Is(err, ErrManySkipped) {
			t.Errorf("12 of 112 are skipped: %v", err)
		}
		if r, err := o.Store.Roster(t.Context(), "students"); err != nil || r.Rows != 100 {
			t.Errorf("%+v, %v", r, err)
		}
		o.imported(rosterOf(upTo(80)...), false) // a fifth is what a year ends with
		o.imported(rosterOf(1), true)
		if _, ok := o.has("a", 2); ok {
			t.Error("what is meant does not happen")
		}
	})
	t.Run("IsUndone", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		if err := putBack(t, o.Service, true); !errors.Is(err, ErrNotNow) {
			t.Errorf("nothing is undone: %v", err)
		}
		o.imported(rosterOf(1, 2), false)
		if err := putBack(t, o.Service, true); !errors.Is(err, ErrNotNow) {
			t.Errorf("the first is undone: %v", err)
		}
		o.imported(rosterOf(3), true)
		testkit.OK(t, putBack(t, o.Service, true))
		if _, ok := o.has("a", 1); !ok {
			t.Error("the row is not back")
		}
	})
	t.Run("IsNotUndoneByAccident", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		o.imported(rosterOf(upTo(10)...), false)
		o.imported(rosterOf(upTo(100)...), false)
		if err := putBack(t, o.Service, false); !errors.Is(err, ErrManyVanish) {
			t.Errorf("nine of ten vanish: %v", err)
		}
		seen, err := o.FormerRoster(t.Context(), "students")
		if err != nil || seen.Rows != 10 || seen.Vanished != 90 || !seen.ManyVanish() {
			t.Fatalf("%+v, %v", seen, err)
		}
		use := RosterUse{Roster: "students", Generation: seen.Generation, Replaces: seen.Replaces, By: "registrar", ManyVanish: true}
		testkit.OK(t, o.UseRoster(t.Context(), use))
		if err := o.UseRoster(t.Context(), use); !errors.Is(err, ErrNotNow) {
			t.Errorf("a second press: %v", err)
		}
		if r, err := o.Store.Roster(t.Context(), "students"); err != nil || r.Rows != 10 {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("YieldsToAnotherImport", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		mine, err := o.StageRoster(t.Context(), rosterOf(1))
		testkit.OK(t, err)
		o.imported(rosterOf(2), false)
		err = o.UseRoster(t.Context(), RosterUse{Roster: "students", Generation: mine.Generation, Replaces: mine.Replaces, ManyVanish: true})
		if !errors.Is(err, ErrNotNow) {
			t.Errorf("%v", err)
		}
	})
	t.Run("ForgetsWhatIsNotUsed", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		staged, err := o.StageRoster(t.Context(), rosterOf(upTo(1200)...))
		testkit.OK(t, err)
		o.advance(25 * time.Hour)
		testkit.OK(t, storagetest.AgreeOnTime(t.Context(), o.Store.(storage.Clocks), o.clock()))
		testkit.OK(t, o.sweepRosters(t.Context()))
		err = o.UseRoster(t.Context(), RosterUse{Roster: "students", Generation: staged.Generation})
		if !errors.Is(err, ErrNotNow) {
			t.Errorf("%v", err)
		}
	})
	t.Run("KeepsSubgroupAndEnd", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		f := RosterFile{
			Roster: "students", Subgroup: "sub", Until: "end",
			Content: strings.NewReader("number,family,born,sub,end\nS1,secretname1,1990-12-31,High School,2030-06-30\n"),
		}
		o.imported(f, false)
		want := rosterRow{Subgroup: "High School", Until: time.Date(2030, 7, 1, 0, 0, 0, 0, time.UTC)}
		if row, ok := o.has("a", 1); !ok || row != want {
			t.Errorf("%+v", row)
		}
	})
	t.Run("KeepsNothingThatCanBeRead", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		f := rosterOf(1, 2, 3)
		f.Canaries = []map[string]string{{"number": "S9", "family": "Secretcanary", "born": "1990-12-31"}}
		o.imported(f, false)
		o.has("a", 1)
		content := bytes.ToLower(append(o.files(), o.log.Bytes()...))
		for _, secret := range []string{"secretname", "secretcanary", "1990-12-31", "=cmd"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%q can be read", secret)
			}
		}
	})
}

// TestAttackRosterEnumeration enters what a stolen or guessed list has.
func TestAttackRosterEnumeration(t *testing.T) {
	t.Parallel()
	t.Run("CanariesAlarm", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		f := rosterOf(1, 2)
		f.Canaries = []map[string]string{{"number": "s2", "family": "SECRETNAME2", "born": "1990-12-31"}}
		if report := o.imported(f, false); report.Rows != 2 || report.Repeated != 1 {
			t.Errorf("%+v", report)
		}
		unknown, found := o.has("eve", 7)
		canary, foundCanary := o.has("eve", 2)
		if found || foundCanary || canary != unknown {
			t.Errorf("a canary is answered with %+v", canary)
		}
		if events := o.events(); !slices.Contains(events, "roster_canary eve students") {
			t.Error(events)
		}
	})
	t.Run("EndsAfterTenTries", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		o.imported(rosterOf(1), false)
		for range 10 {
			o.has("eve", 7)
		}
		for _, value := range []string{"a", "6:s1"} {
			_, _, err := o.matchRoster(t.Context(), &Case{Subject: "eve"}, "students", value)
			if !errors.Is(err, errTooMany) {
				t.Errorf("the eleventh try: %v", err)
			}
		}
		if _, ok := o.has("owner", 1); !ok {
			t.Error("a stranger has used up the owner's tries")
		}
	})
	t.Run("DoesNotTakeAFailureForAnAnswer", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		o.imported(rosterOf(1), false)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := o.matchRoster(ctx, &Case{Subject: "a"}, "students", "a"); err == nil || errors.Is(err, errTooMany) {
			t.Errorf("%v", err)
		}
	})
	t.Run("KeepsRowsApart", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		r := o.roster("students")
		rows := make([]storage.RosterRow, 2)
		for i, content := range []rosterRow{{Subgroup: "University"}, {}} {
			var err error
			if rows[i], err = o.rosterRow(r, fmt.Sprint(i), content); err != nil {
				t.Fatal(err)
			}
		}
		rows[1].Content = rows[0].Content // by whoever writes to the database
		testkit.OK(t, o.Store.StageRoster(t.Context(), "students", 1, rows, 0, o.clock()))
		testkit.OK(t, o.UseRoster(t.Context(), RosterUse{Roster: "students", Generation: 1}))
		if row, _, err := o.matchRoster(t.Context(), &Case{Subject: "a"}, "students", "1"); err == nil {
			t.Errorf("a copied row opens: %+v", row)
		}
	})
}

func readString(t *testing.T, f RosterFile) string {
	t.Helper()
	var b strings.Builder
	buffer := make([]byte, 1<<10)
	for {
		n, err := f.Content.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			return b.String()
		}
	}
}
