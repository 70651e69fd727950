package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// formerRecipients tests what is left of decisions that end, one end after the other.
func (s *suite) formerRecipients(t *testing.T) {
	store := s.store(t)
	saveClient(t, store, "client")
	createAccount(t, store, "ann")
	at := func(hour int) time.Time { return t0.Add(time.Duration(hour) * time.Hour) }
	var last storage.Digest
	decide := func(hour int, name, host string, attributes, groups []string) {
		c := storage.Consent{
			Subject: "ann", ClientID: "client", ClientName: name, RedirectHosts: []string{host}, Attributes: attributes, Groups: groups,
			Decision: digest(at(hour).String()), CreatedAt: at(hour), DecidedAt: at(hour),
		}
		ok(t, store.SaveConsent(t.Context(), c, storage.ConsentBasis{Replaced: last}))
		last = c.Decision
	}
	var want []storage.FormerRecipient
	left := func() *storage.FormerRecipient { return &want[0] }
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"NoneOfWhatHolds", func() { decide(0, "Shop", "a.example", []string{"email", "zip"}, []string{"military"}) }},
		{"NoneOfMore", func() { decide(1, "Shop", "a.example", []string{"email", "zip", "fname"}, []string{"military"}) }},
		{"OfWhatADecisionTakes", func() {
			decide(2, "New shop", "b.example", []string{"email"}, nil)
			want = []storage.FormerRecipient{{
				ClientID: "client", ClientName: "Shop", RedirectHosts: []string{"a.example"}, Attributes: []string{"zip", "fname"},
				Groups: []string{"military"}, Since: t0, Until: at(2),
			}}
		}},
		{"OfEverythingRevoked", func() {
			ok(t, store.RevokeConsent(t.Context(), "ann", "client", at(3)))
			left().ClientName, left().RedirectHosts = "New shop", []string{"b.example", "a.example"}
			left().Attributes, left().Until = []string{"zip", "fname", "email"}, at(3)
		}},
		{"OnceForAClient", func() {
			last = storage.Digest{}
			decide(4, "New shop", "b.example", []string{"zip"}, []string{"student"})
			ok(t, errOf(store.RemoveConsents(t.Context(), []storage.ConsentID{{Subject: "ann", ClientID: "client"}}, at(5))))
			left().Groups, left().Until = []string{"military", "student"}, at(5)
		}},
		{"WhenTheClientIsGone", func() {
			deleteClient(t, store, "client")
		}},
		{"NoneOfADeletedPerson", func() {
			ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)))
			want = nil
		}},
	} {
		step.do()
		got := must(store.FormerRecipients(t.Context(), "ann"))(t)
		t.Run(step.name, func(t *testing.T) { equal(t, got, want) })
	}
}

// manyRecipients tests that applications that come and go leave no more than a bounded number behind.
func (s *suite) manyRecipients(t *testing.T) {
	const last = storage.MaxFormerRecipients + contenders
	stores := s.stores(t, 2)
	store := stores[0]
	createAccount(t, store, "ann")
	revoke := func(i int, store storage.Store) error {
		return store.RevokeConsent(t.Context(), "ann", fmt.Sprintf("client-%03d", i), t0.Add(time.Duration(i)*time.Hour))
	}
	for i := range last + 1 {
		id := fmt.Sprintf("client-%03d", i)
		saveClient(t, store, id)
		ok(t, store.SaveConsent(t.Context(), storage.Consent{
			Subject: "ann", ClientID: id, Attributes: []string{"zip"}, Decision: digest(id), CreatedAt: t0, DecidedAt: t0,
		}, storage.ConsentBasis{}))
		if i < storage.MaxFormerRecipients {
			ok(t, revoke(i, store))
		}
	}
	for _, err := range race(stores, func(i int, store storage.Store) error { return revoke(storage.MaxFormerRecipients+i, store) }) {
		ok(t, err)
	}
	ok(t, revoke(last, store)) // which leaves none of those for which several had made the same room
	got := must(store.FormerRecipients(t.Context(), "ann"))(t)
	equal(t, len(got), storage.MaxFormerRecipients)
	equal(t, got[len(got)-1].ClientID, fmt.Sprintf("client-%03d", contenders+1))
}
