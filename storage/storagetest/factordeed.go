package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// fillFactors gives two people everything beside a password, as equal as possible.
func fillFactors(t *testing.T, store storage.Store) {
	t.Helper()
	for _, who := range people {
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: who, PasswordHash: "hash", CreatedAt: t0}))
		equip(t, store, who)
		for _, place := range []string{"first", "second"} {
			n := session(who+" "+place, who)
			n.Factors = []storage.Factor{{Method: storage.PasskeyVerified, At: t0, Credential: passkey(place+" of "+who, who).ID}}
			ok(t, store.CreateSession(t.Context(), n, proofOf(t, store, who), storage.Digest{}))
			ok(t, store.TrustDevice(t.Context(), device(who+" "+place, who), proofOf(t, store, who)))
		}
		for place, method := range secondOf {
			n := session(who+" "+place, who)
			n.Factors = []storage.Factor{{Method: storage.Password, At: t0}, {Method: method, At: t0}}
			ok(t, store.CreateSession(t.Context(), n, proofOf(t, store, who), storage.Digest{}))
		}
		ok(t, store.BeginRecovery(t.Context(), recovery(who), 0))
	}
}

// secondOf are the second factors of sessions that are named after them.
var secondOf = map[string]storage.Method{"app": storage.TOTPCode, "codes": storage.RecoveryCode}

// lookFactors reads every record of fillFactors, by name.
func lookFactors(ctx context.Context, store storage.Store) map[string]string {
	all := map[string]string{}
	for _, who := range people {
		set, err := store.Authenticators(ctx, who)
		all["account "+who] = seen(set.Account, err)
		for i, place := range []string{"first", "second"} {
			p, _, err := store.Passkey(ctx, passkey(place+" of "+who, who).ID)
			all["passkey "+who+" "+place] = seen(p, err)
			s, _, err := store.Session(ctx, digest(who+" "+place))
			all["session "+who+" "+place] = seen(s, err)
			all["device "+who+" "+place] = ""
			if i < len(set.Devices) {
				all["device "+who+" "+place] = fmt.Sprint(set.Devices[i])
			}
		}
		for place := range secondOf {
			s, _, err := store.Session(ctx, digest(who+" "+place))
			all["session "+who+" "+place] = seen(s, err)
		}
		all["app "+who], all["codes "+who], all["recovery "+who] = fmt.Sprint(set.TOTP), fmt.Sprint(set.Recovery), fmt.Sprint(set.Running)
	}
	return all
}

// ofAnn is the proof of ann as fillFactors leaves her.
func ofAnn() storage.Proof { return storage.Proof{FactorsVersion: 3, At: t0} }

func annIn(spend func(*storage.Proof)) deed[storage.Store] {
	return deed[storage.Store]{do: func(ctx context.Context, s storage.Store) error {
		on := ofAnn()
		spend(&on)
		return s.CreateSession(ctx, session("next", "ann"), on, storage.Digest{})
	}}
}

func changing(d deed[storage.Store], names ...string) deed[storage.Store] {
	d.changes = names
	return d
}

var factorDeeds = map[string]deed[storage.Store]{
	"SignInByAPasskey": changing(annIn(func(on *storage.Proof) {
		on.Passkey = storage.PasskeyUse{ID: passkey("first of ann", "ann").ID, SignCount: 9}
	}), "passkey ann first", "recovery ann"),
	"SignInByAnApp":         changing(annIn(func(on *storage.Proof) { on.TOTPStep = 101 }), "app ann", "recovery ann"),
	"SignInByARecoveryCode": changing(annIn(func(on *storage.Proof) { on.RecoveryCode = digest("one") }), "codes ann", "recovery ann"),
	"SignInByADevice":       annIn(func(on *storage.Proof) { on.Device = digest("ann first") }),
	"AddPasskey": doing(func(ctx context.Context, s storage.Store) error {
		return s.AddPasskey(ctx, passkey("third", "ann"), 3, ofAnn())
	}, "account ann", "device ann"),
	"RenamePasskey": doing(func(ctx context.Context, s storage.Store) error {
		return s.RenamePasskey(ctx, "ann", passkey("first of ann", "").ID, "new")
	}, "passkey ann first"),
	"RemovePasskey": doing(func(ctx context.Context, s storage.Store) error {
		return s.RemovePasskey(ctx, "ann", passkey("first of ann", "").ID, ofAnn())
	}, "account ann", "device ann", "passkey ann first", "session ann first"),
	"SetTOTP": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetTOTP(ctx, "ann", app("new"), storage.RecoveryCodes{}, ofAnn())
	}, "account ann", "device ann", "app ann", "session ann app"),
	"SetTOTPWithCodes": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetTOTP(ctx, "ann", app("new"), codes("new"), ofAnn())
	}, "account ann", "device ann", "app ann", "codes ann", "session ann app", "session ann codes"),
	"SetTOTPInASessionByIt": doing(func(ctx context.Context, s storage.Store) error {
		on := ofAnn()
		on.Session = digest("ann app")
		return s.SetTOTP(ctx, "ann", app("new"), storage.RecoveryCodes{}, on)
	}, "account ann", "device ann", "app ann"),
	"CountTOTPMiss": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.CountTOTPMiss(ctx, "ann"))
	}, "app ann"),
	"RemoveTOTP": doing(func(ctx context.Context, s storage.Store) error {
		return s.RemoveTOTP(ctx, "ann", ofAnn())
	}, "account ann", "device ann", "app ann", "session ann app"),
	"SetRecoveryCodes": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetRecoveryCodes(ctx, "ann", codes("new"), ofAnn())
	}, "account ann", "device ann", "codes ann", "session ann codes"),
	"RemovePassword": doing(func(ctx context.Context, s storage.Store) error {
		return s.RemovePassword(ctx, "ann", ofAnn())
	}, "account ann", "device ann", "session ann app", "session ann codes"),
	"TrustDevice": doing(func(ctx context.Context, s storage.Store) error {
		d := device("next", "ann")
		d.CreatedAt = t0.Add(-time.Hour) // behind the others
		return s.TrustDevice(ctx, d, ofAnn())
	}),
	"ForgetDevices": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.ForgetDevices(ctx, "ann", storage.Digest{}))
	}, "device ann"),
	"ResetAuthenticators": doing(func(ctx context.Context, s storage.Store) error {
		return s.ResetAuthenticators(ctx, "ann", t0)
	}, "account ann", "device ann", "passkey ann", "app ann", "codes ann", "recovery ann", "session ann"),
	"BeginRecoveryAgain": doing(func(ctx context.Context, s storage.Store) error {
		r := recovery("ann")
		r.StartedAt, r.ReadyAt, r.EndsAt = r.EndsAt, r.EndsAt, r.EndsAt.Add(time.Hour)
		return s.BeginRecovery(ctx, r, 0)
	}, "recovery ann"),
	"CancelRecovery": doing(func(ctx context.Context, s storage.Store) error {
		return found(s.CancelRecovery(ctx, "ann"))
	}, "recovery ann"),
	"ApproveRecovery": doing(func(ctx context.Context, s storage.Store) error {
		return s.ApproveRecovery(ctx, "ann", t0)
	}, "recovery ann"),
	"FinishRecovery": doing(func(ctx context.Context, s storage.Store) error {
		if err := s.ApproveRecovery(ctx, "ann", t0); err != nil {
			return err
		}
		return s.FinishRecovery(ctx, storage.RecoveryFinish{AccountID: "ann", PasswordHash: "new", At: t0.Add(time.Hour), On: ofAnn()})
	}, "account ann", "device ann", "passkey ann", "app ann", "codes ann", "recovery ann", "session ann"),
	"SetPassword": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetPassword(ctx, "ann", ofAnn(), "new", t0)
	}, "account ann", "device ann", "recovery ann", "session ann"),
	"SetEmail": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetEmail(ctx, "ann", "", "new", "new", true)
	}, "account ann", "recovery ann"),
	"DeleteAccount": doing(func(ctx context.Context, s storage.Store) error {
		return found(s.DeleteAccount(ctx, "ann", "someone", nil))
	}, "account ann", "device ann", "passkey ann", "app ann", "codes ann", "recovery ann", "session ann"),
}
