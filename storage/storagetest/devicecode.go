package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func deviceCode(name, client string) storage.DeviceCode {
	return storage.DeviceCode{
		Digest: digest("device code of " + name), UserCode: digest("user code of " + name), ClientID: client,
		Scopes: []string{"openid", "files"}, Resources: []string{"https://api.example"}, JKT: digest("key"), Address: "192.0.2.0/24",
		State: storage.DevicePending, CreatedAt: t0, ExpiresAt: t0.Add(5 * time.Minute),
	}
}

// allowDevice allows the request of a device, by a user whose grant has this name.
func allowDevice(t *testing.T, store storage.Store, c storage.DeviceCode, name, subject string, on storage.Basis) error {
	t.Helper()
	g := grant(name, c.ClientID, subject)
	g.Flow = c.Digest
	code := token(g, storage.AuthorizationCode, "")
	code.Digest = c.Digest
	return store.AllowDeviceCode(t.Context(), c.Digest, g, on, code)
}

func (s *suite) deviceCodes(t *testing.T) {
	withCode := func(t *testing.T, n int) ([]storage.Store, storage.DeviceCode) {
		t.Helper()
		stores, c := s.stores(t, n), deviceCode("television", "client")
		saveClient(t, stores[0], "client")
		createAccount(t, stores[0], "ann")
		ok(t, stores[0].CreateSession(t.Context(), session("session", "ann"), storage.Proof{}, storage.Digest{}))
		ok(t, stores[0].SaveDeviceCode(t.Context(), c))
		return stores, c
	}
	state := func(t *testing.T, store storage.Store, c storage.DeviceCode) storage.DeviceState {
		t.Helper()
		got := must(store.DeviceCode(t.Context(), storage.DeviceCodeID{Digest: c.Digest}))(t)
		return got.State
	}
	none := func(t *testing.T, store storage.Store, c storage.DeviceCode) {
		t.Helper()
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, c.Digest)), storage.ErrNotFound)
	}
	t.Run("ComesBackByEitherCode", func(t *testing.T) {
		stores, want := withCode(t, 1)
		got := must(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{Digest: want.Digest}))(t)
		equal(t, got, want)
		got = must(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{UserCode: want.UserCode}))(t)
		equal(t, got, want)
		fails(t, errOf(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{Digest: want.UserCode})), storage.ErrNotFound)
		fails(t, errOf(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{UserCode: want.Digest})), storage.ErrNotFound)
		fails(t, errOf(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{})), storage.ErrNotFound)
	})
	t.Run("IsNeverOverwrittenAndNeedsAClient", func(t *testing.T) {
		stores, c := withCode(t, 1)
		other := deviceCode("other", "client")
		other.UserCode = c.UserCode
		fails(t, stores[0].SaveDeviceCode(t.Context(), other), storage.ErrConflict)
		fails(t, stores[0].SaveDeviceCode(t.Context(), c), storage.ErrConflict)
		fails(t, stores[0].SaveDeviceCode(t.Context(), deviceCode("third", "nobody")), storage.ErrNotFound)
	})
	t.Run("IsSavedPending", func(t *testing.T) {
		stores, _ := withCode(t, 1)
		c := deviceCode("other", "client")
		c.State = storage.DeviceAllowed
		ok(t, stores[0].SaveDeviceCode(t.Context(), c))
		equal(t, state(t, stores[0], c), storage.DevicePending)
	})
	t.Run("IsAllowedWithItsGrant", func(t *testing.T) {
		stores, c := withCode(t, 1)
		ok(t, allowDevice(t, stores[0], c, "g", "ann", storage.Basis{Session: digest("session")}))
		equal(t, state(t, stores[0], c), storage.DeviceAllowed)
		code, g, err := stores[0].Token(t.Context(), storage.AuthorizationCode, c.Digest)
		ok(t, err)
		equal(t, g.Flow, c.Digest)
		equal(t, code.GrantID, g.ID)
		fails(t, allowDevice(t, stores[0], c, "again", "ann", storage.Basis{}), storage.ErrSpent)
		fails(t, stores[0].DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session"), t0), storage.ErrSpent)
	})
	t.Run("IsDeniedForGood", func(t *testing.T) {
		stores, c := withCode(t, 1)
		ok(t, stores[0].DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session"), t0))
		equal(t, state(t, stores[0], c), storage.DeviceDenied)
		fails(t, allowDevice(t, stores[0], c, "g", "ann", storage.Basis{}), storage.ErrSpent)
		none(t, stores[0], c)
	})
	t.Run("IsDeniedOnceByWhoeverHasIt", func(t *testing.T) {
		stores, c := withCode(t, 2)
		oneWins(t, race(stores, func(_ int, store storage.Store) error {
			return store.DenyDeviceCode(t.Context(), c.Digest, "", storage.Digest{}, t0)
		}), storage.ErrSpent)
		equal(t, state(t, stores[0], c), storage.DeviceDenied)
	})
	t.Run("StaysPendingWithoutItsBasis", func(t *testing.T) {
		stores, c := withCode(t, 1)
		for _, on := range []storage.Basis{
			{Session: digest("session of nobody")}, {Consent: storage.Consent{Decision: digest("decision")}},
			{Session: digest("session"), Consent: storage.Consent{Decision: digest("decision")}},
		} {
			fails(t, allowDevice(t, stores[0], c, "g", "ann", on), storage.ErrEnded)
		}
		fails(t, stores[0].DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session of nobody"), t0), storage.ErrEnded)
		equal(t, state(t, stores[0], c), storage.DevicePending)
		none(t, stores[0], c)
	})
	t.Run("IsNotForALockedAccount", func(t *testing.T) {
		stores, c := withCode(t, 1)
		ok(t, stores[0].SetDisabled(t.Context(), "ann", true, t0))
		fails(t, allowDevice(t, stores[0], c, "g", "ann", storage.Basis{}), storage.ErrEnded)
		equal(t, state(t, stores[0], c), storage.DevicePending)
	})
	t.Run("EndsOnTime", func(t *testing.T) {
		stores, c := withCode(t, 1)
		fails(t, stores[0].DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session"), c.ExpiresAt), storage.ErrNotFound)
		ok(t, stores[0].DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session"), c.ExpiresAt.Add(-time.Microsecond)))
		fails(t, allowDevice(t, stores[0], deviceCode("unknown", "client"), "g", "ann", storage.Basis{}), storage.ErrNotFound)
	})
	t.Run("IsSweptAtItsEnd", func(t *testing.T) {
		stores, c := withCode(t, 1)
		equal(t, sweepAll(t, stores[0], c.ExpiresAt.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, stores[0], c.ExpiresAt), 1)
	})
	t.Run("GoesWithItsClient", func(t *testing.T) {
		stores, c := withCode(t, 1)
		deleteClient(t, stores[0], "client")
		fails(t, errOf(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{Digest: c.Digest})), storage.ErrNotFound)
	})
	t.Run("GetsOlder", func(t *testing.T) {
		stores, c := withCode(t, 1)
		ok(t, stores[0].Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, By: time.Minute}))
		c.CreatedAt, c.ExpiresAt = c.CreatedAt.Add(-time.Minute), c.ExpiresAt.Add(-time.Minute)
		equal(t, must(stores[0].DeviceCode(t.Context(), storage.DeviceCodeID{Digest: c.Digest}))(t), c)
	})
	t.Run("HasOneApproval", func(t *testing.T) {
		stores, c := withCode(t, 2)
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return allowDevice(t, store, c, fmt.Sprint("grant ", i), "ann", storage.Basis{Session: digest("session")})
		}), storage.ErrSpent)
		equal(t, must(stores[0].RevokeGrants(t.Context(), storage.GrantFilter{Subject: "ann"}, t0))(t), 1)
	})
	t.Run("IsAllowedOrDenied", func(t *testing.T) {
		stores, c := withCode(t, 2)
		errs := race(stores, func(i int, store storage.Store) error {
			if i%3 == 0 {
				return allowDevice(t, store, c, fmt.Sprint("grant ", i), "ann", storage.Basis{Session: digest("session")})
			}
			return store.DenyDeviceCode(t.Context(), c.Digest, "ann", digest("session"), t0)
		})
		oneWins(t, errs, storage.ErrSpent)
		if state(t, stores[0], c) == storage.DeviceDenied {
			none(t, stores[0], c)
		}
	})
	t.Run("IsExchangedOnce", func(t *testing.T) {
		stores, c := withCode(t, 2)
		ok(t, allowDevice(t, stores[0], c, "g", "ann", storage.Basis{}))
		_, g, err := stores[0].Token(t.Context(), storage.AuthorizationCode, c.Digest)
		ok(t, err)
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.Exchange(t.Context(), c.Digest, t0, token(g, storage.AccessToken, fmt.Sprint("access ", i)))
		}), storage.ErrSpent)
	})
	t.Run("IsNotExchangedAfterALock", func(t *testing.T) {
		stores, c := withCode(t, 1)
		ok(t, allowDevice(t, stores[0], c, "g", "ann", storage.Basis{}))
		_, g, err := stores[0].Token(t.Context(), storage.AuthorizationCode, c.Digest)
		ok(t, err)
		ok(t, stores[0].SetDisabled(t.Context(), "ann", true, t0))
		fails(t, stores[0].Exchange(t.Context(), c.Digest, t0, token(g, storage.AccessToken, "access")), storage.ErrEnded)
	})
}
