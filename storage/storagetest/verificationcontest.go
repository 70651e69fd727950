package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// contests are those of the roles of verification that the races do not have.
func (s *verificationSuite) contests(t *testing.T) {
	move := func(t *testing.T, s VerificationStore, m storage.CaseMove) error {
		return errOf(s.MoveCase(t.Context(), m, nobody))
	}
	hold(t, s.stores, map[string]contest[VerificationStore]{
		"Approval": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			c := startCase(t, store, id, id)
			return func(i int, s VerificationStore) error {
				m := approval(c)
				m.Status.VerifiedBy = fmt.Sprint(i)
				return move(t, s, m)
			}, storage.ErrChanged
		},
		"DecisionAgainstWithdrawal": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			inReview(t, store, id, id, t0)
			c := take(t, store, rita, id)
			return func(i int, s VerificationStore) error {
				if i%2 == 0 {
					return move(t, s, to(c, storage.CaseWithdrawn))
				}
				return move(t, s, decided(c, storage.CaseApproved, rita, fmt.Sprint(id, " ", i), storage.DecisionApprove))
			}, storage.ErrChanged
		},
		"DecisionOfARound": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			inReview(t, store, id, id, t0)
			c := take(t, store, rita, id)
			return func(i int, s VerificationStore) error {
				return move(t, s, decided(c, storage.CaseReview, rita, fmt.Sprint(id, " ", i), storage.DecisionApprove))
			}, storage.ErrChanged
		},
		"ExpiryAgainstApproval": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			c := startCase(t, store, id, id)
			return func(i int, s VerificationStore) error {
				if i%2 == 0 {
					return move(t, s, to(c, storage.CaseExpired))
				}
				return move(t, s, approval(c))
			}, storage.ErrChanged
		},
		"UndoAgainstCarryingOut": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			inReview(t, store, id, id, t0)
			c, err := store.MoveCase(t.Context(), decided(take(t, store, rita, id), storage.CasePending, rita, id, storage.DecisionApprove), nobody)
			ok(t, err)
			return func(i int, s VerificationStore) error {
				if i%2 == 0 {
					return move(t, s, approval(c))
				}
				return errOf(s.UndoDecision(t.Context(), id, "rita", to(c, storage.CaseReview), late))
			}, storage.ErrChanged
		},
		"PostponementOfAContent": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			c := startCase(t, store, id, id)
			return func(i int, s VerificationStore) error {
				return s.PostponeCase(t.Context(), id, c.Version, t0, fmt.Append(nil, i))
			}, storage.ErrChanged
		},
		"RosterInPlaceOfAnother": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			for i := range contenders {
				ok(t, store.StageRoster(t.Context(), id, int64(i+1), nil, 0, t0))
			}
			return func(i int, s VerificationStore) error {
				return s.SwapRoster(t.Context(), storage.Roster{Name: id, Generation: int64(i + 1)}, 0)
			}, storage.ErrChanged
		},
		"Message": func(t *testing.T, store VerificationStore, id string) (func(int, VerificationStore) error, error) {
			moves := make([]storage.CaseMove, contenders)
			for i := range moves {
				name := fmt.Sprint(id, " ", i)
				moves[i] = to(startCase(t, store, name, name), storage.CasePending)
				moves[i].Message = id
			}
			return func(i int, s VerificationStore) error { return move(t, s, moves[i]) }, storage.ErrSpent
		},
	})
	for name, host := range map[string]func(t *testing.T, s VerificationStore, subject string) error{
		"SetStatus": func(t *testing.T, s VerificationStore, subject string) error {
			return s.SetStatus(t.Context(), subject, storage.Status{Group: "student", Reason: "mismatch"}, storage.AnyRevision)
		},
		"RemoveStatus": func(t *testing.T, s VerificationStore, subject string) error {
			return s.RemoveStatus(t.Context(), subject, "student")
		},
		"SetDisabled": func(t *testing.T, s VerificationStore, subject string) error {
			return s.SetDisabled(t.Context(), subject, true, t0)
		},
		"DeleteAccount": func(t *testing.T, s VerificationStore, subject string) error {
			return errOf(s.DeleteAccount(t.Context(), subject, "someone", nil))
		},
	} {
		t.Run("ApprovalNeverOutlives"+name, func(t *testing.T) { s.raceHost(t, name, host) })
	}
}

// raceHost lets the host speak while a case is approved: its word is the last.
func (s *verificationSuite) raceHost(t *testing.T, name string, host func(t *testing.T, s VerificationStore, subject string) error) {
	stores := s.stores(t, 2)
	for round := range *rounds {
		subject := fmt.Sprint("subject ", round)
		createAccount(t, stores[0], subject)
		m := to(startCase(t, stores[0], subject, subject), storage.CasePending)
		m.Status = &storage.Status{Pending: true}
		c := must(stores[0].MoveCase(t.Context(), m, storage.PersonBasis{HasAccount: true}))(t)
		var approved, said error
		race(stores, func(i int, store VerificationStore) error {
			switch i {
			case contenders / 4:
				said = host(t, store, subject)
			case contenders / 2:
				_, approved = store.MoveCase(t.Context(), approval(c), storage.PersonBasis{HasAccount: true})
			default: // the others are busy with the same rows
				return errOf(store.EndStatus(t.Context(), storage.StatusEnd{CaseID: "none", At: time.Time{}}))
			}
			return nil
		})
		ok(t, said)
		if approved != nil {
			fails(t, approved, storage.ErrEnded)
		}
		status := statusOf(t, stores[0], subject, "student")
		if name == "SetDisabled" {
			equal(t, status.Verified, approved == nil) // recorded before, and nobody asks
		} else {
			equal(t, status.Verified, false)
		}
		state := caseOf(t, stores[0], subject).State
		equal(t, state == storage.CaseApproved, approved == nil)
	}
}
