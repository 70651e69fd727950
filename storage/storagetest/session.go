package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// session makes a session; its digest is that of its name.
func session(name, account string) storage.Session {
	return storage.Session{
		Digest:     digest(name),
		AccountID:  account,
		CreatedAt:  t0,
		LastSeenAt: t0,
		ExpiresAt:  t0.Add(24 * time.Hour),
		IdleUntil:  t0.Add(time.Hour),
	}
}

func (s *suite) sessions(t *testing.T) {
	s.test(t, "ComesBackWholeWithItsAccount", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		want := session("session", "account")
		want.AuthTime = elsewhere
		want.AMR = []string{"pwd"}
		want.Factors = []storage.Factor{
			{Method: storage.Password, At: elsewhere, Since: t0},
			{Method: storage.PasskeyVerified, At: t0, Since: elsewhere, Credential: []byte{0, ' ', ',', 255}},
			{Method: storage.TOTPCode},
		}
		want.UserAgent = "Browser (¾)"
		want.Address = "192.0.2.0/24"
		ok(t, store.CreateSession(t.Context(), want, storage.Proof{}, storage.Digest{}))
		want.AuthTime, want.Factors[0].At, want.Factors[1].Since = asStored, asStored, asStored
		got, account, err := store.Session(t.Context(), digest("session"))
		ok(t, err)
		equal(t, got, want)
		equal(t, account, storage.Account{ID: "account", EmailKey: "key of account", CreatedAt: t0})
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store storage.Store) {
		fails(t, errOf(store.Session(t.Context(), digest("guess"))), storage.ErrNotFound)
		fails(t, errOf(store.Session(t.Context(), storage.Digest{})), storage.ErrNotFound)
	})
	s.test(t, "NeedsAnEnabledAccount", func(t *testing.T, store storage.Store) {
		fails(t, store.CreateSession(t.Context(), session("session", "nobody"), storage.Proof{}, storage.Digest{}), storage.ErrNotFound)
		createAccount(t, store, "account")
		ok(t, store.CreateSession(t.Context(), session("before", "account"), storage.Proof{}, storage.Digest{}))
		ok(t, store.SetDisabled(t.Context(), "account", true, t0))
		fails(t, store.CreateSession(t.Context(), session("session", "account"), storage.Proof{}, digest("before")), storage.ErrNotFound)
	})
	s.test(t, "ReplacesTheOneBefore", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.CreateSession(t.Context(), session("before", "account"), storage.Proof{}, digest("unknown")))
		ok(t, store.CreateSession(t.Context(), session("after", "account"), storage.Proof{}, digest("before")))
		fails(t, errOf(store.Session(t.Context(), digest("before"))), storage.ErrNotFound)
		ok(t, errOf(store.Session(t.Context(), digest("after"))))
	})
	s.test(t, "NeverOverwritesAnother", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "victim")
		createAccount(t, store, "other")
		ok(t, store.CreateSession(t.Context(), session("session", "victim"), storage.Proof{}, storage.Digest{}))
		ok(t, store.CreateSession(t.Context(), session("own", "other"), storage.Proof{}, storage.Digest{}))
		fails(t, store.CreateSession(t.Context(), session("session", "other"), storage.Proof{}, digest("own")), storage.ErrConflict)
		got, _, err := store.Session(t.Context(), digest("session"))
		ok(t, err)
		equal(t, got.AccountID, "victim")
		_, _, err = store.Session(t.Context(), digest("own")) // all or nothing
		ok(t, err)
	})
	s.test(t, "NeedsAnEnd", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		endless := session("session", "account")
		endless.ExpiresAt, endless.IdleUntil = time.Time{}, time.Time{}
		if err := store.CreateSession(t.Context(), endless, storage.Proof{}, storage.Digest{}); err == nil {
			t.Error("a session without an end was recorded")
		}
	})
	t.Run("Touch", s.touchSession)
	s.test(t, "ListsLatestUsedFirst", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		createAccount(t, store, "other")
		for i, name := range []string{"second", "third", "first"} {
			n := session(name, "account")
			n.LastSeenAt = t0.Add([]time.Duration{2, 1, 3}[i] * time.Minute)
			ok(t, store.CreateSession(t.Context(), n, storage.Proof{}, storage.Digest{}))
		}
		ok(t, store.CreateSession(t.Context(), session("of another", "other"), storage.Proof{}, storage.Digest{}))
		list := must(store.Sessions(t.Context(), "account"))(t)
		var got []storage.Digest
		for _, n := range list {
			got = append(got, n.Digest)
		}
		equal(t, got, []storage.Digest{digest("first"), digest("second"), digest("third")})
	})
	t.Run("ListOfNoneIsEmpty", func(t *testing.T) {
		equal(t, len(must(s.store(t).Sessions(t.Context(), "nobody"))(t)), 0)
	})
	s.test(t, "EndedIsGone", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.CreateSession(t.Context(), session("session", "account"), storage.Proof{}, storage.Digest{}))
		endSession(t, store, "session")
		fails(t, errOf(store.Session(t.Context(), digest("session"))), storage.ErrNotFound)
		endSession(t, store, "session")
	})
	t.Run("EndMany", s.endSessions)
}

func endSession(t *testing.T, store storage.Sessions, name string) {
	t.Helper()
	ok(t, errOf(store.EndSessions(t.Context(), storage.SessionFilter{Digest: digest(name)})))
}

func (s *suite) touchSession(t *testing.T) {
	store := s.store(t)
	createAccount(t, store, "account")
	ok(t, store.CreateSession(t.Context(), session("session", "account"), storage.Proof{}, storage.Digest{}))
	touch := func(seen, idleUntil time.Time) {
		t.Helper()
		ok(t, store.TouchSession(t.Context(), digest("session"), seen, idleUntil))
	}
	state := func() [2]time.Time {
		t.Helper()
		n, _, err := store.Session(t.Context(), digest("session"))
		ok(t, err)
		return [2]time.Time{n.LastSeenAt, n.IdleUntil}
	}
	end := t0.Add(24 * time.Hour)

	touch(t0.Add(time.Minute), t0.Add(2*time.Hour))
	equal(t, state(), [2]time.Time{t0.Add(time.Minute), t0.Add(2 * time.Hour)})
	touch(t0, t0.Add(time.Hour)) // was overtaken
	equal(t, state(), [2]time.Time{t0.Add(time.Minute), t0.Add(2 * time.Hour)})
	touch(t0.Add(2*time.Minute), end.Add(time.Second)) // not beyond the absolute end
	equal(t, state(), [2]time.Time{t0.Add(2 * time.Minute), end})

	touch(t0.Add(61*time.Second), t0.Add(time.Hour)) // was overtaken by less than a minute
	equal(t, state(), [2]time.Time{t0.Add(2 * time.Minute), end})
	touch(t0.Add(59*time.Second), t0.Add(time.Hour)) // the clock was wrong
	equal(t, state(), [2]time.Time{t0.Add(59 * time.Second), t0.Add(time.Hour)})

	ok(t, store.TouchSession(t.Context(), digest("unknown"), t0, t0))
	fails(t, errOf(store.Session(t.Context(), digest("unknown"))), storage.ErrNotFound)
}

func (s *suite) endSessions(t *testing.T) {
	for _, tc := range []struct {
		name  string
		match storage.SessionFilter
		ended []string
	}{
		{"OfAnAccount", storage.SessionFilter{AccountID: "ann"}, []string{"ann old", "ann new"}},
		{"OfAnAccountButOne", storage.SessionFilter{AccountID: "ann", Except: digest("ann old")}, []string{"ann new"}},
		{"NotByAnEmptyFilter", storage.SessionFilter{}, nil},
		{"NotByAnExceptionAlone", storage.SessionFilter{Except: digest("ann old")}, nil},
	} {
		s.test(t, tc.name, func(t *testing.T, store storage.Store) {
			want := map[string]bool{"ann old": true, "ann new": true, "bob old": true, "bob new": true}
			for _, account := range []string{"ann", "bob"} {
				createAccount(t, store, account)
				old := session(account+" old", account)
				old.CreatedAt = t0.Add(-time.Microsecond)
				ok(t, store.CreateSession(t.Context(), old, storage.Proof{}, storage.Digest{}))
				ok(t, store.CreateSession(t.Context(), session(account+" new", account), storage.Proof{}, storage.Digest{}))
			}
			equal(t, must(store.EndSessions(t.Context(), tc.match))(t), len(tc.ended))
			for _, name := range tc.ended {
				want[name] = false
			}
			got := make(map[string]bool)
			for name := range want {
				_, _, err := store.Session(t.Context(), digest(name))
				got[name] = err == nil
			}
			equal(t, got, want)
		})
	}
}
