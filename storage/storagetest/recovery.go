package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// recovery is ready in an hour, and lapses in two.
func recovery(account string) storage.Recovery {
	return storage.Recovery{AccountID: account, StartedAt: t0, ReadyAt: t0.Add(time.Hour), EndsAt: t0.Add(2 * time.Hour)}
}

// finish finishes the recovery of an account as it is now.
func finish(t *testing.T, store storage.Store, account string, at time.Time) error {
	t.Helper()
	return store.FinishRecovery(t.Context(), storage.RecoveryFinish{
		AccountID: account, PasswordHash: "recovered", At: at, On: proofOf(t, store, account),
	})
}

func (s *suite) recoveries(t *testing.T) {
	setup := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.equipped(t)
		ok(t, store.BeginRecovery(t.Context(), recovery("account"), 0))
		return store
	}
	t.Run("AreOfAnEpoch", func(t *testing.T) {
		store := s.equipped(t)
		fails(t, store.BeginRecovery(t.Context(), recovery("account"), 1), storage.ErrChanged)
		fails(t, store.BeginRecovery(t.Context(), recovery("nobody"), 0), storage.ErrNotFound)
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "disabled", Disabled: true, CreatedAt: t0}))
		fails(t, store.BeginRecovery(t.Context(), recovery("disabled"), 0), storage.ErrNotFound)
		equal(t, has(t, store, "account").Running, storage.Recovery{})
	})
	t.Run("HaveAnEnd", func(t *testing.T) {
		store := s.equipped(t)
		for _, spoil := range []func(*storage.Recovery){
			func(r *storage.Recovery) { r.ReadyAt = time.Time{} }, func(r *storage.Recovery) { r.EndsAt = time.Time{} },
		} {
			endless := recovery("account")
			spoil(&endless)
			if err := store.BeginRecovery(t.Context(), endless, 0); err == nil {
				t.Errorf("%+v was recorded", endless)
			}
		}
	})
	t.Run("AreOneAtATime", func(t *testing.T) {
		store := setup(t)
		next := recovery("account")
		next.StartedAt, next.ReadyAt, next.EndsAt = t0.Add(2*time.Hour-time.Microsecond), t0.Add(3*time.Hour), t0.Add(4*time.Hour)
		fails(t, store.BeginRecovery(t.Context(), next, 0), storage.ErrConflict)
		equal(t, has(t, store, "account").Running, recovery("account"))
		ok(t, store.ApproveRecovery(t.Context(), "account", t0))
		next.StartedAt = t0.Add(2 * time.Hour) // when the other one has lapsed, and its approval with it
		ok(t, store.BeginRecovery(t.Context(), next, 0))
		equal(t, has(t, store, "account").Running, next)
	})
	t.Run("WaitAndLapse", func(t *testing.T) {
		store := setup(t)
		for _, at := range []time.Time{t0, t0.Add(time.Hour - time.Microsecond), t0.Add(2 * time.Hour)} {
			fails(t, finish(t, store, "account", at), storage.ErrNotFound)
		}
		createAccount(t, store, "other")
		fails(t, finish(t, store, "other", t0.Add(time.Hour)), storage.ErrNotFound)
		before := has(t, store, "account")
		equal(t, before.Running, recovery("account"))
		for _, agreed := range []time.Time{t0.Add(-storage.ClockDoubt), t0} { // one process is ahead
			fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
			ok(t, AgreeOnTime(t.Context(), store, agreed))
		}
		fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
		ok(t, AgreeOnTime(t.Context(), store, t0.Add(time.Hour)))
		ok(t, finish(t, store, "account", t0.Add(time.Hour)))
		fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
	})
	t.Run("LeaveANewPasswordAlone", s.finishRecovery)
	t.Run("AreApprovedByTheHost", func(t *testing.T) {
		store := setup(t)
		fails(t, store.ApproveRecovery(t.Context(), "account", t0.Add(2*time.Hour)), storage.ErrNotFound)
		fails(t, store.ApproveRecovery(t.Context(), "nobody", t0), storage.ErrNotFound)
		ok(t, store.ApproveRecovery(t.Context(), "account", t0.Add(time.Minute)))
		want := recovery("account")
		want.ApprovedAt = t0.Add(time.Minute)
		equal(t, has(t, store, "account").Running, want)
		fails(t, finish(t, store, "account", t0.Add(2*time.Hour)), storage.ErrNotFound)
		ok(t, finish(t, store, "account", t0.Add(time.Minute)))
		fails(t, store.ApproveRecovery(t.Context(), "account", t0.Add(time.Minute)), storage.ErrNotFound)
	})
	t.Run("AreCanceled", func(t *testing.T) {
		store := setup(t)
		createAccount(t, store, "other")
		for _, tc := range []struct {
			account string
			want    bool
		}{{"other", false}, {"nobody", false}, {"account", true}, {"account", false}} {
			equal(t, must(store.CancelRecovery(t.Context(), tc.account))(t), tc.want)
		}
		equal(t, has(t, store, "account").Running, storage.Recovery{})
		fails(t, store.ApproveRecovery(t.Context(), "account", t0), storage.ErrNotFound)
		fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
		ok(t, store.BeginRecovery(t.Context(), recovery("account"), 0))
	})
	t.Run("NeedAnEnabledAccount", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "account", true, t0))
		fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
		fails(t, store.ApproveRecovery(t.Context(), "account", t0), storage.ErrNotFound)
		code := proofOf(t, store, "account")
		code.RecoveryCode = digest("one")
		fails(t, store.FinishRecovery(t.Context(), storage.RecoveryFinish{AccountID: "account", At: t0, On: code}), storage.ErrNotFound)
	})
	t.Run("EndWithASignIn", s.recoveryAndSignIn)
	t.Run("EndWithTheirEpoch", s.recoveryAndEpoch)
}

func (s *suite) finishRecovery(t *testing.T) {
	store := s.equipped(t)
	saveClient(t, store, "client")
	ok(t, store.CreateGrant(t.Context(), grant("g", "client", "account"), storage.Basis{}))
	s.begin(t, store, "session", "account")
	ok(t, store.TrustDevice(t.Context(), device("laptop", "account"), proofOf(t, store, "account")))
	ok(t, store.BeginRecovery(t.Context(), recovery("account"), 0))
	want := has(t, store, "account").Account
	at := t0.Add(time.Hour)
	ok(t, AgreeOnTime(t.Context(), store, at))
	ok(t, finish(t, store, "account", at))
	want.PasswordHash, want.PasswordChangedAt, want.SecondStep = "recovered", at, false
	want.Epoch++
	want.FactorsVersion++
	equal(t, has(t, store, "account"), storage.AuthenticatorSet{Account: want})
	equal(t, standing(t, store, "session"), nil)
	equal(t, must(store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "account"}, at))(t), 0)
}

func (s *suite) recoveryAndSignIn(t *testing.T) {
	for name, tc := range map[string]struct {
		by   storage.Proof
		ends bool
	}{
		"APasskey":      {storage.Proof{Passkey: storage.PasskeyUse{ID: passkey("first of account", "").ID}}, true},
		"AnApp":         {storage.Proof{TOTPStep: 101}, true},
		"ARecoveryCode": {storage.Proof{RecoveryCode: digest("one")}, true},
		"ADevice":       {storage.Proof{Device: digest("laptop")}, false}, // somebody may have both
		"APassword":     {storage.Proof{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.equipped(t)
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "other", CreatedAt: t0}))
			ok(t, store.TrustDevice(t.Context(), device("laptop", "account"), proofOf(t, store, "account")))
			for _, account := range []string{"account", "other"} {
				ok(t, store.BeginRecovery(t.Context(), recovery(account), 0))
			}
			on := newer(t, store, "account", tc.by)
			on.At = t0
			ok(t, store.CreateSession(t.Context(), session("session", "account"), on, storage.Digest{}))
			equal(t, has(t, store, "account").Running.AccountID == "", tc.ends)
			equal(t, has(t, store, "other").Running, recovery("other"))
		})
	}
}

func (s *suite) recoveryAndEpoch(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s storage.Store, on storage.Proof) error{
		"SetPassword": func(t *testing.T, s storage.Store, on storage.Proof) error {
			return s.SetPassword(t.Context(), "account", on, "new", t0)
		},
		"ChangeEmail": func(t *testing.T, s storage.Store, on storage.Proof) error {
			c := emailChange("account", 0, "new")
			c.On = on
			return s.ChangeEmail(t.Context(), c)
		},
		"ReturnEmail": func(t *testing.T, s storage.Store, on storage.Proof) error {
			c := change("account", 0, "new")
			c.On = on
			if err := s.ChangeEmail(t.Context(), c); err != nil {
				return err
			}
			if err := s.BeginRecovery(t.Context(), recovery("account"), 1); err != nil { // by whoever has the new mailbox
				return err
			}
			return errOf(s.ReturnEmail(t.Context(), emailReturn("account", 1)))
		},
		"SetEmail": func(t *testing.T, s storage.Store, _ storage.Proof) error {
			return s.SetEmail(t.Context(), "account", "", "new", "new", true)
		},
		"Lock": func(t *testing.T, s storage.Store, _ storage.Proof) error {
			if err := s.SetDisabled(t.Context(), "account", true, t0); err != nil {
				return err
			}
			return s.SetDisabled(t.Context(), "account", false, t0)
		},
		"SetDeletion": func(t *testing.T, s storage.Store, on storage.Proof) error {
			return s.SetDeletion(t.Context(), "account", on, t0.Add(time.Hour), t0)
		},
		"EndIssued": func(t *testing.T, s storage.Store, _ storage.Proof) error {
			return s.EndIssued(t.Context(), "account", t0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.equipped(t)
			ok(t, store.BeginRecovery(t.Context(), recovery("account"), 0))
			ok(t, end(t, store, proofOf(t, store, "account")))
			equal(t, has(t, store, "account").Running, storage.Recovery{})
			fails(t, finish(t, store, "account", t0.Add(time.Hour)), storage.ErrNotFound)
			fails(t, store.ApproveRecovery(t.Context(), "account", t0), storage.ErrNotFound)
			equal(t, must(store.CancelRecovery(t.Context(), "account"))(t), false)
			epoch := has(t, store, "account").Account.Epoch
			ok(t, store.BeginRecovery(t.Context(), recovery("account"), epoch)) // another may begin
			equal(t, has(t, store, "account").Running, recovery("account"))
		})
	}
}
