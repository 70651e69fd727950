package openid_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

const callback = "https://id.example/signin/with/campus/callback"

var (
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ada   = upstreams.Person{Subject: "1815", Email: "ada@uni.example", Verified: true, Name: "Ada Lovelace"}
)

// attempt is a connector before an upstream.
type attempt struct {
	up        *upstreams.OpenID
	connector *openid.Connector
	http      *http.Client
	now       time.Time
}

func newAttempt(t *testing.T, change ...func(*openid.Options)) *attempt {
	t.Helper()
	up := upstreams.NewOpenID(t, func() time.Time { return start })
	up.Be(ada)
	o := openid.Options{Issuer: up.Issuer(), ClientID: up.ClientID, Secret: up.Secret}
	for _, c := range change {
		c(&o)
	}
	return &attempt{up, openid.New(o), newClient(t, 0), start}
}

// newClient is the client that the provider gives.
func newClient(t *testing.T, timeout time.Duration) *http.Client {
	t.Helper()
	o := outbound.ForUpstreams(true)
	if timeout > 0 {
		o.Timeout = timeout
	}
	c := outbound.New(o)
	t.Cleanup(c.Close)
	return c.HTTP()
}

func (a *attempt) start(t *testing.T, r upstream.Request) (address string, keep []byte, err error) {
	t.Helper()
	r.State, r.Callback, r.HTTP, r.Now = "the-state", callback, a.http, a.now
	return a.connector.Start(t.Context(), r)
}

// finish goes the whole way: to the upstream, and back.
func (a *attempt) finish(t *testing.T) (upstream.Identity, error) {
	t.Helper()
	address, keep, err := a.start(t, upstream.Request{})
	if err != nil {
		return upstream.Identity{}, err
	}
	return a.back(t.Context(), a.up.Return(t, address), keep)
}

func (a *attempt) back(ctx context.Context, values url.Values, keep []byte) (upstream.Identity, error) {
	return a.connector.Finish(ctx, upstream.Callback{Values: values, Keep: keep, Address: callback, HTTP: a.http, Now: a.now})
}

func TestConnector(t *testing.T) {
	t.Parallel()
	t.Run("KnowsWhoHasAuthenticated", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		p := ada
		p.Claims = map[string]any{"acr": "phr", "amr": []string{"pop", "user"}, "groups": []string{"student"}}
		a.up.Be(p)
		got := testkit.Must(a.finish(t))(t)
		groups := got.Claims["groups"]
		got.Claims = nil
		want := upstream.Identity{
			Issuer: a.up.Issuer(), Subject: "1815", Email: "ada@uni.example", EmailVerified: true, Name: "Ada Lovelace",
			AuthTime: start, ACR: "phr", AMR: []string{"pop", "user"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]any{"student"}, groups); diff != "" {
			t.Error(diff)
		}
		if n := a.up.Calls("/userinfo"); n != 0 {
			t.Errorf("userinfo was asked %d times for what the ID token has", n)
		}
	})
	t.Run("AsksAsItIsTold", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t, func(o *openid.Options) {
			o.Scopes, o.Parameters = []string{"openid", "student"}, map[string]string{"resource": "https://uni.example"}
		})
		address, _, err := a.start(t, upstream.Request{
			LoginHint: "ada@uni.example", Languages: []string{"de-CH", "en"}, Afresh: true, ACRValues: []string{"phr", "phrh"},
		})
		testkit.OK(t, err)
		asked := testkit.Must(url.Parse(address))(t)
		got := asked.Query()
		for _, secret := range []string{"nonce", "code_challenge"} {
			if len(got.Get(secret)) < 26 {
				t.Errorf("%s is %q", secret, got.Get(secret))
			}
			got.Del(secret)
		}
		want := url.Values{
			"client_id": {a.up.ClientID}, "response_type": {"code"}, "redirect_uri": {callback}, "state": {"the-state"}, "scope": {"openid student"},
			"code_challenge_method": {"S256"}, "login_hint": {"ada@uni.example"}, "ui_locales": {"de-CH en"}, "acr_values": {"phr phrh"},
			"prompt": {"login"}, "max_age": {"0"}, "resource": {"https://uni.example"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("LetsAnAccountBeChosen", func(t *testing.T) {
		t.Parallel()
		for want, r := range map[string]upstream.Request{
			"": {}, "select_account": {SelectAccount: true}, "login": {SelectAccount: true, Afresh: true},
		} {
			if got := newAttempt(t).asked(t, r).Get("prompt"); got != want {
				t.Errorf("%+v: prompt %q, want %q", r, got, want)
			}
		}
	})
	t.Run("AsksUserInfoForWhatIsMissing", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		a.up.Be(upstreams.Person{Subject: "1815", Info: map[string]any{"email": "ada@uni.example", "email_verified": "true", "name": "Ada"}})
		who, err := a.finish(t)
		if err != nil || who.Email != "ada@uni.example" || !who.EmailVerified || who.Name != "Ada" {
			t.Errorf("%+v, %v", who, err)
		}
	})
	t.Run("AuthenticatesInTheBodyWhereItMust", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		a.up.Describe(func(d map[string]any) { d["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} })
		if _, err := a.finish(t); err != nil {
			t.Error(err)
		}
	})
	t.Run("FollowsARotation", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		for range 2 {
			testkit.Must(a.finish(t))(t)
			a.up.Rotate()
		}
		if n := a.up.Calls("/keys"); n != 2 {
			t.Errorf("keys were read %d times", n)
		}
	})
	t.Run("ToleratesAClock", func(t *testing.T) {
		t.Parallel()
		for _, ahead := range []time.Duration{-50 * time.Second, time.Hour + 50*time.Second} {
			a := newAttempt(t)
			a.now = start.Add(ahead)
			if _, err := a.finish(t); err != nil {
				t.Errorf("%s: %v", ahead, err)
			}
		}
	})
	t.Run("AuthenticatesAfreshOrSaysNot", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct{ dated, afresh, accepted bool }{{true, true, true}, {false, false, true}, {false, true, false}} {
			a := newAttempt(t)
			p := ada
			if !test.dated {
				p.Claims = map[string]any{"auth_time": nil}
			}
			a.up.Be(p)
			address, keep, err := a.start(t, upstream.Request{Afresh: test.afresh})
			testkit.OK(t, err)
			who, err := a.back(t.Context(), a.up.Return(t, address), keep)
			if (err == nil) != test.accepted || test.accepted && who.AuthTime.IsZero() == test.dated {
				t.Errorf("%+v: %+v, %v", test, who, err)
			}
		}
	})
	t.Run("CallsNobodyBeforeASignIn", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		if err := a.connector.Check(); err != nil || a.up.Calls("/.well-known/openid-configuration") != 0 {
			t.Errorf("%v, and the upstream was called", err)
		}
	})
}

// TestFaults has an upstream tell every lie: no identity comes of it, the error says whether a
// later attempt may succeed, and repeats nothing that the upstream has said.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range upstreams.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			if fault.Hangs {
				a.http = newClient(t, 200*time.Millisecond)
			}
			fault.Apply(a.up)
			who, err := a.finish(t)
			if !fault.Matches(err) || who.Subject != "" {
				t.Errorf("%v, want an error %v; %+v", err, fault.Is, who)
			}
			if err != nil && (strings.Contains(err.Error(), "script") || strings.Contains(err.Error(), "javascript") || strings.Contains(err.Error(), a.up.Secret)) {
				t.Errorf("the error repeats the upstream: %v", err)
			}
			if n := a.up.Calls("/token"); n > 0 && (fault.Early || fault.Leads) {
				t.Errorf("the token endpoint was called %d times", n)
			}
			if a.up.Calls("/private") > 0 {
				t.Error("a redirect was followed")
			}
			upstreams.None.Apply(a.up)
			a.now = a.now.Add(time.Minute)
			a.http = newClient(t, 0)
			if _, err = a.finish(t); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestOneAttempt tests that a response is good for the attempt that it answers, and once.
func TestOneAttempt(t *testing.T) {
	t.Parallel()
	t.Run("SecondCallback", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		address, keep, err := a.start(t, upstream.Request{})
		testkit.OK(t, err)
		values := a.up.Return(t, address)
		testkit.Must(a.back(t.Context(), values, keep))(t)
		if who, err := a.back(t.Context(), values, keep); err == nil {
			t.Errorf("%+v by a spent code", who)
		}
	})
	t.Run("OfAnotherAttempt", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		address, _, err := a.start(t, upstream.Request{})
		testkit.OK(t, err)
		_, keep, err := a.start(t, upstream.Request{})
		testkit.OK(t, err)
		if who, err := a.back(t.Context(), a.up.Return(t, address), keep); err == nil {
			t.Errorf("%+v by the code of another attempt", who)
		}
	})
	t.Run("WithoutWhatWasKept", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		address, _, err := a.start(t, upstream.Request{})
		testkit.OK(t, err)
		for _, keep := range []string{"", "{}", `{"nonce":"a"}`, `{"verifier":"a"}`, "null", "nonsense"} {
			if who, err := a.back(t.Context(), a.up.Return(t, address), []byte(keep)); err == nil {
				t.Errorf("%q: %+v", keep, who)
			}
		}
		if n := a.up.Calls("/token"); n != 0 {
			t.Errorf("the token endpoint was called %d times", n)
		}
	})
	t.Run("MixUp", func(t *testing.T) {
		t.Parallel()
		honest, evil := newAttempt(t), newAttempt(t)
		address, keep, err := honest.start(t, upstream.Request{})
		testkit.OK(t, err)
		// The person was led to the honest upstream by the evil one, whose attempt this is.
		_, evilKeep, err := evil.start(t, upstream.Request{})
		testkit.OK(t, err)
		values := honest.up.Return(t, address)
		if _, err := evil.back(t.Context(), values, evilKeep); err == nil {
			t.Error("a response of another upstream is taken")
		}
		if n := evil.up.Calls("/token"); n != 0 {
			t.Errorf("the code was sent to the evil token endpoint %d times", n)
		}
		if _, err := honest.back(t.Context(), values, keep); err != nil {
			t.Errorf("the code is spent: %v", err)
		}
	})
}

// TestAddress tests that an address and whether it is verified are of one document.
func TestAddress(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for name, test := range map[string]struct {
		token, info m
		email       string
		verified    bool
	}{
		"VerifiedInTheIDTokenOnly":  {m{"email_verified": true}, m{"email": "victim@corp.example"}, "victim@corp.example", false},
		"VerifiedInUserInfoOnly":    {m{"email": "victim@corp.example"}, m{"email_verified": true}, "victim@corp.example", false},
		"AnotherAddressInUserInfo":  {m{"email": "a@corp.example", "email_verified": true}, m{"email": "victim@corp.example", "email_verified": true}, "a@corp.example", true},
		"UnverifiedInTheIDToken":    {m{"email": "victim@corp.example", "email_verified": false}, m{"email": "victim@corp.example", "email_verified": true}, "victim@corp.example", false},
		"VerifiedAsText":            {m{"email": "a@corp.example", "email_verified": "true"}, nil, "a@corp.example", true},
		"UnverifiedAsText":          {m{"email": "a@corp.example", "email_verified": "false"}, nil, "a@corp.example", false},
		"VerifiedAsAnotherText":     {m{"email": "a@corp.example", "email_verified": "yes"}, nil, "a@corp.example", false},
		"VerifiedAsList":            {m{"email": "a@corp.example", "email_verified": []bool{true}}, nil, "a@corp.example", false},
		"NotSaid":                   {m{"email": "a@corp.example"}, nil, "a@corp.example", false},
		"NoAddress":                 {m{"email": "ada", "email_verified": true}, nil, "", false},
		"AddressAsList":             {m{"email": []string{"a@corp.example"}, "email_verified": true}, nil, "", false},
		"TwoLines":                  {m{"email": "a@corp.example\nBcc: b@corp.example", "email_verified": true}, nil, "", false},
		"VerifiedByAnotherSpelling": {m{"email": "a@corp.example", "Email_Verified": true}, nil, "a@corp.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t, func(o *openid.Options) { o.UserInfo = true })
			a.up.Be(upstreams.Person{Subject: "1", Claims: test.token, Info: test.info})
			who, err := a.finish(t)
			if err != nil || who.Email != test.email || who.EmailVerified != test.verified {
				t.Errorf("%q %v, %v", who.Email, who.EmailVerified, err)
			}
			if claimed, _ := who.Claims["email_verified"].(bool); claimed && !test.verified {
				t.Error("the claims say that it is verified")
			}
		})
	}
}

// TestDiscovery tests how often the configuration is read.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/openid-configuration"
	failing := upstreams.Faults()[len(upstreams.Faults())-1]
	for _, f := range upstreams.Faults() {
		if f.Name == "ConfigurationFails" {
			failing = f
		}
	}
	t.Run("OnceADay", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		for _, want := range []int{1, 1, 2} {
			if _, _, err := a.start(t, upstream.Request{}); err != nil || a.up.Calls(path) != want {
				t.Errorf("%d reads, want %d; %v", a.up.Calls(path), want, err)
			}
			a.now = a.now.Add(13 * time.Hour)
		}
	})
	t.Run("OnceForAllWhoAskTogether", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, _, err := a.connector.Start(t.Context(), upstream.Request{HTTP: a.http, Now: a.now}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := a.up.Calls(path); n != 1 {
			t.Errorf("%d reads", n)
		}
	})
	t.Run("TheOldOneHoldsWhileTheUpstreamFails", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		if _, _, err := a.start(t, upstream.Request{}); err != nil {
			t.Fatal(err)
		}
		failing.Apply(a.up)
		a.now = a.now.Add(25 * time.Hour)
		for range 3 { // and it is not asked again at once
			if _, _, err := a.start(t, upstream.Request{}); err != nil {
				t.Error(err)
			}
		}
		if n := a.up.Calls(path); n != 2 {
			t.Errorf("%d reads", n)
		}
	})
	t.Run("PausesAfterAFailure", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		failing.Apply(a.up)
		for range 3 {
			if _, _, err := a.start(t, upstream.Request{}); !errors.Is(err, upstream.ErrUnavailable) {
				t.Error(err)
			}
		}
		if n := a.up.Calls(path); n != 1 {
			t.Errorf("%d reads", n)
		}
		upstreams.None.Apply(a.up)
		a.now = a.now.Add(5 * time.Second)
		if _, _, err := a.start(t, upstream.Request{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("AnUpstreamThatIsAway", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		a.up.Close()
		if _, _, err := a.start(t, upstream.Request{}); !errors.Is(err, upstream.ErrUnavailable) {
			t.Error(err)
		}
	})
	t.Run("OneOfTheInternetIsNotCalledWithoutLeave", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		c := outbound.New(outbound.ForUpstreams(false))
		t.Cleanup(c.Close)
		a.http = c.HTTP()
		if _, _, err := a.start(t, upstream.Request{}); !errors.Is(err, upstream.ErrUnavailable) || a.up.Calls(path) != 0 {
			t.Errorf("%v, %d calls", err, a.up.Calls(path))
		}
	})
	t.Run("GivesUpWithTheRequest", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		for _, f := range upstreams.Faults() {
			if f.Name == "ConfigurationDrips" {
				f.Apply(a.up)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := a.connector.Start(ctx, upstream.Request{HTTP: newClient(t, 200*time.Millisecond), Now: start}); !errors.Is(err, upstream.ErrUnavailable) {
			t.Error(err)
		}
	})
}
