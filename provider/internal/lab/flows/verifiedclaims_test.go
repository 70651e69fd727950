package flows

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// veteran is what alice gets who asks for nothing about her verification.
const veteran = `{"claims":{"group_military":["Veteran"]},"verification":{"trust_framework":"` + lab.MilitaryRules + `"}}`

// TestVerifiedClaims holds the modules of the plan ekyc-test-plan-oidccore, by their names.
func TestVerifiedClaims(t *testing.T) {
	t.Parallel()
	w := lab.NewVerified(t)
	_, metadata := w.NewBrowser().JSON(w.NewBrowser().Get(lab.DiscoveryPath))
	day := w.VerifiedAt().UTC().Format("2006-01-02") + "T00:00:00Z"
	for name, c := range map[string]struct{ claims, idToken, userinfo string }{
		"HappyPath":             {lab.InBoth(lab.Verifying("military", "")), veteran, veteran},
		"HappyPathEmptyObjects": {lab.InBoth(`{"verification":{"trust_framework":{}},"claims":{"group_military":{}}}`), veteran, veteran},
		"HappyPathEssentialFalse": {
			lab.InBoth(`{"verification":{"trust_framework":{"essential":false}},"claims":{"group_military":{"essential":false}}}`), veteran, veteran,
		},
		"RequestClaimUnknownToTheOP": {
			lab.InBoth(`{"verification":{"trust_framework":null},"claims":{"group_military":null,"b0gus":null}}`), veteran, veteran,
		},
		"RequestEssentialClaimUnknownToTheOP": {
			lab.InBoth(`{"verification":{"trust_framework":null},"claims":{"group_military":null,"b0gus":{"essential":true}}}`), veteran, veteran,
		},
		"RequestClaimWithSpecialCharsUnknownToTheOP": {
			lab.InBoth(`{"verification":{"trust_framework":null},"claims":{"group_military":null,"%<>\"'&;é漢\u0000":null}}`), veteran, veteran,
		},
		"RequestClaimWithRandomValueMustBeOmitted": {
			lab.InBoth(`{"verification":{"trust_framework":null},"claims":{"group_military":{"value":"7e27dd13"}}}`), "", "",
		},
		"RequestVerifiedClaimsOnlyInIdToken":  {`{"id_token":{"verified_claims":` + lab.Verifying("military", "") + `}}`, veteran, ""},
		"RequestVerifiedClaimsOnlyInUserinfo": {`{"userinfo":{"verified_claims":` + lab.Verifying("military", "") + `}}`, "", veteran},
		"UserinfoContainsDataNotAdvertisedInOPMetadata": {
			lab.InBoth(`{"verification":{"trust_framework":{"value":"eidas"},"assurance_level":{"value":"high"}},"claims":{"given_name":null,"group_military":null}}`), "", "",
		},
		"WithUserProvidedRequest": { // all that there is
			lab.InBoth(lab.Verifying("military", `,"time":{"max_age":31536000000},"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":{"value":"vri"}}]}]`)),
			`{"claims":{"group_military":["Veteran"]},"verification":{"evidence":[{"check_details":[{"check_method":"vri"}],"type":"document"}],"time":"` + day + `","trust_framework":"` + lab.MilitaryRules + `"}}`,
			`{"claims":{"group_military":["Veteran"]},"verification":{"evidence":[{"check_details":[{"check_method":"vri"}],"type":"document"}],"time":"` + day + `","trust_framework":"` + lab.MilitaryRules + `"}}`,
		},
		"Several": {lab.InBoth(`[` + lab.Verifying("military", "") + `,` + lab.Verifying("student", "") + `]`), `[` + veteran + `]`, `[` + veteran + `]`},
		"Null":    {lab.InBoth(`null`), "", ""},
		"Empty":   {lab.InBoth(`[]`), "", ""},
		"OnlyOf":  {lab.InBoth(lab.Verifying("nurse", "")), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.Alice()
			idToken, userinfo, tokens := b.Verified(b.Allow(lab.AskFor(c.claims)...).Get("code"))
			for range 2 { // as issued, and after a refresh
				if idToken != c.idToken || userinfo != c.userinfo {
					t.Errorf("%s\nin the ID token %s\nwant            %s\nin userinfo %s\nwant        %s", c.claims, idToken, c.idToken, userinfo, c.userinfo)
				}
				checkAdvertised(t, metadata, userinfo)
				_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
				idToken, userinfo = b.VerifiedBy(tokens)
			}
		})
	}
	t.Run("UserinfoDefaults", func(t *testing.T) { // a request made of an answer gets that answer
		b := w.Alice()
		asked := lab.Verifying("military", "")
		asked = strings.Replace(asked, `"trust_framework":null`, `"trust_framework":{"value":"`+lab.MilitaryRules+`"}`, 1)
		asked = strings.Replace(asked, `"group_military":null`, `"group_military":{"value":["Veteran"]}`, 1)
		if idToken, userinfo, _ := b.Verified(b.Allow(lab.AskFor(lab.InBoth(asked))...).Get("code")); idToken != veteran || userinfo != veteran {
			t.Errorf("%s, %s", idToken, userinfo)
		}
	})
}

// checkAdvertised demands that an answer has only what the metadata announces (section 8).
func checkAdvertised(t *testing.T, metadata map[string]any, answer string) {
	t.Helper()
	if metadata["verified_claims_supported"] != true || !slices.Contains(metadata["claims_supported"].([]any), any("verified_claims")) {
		t.Fatalf("metadata %v", metadata)
	}
	if answer == "" || answer[0] == '[' {
		return
	}
	var told struct {
		Verification struct {
			Framework string `json:"trust_framework"`
			Evidence  []struct{ Type string }
		}
		Claims map[string]any
	}
	testkit.OK(t, json.Unmarshal([]byte(answer), &told))
	advertised := func(in, what string) {
		if !slices.Contains(metadata[in].([]any), any(what)) {
			t.Errorf("%q is none of %s, %v", what, in, metadata[in])
		}
	}
	advertised("trust_frameworks_supported", told.Verification.Framework)
	for name := range told.Claims {
		advertised("claims_in_verified_claims_supported", name)
	}
	for _, e := range told.Verification.Evidence {
		advertised("evidence_supported", e.Type)
	}
}

// TestVerifiedClaimsReachEveryRequest holds that the claim is asked for wherever the parameter
// claims is: in request objects, pushed, and for the authorization endpoint's ID token.
func TestVerifiedClaimsReachEveryRequest(t *testing.T) {
	t.Parallel()
	w := lab.NewVerified(t).WithEveryResponseType().WithSigners()
	b, asked := w.Alice(), lab.InBoth(lab.Verifying("military", ""))
	b.Allow(lab.AskFor(asked)...)
	t.Run("Pushed", func(t *testing.T) {
		p := b.Open(lab.PushedURL("std", b.Pushed(lab.AskFor(asked, "client_secret", lab.ClientSecret, "redirect_uri", lab.CallbackURI, "response_type", "code")...)))
		if _, userinfo, _ := b.Verified(lab.Response(t, p).Get("code")); userinfo != veteran {
			t.Errorf("%s", userinfo)
		}
	})
	t.Run("RequestObject", func(t *testing.T) {
		key := lab.ClientKeys()["ES256"]
		var claims any
		w.OK(json.Unmarshal([]byte(asked), &claims))
		answer := b.Allow("client_id", "key", "request", key.Sign(t, w.Object("key", "scope", "openid", "claims", claims)))
		p, tokens := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", "authorization_code", "code", answer.Get("code"), "redirect_uri", lab.CallbackURI)
		lab.Granted(t, p, tokens)
		if idToken, userinfo := b.VerifiedBy(tokens); idToken != veteran || userinfo != veteran {
			t.Errorf("%s, %s", idToken, userinfo)
		}
	})
	t.Run("FrontChannel", func(t *testing.T) {
		answer := b.Allow(lab.AskFor(asked, "client_id", "every", "response_type", "id_token", "nonce", "n")...)
		_, idToken := lab.JWT(t, answer.Get("id_token"))
		if raw, _ := json.Marshal(idToken["verified_claims"]); string(raw) != veteran {
			t.Errorf("%s", raw)
		}
	})
	t.Run("NeitherV3NorOAuth", func(t *testing.T) {
		for _, pairs := range [][]string{{"scope", "openid student"}, {"client_id", "std", "scope", "student"}} {
			if p := b.Open(lab.AuthorizeURL(append(pairs, "claims", asked, "prompt", "consent")...)); strings.Contains(p.Text, "method and the day") {
				t.Errorf("%v:\n%s", pairs, p.Text)
			}
		}
	})
}

// TestVerifiedClaimsAreAskedFor holds that the screen says what verified_claims tell, and that a
// decision about the group alone does not allow them.
func TestVerifiedClaimsAreAskedFor(t *testing.T) {
	t.Parallel()
	const sentence = "also receives the method and the day of the verification."
	w := lab.NewVerified(t)
	b, asked := w.Alice(), lab.InBoth(lab.Verifying("military", ""))
	p := b.Open(lab.AuthorizeURL(lab.Ask()...))
	if strings.Contains(p.Text, sentence) {
		t.Errorf("a scope is said to tell more than it does:\n%s", p.Text)
	}
	b.Exchanged(b.Submit(p, "action", "allow"))
	lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(asked, "prompt", "none")...)), "consent_required")
	p = b.Open(lab.AuthorizeURL(lab.AskFor(asked)...))
	if strings.Count(p.Text, sentence) != 1 || strings.Count(p.Text, "chip new") != 1 || !strings.Contains(p.Text, "Veteran") {
		t.Errorf("the screen does not say what is asked for:\n%s", p.Text)
	}
	lab.Response(t, b.Submit(p, "action", "allow"))
	if code := lab.Response(t, b.Get(lab.AuthorizeURL(lab.AskFor(asked, "prompt", "none")...))).Get("code"); code == "" {
		t.Error("the decision was not remembered")
	}
	lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(lab.InBoth(lab.Verifying("student", "")), "prompt", "none")...)), "consent_required")
	for _, page := range []string{"/account/apps", "/account/data"} {
		if text := b.Get(page).Text; !strings.Contains(text, "“Military”: method and day of the verification") {
			t.Errorf("%s does not say what the application sees:\n%s", page, text)
		}
	}
	c, err := w.Store.Consent(t.Context(), "alice", "std")
	if err != nil || !slices.Contains(c.Attributes, "verified_claims/military") || !slices.Contains(c.Groups, "military") {
		t.Errorf("recorded %+v, %v", c, err)
	}
}

// TestVerifiedClaimsEndWithTheStatus holds that the claim is released as a status is: while it
// is verified, by a token that does not outlive it.
func TestVerifiedClaimsEndWithTheStatus(t *testing.T) {
	t.Parallel()
	w := lab.NewVerified(t)
	b, asked := w.Alice(), lab.InBoth(lab.Verifying("military", ""))
	until := w.Now().Add(2 * time.Minute)
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: until}))
	idToken, _, tokens := b.Verified(b.Allow(lab.AskFor(asked)...).Get("code"))
	_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
	if idToken != veteran || claims["exp"] != float64(until.Unix()) {
		t.Errorf("an ID token until %v, want %v: %s", claims["exp"], until.Unix(), idToken)
	}
	w.Advance(2*time.Minute + time.Second)
	_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	if idToken, userinfo := b.VerifiedBy(tokens); idToken+userinfo != "" {
		t.Errorf("of a status that has ended: %s, %s", idToken, userinfo)
	}
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true}))
	w.Advance(2 * time.Second)
	_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	want := strings.Replace(veteran, `"Veteran"`, "", 1)
	if idToken, userinfo := b.VerifiedBy(tokens); idToken != want || userinfo != want {
		t.Errorf("of a status of now: %s, %s, want %s", idToken, userinfo, want)
	}
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Pending: true}))
	w.Advance(2 * time.Second)
	if _, userinfo := b.VerifiedBy(tokens); userinfo != "" {
		t.Errorf("of a status in review: %s", userinfo)
	}
}

// TestVerifiedClaimsRequireWhatTheGroupDoes holds that the claim is no way around what a scope
// or an application requires.
func TestVerifiedClaimsRequireWhatTheGroupDoes(t *testing.T) {
	t.Parallel()
	asked := lab.InBoth(lab.Verifying("student", ""))
	t.Run("Scope", func(t *testing.T) {
		w := lab.NewVerified(t, func(c *provider.Config) {
			c.Scopes = catalogue.DefaultScopes()
			for i := range c.Scopes {
				if c.Scopes[i].Name == "student" {
					c.Scopes[i].Requires = provider.Requirement{Assurance: provider.TwoFactors}
				}
			}
		})
		b := w.Alice()
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(asked, "prompt", "none")...)), "login_required")
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(lab.InBoth(lab.Verifying("military", "")), "prompt", "none")...)), "consent_required")
	})
	t.Run("Application", func(t *testing.T) {
		w := lab.NewVerified(t)
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.RequireVerified = true
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2 * time.Second)
		b := w.Alice()
		if p := b.Open(lab.AuthorizeURL(lab.AskFor(asked)...)); !strings.Contains(p.Text, "only open to verified members") {
			t.Errorf("who is no student goes on:\n%s", p.Text)
		}
		w.Verify("alice", "student", "roster")
		w.Advance(2 * time.Second)
		_, _, tokens := b.Verified(b.Allow(lab.AskFor(asked)...).Get("code"))
		w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student"}))
		w.Advance(2 * time.Second)
		if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); !strings.Contains(p.Text, "invalid_grant") {
			t.Errorf("who is no student any more: %s %s", p.Status, p.Text)
		}
	})
}

// TestVerifiedClaimsOfTheHost holds that the host is asked once, for all groups, and knows what
// for.
func TestVerifiedClaimsOfTheHost(t *testing.T) {
	t.Parallel()
	var questions [][]string
	var claims []string
	w := lab.NewVerified(t, func(c *provider.Config) {
		c.Users.Person = func(ctx context.Context, userID string, _, groups []string) (provider.Person, error) {
			questions = append(questions, groups)
			asked, _ := provider.RequestOf(ctx)
			claims = asked.Claims
			return provider.Person{Statuses: []provider.Status{
				{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}, {Group: "student", Verified: true, Method: "roster"},
			}}, nil
		}
	})
	b := w.Alice()
	asked := lab.InBoth(lab.Verifying("student", `,"evidence":[{"type":{"value":"electronic_record"}}],"time":null,"verification_process":null`))
	idToken, _, tokens := b.Verified(b.Allow(lab.AskFor(asked, "scope", "openid military")...).Get("code"))
	if want := `{"claims":{"group_student":[]},"verification":{"evidence":[{"type":"electronic_record"}],"trust_framework":"` + lab.StudentRules + `"}}`; idToken != want {
		t.Errorf("%s, want %s", idToken, want)
	}
	questions = nil
	b.Userinfo(tokens)
	if diff := cmp.Diff([][]string{{"military", "student"}}, questions); diff != "" {
		t.Errorf("the host was asked (-want +got):\n%s", diff)
	}
	if !slices.Equal(claims, []string{"verified_claims/student"}) {
		t.Errorf("the host knows of %q", claims)
	}
}

// TestMalformedVerifiedClaims holds what is refused, with the rule that it breaks.
func TestMalformedVerifiedClaims(t *testing.T) {
	t.Parallel()
	w := lab.NewVerified(t)
	b := w.Alice()
	deep := strings.Repeat(`{"x":`, 20) + "null" + strings.Repeat("}", 20)
	for _, claims := range []string{
		lab.InBoth(`7`), lab.InBoth(`{}`), lab.InBoth(`[null]`), lab.InBoth(`{"verification":{},"claims":{"group_military":null}}`),
		lab.InBoth(`{"verification":{"trust_framework":"eidas"},"claims":{"group_military":null}}`), lab.InBoth(lab.Verifying("military", `,"time":{"max_age":"1"}`)),
		lab.InBoth(lab.Verifying("military", `,"evidence":[{"type":{"values":["document"]}}]`)), lab.InBoth(lab.Verifying("military", `,"x":`+deep)),
		lab.InBoth(lab.Verifying("military", `,"time":null,"time":{"max_age":1}`)), lab.InBoth(lab.Verifying("military", `,"x":{"value":"`+strings.Repeat("x", 4<<10)+`"}`)),
		`{"id_token":{"verified_claims":` + lab.Verifying("military", "") + `},"userinfo":[]}`,
	} {
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(claims)...)), "invalid_request")
	}
	values := lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(lab.InBoth(`{"verification":{},"claims":{}}`))...)), "invalid_request")
	if !strings.Contains(values.Get("error_description"), "a verification has a trust_framework") {
		t.Errorf("the developer reads %q", values.Get("error_description"))
	}
	deepest := `,"assurance_process":{"assurance_details":[{"evidence_ref":[{"check_id":null,"evidence_metadata":{"evidence_classification":{"values":["x"]}}}]}]}`
	if _, userinfo, _ := b.Verified(b.Allow(lab.AskFor(lab.InBoth(`[` + lab.Verifying("military", deepest) + `]`))...).Get("code")); userinfo != "" {
		t.Errorf("as deep as the schema goes: %s", userinfo)
	}
}

// TestWithoutVerifiedClaims holds that a host that does not have them announces, asks for and
// answers nothing.
func TestWithoutVerifiedClaims(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	if p := b.Get(lab.DiscoveryPath); strings.Contains(p.Text, "verified_claims") || strings.Contains(p.Text, "trust_framework") {
		t.Errorf("announced: %s", p.Text)
	}
	idToken, userinfo, tokens := b.Verified(b.Allow(lab.AskFor(`{"userinfo":{"verified_claims":{"verification":{"trust_framework":null},"claims":{"group_military":null}},"fname":null}}`)...).Get("code"))
	if idToken+userinfo != "" || b.Userinfo(tokens)["fname"] != "Alice" {
		t.Errorf("answered %s, %s", idToken, userinfo)
	}
	c, err := w.Store.Consent(t.Context(), "alice", "std")
	if err != nil || len(c.Groups) > 0 || len(c.Attributes) != 1 {
		t.Errorf("recorded %+v, %v", c, err)
	}
	if p := b.Get(lab.AuthorizeURL(lab.AskFor(`{"userinfo":{"verified_claims":[]}}`)...)); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a list: %s", p.Status)
	}
}
