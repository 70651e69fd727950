package faults

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestLostAnswer loses one answer at a time, of every step that a user takes: that
// of the database to a COMMIT which it has carried out, and that of the provider to
// a request. Whoever tries again gets what was asked for, or is told plainly to
// begin anew, and nothing is there twice.
func TestLostAnswer(t *testing.T) {
	skipShort(t)
	t.Run("OfTheDatabase", func(t *testing.T) {
		t.Parallel()
		s := setup{Database: pgtest.Shared(t).Schema(t), Grace: time.Hour}
		populate(t, s, len(steps))
		proxy := pgtest.NewProxy(t, s.Database)
		behind := s
		behind.Database = proxy.URL
		p := behind.run(t)
		loseEach(t, s, func() string { return p.url }, proxy.CutAfterCommit, proxy.HasCut)
	})
	t.Run("OfTheProvider", func(t *testing.T) {
		t.Parallel()
		s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: time.Hour}
		populate(t, s, len(steps))
		c := startCutter(t, s.run(t).url)
		loseEach(t, s, func() string { return c.URL }, c.cutAfter, c.hasCut)
		checkIntegrity(t, s.Database)
	})
}

// steps are what a user does who is signed in, has consented and has tokens.
var steps = []struct {
	name string
	take func(*user) error
	// again demands what must be possible after an answer was lost.
	again func(*user) error
}{
	{"sign-in", (*user).signIn, (*user).signIn},
	{"sign-out", (*user).signOut, (*user).begin},
	{"change of password", (*user).changePassword, (*user).begin},
	{"authorization", (*user).authorize, (*user).authorize},
	{"refresh", (*user).refresh, (*user).refreshAndRevoke},
	{"revocation", (*user).revoke, (*user).authorize},
	{"first consent", (*user).consentAnew, (*user).authorize},
	{"removal of a consent", (*user).removeConsent, (*user).authorize},
}

// consentAnew authorizes as one who has never consented, if that is so.
func (u *user) consentAnew() error {
	if u.consented == yes {
		if err := u.removeConsent(); err != nil {
			return err
		}
	}
	return u.authorize()
}

// refreshAndRevoke tries a refresh again. Both tries are of one family: what ends one
// ends the other.
func (u *user) refreshAndRevoke() error {
	first := u.theTokens()
	if err := u.refresh(); err != nil {
		return err
	}
	if err := u.revoke(); err != nil {
		return err
	}
	u.over = append(u.over, first...)
	return nil
}

// loseEach takes every step until each of its answers has been lost once.
func loseEach(t *testing.T, s setup, url func() string, lose func(n int), lost func() bool) {
	t.Helper()
	users, times := newUsers(s, len(steps), url), 0
	for i, step := range steps {
		u := users[i]
		for n := 1; ; n++ {
			if err := u.begin(); err != nil {
				t.Fatalf("before %s: %v", step.name, err)
			}
			lose(n)
			err := step.take(u)
			if isLost := lost(); !isLost || err != nil && !errors.Is(err, errCut) && !errors.Is(err, errUnavailable) {
				lose(0)
				if err != nil {
					t.Errorf("%s without answer %d: %v", step.name, n, err)
				}
				if n == 1 {
					t.Errorf("%s: nothing was lost", step.name)
				}
				break
			}
			times++
			if err := errors.Join(u.begin(), step.again(u), u.check()); err != nil {
				t.Errorf("%s, after answer %d was lost: %v", step.name, n, err)
			}
		}
	}
	for n := 1; loseSignUp(t, users[0], n, lose, lost); n++ {
		times++
	}
	t.Logf("%d answers lost", times)
}

// loseSignUp loses the n-th answer of a sign-up and reports whether there was one.
// Who hears nothing can sign in, or sign up again.
func loseSignUp(t *testing.T, u *user, n int, lose func(n int), lost func() bool) bool {
	t.Helper()
	l := newLogin()
	lose(n)
	err := u.signUp(l)
	wasLost := lost()
	lose(0)
	if err != nil && !errors.Is(err, errCut) && !errors.Is(err, errUnavailable) {
		t.Errorf("sign-up without answer %d: %v", n, err)
		return false
	}
	done, err := l.works(u.url)
	if err == nil && !done {
		err = u.signUp(l)
	}
	if err := errors.Join(err, u.check()); err != nil {
		t.Errorf("sign-up, after answer %d was lost: %v", n, err)
	}
	return wasLost
}

// cutter stands between browsers and a process and cuts connections when the process
// has answered.
type cutter struct {
	*httptest.Server
	left atomic.Int64
}

func startCutter(t *testing.T, process string) *cutter {
	t.Helper()
	target := testkit.Must(url.Parse(process))(t)
	c := &cutter{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		},
		ModifyResponse: func(*http.Response) error {
			if c.left.Add(-1) == 0 {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	}
	c.Server = httptest.NewUnstartedServer(proxy)
	// On a connection that has been used before, Go's client tries a GET again.
	c.Config.SetKeepAlivesEnabled(false)
	c.Start()
	t.Cleanup(c.Close)
	return c
}

// cutAfter cuts the connection of the n-th request from now; zero does not.
func (c *cutter) cutAfter(n int) { c.left.Store(int64(n)) }

func (c *cutter) hasCut() bool { return c.left.Load() <= 0 }
