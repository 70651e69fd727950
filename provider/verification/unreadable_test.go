package verification

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// damaged is a case of alice whose content was damaged.
func (w *world) damaged(c RecordedCase) RecordedCase {
	w.t.Helper()
	w.damage(`UPDATE cases SET content = x'00' WHERE id = ?`, c.ID)
	return c
}

// tells fails unless the log names the case.
func (w *world) tells(c RecordedCase) {
	w.t.Helper()
	if !strings.Contains(w.log.String(), c.ID) {
		w.t.Errorf("the log does not tell: %s", w.log)
	}
}

// One record that cannot be read stops nobody else's work.
func TestOneUnreadable(t *testing.T) {
	t.Run("CaseInTheQueue", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		bad := w.damaged(w.inReview("alice"))
		w.pass(time.Second)
		good := w.inReview("bob")
		waiting, err := w.Waiting(t.Context(), rita, time.Time{}, "", 10)
		if err != nil || len(waiting) != 2 || waiting[0].ID != bad.ID || !waiting[0].Unreadable || waiting[1].Unreadable {
			t.Errorf("%+v, %v", waiting, err)
		}
		all, err := w.Cases(t.Context(), storage.CaseFilter{State: storage.CaseReview})
		if err != nil || len(all) != 2 {
			t.Errorf("%+v, %v", all, err)
		}
		if c := w.take(rita, ""); c.ID != good.ID {
			t.Errorf("rita has %+v", c)
		}
		if c, err := w.Take(t.Context(), ron, "", w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
			t.Errorf("ron has %+v, %v", c, err)
		}
		if c, err := w.store.Case(t.Context(), bad.ID); err != nil || c.TakenBy != "" {
			t.Errorf("it is kept from others: %+v, %v", c, err)
		}
		w.tells(bad)
	})
	t.Run("CaseThatIsDue", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		bad, good := w.damaged(w.begin("alice", "a")), w.begin("bob", "a")
		w.pass(15 * day)
		if good = w.read(good.ID); good.State != storage.CaseExpired {
			t.Errorf("%+v", good)
		}
		w.tells(bad)
		if c, err := w.store.Case(t.Context(), bad.ID); err != nil || !c.NextAt.Equal(w.now().Add(maxRest)) {
			t.Errorf("it is tried again at %v, %v", c.NextAt, err)
		}
	})
	t.Run("CaseOfAnEndedPolicy", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		older := w.inReview("bob")
		bad := w.damaged(w.inReview("alice"))
		ended := oneOf("a")
		ended[0].Ended = true
		w.program(ended)
		w.endPolicies(t.Context())
		if c, err := w.store.Case(t.Context(), older.ID); err != nil || c.State != storage.CaseExpired {
			t.Errorf("%+v, %v", c, err)
		}
		w.tells(bad)
	})
	t.Run("CaseOfAMember", func(t *testing.T) {
		w := newWorld(t, Policies{{Group: "student", Rule: AnyOf(By(Roster(students())), By(scripted("a")))}})
		imports := func(numbers ...int) {
			t.Helper()
			testkit.Must(w.ImportRoster(t.Context(), rosterOf(numbers...), "registrar", true))(t)
		}
		imports(1, 2, 3)
		var bad RecordedCase
		for i, user := range []string{"alice", "bob", "carol"} {
			w.rename(user, "Some", "Secretname"+string(rune('1'+i)))
			c := w.begin(user, "roster")
			c, err := w.answer(t.Context(), user, c.ID, c.Version, map[string]string{
				"number": "S" + string(rune('1'+i)), "family": "Secretname" + string(rune('1'+i)), "born": "1990-12-31",
			})
			if err != nil || c.State != storage.CaseApproved {
				t.Fatalf("%+v, %v", c, err)
			}
			if user == "alice" {
				bad = w.damaged(c)
			}
			if user == "carol" {
				w.damage(`UPDATE fingerprints SET case_id = 'none' WHERE case_id = ?`, c.ID)
			}
		}
		imports(9)
		if w.status("alice").Verified || w.status("bob").Verified {
			t.Error("who has vanished is a member")
		}
		w.tells(bad)
	})
	t.Run("RowOfARoster", func(t *testing.T) {
		w := newWorld(t, Policies{{Group: "student", Rule: By(Roster(students()))}})
		testkit.Must(w.ImportRoster(t.Context(), rosterOf(1, 2), "registrar", true))(t)
		enter := func(user, number string) error {
			c := w.begin(user, "roster")
			_, err := w.answer(t.Context(), user, c.ID, c.Version, map[string]string{"number": "S" + number, "family": "Secretname" + number, "born": "1990-12-31"})
			return err
		}
		w.damage(`UPDATE roster_rows SET content = x'00' WHERE digest = (SELECT min(digest) FROM roster_rows)`)
		if first, second := enter("alice", "1"), enter("bob", "2"); (first == nil) == (second == nil) {
			t.Errorf("%v, %v", first, second)
		}
	})
	t.Run("Decision", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, Decision{Kind: storage.DecisionEscalate, Note: "please look"})
		w.pass(undoTime)
		w.damage(`UPDATE case_decisions SET content = x'00'`)
		w.take(stern, c.ID)
		u, err := w.Review(t.Context(), stern, c.ID)
		if err != nil || len(u.Before) != 1 || !u.Before[0].Unreadable || u.Before[0].Kind != storage.DecisionEscalate {
			t.Errorf("%+v, %v", u, err)
		}
		w.tells(c)
	})
	t.Run("Person", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		for _, user := range []string{"alice", "bob"} {
			w.saying(w.begin(user, "a"), "accept")
		}
		w.mails.take()
		w.damage(`UPDATE attributes SET sealed_value = 'damaged' WHERE subject = 'alice'`)
		w.id.Rooms().People.Refresh("alice")
		w.pass(w.status("bob").ExpiresAt.Sub(w.now()) - 30*day)
		if kinds := w.mails.kinds(); kinds != "verification_ending" {
			t.Errorf("mails: %q", kinds)
		}
	})
}

func TestOneUnreadableFile(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := a.begin("c1", "alice", Upload{})
	bad, good := a.add(c, "front", photo(1)), a.add(c, "back", photo(2))
	a.add(c, "letter", photo(3))
	a.MustExec(`UPDATE evidence SET sealed_key = x'00' WHERE id = ?`, bad.ID)
	files, err := a.Evidence(t.Context(), c.ID)
	if err != nil || len(files) != 3 || !files[0].Unreadable || files[1].ID != good.ID || files[1].Unreadable {
		t.Errorf("%+v, %v", files, err)
	}
	var missing missingFilesError
	if _, err := a.submitted(c); !errors.As(err, &missing) || len(missing.kinds) != 1 || missing.kinds[0] != "front" {
		t.Errorf("%v", err)
	}
	a.OK(a.HoldEvidence(t.Context(), rita, c.ID, a.Now().Add(day), "a complaint"))
	a.MustExec(`UPDATE cases SET content = x'00' WHERE id = ?`, c.ID)
	if held, err := a.Holds(t.Context(), "", 10); err != nil || len(held) != 1 || held[0].CaseID != c.ID || held[0].By != "" {
		t.Errorf("%+v, %v", held, err)
	}
}

// A file that the storage does not delete, of shredded evidence or of none, holds up no other.
func TestOneFileThatIsNotDeleted(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	isStuck := func(name string) bool { return name[0] == '-' || name == "a" }
	a.Service = a.service(a.Service.Store, &stubborn{a.Blobs, isStuck})
	for _, name := range []string{"a", "orphan"} {
		a.OK(a.Blobs.Put(t.Context(), name, strings.NewReader("x")))
		past := time.Now().Add(-2 * orphanAge)
		a.OK(os.Chtimes(filepath.Join(a.folder, name), past, past))
	}
	for i := range evidenceBatch {
		a.MustExec(`INSERT INTO evidence_leftovers (id) VALUES (?)`, strings.Repeat("-", i+1))
	}
	c := a.begin("c1", "alice", Upload{})
	f := a.add(c, "front", photo(1))
	a.OK(a.removeEvidence(t.Context(), "alice", c.ID, f.ID))
	a.sweepEvidence(t.Context())
	if diff := cmp.Diff([]string{"a"}, a.blobs()); diff != "" {
		t.Error(diff)
	}
}
