package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *verificationSuite) caseMoves(t *testing.T) {
	s.test(t, "ReplaceTheCase", func(t *testing.T, store VerificationStore) {
		before := startCase(t, store, "1", "ann")
		want := before
		want.State, want.Method, want.Round, want.Escalated = storage.CaseReview, "document", 3, true
		want.DueAt, want.NextAt, want.Content = elsewhere, elsewhere, []byte("sealed")
		moved := must(store.MoveCase(t.Context(), storage.CaseMove{Case: want, At: t0}, nobody))(t)
		equal(t, caseOf(t, store, "1"), moved)
		want.DueAt, want.NextAt, want.Version = asStored, asStored, moved.Version
		equal(t, moved, want)
		if moved.Version == before.Version {
			t.Error("the version is the same")
		}
	})
	s.test(t, "LeaveWhatNeverChanges", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		forged := c
		forged.Renewal, forged.Appeals, forged.CreatedAt, forged.StatusRevision, forged.TakenBy = true, "0", t0.Add(time.Hour), 7, "rita"
		moved := moveTo(t, store, forged, storage.CasePending)
		want := c
		want.State, want.Version = storage.CasePending, moved.Version
		equal(t, moved, want)
		forged = moved
		forged.Subject = "bob"
		fails(t, errOf(store.MoveCase(t.Context(), to(forged, storage.CaseOpen), nobody)), storage.ErrChanged)
	})
	s.test(t, "NeedTheVersion", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		moveTo(t, store, c, storage.CasePending)
		fails(t, errOf(store.MoveCase(t.Context(), to(c, storage.CaseOpen), nobody)), storage.ErrChanged)
		c.ID = "none"
		fails(t, errOf(store.MoveCase(t.Context(), to(c, storage.CaseOpen), nobody)), storage.ErrChanged)
	})
	t.Run("EndWithTheCase", func(t *testing.T) {
		for _, state := range []storage.CaseState{storage.CaseApproved, storage.CaseDeclined, storage.CaseWithdrawn, storage.CaseExpired} {
			store := s.store(t)
			c := moveTo(t, store, startCase(t, store, "1", "ann"), state)
			c.EndedAt = time.Time{}
			fails(t, errOf(store.MoveCase(t.Context(), to(c, storage.CaseOpen), nobody)), storage.ErrEnded)
		}
	})
	s.test(t, "EndWithTheAccount", func(t *testing.T, store VerificationStore) {
		on := storage.PersonBasis{HasAccount: true}
		createAccount(t, store, "ann")
		c := must(store.MoveCase(t.Context(), to(startCase(t, store, "1", "ann"), storage.CasePending), on))(t)
		ok(t, store.SetDisabled(t.Context(), "ann", true, t0))
		for _, m := range []storage.CaseMove{approval(c), to(c, storage.CaseOpen), to(c, storage.CaseReview)} {
			fails(t, errOf(store.MoveCase(t.Context(), m, on)), storage.ErrEnded)
		}
		c = moveTo(t, store, c, storage.CaseOpen) // without the basis
		ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)))
		fails(t, errOf(store.MoveCase(t.Context(), approval(c), on)), storage.ErrEnded)
		equal(t, caseOf(t, store, "1"), c)
		equal(t, statusOf(t, store, "ann", "student"), storage.Status{})
	})
	t.Run("EndForADisabledAccount", func(t *testing.T) {
		for _, state := range []storage.CaseState{storage.CaseDeclined, storage.CaseWithdrawn, storage.CaseExpired} {
			store := s.store(t)
			createAccount(t, store, "ann")
			c := startCase(t, store, "1", "ann")
			ok(t, store.SetDisabled(t.Context(), "ann", true, t0))
			ok(t, errOf(store.MoveCase(t.Context(), to(c, state), storage.PersonBasis{HasAccount: true})))
		}
	})
	s.test(t, "NeedThePersonOfTheBasis", func(t *testing.T, store VerificationStore) {
		createAccount(t, store, "ann")
		read := must(store.Person(t.Context(), "ann"))(t)
		c := startCase(t, store, "1", "ann")
		ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"name":"Another"}`), nil))
		fails(t, errOf(store.MoveCase(t.Context(), approval(c), storage.PersonBasis{Revision: read.Revision})), storage.ErrChanged)
	})
	s.test(t, "GiveTheCaseBack", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		c := take(t, store, rita, "1")
		c = moveTo(t, store, c, storage.CaseWithdrawn)
		equal(t, c.TakenBy, "")
		equal(t, c.TakenUntil, time.Time{})
	})
	t.Run("NameTheCase", s.references)
	t.Run("ApplyAMessageOnce", s.messages)
	s.test(t, "RefuseWhatIsNotWhole", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		for name, change := range map[string]func(c *storage.Case){
			"ReviewWithoutPromise": func(c *storage.Case) { c.State = storage.CaseReview },
			"FinalWithoutEnd":      func(c *storage.Case) { c.State = storage.CaseExpired },
			"OpenWithEnd":          func(c *storage.Case) { c.EndedAt = t0 },
			"NoState":              func(c *storage.Case) { c.State = "" },
		} {
			changed := c
			change(&changed)
			if _, err := store.MoveCase(t.Context(), storage.CaseMove{Case: changed, At: t0}, nobody); err == nil {
				t.Errorf("%s is recorded", name)
			}
		}
		equal(t, caseOf(t, store, "1"), c)
	})
}

func (s *verificationSuite) references(t *testing.T) {
	store := s.store(t)
	reference := func(method, name string) storage.CaseReference {
		return storage.CaseReference{Method: method, Reference: name}
	}
	m := to(startCase(t, store, "1", "ann"), storage.CasePending)
	m.References = []storage.CaseReference{reference("upstream", "a"), reference("upstream", "b")}
	c := must(store.MoveCase(t.Context(), m, nobody))(t)
	moveTo(t, store, c, storage.CaseExpired)
	for _, name := range []string{"a", "b"} { // both live, final or not
		equal(t, must(named(t, store, "upstream", name))(t).ID, "1")
	}
	fails(t, errOf(named(t, store, "another", "a")), storage.ErrNotFound)

	bob := startCase(t, store, "2", "bob")
	m = to(bob, storage.CasePending)
	m.References = []storage.CaseReference{reference("upstream", "c"), reference("upstream", "a")}
	fails(t, errOf(store.MoveCase(t.Context(), m, nobody)), storage.ErrConflict)
	equal(t, caseOf(t, store, "2"), bob)
	fails(t, errOf(named(t, store, "upstream", "c")), storage.ErrNotFound)
}

func named(t *testing.T, store storage.Cases, method, name string) (storage.Case, error) {
	return storage.One(store.Cases(t.Context(), storage.CaseFilter{Reference: &storage.CaseReference{Method: method, Reference: name}}))
}

func (s *verificationSuite) messages(t *testing.T) {
	store := s.store(t)
	told := func(c storage.Case, method, message string) storage.CaseMove {
		c.Method = method
		m := to(c, storage.CasePending)
		m.Message = message
		return m
	}
	c := must(store.MoveCase(t.Context(), told(startCase(t, store, "1", "ann"), "upstream", "m"), nobody))(t)
	fails(t, errOf(store.MoveCase(t.Context(), told(c, "upstream", "m"), nobody)), storage.ErrSpent)
	fails(t, errOf(store.MoveCase(t.Context(), told(startCase(t, store, "2", "bob"), "upstream", "m"), nobody)), storage.ErrSpent) // of another case
	equal(t, caseOf(t, store, "1"), c)
	if _, err := store.MoveCase(t.Context(), told(c, "another", "m"), nobody); err != nil {
		t.Errorf("of another method: %v", err)
	}
	fails(t, errOf(named(t, store, "upstream", "m")), storage.ErrNotFound) // it is no reference
}

func (s *verificationSuite) caseStatuses(t *testing.T) {
	s.test(t, "AreRecordedWithTheCase", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		m := to(c, storage.CaseApproved)
		m.Status = &storage.Status{
			Group: "another", Subgroups: []string{"University"}, Verified: true, VerifiedBy: "A", VerifiedAt: elsewhere,
			ExpiresAt: elsewhere, Source: "B", Method: "document", Origin: "forged",
		}
		moved := must(store.MoveCase(t.Context(), m, nobody))(t)
		want := *m.Status
		want.Group, want.Origin, want.VerifiedAt, want.ExpiresAt = "student", "1", asStored, asStored
		equal(t, statusOf(t, store, "ann", "student"), want)
		equal(t, moved.StatusRevision, must(store.Person(t.Context(), "ann"))(t).Statuses[0].Revision)
		equal(t, caseOf(t, store, "1"), moved)
	})
	s.test(t, "FollowEachOther", func(t *testing.T, store VerificationStore) {
		m := to(startCase(t, store, "1", "ann"), storage.CasePending)
		m.Status = &storage.Status{Pending: true}
		c := must(store.MoveCase(t.Context(), m, nobody))(t)
		equal(t, statusOf(t, store, "ann", "student").Pending, true)
		ok(t, errOf(store.MoveCase(t.Context(), approval(c), nobody)))
		equal(t, statusOf(t, store, "ann", "student").Verified, true)
	})
	for name, hosts := range map[string]func(t *testing.T, store VerificationStore) error{
		"StandBehindTheWordOfTheHost": func(t *testing.T, store VerificationStore) error {
			return store.SetStatus(t.Context(), "ann", storage.Status{Group: "student", Reason: "mismatch"}, storage.AnyRevision)
		},
		"StandBehindTheRemovalByTheHost": func(t *testing.T, store VerificationStore) error {
			return store.RemoveStatus(t.Context(), "ann", "student")
		},
	} {
		s.test(t, name, func(t *testing.T, store VerificationStore) {
			m := to(startCase(t, store, "1", "ann"), storage.CasePending)
			m.Status = &storage.Status{Pending: true}
			c := must(store.MoveCase(t.Context(), m, nobody))(t)
			ok(t, hosts(t, store))
			before := statusOf(t, store, "ann", "student")
			equal(t, before.Origin, "")
			fails(t, errOf(store.MoveCase(t.Context(), approval(c), nobody)), storage.ErrEnded)
			equal(t, caseOf(t, store, "1"), c)
			equal(t, statusOf(t, store, "ann", "student"), before)
			moveTo(t, store, c, storage.CaseWithdrawn) // without a status
		})
	}
	s.test(t, "StandBehindTheFirstWordOfTheHost", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student"}, storage.NoStatus))
		fails(t, errOf(store.MoveCase(t.Context(), approval(c), nobody)), storage.ErrEnded)
	})
	s.test(t, "EndWithAPersonWhoseCasesAreForgotten", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann") // a user of the host, without an account
		ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)))
		_, err := store.MoveCase(t.Context(), approval(c), nobody) // which was under way
		ok(t, err)
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "team", Verified: true}, storage.NoStatus))
		ok(t, errOf(store.ForgetCases(t.Context(), "ann", "someone", 9)))
		removeAll(t, store, "ann")
		equal(t, statusOf(t, store, "ann", "student"), storage.Status{})
		equal(t, statusOf(t, store, "ann", "team").Verified, true) // of who comes back
	})
	s.test(t, "LoseTheirOriginToTheHost", func(t *testing.T, store VerificationStore) {
		ok(t, errOf(store.MoveCase(t.Context(), approval(startCase(t, store, "1", "ann")), nobody)))
		equal(t, statusOf(t, store, "ann", "student").Origin, "1")
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student", Origin: "1"}, storage.AnyRevision))
		equal(t, statusOf(t, store, "ann", "student").Origin, "")
		ok(t, store.SetStatus(t.Context(), "bob", storage.Status{Group: "student", Origin: "1"}, storage.NoStatus))
		equal(t, statusOf(t, store, "bob", "student").Origin, "")
	})
	t.Run("End", s.endsOfStatuses)
}

func (s *verificationSuite) endsOfStatuses(t *testing.T) {
	end := storage.StatusEnd{CaseID: "1", At: t0, Reason: "expired", FreeAt: elsewhere}
	approved := func(t *testing.T, store VerificationStore, id string, expires time.Time) storage.Case {
		m := approval(startCase(t, store, id, "ann"))
		m.Status.ExpiresAt = expires
		m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("of " + id)}}
		return must(store.MoveCase(t.Context(), m, nobody))(t)
	}
	ended := func(t *testing.T, store VerificationStore, want bool) {
		t.Helper()
		equal(t, must(store.EndStatus(t.Context(), end))(t), want)
	}
	s.test(t, "Once", func(t *testing.T, store VerificationStore) {
		approved(t, store, "1", time.Time{})
		ended(t, store, true)
		want := storage.Status{Group: "student", VerifiedBy: "A", VerifiedAt: t0, Reason: "expired", Origin: "1"}
		equal(t, statusOf(t, store, "ann", "student"), want)
		equal(t, must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t)[0].Until, asStored)
		ended(t, store, false)
	})
	s.test(t, "OfTheHostStays", func(t *testing.T, store VerificationStore) {
		approved(t, store, "1", time.Time{})
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student", Verified: true}, storage.AnyRevision))
		ended(t, store, false)
		equal(t, statusOf(t, store, "ann", "student").Verified, true)
	})
	s.test(t, "OfALaterCaseStays", func(t *testing.T, store VerificationStore) {
		approved(t, store, "1", time.Time{})
		approved(t, store, "2", time.Time{})
		ended(t, store, false)
		equal(t, statusOf(t, store, "ann", "student").Origin, "2")
		for _, f := range must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t) {
			equal(t, f.Until.IsZero(), f.CaseID == "2")
		}
	})
	t.Run("OfNoCase", func(t *testing.T) { ended(t, s.store(t), false) })
	s.test(t, "ByExpiryLeavesARenewalItsTurn", func(t *testing.T, store VerificationStore) {
		approved(t, store, "1", t0)
		renewal := startCase(t, store, "2", "ann")
		ended(t, store, true)
		ok(t, errOf(store.MoveCase(t.Context(), approval(renewal), nobody)))
		equal(t, statusOf(t, store, "ann", "student").Origin, "2")
	})
	s.test(t, "BeforeItsTimeEndsARenewalToo", func(t *testing.T, store VerificationStore) {
		approved(t, store, "1", t0.Add(time.Second))
		renewal := startCase(t, store, "2", "ann")
		ended(t, store, true)
		fails(t, errOf(store.MoveCase(t.Context(), approval(renewal), nobody)), storage.ErrEnded)
	})
}

func (s *verificationSuite) fingerprints(t *testing.T) {
	proof := func(name string, until time.Time) storage.Fingerprint {
		return storage.Fingerprint{Group: "student", Kind: "email", Digest: digest(name), Until: until}
	}
	approve := func(t *testing.T, store VerificationStore, id, subject string, at time.Time, proofs ...storage.Fingerprint) error {
		t.Helper()
		m := approval(startCase(t, store, id, subject))
		m.At, m.Fingerprints = at, proofs
		return errOf(store.MoveCase(t.Context(), m, nobody))
	}
	s.test(t, "BelongToOneSubject", func(t *testing.T, store VerificationStore) {
		ok(t, approve(t, store, "1", "ann", t0, proof("a", time.Time{}), proof("b", time.Time{})))
		fails(t, approve(t, store, "2", "bob", t0, proof("c", time.Time{}), proof("a", time.Time{})), storage.ErrTaken)
		equal(t, statusOf(t, store, "bob", "student"), storage.Status{})
		equal(t, caseOf(t, store, "2").State, storage.CaseOpen)
		ok(t, approve(t, store, "3", "carol", t0, proof("c", time.Time{})))
		other := proof("a", time.Time{})
		other.Kind = "roster"
		ok(t, approve(t, store, "4", "dave", t0, other))
	})
	s.test(t, "StayWithTheirSubject", func(t *testing.T, store VerificationStore) {
		ok(t, approve(t, store, "1", "ann", t0, proof("a", time.Time{})))
		ok(t, approve(t, store, "2", "ann", t0, proof("a", elsewhere)))
		bound := must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t)
		equal(t, bound, []storage.BoundFingerprint{{Fingerprint: proof("a", asStored), Subject: "ann", CaseID: "2"}})
	})
	s.test(t, "BecomeFree", func(t *testing.T, store VerificationStore) {
		ok(t, approve(t, store, "1", "ann", t0, proof("a", late)))
		fails(t, approve(t, store, "2", "bob", late.Add(-time.Second), proof("a", time.Time{})), storage.ErrTaken)
		m := approval(caseOf(t, store, "2"))
		m.At, m.Fingerprints = late, []storage.Fingerprint{proof("a", time.Time{})}
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
	})
	s.test(t, "AreListedInOrder", func(t *testing.T, store VerificationStore) {
		var all []storage.Fingerprint
		for i := range 5 {
			all = append(all, storage.Fingerprint{Group: "student", Kind: "email", Digest: storage.Digest{byte(5 - i)}})
		}
		ok(t, approve(t, store, "1", "ann", t0, all...))
		got := must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{2}, 2))(t)
		equal(t, len(got), 2)
		equal(t, []byte{got[0].Digest[0], got[1].Digest[0]}, []byte{3, 4})
		got = must(store.Fingerprints(t.Context(), "student", "roster", storage.Digest{}, 10))(t)
		equal(t, len(got), 0)
	})
}
