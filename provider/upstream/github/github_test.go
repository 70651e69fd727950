package github_test

import (
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/github"
)

const callback = "https://id.example/signin/with/github/callback"

var octocat = upstreams.GitHubUser{
	ID: 583231, Login: "octocat", Name: "Mona Lisa Octocat", Type: "User",
	Emails: []upstreams.GitHubEmail{
		{Email: "583231+octocat@users.noreply.github.com", Verified: true},
		{Email: "old@example.com", Verified: true},
		{Email: "mona@example.com", Primary: true, Verified: true},
	},
}

type attempt struct {
	hub       *upstreams.GitHub
	connector *github.Connector
	http      *http.Client
}

func newAttempt(t *testing.T) *attempt {
	t.Helper()
	hub := upstreams.NewGitHub(t)
	hub.Be(octocat)
	c := outbound.New(outbound.ForUpstreams(true))
	t.Cleanup(c.Close)
	return &attempt{hub, github.New(github.Options{ClientID: hub.ClientID, Secret: hub.Secret, Enterprise: hub.URL + "/"}), c.HTTP()}
}

// finish goes the whole way. The response can be changed on it.
func (a *attempt) finish(t *testing.T, change ...func(url.Values)) (upstream.Identity, error) {
	t.Helper()
	address, keep, err := a.connector.Start(t.Context(), upstream.Request{State: "the-state", Callback: callback, HTTP: a.http})
	testkit.OK(t, err)
	values := a.hub.Return(t, address)
	if values.Get("state") != "the-state" {
		t.Errorf("the state is %q", values.Get("state"))
	}
	for _, c := range change {
		c(values)
	}
	return a.connector.Finish(t.Context(), upstream.Callback{Values: values, Keep: keep, Address: callback, HTTP: a.http, Now: time.Now()})
}

func TestConnector(t *testing.T) {
	t.Parallel()
	a := newAttempt(t)
	testkit.OK(t, a.connector.Check())
	who := testkit.Must(a.finish(t))(t)
	if who.Issuer != a.hub.URL || who.Subject != "583231" || who.Email != "mona@example.com" || !who.EmailVerified || who.Authoritative || who.Name != "Mona Lisa Octocat" {
		t.Errorf("%+v", who)
	}
	if who.Claims["login"] != "octocat" {
		t.Errorf("%v", who.Claims)
	}
}

// TestAttackAddress has users with addresses that are not theirs, or reach nobody.
func TestAttackAddress(t *testing.T) {
	t.Parallel()
	for name, emails := range map[string][]upstreams.GitHubEmail{
		"Unverified":           {{Email: "victim@corp.example", Primary: true}},
		"NotPrimary":           {{Email: "victim@corp.example", Verified: true}, {Email: "mona@example.com", Primary: true}},
		"NoReply":              {{Email: "583231+octocat@users.noreply.github.com", Primary: true, Verified: true}},
		"NoReplyInCapitals":    {{Email: "octocat@Users.NoReply.GitHub.com", Primary: true, Verified: true}},
		"NoReplyOfAnotherHost": {{Email: "octocat@users.noreply.ghe.example", Primary: true, Verified: true}},
		"TwoLines":             {{Email: "a@corp.example\nb@corp.example", Primary: true, Verified: true}},
		"None":                 {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			u := octocat
			u.Emails = emails
			a.hub.Be(u)
			who, err := a.finish(t)
			if err != nil || who.Email != "" || who.EmailVerified || who.Subject != "583231" {
				t.Errorf("%+v, %v", who, err)
			}
		})
	}
	t.Run("MayNotBeRead", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		a.hub.Instead("/api/v3/user/emails", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "{}", http.StatusForbidden) })
		who, err := a.finish(t)
		if err != nil || who.Email != "" || who.Subject != "583231" {
			t.Errorf("%+v, %v", who, err)
		}
	})
}

// TestAttackUser has the API speak of somebody who cannot be told from others.
func TestAttackUser(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*upstreams.GitHubUser){
		"NoID":           func(u *upstreams.GitHubUser) { u.ID = nil },
		"IDOfZero":       func(u *upstreams.GitHubUser) { u.ID = 0 },
		"NegativeID":     func(u *upstreams.GitHubUser) { u.ID = -1 },
		"IDAsText":       func(u *upstreams.GitHubUser) { u.ID = "583231" },
		"FractionAsID":   func(u *upstreams.GitHubUser) { u.ID = 1.5 },
		"IDBeyondNumber": func(u *upstreams.GitHubUser) { u.ID = 1e18 },
		"Organization":   func(u *upstreams.GitHubUser) { u.Type = "Organization" },
		"Bot":            func(u *upstreams.GitHubUser) { u.Type = "Bot" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			u := octocat
			change(&u)
			a.hub.Be(u)
			if who, err := a.finish(t); err == nil || who.Subject != "" {
				t.Errorf("%+v", who)
			}
		})
	}
}

// TestAttackResponse changes the response of GitHub on its way.
func TestAttackResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(url.Values)
		want   error
		calls  int
	}{
		"NoCode":          {func(v url.Values) { v.Del("code") }, nil, 0},
		"TwoCodes":        {func(v url.Values) { v.Add("code", "another") }, nil, 0},
		"LongCode":        {func(v url.Values) { v.Set("code", strings.Repeat("a", 2000)) }, nil, 0},
		"OfAnotherIssuer": {func(v url.Values) { v.Set("iss", "https://evil.example") }, nil, 0},
		"Denied":          {func(v url.Values) { v.Set("error", "access_denied"); v.Set("error_description", "<script>") }, upstream.ErrDenied, 0},
		"Refused":         {func(v url.Values) { v.Set("error", "<script>") }, nil, 0},
		"OtherCode":       {func(v url.Values) { v.Set("code", "of-somebody-else") }, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			who, err := a.finish(t, test.change)
			if err == nil || who.Subject != "" || test.want != nil && !errors.Is(err, test.want) || test.want == nil && errors.Is(err, upstream.ErrDenied) {
				t.Errorf("%+v, %v", who, err)
			}
			if err != nil && strings.Contains(err.Error(), "script") {
				t.Errorf("the error repeats the response: %v", err)
			}
			if n := a.hub.Calls("/login/oauth/access_token"); n != test.calls {
				t.Errorf("the token endpoint was called %d times", n)
			}
		})
	}
	t.Run("OfGitHubItself", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		if _, err := a.finish(t, func(v url.Values) { v.Set("iss", a.hub.URL+"/login/oauth") }); err != nil {
			t.Error(err)
		}
	})
}

// TestAttackOtherAttempt redeems the code of one attempt in another, which PKCE prevents, and
// one without what was kept of it.
func TestAttackOtherAttempt(t *testing.T) {
	t.Parallel()
	a := newAttempt(t)
	address, _, _ := a.connector.Start(t.Context(), upstream.Request{State: "one", Callback: callback})
	_, keep, _ := a.connector.Start(t.Context(), upstream.Request{State: "another", Callback: callback})
	for _, k := range [][]byte{keep, nil} {
		if who, err := a.connector.Finish(t.Context(), upstream.Callback{Values: a.hub.Return(t, address), Keep: k, Address: callback, HTTP: a.http}); err == nil {
			t.Errorf("%+v", who)
		}
	}
	if n := a.hub.Calls("/login/oauth/access_token"); n != 1 {
		t.Errorf("the token endpoint was called %d times", n)
	}
}

// TestUnavailable tests that an API which fails is told from one that lies.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/login/oauth/access_token", "/api/v3/user", "/api/v3/user/emails"} {
		for name, h := range map[string]http.HandlerFunc{
			"Fails":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			"Limits": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
			"IsHuge": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) },
		} {
			t.Run(path[strings.LastIndexByte(path, '/')+1:]+name, func(t *testing.T) {
				t.Parallel()
				a := newAttempt(t)
				a.hub.Instead(path, h)
				if who, err := a.finish(t); !errors.Is(err, upstream.ErrUnavailable) {
					t.Errorf("%+v, %v", who, err)
				}
			})
		}
	}
	t.Run("LeadsAway", func(t *testing.T) {
		t.Parallel()
		a := newAttempt(t)
		a.hub.Instead("/api/v3/user", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/private", http.StatusTemporaryRedirect)
		})
		if who, err := a.finish(t); err == nil || a.hub.Calls("/private") > 0 {
			t.Errorf("%+v, %d calls", who, a.hub.Calls("/private"))
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]github.Options{
		"ClientID":   {Secret: "s"},
		"Secret":     {ClientID: "c"},
		"Enterprise": {ClientID: "c", Secret: "s", Enterprise: "https://ghe.example/api"},
	} {
		var wrong *field.Error
		if err := github.New(o).Check(); !errors.As(err, &wrong) || wrong.Field != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, site := range []string{"ftp://ghe.example", "http://ghe.example", "https://ghe.example?a", "https://169.254.169.254"} {
		if err := github.New(github.Options{ClientID: "c", Secret: "s", Enterprise: site}).Check(); err == nil {
			t.Errorf("%s is accepted", site)
		}
	}
}

// TestLinkedByWhoImportsIt tests that neither the provider nor GitHub needs an OpenID client.
func TestLinkedByWhoImportsIt(t *testing.T) {
	t.Parallel()
	const ours = "github.com/bonafide-id/bonafide/"
	for _, program := range []string{ours + "provider", ours + "provider/upstream/github", ours + "examples/minimal"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", program).Output()
		if err != nil {
			t.Fatal("go list: ", err)
		}
		for _, path := range []string{"github.com/coreos/go-oidc", "golang.org/x/oauth2", ours + "provider/upstream/openid"} {
			if strings.Contains(string(out), path) {
				t.Errorf("%s links %s", program, path)
			}
		}
	}
}
