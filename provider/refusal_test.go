package provider_test

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestWhoIsRefusedReadsWhy refuses a verification for reasons that there are words for, and for
// another.
func TestWhoIsRefusedReadsWhy(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	b := w.bob()
	for reason, said := range map[string]string{
		"unreadable":           "Das Dokument war nicht lesbar.",
		"Your card is of 2019": "Your card is of 2019",
	} {
		w.record(provider.Status{Pending: true})
		w.record(provider.Status{Reason: reason})
		if p := b.open("/account/groups?ui_locales=de"); !strings.Contains(p.body, said) {
			t.Errorf("%s:\n%s", reason, p.body)
		}
	}
	w.record(provider.Status{Pending: true})
	if p := b.open("/account/groups"); strings.Contains(p.body, "2019") {
		t.Error("a reason outlives what it was of")
	}
}

// TestApplicationsLearnNoReason reads what an application gets of who was refused.
func TestApplicationsLearnNoReason(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	w.record(provider.Status{Reason: "mismatch"})
	b := w.bob()
	_, tokens := b.token("code", b.allow("scope", "openid military").Get("code"))
	signed := b.bearer(userinfoPath, text(t, tokens, "access_token")).body
	if all := payload(t, text(t, tokens, "id_token")) + payload(t, signed) + b.bearer(attributesPath, text(t, tokens, "access_token")).body; strings.Contains(all, "mismatch") {
		t.Error(all)
	}
}

// TestReasonIsOfARefusalOnly records reasons that cannot be.
func TestReasonIsOfARefusalOnly(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	for _, s := range []provider.Status{
		{Verified: true, Reason: "expired"}, {Pending: true, Reason: "expired"}, {Reason: strings.Repeat("ä", 501)},
	} {
		s.Group = "military"
		if err := w.SetStatus(t.Context(), "bob", s); err == nil || !strings.Contains(err.Error(), "Reason: ") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	w.record(provider.Status{Reason: strings.Repeat("ä", 500)})
}

// TestReasonIsSealed looks for one in the database.
func TestReasonIsSealed(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	w.record(provider.Status{Reason: "canary of the name"})
	stored, err := w.store.Person(t.Context(), "bob")
	w.ok(err)
	if reason := stored.Statuses[0].Reason; reason == "" || strings.Contains(reason, "canary") {
		t.Errorf("the database has %q", reason)
	}
}

// TestVerifierLearnsNoAddressOfSomebodyElse asks for a user whose address nobody has checked.
func TestVerifierLearnsNoAddressOfSomebodyElse(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	w.account(provider.Account{ID: "bob", Email: "victim@example.com", Password: bobPass})
	b := w.newBrowser().signIn("victim@example.com", bobPass)
	if v := b.verify(d, b.open("/account/groups")); v.Email != "" {
		t.Errorf("the verifier is told %q", v.Email)
	}
}
