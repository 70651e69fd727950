package flows

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestWhoIsRefusedReadsWhy refuses a verification for reasons that there are words for, and for
// another.
func TestWhoIsRefusedReadsWhy(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	b := w.Bob()
	for reason, said := range map[string]string{
		"unreadable":           "Das Dokument war nicht lesbar.",
		"Your card is of 2019": "Your card is of 2019",
	} {
		w.Record(provider.Status{Pending: true})
		w.Record(provider.Status{Reason: reason})
		if p := b.Open("/account/groups?ui_locales=de"); !strings.Contains(p.Text, said) {
			t.Errorf("%s:\n%s", reason, p.Text)
		}
	}
	w.Record(provider.Status{Pending: true})
	if p := b.Open("/account/groups"); strings.Contains(p.Text, "2019") {
		t.Error("a reason outlives what it was of")
	}
}

// TestApplicationsLearnNoReason reads what an application gets of who was refused.
func TestApplicationsLearnNoReason(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	w.Record(provider.Status{Reason: "mismatch"})
	b := w.Bob()
	_, tokens := b.Token("code", b.Allow("scope", "openid military").Get("code"))
	signed := b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")).Text
	if all := payload(t, lab.Member(t, tokens, "id_token")) + payload(t, signed) + b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")).Text; strings.Contains(all, "mismatch") {
		t.Error(all)
	}
}

// TestReasonIsOfARefusalOnly records reasons that cannot be.
func TestReasonIsOfARefusalOnly(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	for _, s := range []provider.Status{
		{Verified: true, Reason: "expired"}, {Pending: true, Reason: "expired"}, {Reason: strings.Repeat("ä", 501)},
	} {
		s.Group = "military"
		if err := w.People().SetStatus(t.Context(), "bob", s); err == nil || !strings.Contains(err.Error(), "Reason: ") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	w.Record(provider.Status{Reason: strings.Repeat("ä", 500)})
}

// TestReasonIsSealed looks for one in the database.
func TestReasonIsSealed(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	w.Record(provider.Status{Reason: "canary of the name"})
	stored, err := w.Store.Person(t.Context(), "bob")
	w.OK(err)
	if reason := stored.Statuses[0].Reason; reason == "" || strings.Contains(reason, "canary") {
		t.Errorf("the database has %q", reason)
	}
}

// TestVerifierLearnsNoAddressOfSomebodyElse asks for a user whose address nobody has checked.
func TestVerifierLearnsNoAddressOfSomebodyElse(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	w.AddAccount(provider.Account{ID: "bob", Email: "victim@example.com", Password: lab.BobPass})
	b := w.NewBrowser().SignIn("victim@example.com", lab.BobPass)
	if v := b.Verify(d, b.Open("/account/groups")); v.Email != "" {
		t.Errorf("the verifier is told %q", v.Email)
	}
}
