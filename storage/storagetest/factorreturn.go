package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// returnOfFactors tests what is left of an account when a change of its address is taken
// back: what it had before, and nothing of whoever has changed it.
func (s *suite) returnOfFactors(t *testing.T) {
	type left struct {
		passkeys   []string
		app        bool
		codes      int
		secondStep bool
	}
	before, since := t0.Add(-time.Microsecond), t0
	for i, tc := range []struct {
		passkeys []string
		app      bool // with codes
		removed  bool // the app, after the change
		added    bool // a passkey, an app and codes, after the change
		want     left
	}{
		{},
		{added: true},
		{passkeys: []string{"own"}, added: true, want: left{passkeys: []string{"own"}, secondStep: true}},
		{passkeys: []string{"own"}, app: true, want: left{[]string{"own"}, true, 3, true}},
		{app: true, want: left{nil, true, 3, true}},
		{app: true, added: true}, // whose app and codes take the place of those before
		{app: true, removed: true, added: true},
	} {
		s.test(t, fmt.Sprint(i), func(t *testing.T, store storage.Store) {
			createAccount(t, store, "account")
			createAccount(t, store, "another")
			equip(t, store, "another")
			others := has(t, store, "another")
			on := func() storage.Proof { return proofOf(t, store, "account") }
			add := func(at time.Time, name string) {
				p := passkey(name, "account")
				p.CreatedAt = at
				ok(t, store.AddPasskey(t.Context(), p, 20, on()))
			}
			enrol := func(at time.Time, set storage.RecoveryCodes) {
				a := app("app")
				a.CreatedAt, set.CreatedAt = at, at
				ok(t, store.SetTOTP(t.Context(), "account", a, set, on()))
			}
			for _, name := range tc.passkeys {
				add(before, name)
			}
			if tc.app {
				enrol(before, codes("one", "two", "three"))
			}
			c := change("account", 0, "new")
			c.On = on()
			ok(t, store.ChangeEmail(t.Context(), c))
			if tc.removed {
				ok(t, store.RemoveTOTP(t.Context(), "account", on()))
			}
			if tc.added {
				add(since, "thief")
				enrol(since, codes("of the thief"))
			}
			version := has(t, store, "account").Account.FactorsVersion
			ok(t, errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1))))

			got := has(t, store, "account")
			var names []string
			for _, p := range got.Passkeys {
				names = append(names, p.Name)
			}
			if diff := cmp.Diff(tc.want, left{names, got.TOTP.Secret != nil, len(got.Recovery.Digests), got.Account.SecondStep}, cmp.AllowUnexported(left{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			equal(t, got.Account.FactorsVersion, version+1)
			equal(t, has(t, store, "another"), others)
		})
	}
}
