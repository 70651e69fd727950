package verification

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// byAll is a policy with the verifiers of this package that need no other side.
func byAll(grace time.Duration) Policies {
	r := students()
	r.Grace = grace
	return Policies{{Group: "student", Rule: AnyOf(
		By(EmailDomain(EmailDomainConfig{Domains: []string{"stanford.edu"}})), By(Invitation()), By(Roster(r)), By(HostPage("/card")),
	)}}
}

func (w *world) answers(c RecordedCase, form map[string]string) RecordedCase {
	w.t.Helper()
	c = testkit.Must(w.answer(w.t.Context(), c.UserID, c.ID, c.Version, form))(w.t)
	return c
}

// byRoster has a user enter the row of a student.
func (w *world) byRoster(user, number, name string) RecordedCase {
	w.t.Helper()
	return w.answers(w.begin(user, "roster"), map[string]string{"number": number, "family": name, "born": "1990-12-31"})
}

// byEmail has a user prove an address.
func (w *world) byEmail(user, address string) RecordedCase {
	w.t.Helper()
	w.mails.take()
	c := w.answers(w.begin(user, "email_domain"), map[string]string{"email": address})
	mails := w.mails.take()
	if len(mails) == 0 || !mailedDigits.MatchString(mails[len(mails)-1].Code) {
		w.t.Fatalf("no code was mailed to %s: %+v", address, c)
	}
	c = testkit.Must(w.enterCode(w.t.Context(), user, c.ID, c.Version, mails[len(mails)-1].Code))(w.t)
	return c
}

func (w *world) imports(lines ...string) {
	w.t.Helper()
	content := "number,family,born\n" + strings.Join(lines, ",1990-12-31\n") + ",1990-12-31\n"
	f := RosterFile{Roster: "students", Content: strings.NewReader(content)}
	testkit.Must(w.ImportRoster(w.t.Context(), f, "registrar", true))(w.t)
}

// TestAttackOneProofForMany has one mailbox, and one row, verify a second account: a reviewer
// looks at it, and the person reads nothing that helps.
func TestAttackOneProofForMany(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, w *world, first, second RecordedCase) {
		t.Helper()
		if first.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Fatalf("the first is not approved: %+v", first)
		}
		if second.State != storage.CaseReview || w.status("bob").Verified || len(second.Reasons) != 0 {
			t.Errorf("the second: %+v", second)
		}
	}
	t.Run("Mailbox", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		check(t, w, w.byEmail("alice", "ada+1@stanford.edu"), w.byEmail("bob", "ADA+2@Stanford.edu"))
	})
	t.Run("Row", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		w.imports("S1,Example", "S2,Example")
		check(t, w, w.byRoster("alice", "S1", "Example"), w.byRoster("bob", "s-1", "EXAMPLE"))
	})
}

// TestRosterGone tests that whose row vanishes is no member any more, and nobody else.
func TestRosterGone(t *testing.T) {
	t.Parallel()
	t.Run("EndsAtOnce", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		w.imports("S1,Example", "S2,Example")
		w.byRoster("alice", "S1", "Example")
		w.byRoster("bob", "S2", "Example")
		w.byEmail("carol", "carol@stanford.edu") // not by the roster
		w.imports("S2,Example", "S3,Example")
		if w.status("alice").Verified || !w.status("bob").Verified || !w.status("carol").Verified {
			t.Errorf("%+v\n%+v\n%+v", w.status("alice"), w.status("bob"), w.status("carol"))
		}
	})
	t.Run("EndsAfterTheGrace", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(time.Hour))
		w.imports("S1,Example")
		w.byRoster("alice", "S1", "Example")
		w.imports("S2,Example")
		if err := w.sweepRosters(t.Context()); err != nil || !w.status("alice").Verified {
			t.Fatalf("ended at once: %v", err)
		}
		testkit.OK(t, putBack(t, w.Service, true))
		w.pass(2 * time.Hour)
		if err := w.sweepRosters(t.Context()); err != nil || !w.status("alice").Verified {
			t.Fatalf("ended although it was undone: %v", err)
		}
		w.imports("S2,Example")
		w.pass(2 * time.Hour)
		if err := w.sweepRosters(t.Context()); err != nil || w.status("alice").Verified {
			t.Errorf("%v, %+v", err, w.status("alice"))
		}
	})
	t.Run("EndsWhatWasCutOff", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		w.imports("S1,Example")
		w.byRoster("alice", "S1", "Example")
		// The process ends right after the swap.
		staged, err := w.StageRoster(t.Context(), RosterFile{Roster: "students", Content: strings.NewReader("number,family,born\nS2,Example,1990-12-31\n")})
		testkit.OK(t, err)
		testkit.OK(t, w.store.SwapRoster(t.Context(), storage.Roster{Name: "students", Generation: staged.Generation, ImportedAt: w.now()}, staged.Replaces))
		if !w.status("alice").Verified {
			t.Fatal("ended by the swap alone")
		}
		if err := w.sweepRosters(t.Context()); err != nil || w.status("alice").Verified {
			t.Errorf("%v, %+v", err, w.status("alice"))
		}
	})
	t.Run("EndsWhoIsApprovedLater", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, Policies{{Group: "student", Rule: AllOf(By(Roster(students())), By(Invitation()))}})
		codes, _, err := w.IssueCodes(t.Context(), Codes{Group: "student"})
		testkit.OK(t, err)
		w.imports("S1,Example")
		c := w.byRoster("alice", "S1", "Example") // one step of two
		w.imports("S2,Example")
		w.pass(20 * time.Minute)
		sweep := func() bool {
			t.Helper()
			testkit.OK(t, w.sweepRosters(t.Context()))
			return w.status("alice").Verified
		}
		sweep()
		if c = w.answers(w.choosing(w.read(c.ID), "code"), map[string]string{"code": codes[0]}); c.State != storage.CaseApproved || !sweep() {
			t.Fatalf("%+v", c)
		}
		w.pass(time.Hour)
		if sweep() {
			t.Error("whose row had vanished before the approval stays a member")
		}
	})
	t.Run("LeavesTheWordOfTheHost", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		w.imports("S1,Example")
		w.byRoster("alice", "S1", "Example")
		testkit.OK(t, w.id.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true, VerifiedBy: "Host"}))
		w.imports("S2,Example")
		if !w.status("alice").Verified {
			t.Error("a roster ends what the host has said")
		}
	})
}

// TestIssueCodes tests what an invitation code proves, to whom, and how often.
func TestIssueCodes(t *testing.T) {
	t.Parallel()
	issue := func(t *testing.T, w *world, c Codes) []string {
		t.Helper()
		c.Group = "student"
		codes, _, err := w.IssueCodes(t.Context(), c)
		testkit.OK(t, err)
		return codes
	}
	enter := func(w *world, user, code string) RecordedCase {
		return w.answers(w.begin(user, "code"), map[string]string{"code": code})
	}
	t.Run("Verifies", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		until := w.now().Add(100 * day)
		codes := issue(t, w, Codes{Count: 3, Subgroups: []string{"High School"}, HoldsUntil: until, IssuedBy: "Ms Hopper"})
		if len(codes) != 3 || codes[0] == codes[1] || len(codes[0]) != 19 {
			t.Fatal(codes)
		}
		if c := enter(w, "alice", strings.ToLower(codes[1])); c.State != storage.CaseApproved {
			t.Fatalf("%+v", c)
		}
		got := w.status("alice")
		if got.Source != "Ms Hopper" || got.Method != "code" || !got.ExpiresAt.Equal(until) || got.Subgroups[0] != "High School" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("VerifiesNotWhoMadeIt", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		code := issue(t, w, Codes{Uses: 2, MadeBy: "alice"})[0]
		if c := enter(w, "alice", code); c.State == storage.CaseApproved {
			t.Error("who makes a code redeems it")
		}
		if c := enter(w, "bob", code); c.State != storage.CaseApproved {
			t.Errorf("%+v", c)
		}
	})
	for name, test := range map[string]struct {
		codes Codes
		user  string
		later time.Duration
	}{
		"Spent":        {Codes{}, "bob", 0},
		"Expired":      {Codes{Uses: 2}, "bob", 31 * day},
		"OtherAddress": {Codes{Uses: 2, Email: "Alice+x@mail.example"}, "bob", 0},
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, byAll(0))
			code := issue(t, w, test.codes)[0]
			if c := enter(w, "alice", code); c.State != storage.CaseApproved {
				t.Fatalf("the first: %+v", c)
			}
			w.pass(test.later)
			if ask, ok := enter(w, test.user, code).Step.(Ask); !ok || ask.Problem != ReasonNoMatch {
				t.Errorf("%+v", ask)
			}
		})
	}
	t.Run("RefusesEnded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		code := issue(t, w, Codes{Batch: "spring"})[0]
		if n, err := w.EndCodes(t.Context(), "spring"); n != 1 || err != nil {
			t.Error(n, err)
		}
		if c := enter(w, "alice", code); c.State == storage.CaseApproved {
			t.Error("an ended code is accepted")
		}
	})
	t.Run("AreEndedOnce", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		_, batch, err := o.IssueCodes(t.Context(), Codes{Group: "student", Held: true})
		testkit.OK(t, err)
		for _, want := range []int{1, 0} {
			if n, err := o.EndCodes(t.Context(), batch); n != want || err != nil {
				t.Errorf("%d, %v, want %d", n, err, want)
			}
		}
		if err := o.ReleaseCodes(t.Context(), batch, o.clock().AddDate(0, 1, 0)); !errors.Is(err, ErrNotNow) {
			t.Errorf("released: %v", err)
		}
		if lines := o.events(); len(lines) != 2 {
			t.Errorf("%q", lines)
		}
	})
	t.Run("AreReleasedByOneOfManyAtOnce", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		if _, _, err := o.IssueCodes(t.Context(), Codes{Group: "student", Batch: "spring", Held: true}); err != nil {
			t.Fatal(err)
		}
		var released atomic.Int32
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := o.ReleaseCodes(t.Context(), "spring", o.clock().AddDate(0, 1, 0)); err == nil {
					released.Add(1)
				} else if !errors.Is(err, ErrNotNow) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if lines := o.events(); released.Load() != 1 || len(lines) != 2 {
			t.Errorf("%d have released them: %q", released.Load(), lines)
		}
	})
	t.Run("IsNotBurntByARefusal", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		code := issue(t, w, Codes{})[0]
		var group sync.WaitGroup
		for range 5 { // one person's
			group.Go(func() {
				_, err := w.redeemCode(t.Context(), &Case{Subject: "alice", Group: "student"}, strings.ReplaceAll(code, "-", ""))
				if err != nil && !errors.Is(err, errTooMany) {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})
	t.Run("IsKeptAsADigest", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		code := issue(t, w, Codes{Email: "secretaddress@mail.example"})[0]
		enter(w, "alice", code)
		content := []byte(w.log.String())
		for _, suffix := range []string{"", "-wal"} {
			file, err := os.ReadFile(w.path + suffix)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			content = append(content, file...)
		}
		content = bytes.ToUpper(content)
		for _, secret := range []string{code, strings.ReplaceAll(code, "-", ""), "SECRETADDRESS"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%q can be read", secret)
			}
		}
	})
	t.Run("NamesTheWrongField", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, byAll(0))
		for want, c := range map[string]Codes{
			"Group": {Group: "unknown"}, "Subgroups": {Subgroups: []string{"Staff"}}, "Count": {Count: 1001}, "Uses": {Uses: -1},
			"ExpiresAt": {ExpiresAt: w.now().AddDate(2, 0, 0)}, "HoldsUntil": {HoldsUntil: w.now()}, "Email": {Email: "a@b@c.example"},
			"Batch": {Batch: strings.Repeat("a", 101)}, "IssuedBy": {IssuedBy: strings.Repeat("a", 101)},
		} {
			if c.Group == "" {
				c.Group = "student"
			}
			_, _, err := w.IssueCodes(t.Context(), c)
			var wrong *provider.FieldError
			if !errors.As(err, &wrong) || wrong.Field != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if _, _, err := w.IssueCodes(t.Context(), Codes{Group: "teacher"}); !errors.Is(err, ErrNoPolicy) {
			t.Errorf("a group without the method: %v", err)
		}
	})
}

// TestHostPageReports tests that to come back proves nothing, and what the host reports does.
func TestHostPageReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byAll(0))
	c := w.begin("alice", "record")
	c, err := w.comeBack(t.Context(), "alice", c.ID, map[string]string{"approved": "1"})
	if err != nil || c.State != storage.CaseOpen {
		t.Fatalf("%v, %+v", err, c)
	}
	if c, err = w.Report(t.Context(), c.ID, "record", Wait{}); err != nil || c.State != storage.CasePending {
		t.Fatalf("%v, %+v", err, c)
	}
	if c, err = w.Report(t.Context(), c.ID, "record", Accept{Subgroups: []string{"University"}, Source: "Host"}); err != nil || c.State != storage.CaseApproved {
		t.Fatalf("%v, %+v", err, c)
	}
	if got := w.status("alice"); !got.Verified || got.Source != "Host" {
		t.Errorf("%+v", got)
	}
}

// TestAttackRecycledAddress has an institution give an address to somebody else after its
// owner has left: it proves nothing for a while, and then as any other.
func TestAttackRecycledAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byAll(0))
	if c := w.byEmail("alice", "office@stanford.edu"); c.State != storage.CaseApproved {
		t.Fatalf("%+v", c)
	}
	if ended, err := w.Revoke(t.Context(), "alice", "student", "not_found"); !ended || err != nil {
		t.Fatal(ended, err)
	}
	w.pass(89 * day)
	if c := w.byEmail("bob", "office@stanford.edu"); c.State != storage.CaseReview {
		t.Errorf("at once: %+v", c)
	}
	w.pass(2 * day)
	if c := w.byEmail("carol", "office@stanford.edu"); c.State != storage.CaseApproved {
		t.Errorf("after 90 days: %+v", c)
	}
}
