package factor_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

type provider struct {
	factor.Challenges
	now time.Time
}

func newProvider(t *testing.T, issuer, secret string) *provider {
	t.Helper()
	secrets := testkit.Must(keyring.NewSecrets([]byte(secret)))(t)
	base := testkit.Must(url.Parse("https://login.example.com"))(t)
	p := &provider{now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	cookies := session.NewCookies(base, "https://login.example.com")
	p.Challenges = factor.Challenges{
		Secrets: secrets, Cookies: cookies, Issuer: issuer, Clock: func() time.Time { return p.now },
		Browser: func(_ http.ResponseWriter, r *http.Request) string { return cookies.Get(r, session.Browser) },
	}
	return p
}

const (
	issuer = "https://login.example.com"
	secret = "q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM"
)

// request is one of a browser with a form.
func (p *provider) request(browser, sealed string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.AddCookie(&http.Cookie{Name: p.Cookies.Name(session.Browser), Value: browser})
	r.PostForm = url.Values{ui.FieldChallenge: {sealed}}
	return r
}

func TestOpen(t *testing.T) {
	p := newProvider(t, issuer, secret)
	handle := []byte("handle")
	made, sealed, err := p.New(httptest.NewRecorder(), p.request("one", ""), factor.ToCreate, "ada", handle)
	testkit.OK(t, err)
	if len(made.Bytes) != 32 || made.Digest == (storage.Digest{}) {
		t.Errorf("made %+v", made)
	}
	begin := p.now
	for name, c := range map[string]struct {
		at               time.Duration
		provider         *provider
		browser, account string
		purpose          factor.Purpose
		sealed           string
		good             bool
	}{
		"AtOnce":          {0, p, "one", "ada", factor.ToCreate, sealed, true},
		"JustInTime":      {factor.ChallengeLife - time.Millisecond, p, "one", "ada", factor.ToCreate, sealed, true},
		"TooLate":         {factor.ChallengeLife, p, "one", "ada", factor.ToCreate, sealed, false},
		"OfTomorrow":      {-24 * time.Hour, p, "one", "ada", factor.ToCreate, sealed, false},
		"AnotherBrowser":  {0, p, "two", "ada", factor.ToCreate, sealed, false},
		"NoBrowser":       {0, p, "", "ada", factor.ToCreate, sealed, false},
		"AnotherAccount":  {0, p, "one", "bob", factor.ToCreate, sealed, false},
		"NoAccount":       {0, p, "one", "", factor.ToCreate, sealed, false},
		"ForSignIn":       {0, p, "one", "ada", factor.ToSignIn, sealed, false},
		"ForFactor":       {0, p, "one", "ada", factor.ToProve, sealed, false},
		"ForSignUp":       {0, p, "one", "ada", factor.ToSignUp, sealed, false},
		"AnotherProvider": {0, newProvider(t, issuer+"/sandbox", secret), "one", "ada", factor.ToCreate, sealed, false},
		"AnotherSecret":   {0, newProvider(t, issuer, secret+"2"), "one", "ada", factor.ToCreate, sealed, false},
		"Changed":         {0, p, "one", "ada", factor.ToCreate, strings.Repeat("A", 60) + sealed[60:], false},
		"Cut":             {0, p, "one", "ada", factor.ToCreate, sealed[:40], false},
		"Empty":           {0, p, "one", "ada", factor.ToCreate, "", false},
		"NoBase64":        {0, p, "one", "ada", factor.ToCreate, "%", false},
	} {
		t.Run(name, func(t *testing.T) {
			c.provider.now = begin.Add(c.at)
			got, err := c.provider.Open(c.provider.request(c.browser, c.sealed), c.purpose, c.account)
			if !c.good {
				if !errors.Is(err, factor.ErrChallenge) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			if err != nil || !bytes.Equal(got.Bytes, made.Bytes) || !bytes.Equal(got.Handle, handle) || got.Digest != made.Digest || !got.Until.Equal(made.Until) {
				t.Errorf("%+v, %v, made %+v", got, err, made)
			}
		})
	}
}

// A challenge is remembered as spent for longer than any clock of the provider accepts it.
func TestSpendOutlivesTheChallenge(t *testing.T) {
	p := newProvider(t, issuer, secret)
	made, _, err := p.New(httptest.NewRecorder(), p.request("one", ""), factor.ToSignIn, "", nil)
	testkit.OK(t, err)
	on := made.Spend(storage.Proof{Epoch: 3})
	if on.Epoch != 3 || on.Challenge != made.Digest || on.ChallengeUntil.Before(p.now.Add(factor.ChallengeLife+time.Minute)) {
		t.Errorf("%+v", on)
	}
	other, _, err := p.New(httptest.NewRecorder(), p.request("one", ""), factor.ToSignIn, "", nil)
	if err != nil || other.Digest == made.Digest {
		t.Errorf("two challenges have one digest: %v", err)
	}
}
