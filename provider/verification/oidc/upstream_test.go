package oidc_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/provider/verification/oidc"
	"github.com/bonafide-id/bonafide/storage"
)

// TestUpstream has people walk from one Bonafide to another and back, through the pages.
func TestUpstream(t *testing.T) {
	t.Parallel()
	other := &upstream{Server: providertest.New(t, providertest.Config{})}
	ours := providertest.New(t, providertest.Config{Policies: verification.Policies{{
		Group: "military", Rule: verification.By(oidc.New(oidc.Config{
			Name: "upstream", Title: verification.Text{English: "At the other one"}, Scopes: []string{"military"}, UserInfo: true,
			Issuer: other.Issuer(), ClientID: "ours", ClientSecret: "a secret of ours at the other one", Accept: other.accept,
			Egress: verification.Egress{AllowPrivate: true},
		})),
	}}})
	_, err := other.Register(t.Context(), provider.Client{
		ID: "ours", Secret: "a secret of ours at the other one", RedirectURIs: []string{ours.URL + "/verification/return/upstream"},
	})
	if err != nil {
		t.Fatal(err)
	}
	// leaves has a persona begin and sign in at the other one, and returns where it is sent.
	leaves := func(t *testing.T, persona, there string) (*providertest.Browser, verification.RecordedCase, *url.URL) {
		t.Helper()
		b := ours.NewBrowser()
		c, err := b.Verify(t.Context(), persona, "military", "upstream")
		to, ok := c.Step.(verification.GoTo)
		if err != nil || !ok {
			t.Fatalf("%+v, %v", c, err)
		}
		return b, c, other.SignIn(t, to.URL, there)
	}
	t.Run("Verifies", func(t *testing.T) {
		b, c, back := leaves(t, "new-user", "veteran")
		c, err := b.ComeBack(t.Context(), c, back.String())
		if err != nil || c.State != storage.CaseApproved || c.Member.Source != "The other one" {
			t.Fatalf("%+v, %v", c, err)
		}
		if c, err = b.ComeBack(t.Context(), c, back.String()); err != nil || c.State != storage.CaseApproved {
			t.Errorf("the same again: %+v, %v", c, err)
		}
	})
	t.Run("KnowsASecondPersonByTheSameIdentity", func(t *testing.T) {
		b, c, back := leaves(t, "minimal", "veteran")
		if c, err := b.ComeBack(t.Context(), c, back.String()); err != nil || c.State != storage.CaseReview {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("BelievesNoParameters", func(t *testing.T) {
		b, c, back := leaves(t, "student", "active-duty")
		for _, forged := range []string{"?case=" + c.ID + "&approved=1", "?case=" + c.ID + "&code=a&state=" + c.ID + ".a", "/upstream?code=a&state=" + c.ID + ".a"} {
			after, err := b.ComeBack(t.Context(), c, ours.URL+"/verification/return"+forged)
			if err != nil || after.State != storage.CaseOpen {
				t.Errorf("%s: %+v, %v", forged, after, err)
			}
		}
		// The answer of one person in the browser of another: the case is nobody's there.
		eve, hers, _ := leaves(t, "emt", "firefighter")
		if _, err := eve.ComeBack(t.Context(), hers, back.String()); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("%v", err)
		}
		if after, err := ours.Verification.Case(t.Context(), hers.ID); err != nil || after.State != storage.CaseOpen {
			t.Errorf("%+v, %v", after, err)
		}
		if c, err := b.ComeBack(t.Context(), c, back.String()); err != nil || c.State != storage.CaseApproved {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("HasNoPageForOtherStates", func(t *testing.T) {
		b, c, _ := leaves(t, "firefighter", "emt")
		for _, state := range []string{"", "nodot", ".", "unknown.a", "%2e%2e/%2e%2e.a"} {
			if _, err := b.ComeBack(t.Context(), c, ours.URL+"/verification/return/upstream?state="+state); err == nil || !strings.Contains(err.Error(), "404") {
				t.Errorf("%q: %v", state, err)
			}
		}
	})
}
