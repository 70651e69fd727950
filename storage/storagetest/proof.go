package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// provenWrites are all writes that rest on a proof about an account of equip.
var provenWrites = func() map[string]func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
	all := map[string]func(t *testing.T, s storage.Store, account string, on storage.Proof) error{
		"CreateSession": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.CreateSession(t.Context(), session("next of "+account, account), on, on.Session)
		},
		"SetPassword": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.SetPassword(t.Context(), account, on, "new", t0, session("next of "+account, account))
		},
		"ChangeEmail": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			c := change(account, 0, "new of "+account)
			c.On, c.Begin = on, session("next of "+account, account)
			return s.ChangeEmail(t.Context(), c)
		},
		"VerifyEmail": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.VerifyEmail(t.Context(), account, on)
		},
		"SetDeletion": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.SetDeletion(t.Context(), account, on, t0.Add(time.Hour), t0)
		},
		"KeepingTheAccount": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.SetDeletion(t.Context(), account, on, time.Time{}, t0)
		},
		"TrustDevice": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.TrustDevice(t.Context(), device("next of "+account, account), on)
		},
		"FinishRecovery": func(t *testing.T, s storage.Store, account string, on storage.Proof) error {
			return s.FinishRecovery(t.Context(), storage.RecoveryFinish{AccountID: account, PasswordHash: "new", At: t0, On: on})
		},
	}
	for name, do := range factorChanges {
		all[name] = do
	}
	return all
}()

// whole is a proof of an account with every part, each of which holds.
func whole(t *testing.T, store storage.Store, account string) storage.Proof {
	t.Helper()
	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: account, EmailKey: "key of " + account, PasswordHash: "hash", Epoch: 5, CreatedAt: t0}))
	equip(t, store, account)
	ok(t, store.CreateSession(t.Context(), session("session of "+account, account), proofOf(t, store, account), storage.Digest{}))
	ok(t, store.TrustDevice(t.Context(), device("device of "+account, account), proofOf(t, store, account)))
	on := proofOf(t, store, account)
	on.Session, on.Device = digest("session of "+account), digest("device of "+account)
	on.Challenge, on.ChallengeUntil = digest("challenge of "+account), t0.Add(time.Minute)
	on.Passkey = storage.PasskeyUse{ID: passkey("first of "+account, account).ID, SignCount: 4, Flags: 0x05}
	on.TOTPStep, on.OneTimeCode = 101, digest("code of "+account)
	ok(t, store.SaveOneTimeCode(t.Context(), codeOf(account)))
	on.RecoveryCode = digest("one of " + account)
	ok(t, store.SetRecoveryCodes(t.Context(), account, codes("one of "+account, "two of "+account), proofOf(t, store, account)))
	on.FactorsVersion++
	ok(t, store.TrustDevice(t.Context(), device("device of "+account, account), proofOf(t, store, account)))
	return on
}

// codeOf is a mailed code that outlasts the trust in a device.
func codeOf(account string) storage.OneTimeCode {
	c := oneTimeCode("code of "+account, "reset", account)
	c.ExpiresAt = device("", account).ExpiresAt.Add(time.Hour)
	return c
}

// A flaw makes one part of the whole proof of an account not hold. Another account has a
// whole proof as well.
type flaw struct {
	spoil func(t *testing.T, s storage.Store, account string, on *storage.Proof)
	err   error
}

var flaws = map[string]flaw{
	"OfALaterEpoch":    {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.Epoch++ }, storage.ErrChanged},
	"OfAnEarlierEpoch": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.Epoch-- }, storage.ErrChanged},
	"OfALaterVersion":  {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.FactorsVersion++ }, storage.ErrChanged},
	"OfAnEarlierOne":   {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.FactorsVersion-- }, storage.ErrChanged},
	"SessionOfAnother": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.Session = digest("session of other")
	}, storage.ErrProof},
	"DeviceOfAnother": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.Device = digest("device of other")
	}, storage.ErrProof},
	"PasskeyOfAnother": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.Passkey.ID = passkey("first of other", "").ID
	}, storage.ErrProof},
	"CodeOfAnother": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.RecoveryCode = digest("one of other")
	}, storage.ErrProof},
	"UnknownPasskey":    {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.Passkey.ID = []byte("unknown") }, storage.ErrProof},
	"StepOfTheLastCode": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.TOTPStep = 100 }, storage.ErrProof},
	"StepOfBefore":      {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) { on.TOTPStep = 99 }, storage.ErrProof},
	"ChallengeThatIsOver": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.ChallengeUntil = on.At
	}, storage.ErrProof},
	"ChallengeWithoutAnEnd": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.ChallengeUntil = time.Time{}
	}, storage.ErrProof},
	"SessionThatHasEnded": {func(t *testing.T, s storage.Store, _ string, on *storage.Proof) {
		ok(t, errOf(s.EndSessions(t.Context(), storage.SessionFilter{Digest: on.Session})))
	}, storage.ErrProof},
	"DeviceThatIsForgotten": {func(t *testing.T, s storage.Store, account string, on *storage.Proof) {
		ok(t, errOf(s.ForgetDevices(t.Context(), account, on.Device)))
	}, storage.ErrProof},
	"DeviceThatHasExpired": {func(_ *testing.T, _ storage.Store, account string, on *storage.Proof) {
		on.At = device("", account).ExpiresAt
		on.ChallengeUntil = on.At.Add(time.Minute)
	}, storage.ErrProof},
	"ChallengeThatIsUsed": {func(t *testing.T, s storage.Store, _ string, on *storage.Proof) {
		ok(t, s.UseID(t.Context(), on.Challenge, on.ChallengeUntil, on.At))
	}, storage.ErrProof},
	"OneTimeCodeThatIsUsed": {func(t *testing.T, s storage.Store, _ string, on *storage.Proof) {
		ok(t, errOf(s.UseOneTimeCode(t.Context(), "reset", on.OneTimeCode, t0)))
	}, storage.ErrProof},
	"OneTimeCodeThatHasExpired": {func(_ *testing.T, _ storage.Store, _ string, on *storage.Proof) {
		on.At = codeOf("").ExpiresAt
		on.ChallengeUntil, on.Device = on.At.Add(time.Minute), storage.Digest{}
	}, storage.ErrProof},
	"CodeThatIsSpent": {func(t *testing.T, s storage.Store, account string, on *storage.Proof) {
		spent := proofOf(t, s, account)
		spent.RecoveryCode = on.RecoveryCode
		ok(t, s.CreateSession(t.Context(), session("by the code of "+account, account), spent, storage.Digest{}))
	}, storage.ErrProof},
	"StepThatIsUsed": {func(t *testing.T, s storage.Store, account string, on *storage.Proof) {
		used := proofOf(t, s, account)
		used.TOTPStep = on.TOTPStep
		ok(t, s.CreateSession(t.Context(), session("by the app of "+account, account), used, storage.Digest{}))
	}, storage.ErrProof},
	"AppThatIsBarred": {func(t *testing.T, s storage.Store, account string, _ *storage.Proof) {
		miss(t, s, account, storage.MaxTOTPMisses)
	}, storage.ErrProof},
	"PasskeyThatIsRemoved": {func(t *testing.T, s storage.Store, account string, on *storage.Proof) {
		ok(t, s.RemovePasskey(t.Context(), account, on.Passkey.ID, proofOf(t, s, account)))
		*on = newer(t, s, account, *on)
		on.Device = storage.Digest{} // its trust has ended
	}, storage.ErrProof},
	"AppThatIsRemoved": {func(t *testing.T, s storage.Store, account string, on *storage.Proof) {
		ok(t, s.RemoveTOTP(t.Context(), account, proofOf(t, s, account)))
		*on = newer(t, s, account, *on)
		on.Device = storage.Digest{}
	}, storage.ErrProof},
}

// miss counts wrong codes of the app of an account.
func miss(t *testing.T, store storage.Store, account string, times int) {
	t.Helper()
	before := has(t, store, account).TOTP.Misses
	for i := range times {
		equal(t, must(store.CountTOTPMiss(t.Context(), account))(t), before+i+1)
	}
}

// newer is a proof with the versions of the account as it is now.
func newer(t *testing.T, store storage.Store, account string, on storage.Proof) storage.Proof {
	t.Helper()
	now := proofOf(t, store, account)
	on.Epoch, on.FactorsVersion = now.Epoch, now.FactorsVersion
	return on
}

// proofs takes each part of a proof away from each write: nothing is written then, and no
// other part is spent. Then it takes none away, and all are spent.
func (s *suite) proofs(t *testing.T) {
	for name, do := range provenWrites {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			other := whole(t, store, "other")
			left := stateOf(t, store, "other")
			n := 0
			for name, flaw := range flaws {
				n++
				account := fmt.Sprint("account ", n)
				t.Run(name, func(t *testing.T) {
					on := whole(t, store, account)
					flaw.spoil(t, store, account, &on)
					before := stateOf(t, store, account)
					fails(t, do(t, store, account, on), flaw.err)
					equal(t, stateOf(t, store, account), before)
					if name != "ChallengeThatIsUsed" {
						ok(t, store.UseID(t.Context(), on.Challenge, t0.Add(time.Hour), t0))
					}
				})
			}
			equal(t, stateOf(t, store, "other"), left)
			fails(t, do(t, store, "nobody", other), storage.ErrNotFound)
			t.Run("HoldsOnce", func(t *testing.T) {
				on := whole(t, store, "whole")
				ok(t, do(t, store, "whole", on))
				for part, alone := range map[string]storage.Proof{
					"challenge": {Challenge: on.Challenge, ChallengeUntil: on.ChallengeUntil},
					"code":      {RecoveryCode: on.RecoveryCode}, "app": {TOTPStep: on.TOTPStep}, "mailed code": {OneTimeCode: on.OneTimeCode},
				} {
					alone.At = t0
					again := store.TrustDevice(t.Context(), device("again", "whole"), newer(t, store, "whole", alone))
					if !errors.Is(again, storage.ErrProof) {
						t.Errorf("the %s holds again: %v", part, again)
					}
				}
			})
			t.Run("NeedsNoOtherPart", func(t *testing.T) {
				on := whole(t, store, "bare")
				bare := storage.Proof{Epoch: on.Epoch, FactorsVersion: on.FactorsVersion, RecoveryCode: on.RecoveryCode}
				ok(t, do(t, store, "bare", bare))
			})
		})
	}
	s.test(t, "UseOfAPasskeyIsRecorded", func(t *testing.T, store storage.Store) {
		on := whole(t, store, "account")
		want := has(t, store, "account")
		for i, count := range []uint32{1<<32 - 1, 0} { // also a counter that goes back
			alone := storage.Proof{At: t0.Add(time.Duration(i) * time.Hour), Passkey: storage.PasskeyUse{ID: on.Passkey.ID, SignCount: count, Flags: byte(i)}}
			ok(t, store.CreateSession(t.Context(), session(fmt.Sprint(i), "account"), newer(t, store, "account", alone), storage.Digest{}))
			want.Passkeys[0].SignCount, want.Passkeys[0].Flags, want.Passkeys[0].LastUsedAt = count, byte(i), alone.At
			equal(t, has(t, store, "account"), want)
		}
	})
	s.test(t, "UseOfAnAppIsRecorded", func(t *testing.T, store storage.Store) {
		whole(t, store, "account")
		want := has(t, store, "account")
		on := newer(t, store, "account", storage.Proof{At: t0, TOTPStep: 200})
		ok(t, store.CreateSession(t.Context(), session("session", "account"), on, storage.Digest{}))
		want.TOTP.Step, want.TOTP.LastUsedAt = 200, t0
		equal(t, has(t, store, "account"), want)
	})
}

// misses tests what begins the count of wrong codes again, also that of an app that is barred, and
// what does not.
func (s *suite) misses(t *testing.T) {
	for name, tc := range map[string]struct {
		misses int
		on     storage.Proof
		err    error
		want   int
	}{
		"ACode":                 {storage.MaxTOTPMisses - 1, storage.Proof{TOTPStep: 101}, nil, 0},
		"APasskey":              {storage.MaxTOTPMisses, storage.Proof{Passkey: storage.PasskeyUse{ID: passkey("first of account", "").ID}}, nil, 0},
		"ARecoveryCode":         {storage.MaxTOTPMisses, storage.Proof{RecoveryCode: digest("one")}, nil, 0},
		"OneFactorAlone":        {3, storage.Proof{}, nil, 3},
		"ACodeThatIsSpent":      {3, storage.Proof{TOTPStep: 100}, storage.ErrProof, 3},
		"ARecoveryCodeOfNobody": {3, storage.Proof{RecoveryCode: digest("none")}, storage.ErrProof, 3},
		"ACodeOfABarredApp":     {storage.MaxTOTPMisses, storage.Proof{TOTPStep: 101}, storage.ErrProof, storage.MaxTOTPMisses},
		"ACodeAndARecoveryCode": {3, storage.Proof{TOTPStep: 101, RecoveryCode: digest("one")}, nil, 0},
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			for _, account := range []string{"account", "other"} {
				createAccount(t, store, account)
				equip(t, store, account)
				miss(t, store, account, tc.misses)
			}
			on := newer(t, store, "account", tc.on)
			err := store.CreateSession(t.Context(), session("session", "account"), on, storage.Digest{})
			if tc.err == nil {
				ok(t, err)
			} else {
				fails(t, err, tc.err)
			}
			equal(t, has(t, store, "account").TOTP.Misses, tc.want)
			equal(t, has(t, store, "other").TOTP.Misses, tc.misses)
		})
	}
	s.test(t, "OfAnotherAppBeginAgain", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		equip(t, store, "account")
		miss(t, store, "account", 3)
		ok(t, store.SetTOTP(t.Context(), "account", app("next"), storage.RecoveryCodes{}, proofOf(t, store, "account")))
		equal(t, has(t, store, "account").TOTP.Misses, 0)
		ok(t, store.RemoveTOTP(t.Context(), "account", proofOf(t, store, "account")))
		for _, without := range []string{"account", "nobody"} {
			equal(t, must(store.CountTOTPMiss(t.Context(), without))(t), 0)
		}
	})
	s.pair(t, "AreEachCountedOnce", func(t *testing.T, stores []storage.Store) {
		createAccount(t, stores[0], "account")
		equip(t, stores[0], "account")
		counts := make([]int, contenders)
		allWin(t, race(stores, func(i int, store storage.Store) (err error) {
			counts[i], err = store.CountTOTPMiss(t.Context(), "account")
			return err
		}))
		slices.Sort(counts)
		for i, n := range counts {
			equal(t, n, i+1)
		}
	})
}

// stateOf is what an account has, with its sessions.
func stateOf(t *testing.T, store storage.Store, account string) []any {
	t.Helper()
	sessions := must(store.Sessions(t.Context(), account))(t)
	return []any{has(t, store, account), sessions}
}
