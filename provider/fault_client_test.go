package provider_test

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
	"github.com/bonafide-id/bonafide/storage"
)

// leaver is a client that leaves while it is served: it hangs up at one of the
// provider's calls of the store.
type leaver struct {
	w     *fixture
	store *faultyStore

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
	l.store.breakBefore(func(ctx context.Context, _ string) error {
		if calls++; calls == l.call && l.when == beforeCall {
			l.left = true
			cancel()
		}
		request = ctx
		return nil
	})
	l.store.breakAfter(func(method string) error {
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
	defer l.store.breakBefore(nil)
	defer l.store.breakAfter(nil)
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
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	b := w.alice()
	people := 0
	for _, step := range []struct {
		name string
		// prepare returns what the client does before it leaves, and what must
		// work afterwards.
		prepare func(t *testing.T) (step func(*browser), again func() error)
	}{
		{"redeem a code", func(*testing.T) (func(*browser), func() error) {
			code := b.allow(ask()...).Get("code")
			return func(b *browser) { b.token(std("code", code)...) }, func() error {
				p, body := b.token(std("code", code)...)
				if p.StatusCode != http.StatusOK && body["error"] != "invalid_grant" {
					return fmt.Errorf("%s %s", p.Status, p.body)
				}
				b.standardTokens()
				return nil
			}
		}},
		{"refresh", func(t *testing.T) (func(*browser), func() error) {
			token := text(t, b.standardTokens(), "refresh_token")
			return func(b *browser) { b.refresh(token) }, func() error {
				p, _ := b.refresh(token)
				return wantStatus(p, http.StatusOK)
			}
		}},
		{"revoke", func(t *testing.T) (func(*browser), func() error) {
			tokens := b.standardTokens()
			end := form("client_id", "std", "client_secret", clientSecret, "token", text(t, tokens, "refresh_token"))
			return func(b *browser) { b.post(revokePath, end) }, func() error {
				if err := wantStatus(b.post(revokePath, end), http.StatusOK); err != nil {
					return err
				}
				p, _ := b.refresh(text(t, tokens, "refresh_token"))
				return wantStatus(p, http.StatusBadRequest)
			}
		}},
		{"be authorized", func(*testing.T) (func(*browser), func() error) {
			b.standardTokens() // the consent is remembered
			return func(b *browser) { b.get(authorizeURL(ask()...)) }, func() error {
				b.standardTokens()
				return nil
			}
		}},
		{"consent", func(t *testing.T) (func(*browser), func() error) {
			screen := b.open(authorizeURL(ask("prompt", "consent")...))
			return func(b *browser) { b.submitOnce(screen, "action", "allow") }, func() error {
				if got := response(t, b.submit(screen, "action", "allow")); got.Get("code") == "" {
					return fmt.Errorf("response %v", got)
				}
				return nil
			}
		}},
		{"remove a consent", func(*testing.T) (func(*browser), func() error) {
			b.standardTokens()
			screen := b.open("/account/apps/remove?client_id=std")
			return func(b *browser) { b.submitOnce(screen) }, func() error {
				b.submit(screen)
				b.standardTokens()
				return nil
			}
		}},
		{"sign in", func(*testing.T) (func(*browser), func() error) {
			guest := w.newBrowser()
			screen := guest.open("/signin")
			return func(b *browser) {
					b.http.Jar = guest.http.Jar
					b.submitOnce(screen, "email", "alice@example.com", "password", alicePass)
				}, func() error {
					w.newBrowser().signIn("alice@example.com", alicePass)
					return nil
				}
		}},
		{"sign up", func(t *testing.T) (func(*browser), func() error) {
			people++
			email := fmt.Sprintf("carol-%d@example.com", people)
			newcomer := w.newBrowser()
			screen := newcomer.submit(newcomer.open("/signup"), "email", email, "new_password", bobPass)
			_, code := w.mails.last(t)
			return func(b *browser) {
					b.http.Jar = newcomer.http.Jar
					b.submitOnce(screen, "code", code)
				}, func() error {
					newcomer.submitOnce(screen, "code", code)
					return w.lets(email, bobPass)
				}
		}},
		{"reset the password", func(t *testing.T) (func(*browser), func() error) {
			people++
			email := fmt.Sprintf("dave-%d@example.com", people)
			if _, err := w.SaveAccount(t.Context(), provider.Account{Email: email, Password: bobPass}); err != nil {
				t.Fatal(err)
			}
			forgetful := w.newBrowser()
			screen := forgetful.submit(forgetful.open("/reset"), "email", email)
			_, code := w.mails.last(t)
			const chosen = "violin-glacier-orbit-31"
			return func(b *browser) {
					b.http.Jar = forgetful.http.Jar
					b.submitOnce(screen, "code", code, "new_password", chosen)
				}, func() error {
					forgetful.submitOnce(screen, "code", code, "new_password", chosen)
					return w.lets(email, chosen)
				}
		}},
	} {
		for _, when := range []moment{beforeCall, duringCall, afterCall} {
			t.Run(step.name+"/"+when.String(), func(t *testing.T) {
				for call := 1; ; call++ {
					w.advance(time.Minute)
					act, again := step.prepare(t)
					l := &leaver{w: w, store: store, call: call, when: when}
					leaving := w.newBrowser()
					leaving.http.Jar, leaving.http.Transport = b.http.Jar, l
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
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("an alarm:\n%s", w.log.String())
	}
}

// lets returns nil when somebody can sign in.
func (w *fixture) lets(email, password string) error {
	b := w.newBrowser()
	return wantStatus(b.submitOnce(b.open("/signin"), "email", email, "password", password), http.StatusSeeOther)
}

func wantStatus(p page, status int) error {
	if p.StatusCode != status {
		return fmt.Errorf("%s %s: %s\n%s", p.Request.Method, p.Request.URL.Path, p.Status, p.body)
	}
	return nil
}

// A logo is looked up before it is decoded: that the store cannot be read is no fault of the
// picture.
func TestStoreThatFailsIsNoFaultOfALogo(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store))
	store.breakBefore(func(_ context.Context, method string) error {
		if method == "Image" {
			return storage.ErrUnavailable
		}
		return nil
	})
	err := w.SaveClient(t.Context(), provider.Client{ID: "shop", RedirectURIs: []string{"https://rp.test/cb"}, Logo: []byte("no picture")})
	var wrong *provider.FieldError
	if !errors.Is(err, storage.ErrUnavailable) || errors.As(err, &wrong) {
		t.Errorf("got %v, want %v", err, storage.ErrUnavailable)
	}
}
