package verification

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// ended ends a case, as an approval does: its evidence is kept for some days.
func (a archive) ended(c storage.Case, keep time.Duration) storage.Case {
	a.T.Helper()
	c.State, c.EndedAt = storage.CaseDeclined, a.Now()
	moved, err := a.Service.Store.MoveCase(a.T.Context(), storage.CaseMove{Case: c, At: a.Now(), EvidenceUntil: a.Now().Add(keep)}, storage.PersonBasis{HasAccount: true})
	a.OK(err)
	return moved
}

func TestEvidenceOfAnotherMachineIsTold(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := a.begin("c1", "alice", Upload{})
	a.add(c, "front", photo(1))
	a.review(c, "rita")
	blobs := testkit.Must(Folder(filepath.Join(t.TempDir(), "evidence")))(a.T)
	const told = "find what processes of all machines share"
	if a.sweepEvidence(t.Context()); strings.Contains(a.Log.String(), told) {
		t.Error("it is here")
	}
	a.service(a.Service.Store, blobs).sweepEvidence(t.Context())
	if !strings.Contains(a.Log.String(), told) {
		t.Errorf("nothing tells that it is elsewhere:\n%s", a.Log.String())
	}
}

func TestEvidenceIsShreddedInTime(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	c := a.begin("c1", "alice", Upload{})
	f := a.add(c, "front", photo(1))
	c = a.ended(c, 7*day)
	a.Advance(6 * day)
	a.sweepEvidence(ctx)
	if _, err := read(a.Service, c, f.ID); err != nil {
		t.Fatalf("a day before: %v", err)
	}
	a.Advance(2 * day)
	a.sweepEvidence(ctx)
	if _, err := read(a.Service, c, f.ID); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("a day after: %v", err)
	}
	files, err := a.Evidence(ctx, c.ID)
	if err != nil || len(files) != 1 || files[0].ShreddedAt.IsZero() {
		t.Errorf("%+v, %v", files, err)
	}
	if left := a.blobs(); left != nil {
		t.Errorf("%q are left", left)
	}
	unfinished := a.begin("c2", "alice", Upload{})
	f = a.add(unfinished, "front", photo(1))
	a.AgreeOnTime()
	for _, ahead := range lab.Leaps { // of this process, alone
		a.Advance(ahead)
		a.sweepEvidence(ctx)
		a.Advance(-ahead)
	}
	if _, err := read(a.Service, unfinished, f.ID); err != nil {
		t.Errorf("one clock was ahead: %v", err)
	}
	a.Advance(91 * day)
	a.AgreeOnTime()
	a.sweepEvidence(ctx)
	if _, err := read(a.Service, unfinished, f.ID); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("after the longest time of all: %v", err)
	}
}

func TestEvidenceThatIsHeldStays(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx, rita := t.Context(), storage.Reviewer{ID: "rita"}
	c := a.begin("c1", "alice", Upload{})
	f := a.add(c, "front", photo(1))
	c = a.ended(c, 7*day)
	for name, err := range map[string]error{
		"no reason":       a.HoldEvidence(ctx, rita, c.ID, a.Now().Add(day), ""),
		"a long reason":   a.HoldEvidence(ctx, rita, c.ID, a.Now().Add(day), strings.Repeat("ä", 201)),
		"a time in past":  a.HoldEvidence(ctx, rita, c.ID, a.Now().Add(-day), "a complaint"),
		"a time too late": a.HoldEvidence(ctx, rita, c.ID, a.Now().Add(401*day), "a complaint"),
	} {
		var wrong *provider.FieldError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := a.HoldEvidence(ctx, rita, "x", a.Now().Add(day), "a complaint"); !errors.Is(err, ErrNoCase) {
		t.Errorf("no case: %v", err)
	}
	if a.Saw(event.EvidenceHeld) {
		t.Error("what is refused is recorded")
	}
	until := a.Now().Add(30 * day)
	a.OK(a.HoldEvidence(ctx, rita, c.ID, until, "a complaint"))
	if !a.Saw(event.EvidenceHeld) {
		t.Error("nothing is recorded")
	}
	held := testkit.Must(a.Holds(ctx, "", 10))(a.T)
	if diff := cmp.Diff([]Hold{{CaseID: "c1", Group: "student", Until: until.Truncate(time.Microsecond).UTC(), By: "rita", Reason: "a complaint"}}, held); diff != "" {
		t.Error(diff)
	}
	a.Advance(20 * day)
	a.sweepEvidence(ctx)
	if _, err := read(a.Service, c, f.ID); err != nil {
		t.Errorf("what is held: %v", err)
	}
	a.OK(a.HoldEvidence(ctx, rita, c.ID, time.Time{}, ""))
	a.sweepEvidence(ctx)
	if _, err := read(a.Service, c, f.ID); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("what is held no more: %v", err)
	}
	if held, err := a.Holds(ctx, "", 10); err != nil || len(held) > 0 {
		t.Errorf("%+v, %v", held, err)
	}
	if strings.Contains(a.Dump(), "a complaint") {
		t.Error("the reason is in clear")
	}
}

// stubborn are blobs of which those with some names are not deleted.
type stubborn struct {
	Blobs
	stuck func(name string) bool
}

var errStubborn = errors.New("the storage is away")

func (b *stubborn) Delete(ctx context.Context, name string) error {
	if b.stuck(name) {
		return errStubborn
	}
	return b.Blobs.Delete(ctx, name)
}

func TestContentIsDeletedAgainUntilItIs(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	blobs := &stubborn{a.Blobs, func(string) bool { return true }}
	a.Service = a.service(a.Service.Store, blobs)
	c := a.begin("c1", "alice", Upload{})
	f := a.add(c, "front", photo(1))
	a.OK(a.removeEvidence(t.Context(), "alice", c.ID, f.ID))
	if _, err := read(a.Service, c, f.ID); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("it opens without its key: %v", err)
	}
	if diff := cmp.Diff([]string{f.ID}, a.blobs()); diff != "" {
		t.Fatal(diff)
	}
	blobs.stuck = func(string) bool { return false }
	a.sweepEvidence(t.Context())
	if left := a.blobs(); left != nil {
		t.Errorf("%q are left", left)
	}
}

func TestContentWithoutEvidenceIsSwept(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	f := a.add(a.begin("c1", "alice", Upload{}), "front", photo(1))
	for _, name := range []string{"old", "young"} {
		a.OK(a.Blobs.Put(ctx, name, strings.NewReader("x")))
	}
	a.OK(os.WriteFile(filepath.Join(a.folder, "killed.part"), nil, 0o600))
	past := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{f.ID, "old", "killed.part"} {
		a.OK(os.Chtimes(filepath.Join(a.folder, name), past, past))
	}
	a.sweepEvidence(ctx)
	want := []string{f.ID, "young"}
	slices.Sort(want)
	if diff := cmp.Diff(want, a.blobs()); diff != "" {
		t.Error(diff)
	}
}

// TestRestoredBackupOpensNothingThatWasShredded has backups of the database and of the
// content from before.
func TestRestoredBackupOpensNothingThatWasShredded(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	c := a.begin("c1", "alice", Upload{})
	removed, kept := a.add(c, "front", photo(1)), a.add(c, "back", photo(2))
	other := a.begin("c2", "bob", Upload{})
	due := a.add(other, "front", photo(3))
	a.ended(other, 7*day)
	before, after := filepath.Join(t.TempDir(), "before.db"), filepath.Join(t.TempDir(), "after.db")
	a.Exec(`VACUUM INTO ?1`, before)
	contentBefore := map[string][]byte{}
	for _, name := range a.blobs() {
		content := testkit.Must(os.ReadFile(filepath.Join(a.folder, name)))(a.T)
		contentBefore[name] = content
	}

	a.OK(a.removeEvidence(ctx, "alice", c.ID, removed.ID))
	a.Advance(8 * day)
	a.sweepEvidence(ctx)
	a.Exec(`VACUUM INTO ?1`, after)

	opens := func(name string, s *Service, id string, of storage.Case, want bool) {
		t.Helper()
		if _, err := read(s, of, id); (err == nil) != want || err != nil && !errors.Is(err, ErrNoEvidence) {
			t.Errorf("%s: %v", name, err)
		}
	}
	old := a.restored(a.Blobs, before)
	opens("the database of before: removed", old, removed.ID, c, false)
	opens("the database of before: due", old, due.ID, other, false)
	opens("the database of before: kept", old, kept.ID, c, true)

	folder := filepath.Join(t.TempDir(), "restored")
	blobs := testkit.Must(Folder(folder))(a.T)
	for name, content := range contentBefore {
		a.OK(blobs.Put(ctx, name, bytes.NewReader(content)))
	}
	now := a.restored(blobs, after)
	opens("the content of before: removed", now, removed.ID, c, false)
	opens("the content of before: due", now, due.ID, other, false)
	opens("the content of before: kept", now, kept.ID, c, true)

	both := a.restored(blobs, before)
	both.sweepEvidence(ctx)
	opens("both of before, swept: due", both, due.ID, other, false)
	opens("both of before, swept: kept", both, kept.ID, c, true)
}
