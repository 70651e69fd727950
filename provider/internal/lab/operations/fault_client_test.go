package operations

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// leaver is a client that leaves while it is served: it hangs up at one of the
// provider's calls of the store.
type leaver struct {
	w     *lab.Fixture
	store *lab.FaultyStore

	// call is the number of the call that it does not wait for, and when.
	call int
	when moment
	left bool // whether there was such a call

	calls int // that there were
}

type moment int

const (
	beforeCall moment = iota
	duringCall        // it takes effect, and the store cannot say so any more
	afterCall
)

func (m moment) String() string { return [...]string{"Before", "During", "After"}[m] }

// RoundTrip implements http.RoundTripper. What it returns is what the client would
// have seen.
func (l *leaver) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	calls, request := 0, ctx
	defer func() { l.calls = max(l.calls, calls) }()
	l.store.BreakBefore(func(ctx context.Context, _ string) error {
		if calls++; calls == l.call && l.when == beforeCall {
			l.left = true
			cancel()
		}
		request = ctx
		return nil
	})
	l.store.BreakAfter(func(method string) error {
		if calls != l.call || l.when == beforeCall || l.left {
			return nil
		}
		l.left = true
		cancel()
		if l.when == afterCall || method == "UseOneTimeCode" {
			// A code that is gone before anything could be done about it has to
			// be asked for anew.
			return nil
		}
		return request.Err() // nil when the call does not end with the request
	})
	defer l.store.BreakBefore(nil)
	defer l.store.BreakAfter(nil)
	asked := httptest.NewRequestWithContext(ctx, r.Method, r.URL.RequestURI(), r.Body)
	asked.Host, asked.Header = r.URL.Host, r.Header
	answer := httptest.NewRecorder()
	l.w.ServeHTTP(answer, asked)
	result := answer.Result()
	result.Request = r
	return result, nil
}

// A client can leave at any moment of any step. Nothing is half done then, what was
// used up has had its effect or can be had anew, and nobody is alarmed.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w, b := lab.WithAlice(t, lab.Faulty(&store))
	people := 0
	for _, step := range []struct {
		name string
		// prepare returns what the client does before it leaves, and what must
		// work afterwards.
		prepare func(t *testing.T) (step func(*lab.Browser), again func() error)
	}{
		{"redeem a code", func(*testing.T) (func(*lab.Browser), func() error) {
			code := b.Allow(lab.Ask()...).Get("code")
			return func(b *lab.Browser) { b.Token(lab.Std("code", code)...) }, func() error {
				p, body := b.Token(lab.Std("code", code)...)
				if p.StatusCode != http.StatusOK && body["error"] != "invalid_grant" {
					return fmt.Errorf("%s %s", p.Status, p.Text)
				}
				b.StandardTokens()
				return nil
			}
		}},
		{"refresh", func(t *testing.T) (func(*lab.Browser), func() error) {
			token := lab.Member(t, b.StandardTokens(), "refresh_token")
			return func(b *lab.Browser) { b.Refresh(token) }, func() error {
				p, _ := b.Refresh(token)
				return wantStatus(p, http.StatusOK)
			}
		}},
		{"revoke", func(t *testing.T) (func(*lab.Browser), func() error) {
			tokens := b.StandardTokens()
			end := lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", lab.Member(t, tokens, "refresh_token"))
			return func(b *lab.Browser) { b.Post(lab.RevokePath, end) }, func() error {
				if err := wantStatus(b.Post(lab.RevokePath, end), http.StatusOK); err != nil {
					return err
				}
				p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
				return wantStatus(p, http.StatusBadRequest)
			}
		}},
		{"be authorized", func(*testing.T) (func(*lab.Browser), func() error) {
			b.StandardTokens() // the consent is remembered
			return func(b *lab.Browser) { b.Get(lab.AuthorizeURL(lab.Ask()...)) }, func() error {
				b.StandardTokens()
				return nil
			}
		}},
		{"consent", func(t *testing.T) (func(*lab.Browser), func() error) {
			screen := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...))
			return func(b *lab.Browser) { b.SubmitOnce(screen, "action", "allow") }, func() error {
				if got := lab.Response(t, b.Submit(screen, "action", "allow")); got.Get("code") == "" {
					return fmt.Errorf("response %v", got)
				}
				return nil
			}
		}},
		{"remove a consent", func(*testing.T) (func(*lab.Browser), func() error) {
			b.StandardTokens()
			screen := b.Open("/account/apps/remove?client_id=std")
			return func(b *lab.Browser) { b.SubmitOnce(screen) }, func() error {
				b.Submit(screen)
				b.StandardTokens()
				return nil
			}
		}},
		{"sign in", func(*testing.T) (func(*lab.Browser), func() error) {
			guest := w.NewBrowser()
			screen := guest.Open("/signin")
			return func(b *lab.Browser) {
					b.HTTP.Jar = guest.HTTP.Jar
					b.SubmitOnce(screen, "email", "alice@example.com", "password", lab.AlicePass)
				}, func() error {
					w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
					return nil
				}
		}},
		{"sign up", func(t *testing.T) (func(*lab.Browser), func() error) {
			people++
			email := fmt.Sprintf("carol-%d@example.com", people)
			newcomer := w.NewBrowser()
			screen := newcomer.Submit(newcomer.Open("/signup"), "email", email, "new_password", lab.BobPass)
			_, code := w.Mails.Last(t)
			return func(b *lab.Browser) {
					b.HTTP.Jar = newcomer.HTTP.Jar
					b.SubmitOnce(screen, "code", code)
				}, func() error {
					newcomer.SubmitOnce(screen, "code", code)
					return lets(w, email, lab.BobPass)
				}
		}},
		{"reset the password", func(t *testing.T) (func(*lab.Browser), func() error) {
			people++
			email := fmt.Sprintf("dave-%d@example.com", people)
			if _, err := w.Accounts().Save(t.Context(), provider.Account{Email: email, Password: lab.BobPass}); err != nil {
				t.Fatal(err)
			}
			forgetful := w.NewBrowser()
			screen := forgetful.Submit(forgetful.Open("/reset"), "email", email)
			_, code := w.Mails.Last(t)
			const chosen = "violin-glacier-orbit-31"
			return func(b *lab.Browser) {
					b.HTTP.Jar = forgetful.HTTP.Jar
					b.SubmitOnce(screen, "code", code, "new_password", chosen)
				}, func() error {
					forgetful.SubmitOnce(screen, "code", code, "new_password", chosen)
					return lets(w, email, chosen)
				}
		}},
	} {
		for _, when := range []moment{beforeCall, duringCall, afterCall} {
			t.Run(step.name+"/"+when.String(), func(t *testing.T) {
				for call := 1; ; call++ {
					w.Advance(time.Minute)
					act, again := step.prepare(t)
					l := &leaver{w: w, store: store, call: call, when: when}
					leaving := w.NewBrowser()
					leaving.HTTP.Jar, leaving.HTTP.Transport = b.HTTP.Jar, l
					act(leaving)
					if !l.left && l.calls >= call {
						continue // a call that found nothing has no effect to be lost
					}
					if !l.left {
						if call == 1 {
							t.Error("nothing was asked of the store")
						}
						return
					}
					if err := again(); err != nil {
						t.Errorf("after leaving at call %d: %v", call, err)
					}
				}
			})
		}
	}
	if strings.Contains(w.Log.String(), "level=ERROR") {
		t.Errorf("an alarm:\n%s", w.Log.String())
	}
}

// lets returns nil when somebody can sign in.
func lets(w *lab.Fixture, email, password string) error {
	b := w.NewBrowser()
	return wantStatus(b.SubmitOnce(b.Open("/signin"), "email", email, "password", password), http.StatusSeeOther)
}

func wantStatus(p lab.Page, status int) error {
	if p.StatusCode != status {
		return fmt.Errorf("%s %s: %s\n%s", p.Request.Method, p.Request.URL.Path, p.Status, p.Text)
	}
	return nil
}

// A logo is looked up before it is decoded: that the store cannot be read is no fault of the
// picture.
func TestStoreThatFailsIsNoFaultOfALogo(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store))
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "Image" {
			return storage.ErrUnavailable
		}
		return nil
	})
	err := w.Clients().Save(t.Context(), provider.Client{ID: "shop", Dialect: provider.V3, RedirectURIs: []string{"https://rp.test/cb"}, Logo: []byte("no picture")})
	var wrong *provider.FieldError
	if !errors.Is(err, storage.ErrUnavailable) || errors.As(err, &wrong) {
		t.Errorf("got %v, want %v", err, storage.ErrUnavailable)
	}
}
