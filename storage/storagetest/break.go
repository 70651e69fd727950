package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *deskSuite) breaks(t *testing.T) {
	breakNow := func(t *testing.T, store storage.Breaks, id string) storage.Break {
		t.Helper()
		return must(storage.One(store.Breaks(t.Context(), storage.BreakFilter{ID: new(id)})))(t)
	}
	s.test(t, "ComeBackAsRecorded", func(t *testing.T, store DeskStore) {
		want := makeBreak(t, store, "b", "ann")
		equal(t, breakNow(t, store, "b"), want)
		fails(t, errOf(storage.One(store.Breaks(t.Context(), storage.BreakFilter{ID: new("none")}))), storage.ErrNotFound)
	})
	s.test(t, "AreDoneAtTheEnd", func(t *testing.T, store DeskStore) {
		b := storage.Break{ID: "b", Staff: "sue", Action: "lock", Target: "ann", Sentence: []byte("sealed"), At: t0}
		d := &storage.Deed{Break: &b, InParts: true}
		ok(t, withDeed(t.Context(), store, d))
		equal(t, breakNow(t, store, "b"), b)
		ok(t, store.FinishDeed(t.Context(), d))
		fails(t, store.FinishDeed(t.Context(), d), storage.ErrSpent)
		b.Done = true
		equal(t, breakNow(t, store, "b"), b)
	})
	s.test(t, "AreTold", func(t *testing.T, store DeskStore) {
		want := makeBreak(t, store, "b", "ann")
		ok(t, store.MarkBreak(t.Context(), "b", storage.BreakMark{Told: true}))
		want.Told = true
		equal(t, breakNow(t, store, "b"), want)
		fails(t, store.MarkBreak(t.Context(), "none", storage.BreakMark{Told: true}), storage.ErrNotFound)
	})
	s.test(t, "AreSignedOffByAnother", func(t *testing.T, store DeskStore) {
		want := makeBreak(t, store, "b", "ann")
		fails(t, store.MarkBreak(t.Context(), "b", storage.BreakMark{SignedOffBy: "sue", SignedOffAt: t0}), storage.ErrForbidden)
		fails(t, store.MarkBreak(t.Context(), "none", storage.BreakMark{SignedOffBy: "sam", SignedOffAt: t0}), storage.ErrNotFound)
		equal(t, breakNow(t, store, "b"), want)
		ok(t, store.MarkBreak(t.Context(), "b", storage.BreakMark{SignedOffBy: "sam", SignedOffAt: t0.Add(time.Hour)}))
		want.SignedOffBy, want.SignedOffAt = "sam", t0.Add(time.Hour)
		fails(t, store.MarkBreak(t.Context(), "b", storage.BreakMark{SignedOffBy: "sid", SignedOffAt: t0}), storage.ErrSpent)
		equal(t, breakNow(t, store, "b"), want)
	})
	s.test(t, "AreListedFromTheLatestOn", func(t *testing.T, store DeskStore) {
		for _, id := range []string{"a", "b", "c", "d"} {
			makeBreak(t, store, id, "ann")
		}
		ok(t, store.MarkBreak(t.Context(), "c", storage.BreakMark{SignedOffBy: "sam", SignedOffAt: t0}))
		for name, c := range map[string]struct {
			match storage.BreakFilter
			want  []string
		}{
			"All":      {storage.BreakFilter{}, []string{"d", "c", "b", "a"}},
			"Open":     {storage.BreakFilter{Open: true}, []string{"d", "b", "a"}},
			"Page":     {storage.BreakFilter{BeforeID: "d", Limit: 2}, []string{"c", "b"}},
			"OpenPage": {storage.BreakFilter{Open: true, BeforeID: "d", Limit: 1}, []string{"b"}},
			"One":      {storage.BreakFilter{ID: new("c")}, []string{"c"}},
			"OfNoID":   {storage.BreakFilter{ID: new("")}, nil},
		} {
			got := must(store.Breaks(t.Context(), c.match))(t)
			var ids []string
			for _, b := range got {
				ids = append(ids, b.ID)
			}
			t.Run(name, func(t *testing.T) { equal(t, ids, c.want) })
		}
	})
}

func answer(client, key string) storage.Answer {
	return storage.Answer{
		Client: client, Key: digest(key), Body: digest("body of " + key), Status: 201, Content: []byte("sealed"), ExpiresAt: t0.Add(24 * time.Hour),
	}
}

func (s *deskSuite) answers(t *testing.T) {
	store := s.store(t)
	day := t0.Add(24 * time.Hour)
	want, empty := answer("client", "key"), answer("client", "another")
	empty.Status, empty.Content = 204, nil
	for _, a := range []storage.Answer{want, empty} {
		ok(t, withDeed(t.Context(), store, &storage.Deed{Answer: &a, On: storage.DeedBasis{At: t0}}))
		equal(t, must(store.Answer(t.Context(), "client", a.Key, day.Add(-time.Microsecond)))(t), a)
	}
	s.test(t, "AreBegunBeforeTheyAreDone", func(t *testing.T, store DeskStore) {
		a := answer("client", "parts")
		d := func(change ...func(*storage.Deed)) *storage.Deed {
			d := &storage.Deed{Answer: new(a), InParts: true, On: storage.DeedBasis{At: t0}}
			for _, c := range change {
				c(d)
			}
			return d
		}
		again := func(d *storage.Deed) { d.Again = a.ExpiresAt }
		ok(t, withDeed(t.Context(), store, d()))
		got := must(store.Answer(t.Context(), "client", a.Key, t0))(t)
		equal(t, []any{got.Status, got.ExpiresAt}, []any{0, a.ExpiresAt})
		fails(t, withDeed(t.Context(), store, d()), storage.ErrConflict)
		fails(t, withDeed(t.Context(), store, d(again, func(d *storage.Deed) { d.Answer.Body = digest("another") })), storage.ErrConflict)
		ok(t, withDeed(t.Context(), store, d(again, func(d *storage.Deed) { d.Answer.ExpiresAt = day.Add(time.Hour) })))
		fails(t, withDeed(t.Context(), store, d(again)), storage.ErrConflict)
		ok(t, store.FinishDeed(t.Context(), d()))
		fails(t, store.FinishDeed(t.Context(), d()), storage.ErrSpent)
		fails(t, withDeed(t.Context(), store, d(func(d *storage.Deed) { d.Again = day.Add(time.Hour) })), storage.ErrConflict)
		got = must(store.Answer(t.Context(), "client", a.Key, t0))(t)
		equal(t, got.Status, a.Status)
	})
	for name, c := range map[string]struct {
		client, key string
		at          time.Time
	}{
		"OfAnotherClient": {"another", "key", t0},
		"OfNoRequest":     {"client", "none", t0},
		"Expired":         {"client", "key", day},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, errOf(store.Answer(t.Context(), c.client, digest(c.key), c.at)), storage.ErrNotFound)
		})
	}
	t.Run("AreSweptAtTheirEnd", func(t *testing.T) {
		equal(t, sweepAll(t, store, day.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, day), 2)
	})
}

func (s *deskSuite) reports(t *testing.T) {
	store := s.store(t)
	got := must(store.Report(t.Context(), t0))(t)
	equal(t, got, storage.Report{})
	schema := must(store.Schema(t.Context()))(t)
	if schema < 14 {
		t.Errorf("the schema is number %d", schema)
	}

	for _, who := range []string{"ann", "bob", "cid"} {
		createAccount(t, store, who)
		ok(t, store.CreateSession(t.Context(), session("of "+who, who), storage.Proof{}, storage.Digest{}))
		ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "signed_in", Subject: who}))
	}
	ok(t, store.SetDisabled(t.Context(), "cid", true, t0))
	saveClient(t, store, "client")
	g := grant("grant", "client", "ann")
	ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AuthorizationCode, "code")))
	createApplications(t, store, "acme", "client", "second", "deleted")
	ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "deleted"))
	inReview(t, store, "waits", "ann", t0)
	startCase(t, store, "begun", "bob")
	for _, id := range []string{"proposed", "refused"} {
		createPlan(t, store, id, "ann")
	}
	ok(t, store.MovePlan(t.Context(), "refused", planEnd("sam", t0)))
	makeBreak(t, store, "open", "ann")
	makeBreak(t, store, "signed", "ann")
	ok(t, store.MarkBreak(t.Context(), "signed", storage.BreakMark{SignedOffBy: "sam", SignedOffAt: t0}))

	want := storage.Report{
		Accounts: 3, Disabled: 1, Sessions: 2, Grants: 1, Events: 3, Applications: 2, Organizations: 1,
		CasesWaiting: 1, PlansProposed: 1, BreaksOpen: 1,
	}
	got = must(store.Report(t.Context(), t0))(t)
	equal(t, got, want)
	want.PlansProposed = 0
	got = must(store.Report(t.Context(), t0.Add(24*time.Hour)))(t)
	equal(t, got, want)
}
