package pages

import (
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
)

// endRounds is how often each race is run; one without the conditions of the write is
// lost in nearly every round.
var endRounds = flag.Int("rounds", 3, "how often to run the races of TestNothingOutlivesAnEnd")

// TestNothingOutlivesAnEnd wins races by plain load, over two processes: while somebody
// who knows the old password or has stolen a session goes on as fast as it goes, the
// owner or the host ends all that was issued. Afterwards nothing of it is worth
// anything.
func TestNothingOutlivesAnEnd(t *testing.T) {
	t.Parallel()
	rounds := *endRounds
	if testing.Short() {
		rounds = 1
	}
	onBothDatabases(t, lab.Unlimited, func(t *testing.T, w, elsewhere *lab.Fixture) {
		for name, end := range map[string]func(e *ending){
			"Reset":    (*ending).reset,
			"Change":   (*ending).change,
			"Lock":     (*ending).lock,
			"Deletion": (*ending).delete,
			"Removal":  (*ending).remove,
		} {
			t.Run(name, func(t *testing.T) {
				for round := range rounds {
					newEnding(t, w, elsewhere, fmt.Sprint(strings.ToLower(name), round)).race(end, name != "Removal")
				}
			})
		}
	})
}

// onBothDatabases tests two processes with the same clients, on SQLite and on PostgreSQL.
func onBothDatabases(t *testing.T, change func(*provider.Config), test func(t *testing.T, w, elsewhere *lab.Fixture)) {
	t.Helper()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := lab.New(t, databases.At(t, url), change).WithClients()
		test(t, w, w.Twin(databases.At(t, url), change))
	})
}

// ending is one round of the race.
type ending struct {
	t            *testing.T
	w, elsewhere *lab.Fixture
	id, email    string
	owner, thief *lab.Browser
	over         atomic.Bool
	codes        chan string
	sessions     chan *lab.Browser // that may be signed in
}

const (
	// renewedPassword is what she changes it to.
	renewedPassword = "violin-canyon-marble-88"
)

func newEnding(t *testing.T, w, elsewhere *lab.Fixture, name string) *ending {
	t.Helper()
	e := &ending{t: t, w: w, elsewhere: elsewhere, id: name, email: name + "@example.com", codes: make(chan string, 1<<14), sessions: make(chan *lab.Browser, 1<<14)}
	w.AddAccount(provider.Account{ID: name, Email: e.email, EmailVerified: true, Password: lab.OldPassword})
	e.owner = w.NewBrowser().SignIn(e.email, lab.OldPassword)
	e.owner.Allow(lab.Ask()...)
	e.thief = e.owner.Thief()
	return e
}

// race goes on as owner and thief while everything is ended, and demands that nothing is
// left. wholly says that sessions end as well.
func (e *ending) race(end func(*ending), wholly bool) {
	e.t.Helper()
	const workers = 3
	var began sync.WaitGroup // each has been let in, or has got a code, once
	began.Add(2 * workers)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		began.Wait()
		end(e)
		e.over.Store(true)
	}()
	lab.Race(2*workers, func(i int) struct{} {
		w := e.w
		if i%2 == 1 {
			w = e.elsewhere
		}
		stolen := e.thief.Thief()
		stolen.Fixture = w
		for first := true; !e.over.Load(); first = false {
			if i >= workers { // who knows the password
				b := w.NewBrowser()
				b.Attempt(e.email, lab.OldPassword)
				e.sessions <- b
			} else if code := lab.CodeOf(stolen.Get(lab.AuthorizeURL(lab.Ask()...))); code != "" {
				e.codes <- code
			}
			if first {
				began.Done()
			}
		}
		return struct{}{}
	})
	<-ended
	close(e.codes)
	close(e.sessions)
	alive := 0
	for code := range e.codes {
		if p, _ := e.owner.Token(lab.Std("code", code)...); p.StatusCode == http.StatusOK {
			alive++
		}
	}
	if alive > 0 {
		e.t.Errorf("%s: %d codes can be redeemed", e.id, alive)
	}
	if !wholly {
		return
	}
	signedIn := 0
	for b := range e.sessions {
		if b.IsSignedIn() {
			signedIn++
		}
	}
	if signedIn > 0 {
		e.t.Errorf("%s: %d browsers are still signed in", e.id, signedIn)
	}
}

func (e *ending) reset() {
	b := e.w.NewBrowser()
	screen := b.Submit(b.Open("/reset"), "email", e.email)
	code := e.w.Mails.LastCode(e.t) // others sign in in new browsers
	if p := b.SubmitOnce(screen, "code", code, "new_password", renewedPassword); p.StatusCode != http.StatusSeeOther {
		e.t.Errorf("reset: %s %s", p.Status, p.Text)
	}
}

func (e *ending) change() {
	p := e.owner.SubmitOnce(e.owner.Open("/account/password"), "password", lab.OldPassword, "new_password", renewedPassword)
	if p.StatusCode != http.StatusSeeOther {
		e.t.Errorf("change: %s %s", p.Status, p.Text)
	}
	if !e.owner.IsSignedIn() {
		e.t.Error("the owner is signed out")
	}
}

func (e *ending) lock() {
	e.w.OK(e.w.Accounts().SetDisabled(e.t.Context(), e.id, true))
	e.w.OK(e.w.Accounts().SetDisabled(e.t.Context(), e.id, false))
	// The password is the same: what is let in from now on is let in rightly.
	e.w.OK(e.w.Accounts().SetDisabled(e.t.Context(), e.id, true))
}

func (e *ending) delete() { e.w.OK(e.w.Accounts().Delete(e.t.Context(), e.id)) }

func (e *ending) remove() {
	p := e.owner.SubmitOnce(e.owner.Open("/account/apps/remove?client_id=std"))
	if p.StatusCode != http.StatusSeeOther {
		e.t.Errorf("removal: %s %s", p.Status, p.Text)
	}
}
