package flows

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// The names of the classes.
const (
	sfa = "https://refeds.org/profile/sfa"
	mfa = "https://refeds.org/profile/mfa"
	phr = "phr"
)

// essential demands a class of authentication by the parameter claims.
func essential(class string) string {
	return `{"id_token":{"acr":{"essential":true,"value":"` + class + `"}}}`
}

func TestClassOfAuthentication(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	w := lab.NewHosted(t, func() provider.SignedIn { return signedIn })
	_, document := w.NewBrowser().JSON(w.NewBrowser().Get(lab.DiscoveryPath))
	if diff := cmp.Diff([]any{sfa, mfa}, document["acr_values_supported"]); diff != "" {
		t.Error(diff)
	}
	one, two := []string{"pwd"}, []string{"pwd", "otp"}
	for name, c := range map[string]struct {
		amr  []string
		ask  []string
		want string
	}{
		"Password":                 {one, nil, sfa},
		"NothingSaid":              {nil, nil, sfa},
		"TwoOfOneKind":             {[]string{"pwd", "pin"}, nil, sfa},
		"NoFactors":                {[]string{"pwd", "geo", "rba", "webauthn"}, nil, sfa},
		"TwoKinds":                 {two, nil, mfa},
		"DeviceAndFinger":          {[]string{"hwk", "fpt"}, nil, mfa},
		"SaysSo":                   {[]string{"mfa"}, nil, mfa},
		"WeakerIsPreferred":        {two, []string{"acr_values", sfa + " " + mfa}, sfa},
		"StrongerIsPreferred":      {two, []string{"acr_values", mfa + " " + sfa}, mfa},
		"SecondBest":               {one, []string{"acr_values", mfa + " " + sfa}, sfa},
		"FormerNameOfOne":          {two, []string{"acr_values", "single_factor"}, "single_factor"},
		"FormerNameOfTwo":          {two, []string{"claims", essential("multi_factor")}, "multi_factor"},
		"UnknownOnesAreSkipped":    {two, []string{"acr_values", "urn:test:gold " + sfa}, sfa},
		"NoConditionOfTheWish":     {one, []string{"acr_values", mfa}, sfa},
		"UnknownWish":              {two, []string{"acr_values", "urn:test:gold"}, mfa},
		"EssentialAndReached":      {two, []string{"claims", essential(mfa)}, mfa},
		"EssentialAndSurpassed":    {two, []string{"claims", essential(sfa)}, sfa},
		"EssentialWithoutValue":    {one, []string{"claims", `{"id_token":{"acr":{"essential":true}}}`}, sfa},
		"ClaimComesBeforeTheWish":  {two, []string{"claims", essential(sfa), "acr_values", mfa}, sfa},
		"WishBesideAClaimOfNoWish": {two, []string{"claims", `{"id_token":{"acr":null}}`, "acr_values", sfa}, sfa},
	} {
		t.Run(name, func(t *testing.T) {
			signedIn = provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-time.Hour), AMR: c.amr}
			b := w.NewBrowser()
			_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask(c.ask...)...).Get("code"))...)
			for range 2 { // as issued, and after a refresh
				if _, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token")); idToken["acr"] != c.want {
					t.Errorf("acr %v, want %s", idToken["acr"], c.want)
				}
				_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
			}
		})
	}
}

func TestEssentialClassOfAuthentication(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	w := lab.NewHosted(t, func() provider.SignedIn { return signedIn })
	earlier := func(amr ...string) provider.SignedIn {
		return provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-time.Hour), AMR: amr}
	}
	signedIn = earlier("pwd")
	w.NewBrowser().Allow(lab.Ask()...)
	var told string
	by := func(amr ...string) lab.SignInPage {
		return func(before provider.SignedIn, asked url.Values) provider.SignedIn {
			told = asked.Get("acr_values")
			return provider.SignedIn{UserID: "alice", AuthTime: time.Now(), AMR: amr}
		}
	}
	content := func(before provider.SignedIn, _ url.Values) provider.SignedIn { return before }
	for name, c := range map[string]struct {
		before provider.SignedIn
		page   lab.SignInPage
		ask    []string
		visits int
		tells  bool   // whether the page is told of a class
		want   string // error, or none
	}{
		"HasIt":                 {earlier("pwd", "otp"), content, []string{"claims", essential(mfa)}, 0, false, ""},
		"StepsUp":               {earlier("pwd"), by("pwd", "otp"), []string{"claims", essential(mfa)}, 1, true, ""},
		"SignsInWithIt":         {provider.SignedIn{}, by("mfa"), []string{"claims", essential(mfa)}, 1, true, ""},
		"SignsInWithLess":       {provider.SignedIn{}, by("pwd"), []string{"claims", essential(mfa)}, 1, true, "unmet_authentication_requirements"},
		"StepsUpWithLess":       {earlier("pwd"), by("pwd"), []string{"claims", essential(mfa)}, 1, true, "unmet_authentication_requirements"},
		"PageIsContent":         {earlier("pwd"), content, []string{"claims", essential(mfa)}, 2, false, "unmet_authentication_requirements"},
		"NobodyHasIt":           {earlier("mfa"), content, []string{"claims", essential("urn:test:gold")}, 0, false, "unmet_authentication_requirements"},
		"NobodyHasItNorSignsIn": {provider.SignedIn{}, content, []string{"claims", essential("urn:test:gold")}, 0, false, "unmet_authentication_requirements"},
		"SilentWithLess":        {earlier("pwd"), content, []string{"claims", essential(mfa), "prompt", "none"}, 0, false, "login_required"},
		"SilentWithIt":          {earlier("mfa"), content, []string{"claims", essential(mfa), "prompt", "none"}, 0, false, ""},
		"SilentNobodyHasIt":     {earlier("mfa"), content, []string{"claims", essential("urn:test:gold"), "prompt", "none"}, 0, false, "unmet_authentication_requirements"},
		"WishSignsNobodyOut":    {earlier("pwd"), content, []string{"acr_values", mfa}, 0, false, ""},
		"WishIsTold":            {provider.SignedIn{}, by("pwd"), []string{"acr_values", "urn:test:gold " + mfa}, 1, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			signedIn, told = c.before, ""
			p, visits := lab.Journey(t, w.NewBrowser(), lab.AuthorizeURL(lab.Ask(c.ask...)...), &signedIn, c.page)
			answer := lab.Response(t, p)
			if answer.Get("error") != c.want || answer.Has("code") == (c.want != "") || visits != c.visits {
				t.Errorf("%d visits, %v", visits, answer)
			}
			if want := map[bool]string{true: mfa}[c.tells]; told != want {
				t.Errorf("the page is told %q", told)
			}
		})
	}
}

// An account of ours that has a password and no more is asked for another factor where the
// class is a condition, and for nothing where it is a wish.
func TestClassThatAnAccountCannotReach(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	if p := w.Alice().Get(lab.AuthorizeURL(lab.Ask("claims", essential(mfa))...)); !strings.Contains(p.Header.Get("Location"), "/signin/enrol?") {
		t.Errorf("answered %s, %s", p.Status, p.Header.Get("Location"))
	}
	lab.Told(t, w, w.Alice().Get(lab.AuthorizeURL(lab.Ask("claims", essential(mfa), "prompt", "none")...)), "login_required")
	// At an IP address, such as that of this test, there are no passkeys.
	lab.Told(t, w, w.Alice().Get(lab.AuthorizeURL(lab.Ask("claims", essential(phr))...)), "unmet_authentication_requirements")
	for _, ask := range [][]string{{"claims", essential(sfa)}, {"acr_values", phr + " " + mfa}} {
		_, tokens := w.Alice().Token(lab.Std("code", w.Alice().Allow(lab.Ask(ask...)...).Get("code"))...)
		if _, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token")); idToken["acr"] != sfa {
			t.Errorf("%v: acr %v", ask, idToken["acr"])
		}
	}
}

func TestClassOfAPersona(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm, sandbox.Persona{Name: "strong", Title: "Strong", AMR: []string{"pwd", "otp"}},
		sandbox.Persona{Name: "plain", Title: "Plain"})).WithClients()
	for name, want := range map[string]string{"strong": "", "plain": "unmet_authentication_requirements"} {
		answer := lab.Response(t, w.NewBrowser().Get(lab.Hinted(name, "claims", essential(mfa))))
		if answer.Get("error") != want {
			t.Errorf("%s: %v", name, answer)
		}
	}
}

// A persona signs in at the level that the sandbox gives it, and what is required counts for
// it as for anybody.
func TestLevelsOfPersonas(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(lab.OneRealm,
		sandbox.Persona{Name: "one", Title: "One"},
		sandbox.Persona{Name: "two", Title: "Two", Assurance: provider.TwoFactors},
		sandbox.Persona{Name: "key", Title: "Key", Assurance: provider.PhishingResistant},
		sandbox.Persona{Name: "odd", Title: "Odd", Assurance: provider.PhishingResistant, AMR: []string{"pwd", "sms"}},
	), func(c *provider.Config) {
		c.SignIn.Require = provider.TwoFactors // of accounts; a persona is as it is
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "health", Title: "Health", Requires: provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: time.Hour}})
	}).WithClients()
	for name, want := range map[string]struct{ acr, amr string }{
		"one": {sfa, "pwd"}, "two": {mfa, "pwd otp mfa"}, "key": {phr, "pop user mfa"}, "odd": {phr, "pwd sms"},
	} {
		b := w.NewBrowser()
		_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Get(lab.Hinted(name, "scope", "openid"))).Get("code"))...)
		_, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		var amr []string
		for _, method := range idToken["amr"].([]any) {
			amr = append(amr, method.(string))
		}
		if idToken["acr"] != want.acr || strings.Join(amr, " ") != want.amr {
			t.Errorf("%s: acr %v, amr %v", name, idToken["acr"], amr)
		}
		answer := lab.Response(t, b.Get(lab.Hinted(name, "scope", "openid health")))
		if may := want.acr == phr; may != answer.Has("code") || !may && answer.Get("error") != "unmet_authentication_requirements" {
			t.Errorf("%s: %v", name, answer)
		}
	}
}

// A host says what its sign-in has reached, and what it can reach.
func TestLevelsOfTheHost(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	aal2 := "http://idmanagement.gov/ns/assurance/aal/2"
	w := lab.NewHosted(t, func() provider.SignedIn { return signedIn }, func(c *provider.Config) {
		c.Users.Assurance = provider.PhishingResistant
		c.SignIn.Classes = map[string]provider.Requirement{aal2: {Assurance: provider.TwoFactors, MaxAge: 24 * time.Hour}}
		c.SignIn.Require = provider.TwoFactors // of accounts, which there are none of
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "health", Title: "Health", Requires: provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: time.Hour}})
	})
	_, document := w.NewBrowser().JSON(w.NewBrowser().Get(lab.DiscoveryPath))
	if diff := cmp.Diff([]any{sfa, mfa, aal2, phr}, document["acr_values_supported"]); diff != "" {
		t.Error(diff)
	}
	earlier := func(level provider.Assurance, age time.Duration) provider.SignedIn {
		return provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-age), AMR: []string{"pwd"}, Assurance: level}
	}
	signedIn = earlier(provider.PhishingResistant, time.Minute)
	w.NewBrowser().Allow(lab.Ask("scope", "openid")...)
	raises := func(provider.SignedIn, url.Values) provider.SignedIn {
		return earlier(provider.PhishingResistant, 0)
	}
	content := func(before provider.SignedIn, _ url.Values) provider.SignedIn { return before }
	for name, c := range map[string]struct {
		before provider.SignedIn
		page   lab.SignInPage
		ask    []string
		visits int
		want   string // class, or error
	}{
		"Reached":              {earlier(provider.PhishingResistant, time.Hour), content, []string{"scope", "openid health"}, 0, phr},
		"Raised":               {earlier(provider.OneFactor, time.Hour), raises, []string{"scope", "openid health"}, 1, phr},
		"NotRaised":            {earlier(provider.OneFactor, time.Hour), content, []string{"scope", "openid health"}, 2, "unmet_authentication_requirements"},
		"Wished":               {earlier(provider.OneFactor, time.Hour), raises, []string{"scope", "openid", "acr_values", mfa}, 1, mfa},
		"WishedInVain":         {earlier(provider.OneFactor, time.Hour), content, []string{"scope", "openid", "acr_values", mfa}, 1, sfa},
		"WishedSilently":       {earlier(provider.OneFactor, time.Hour), content, []string{"scope", "openid", "acr_values", mfa, "prompt", "none"}, 0, sfa},
		"WishOfNobody":         {earlier(provider.OneFactor, time.Hour), content, []string{"scope", "openid", "acr_values", "gold"}, 0, sfa},
		"OtherName":            {earlier(provider.TwoFactors, time.Hour), content, []string{"scope", "openid", "acr_values", aal2}, 0, aal2},
		"OtherNameOfAnAge":     {earlier(provider.TwoFactors, 25*time.Hour), content, []string{"scope", "openid", "acr_values", aal2, "prompt", "none"}, 0, mfa},
		"OtherNameTooOld":      {earlier(provider.TwoFactors, 25*time.Hour), raises, []string{"scope", "openid", "claims", essential(aal2)}, 1, aal2},
		"OtherNameTooOldAgain": {earlier(provider.TwoFactors, 25*time.Hour), content, []string{"scope", "openid", "claims", essential(aal2)}, 2, "login_required"},
	} {
		t.Run(name, func(t *testing.T) {
			signedIn = c.before
			b := w.NewBrowser()
			p, visits := lab.Journey(t, b, lab.AuthorizeURL(lab.Ask(c.ask...)...), &signedIn, c.page)
			answer := lab.Response(t, p)
			got := answer.Get("error")
			if answer.Has("code") {
				_, tokens := b.Token(lab.Std("code", answer.Get("code"))...)
				_, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token"))
				got, _ = idToken["acr"].(string)
			}
			if got != c.want || visits != c.visits {
				t.Errorf("%d visits, %q", visits, got)
			}
		})
	}
}
