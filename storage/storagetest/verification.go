package storagetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// VerificationStore is a store that keeps what the verification of people needs as well.
type VerificationStore interface {
	storage.Store
	storage.Verification
}

// RunVerification tests everything that the comments of storage.Verification promise, as
// [Run] does for storage.Store.
func RunVerification(t *testing.T, newDatabase func(t *testing.T) (open func() VerificationStore)) {
	suite := &verificationSuite{newDatabase}
	t.Run("Cases", suite.cases)
	t.Run("CaseLists", suite.caseLists)
	t.Run("CaseMoves", suite.caseMoves)
	t.Run("CaseStatuses", suite.caseStatuses)
	t.Run("CaseTimers", suite.caseTimers)
	t.Run("Fingerprints", suite.fingerprints)
	t.Run("RemovalOfCases", suite.removalOfCases)
	t.Run("Reviews", suite.reviews)
	t.Run("Decisions", suite.decisions)
	t.Run("CaseNumbers", suite.caseNumbers)
	t.Run("Evidence", suite.evidence)
	t.Run("Shredding", suite.shredding)
	t.Run("Rosters", suite.rosters)
	t.Run("VerificationCodes", suite.verificationCodes)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type verificationSuite struct{ databases[VerificationStore] }

// nobody is the basis of a write about a subject without an account.
var nobody = storage.PersonBasis{}

// startCase starts a case about a subject and the group "student".
func startCase(t *testing.T, store storage.Verification, id, subject string) storage.Case {
	t.Helper()
	return startCaseIn(t, store, id, subject, "student")
}

func startCaseIn(t *testing.T, store storage.Verification, id, subject, group string) storage.Case {
	t.Helper()
	latest := must(store.Cases(t.Context(), storage.CaseFilter{Subject: subject, Group: group, Limit: 1}))(t)
	c := storage.Case{ID: id, Subject: subject, Group: group, CreatedAt: t0}
	c, created, err := store.StartCase(t.Context(), c, strings.Join(idsOf(latest), ""), nobody)
	ok(t, err)
	if !created {
		t.Fatalf("%s has the case %s already", subject, c.ID)
	}
	return c
}

// to is a move of a case to a state.
func to(c storage.Case, state storage.CaseState) storage.CaseMove {
	c.State = state
	if state == storage.CaseReview && c.DueAt.IsZero() {
		c.DueAt = t0.Add(time.Hour)
		c.Round++
	}
	if state.IsFinal() {
		c.EndedAt = t0
	}
	return storage.CaseMove{Case: c, At: t0}
}

func moveTo(t *testing.T, store storage.Verification, c storage.Case, state storage.CaseState) storage.Case {
	t.Helper()
	return must(store.MoveCase(t.Context(), to(c, state), nobody))(t)
}

// approval is a move that records a verified status.
func approval(c storage.Case) storage.CaseMove {
	m := to(c, storage.CaseApproved)
	m.Status = &storage.Status{Verified: true, VerifiedBy: "A", VerifiedAt: t0}
	return m
}

// inReview starts a case that is due in review at a time.
func inReview(t *testing.T, store storage.Verification, id, subject string, due time.Time) storage.Case {
	t.Helper()
	c := startCase(t, store, id, subject)
	c.DueAt, c.Round = due, 1
	return moveTo(t, store, c, storage.CaseReview)
}

// rita and raul are reviewers, who have taken a case until an hour from now.
var (
	rita = storage.Reviewer{ID: "rita", Subject: "user rita"}
	raul = storage.Reviewer{ID: "raul", Subject: "user raul"}
	late = t0.Add(time.Hour)
)

func take(t *testing.T, store storage.Verification, r storage.Reviewer, id string) storage.Case {
	t.Helper()
	return must(store.TakeCase(t.Context(), r, id, t0, late))(t)
}

// decided is a move with a decision of a reviewer.
func decided(c storage.Case, state storage.CaseState, r storage.Reviewer, id string, kind storage.DecisionKind) storage.CaseMove {
	m := to(c, state)
	if state == storage.CaseApproved {
		m = approval(c)
	}
	m.Decision = &storage.Decision{ID: id, Kind: kind, Reviewer: r.ID, Subject: r.Subject, At: t0, Content: []byte("sealed")}
	return m
}

func caseOf(t *testing.T, store storage.Verification, id string) storage.Case {
	t.Helper()
	return must(store.Case(t.Context(), id))(t)
}

// statusOf returns the status of a subject in a group, without its revision; the zero Status
// for none.
func statusOf(t *testing.T, store storage.Store, subject, group string) storage.Status {
	t.Helper()
	person := must(store.Person(t.Context(), subject))(t)
	for _, status := range person.Statuses {
		if status.Group == group {
			status.Revision = 0
			return status
		}
	}
	return storage.Status{}
}

func idsOf(cases []storage.Case) (ids []string) {
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	return ids
}

// availability tests that a store which cannot look does not answer that there is nothing.
func (s *verificationSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) VerificationStore {
		store := s.store(t)
		startCase(t, store, "1", "ann")
		return store
	}
	availability(t, prepared, map[string]func(context.Context, VerificationStore) error{
		"Case": func(ctx context.Context, store VerificationStore) error { return errOf(store.Case(ctx, "1")) },
		"StartCase": func(ctx context.Context, store VerificationStore) error {
			return errOf(store.StartCase(ctx, storage.Case{ID: "2", Subject: "ann", Group: "student", CreatedAt: t0}, "", nobody))
		},
		"Cases": func(ctx context.Context, store VerificationStore) error {
			return errOf(store.Cases(ctx, storage.CaseFilter{Subject: "ann"}))
		},
		"CasesOfAReviewer": func(ctx context.Context, store VerificationStore) error {
			return errOf(store.Cases(ctx, storage.CaseFilter{Reviewer: &rita, Limit: 10}))
		},
		"Evidence": func(ctx context.Context, store VerificationStore) error {
			return errOf(store.Evidence(ctx, storage.EvidenceID{CaseID: "1"}))
		},
		"Roster": func(ctx context.Context, store VerificationStore) error { return errOf(store.Roster(ctx, "members")) },
		"CodeBatches": func(ctx context.Context, store VerificationStore) error {
			return errOf(store.CodeBatches(ctx, time.Time{}, 10))
		},
	})
}
