package tokens

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verifiedclaims"
)

// all is a request for all that there could be about the verification of veterans.
func all() string {
	return lab.InBoth(lab.Verifying("military", `,"time":null,"verification_process":null,"assurance_level":null,"assurance_process":{"policy":null,"procedure":null},`+
		`"evidence":[{"type":{"value":"document"},"attachments":null,"check_details":[{"check_method":null,"check_id":null,"organization":null,"time":null}],`+
		`"document_details":{"type":null,"document_number":null,"serial_number":null,"issuer":{"name":null},"date_of_expiry":null,"derived_claims":{"name":null}}}]`))
}

// TestVerifiedClaimsTellNothingElse holds that neither who has verified somebody nor by what
// reaches an application or a log, and that two applications cannot tell that they know the same
// person.
func TestVerifiedClaimsTellNothingElse(t *testing.T) {
	t.Parallel()
	w := lab.NewVerified(t)
	c := testkit.Must(w.Clients().Get(t.Context(), "std2"))(w.T)
	c.RedirectURIs = []string{lab.CallbackURI}
	w.OK(w.Clients().Save(t.Context(), c))
	w.Advance(2 * time.Second)
	b := w.Alice()
	processes, first := map[string]bool{}, ""
	for _, client := range []string{"std", "std2"} {
		answer := b.Allow(lab.AskFor(all(), "client_id", client)...)
		secret := lab.ClientSecret + strings.TrimPrefix(client, "std")
		p, tokens := b.Token("client_id", client, "client_secret", secret, "code", answer.Get("code"))
		lab.Granted(t, p, tokens)
		idToken, userinfo := b.VerifiedBy(tokens)
		if idToken == "" || idToken != userinfo {
			t.Fatalf("%s, %s", idToken, userinfo)
		}
		_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		told := fmt.Sprint(claims, b.Userinfo(tokens)) + b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")).Text
		_, process, _ := strings.Cut(idToken, `"verification_process":"`)
		process, _, _ = strings.Cut(process, `"`)
		if processes[process] = true; client == "std" {
			first = process
		}
		for _, canary := range []string{lab.CaseCanary, lab.ReviewerCanary, lab.SourceCanary, w.VerifiedAt().UTC().Format("15:04:05")} {
			if strings.Contains(told, canary) {
				t.Errorf("%s is told %q: %s", client, canary, told)
			}
		}
	}
	if len(processes) != 2 || processes[""] {
		t.Errorf("the case is known as %v", processes)
	}
	for _, canary := range []string{lab.CaseCanary, lab.ReviewerCanary, lab.SourceCanary} {
		if strings.Contains(w.Log.String(), canary) {
			t.Errorf("the log has %q", canary)
		}
	}
	if again, _, _ := b.Verified(b.Allow(lab.AskFor(all())...).Get("code")); !strings.Contains(again, `"`+first+`"`) {
		t.Errorf("the case has another name the second time: %s, not %q", again, first)
	}
}

// TestVerifiedClaimsByForce holds that nothing gets at a verification that its user has not
// allowed.
func TestVerifiedClaimsByForce(t *testing.T) {
	t.Parallel()
	asked := lab.InBoth(lab.Verifying("military", ""))
	none := func(t *testing.T, b *lab.Browser, p lab.Page) {
		t.Helper()
		if idToken, userinfo, _ := b.Verified(lab.Response(t, p).Get("code")); idToken+userinfo != "" {
			t.Errorf("told %s, %s", idToken, userinfo)
		}
	}
	t.Run("AsAGrantKeepsIt", func(t *testing.T) {
		b := lab.NewVerified(t).Alice()
		kept := `{"groups":["military"],"request":` + lab.Verifying("military", "") + `}`
		for _, claims := range []string{
			`{"verified":{"userinfo":` + kept + `,"id_token":` + kept + `}}`, `{"userinfo":{"verified_claims/military":null,"x":` + kept + `},"id_token":{"group_military":null}}`,
		} {
			p := b.Open(lab.AuthorizeURL(lab.AskFor(claims, "prompt", "consent")...))
			if strings.Contains(p.Text, "Veteran") {
				t.Errorf("%s asks for the group:\n%s", claims, p.Text)
			}
			none(t, b, b.Submit(p, "action", "allow"))
		}
	})
	t.Run("OfAScopeThatIsNotRegistered", func(t *testing.T) {
		w := lab.NewVerified(t)
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.Scopes = []string{"openid", "student"}
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2 * time.Second)
		b := w.Alice()
		p := b.Open(lab.AuthorizeURL(lab.AskFor(asked)...))
		if strings.Contains(p.Text, "Veteran") {
			t.Errorf("the screen asks for the group:\n%s", p.Text)
		}
		none(t, b, b.Submit(p, "action", "allow"))
	})
	t.Run("OfAScopeThatWasTakenAway", func(t *testing.T) {
		w := lab.NewVerified(t)
		b := w.Alice()
		_, _, tokens := b.Verified(b.Allow(lab.AskFor(asked)...).Get("code"))
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.Scopes = []string{"openid", "student"}
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2 * time.Second)
		if _, userinfo := b.VerifiedBy(tokens); userinfo != "" {
			t.Errorf("told %s", userinfo)
		}
	})
	t.Run("OfAScopeThatIsLeftOut", func(t *testing.T) {
		w := lab.NewVerified(t)
		w.LetLeaveOut("military")
		b := w.Alice()
		p, _ := b.Asked("scope", "openid student military", "claims", asked)
		required, optional, _ := strings.Cut(p.Text, `id="options"`)
		if strings.Contains(required, "method and the day") || !strings.Contains(optional, "method and the day") {
			t.Errorf("the box does not say what it is for:\n%s", p.Text)
		}
		none(t, b, b.AllowOnly(p))
		p, _ = b.Asked("scope", "openid student military", "claims", asked, "prompt", "consent")
		if _, userinfo, _ := b.Verified(lab.Response(t, b.AllowOnly(p, "military")).Get("code")); userinfo == "" {
			t.Error("what was ticked is not told")
		}
		p, _ = b.Asked("scope", "openid student military", "prompt", "consent")
		b.Exchanged(b.AllowOnly(p))
		consent, err := w.Store.Consent(t.Context(), "alice", "std")
		if err != nil || slices.Contains(consent.Attributes, "verified_claims/military") {
			t.Errorf("recorded %+v, %v", consent, err)
		}
	})
	t.Run("AfterTheUserHasTakenItBack", func(t *testing.T) {
		w := lab.NewVerified(t)
		b := w.Alice()
		_, _, tokens := b.Verified(b.Allow(lab.AskFor(asked)...).Get("code"))
		b.Submit(b.Open("/account/apps/remove?client_id=std"))
		w.Advance(2 * time.Second)
		lab.Refused(t, b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")), 401, "invalid_token")
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(asked, "prompt", "none")...)), "consent_required")
	})
	t.Run("OfSomebodyElse", func(t *testing.T) {
		w := lab.NewVerified(t)
		b := w.Bob()
		none(t, b, b.Submit(b.Open(lab.AuthorizeURL(lab.AskFor(asked)...)), "action", "allow"))
	})
	t.Run("ByTheScopeOfAnother", func(t *testing.T) { // what alice allows about students is nothing about veterans
		w := lab.NewVerified(t)
		w.Verify("alice", "student", "roster")
		b := w.Alice()
		b.Allow(lab.AskFor(lab.InBoth(lab.Verifying("student", "")))...)
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(lab.InBoth(`[`+lab.Verifying("student", "")+`,`+lab.Verifying("military", "")+`]`), "prompt", "none")...)), "consent_required")
	})
	t.Run("WithAForeignCode", func(t *testing.T) {
		w := lab.NewVerified(t)
		b := w.Alice()
		code := b.Allow(lab.AskFor(asked)...).Get("code")
		p, _ := b.Token("client_id", "std2", "client_secret", lab.ClientSecret+"2", "code", code)
		lab.Refused(t, p, 400, "invalid_grant")
	})
}

// TestUnknownGroupOfVerifiedClaims holds that a host learns of a group that there is not.
func TestUnknownGroupOfVerifiedClaims(t *testing.T) {
	t.Parallel()
	pilots, err := verifiedclaims.New(verifiedclaims.Config{Frameworks: map[string]string{"pilots": lab.StudentRules}})
	if err != nil {
		t.Fatal(err)
	}
	w := lab.New(t)
	_, err = provider.New(t.Context(), provider.Config{BaseURL: "http://localhost", Secret: lab.Secret(t), Store: w.Store, VerifiedClaims: pilots})
	if err == nil || !strings.Contains(err.Error(), `Config.VerifiedClaims: "pilots" is not a group of the catalogue`) {
		t.Errorf("%v", err)
	}
}
