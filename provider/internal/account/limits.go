package account

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Actions are the throttled actions, with the host's limits.
type Actions struct{ SignIn, SignUp, SendMail, EnterCode ratelimit.Action }

// caller identifies, to the limits on guesses, the source of an attempt about an e-mail
// address; account is the one with the address, or none.
func (p *Pages) caller(r *http.Request, key string, account storage.Account) ratelimit.Key {
	return ratelimit.Key{Account: key, Device: p.KnownDevice(r, account), At: p.Clock()}
}

// knownAtOnce is how many passwords of one account wait among those of known devices.
// Anybody with an account can make any number of devices known to it, sign in at all of
// them at once, and is never throttled, as each success empties its bucket. The others wait
// among strangers. An attacker then needs a dozen accounts for each processor, all of which
// the audit log names.
const knownAtOnce = 2

// seats counts the passwords of each account among those of known devices.
type seats struct {
	mu    sync.Mutex
	taken map[string]int
}

// share returns the queue in which a caller's password waits, and a function to call when
// it has been checked.
func (s *seats) share(by ratelimit.Key) (share password.Share, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by.Device == "" || s.taken[by.Account] >= knownAtOnce {
		return password.Strangers, func() {}
	}
	if s.taken == nil {
		s.taken = make(map[string]int)
	}
	s.taken[by.Account]++
	return password.Known, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.taken[by.Account]--; s.taken[by.Account] == 0 {
			delete(s.taken, by.Account)
		}
	}
}

// MarkDevice marks the browser as one in which the account has signed in, so that guesses
// elsewhere cannot lock its owner out here. The mark ends with the password that earned it.
func (p *Pages) MarkDevice(w http.ResponseWriter, r *http.Request, account storage.Account) {
	mac := p.Site.Secrets.MAC("device "+p.Site.Issuer, deviceOf(account, p.Site.Browser(w, r))...)
	p.Site.Cookies.Set(w, session.Device, base64.RawURLEncoding.EncodeToString(mac[:]), web.DeviceLife)
}

func deviceOf(account storage.Account, browser string) [][]byte {
	return [][]byte{[]byte(account.ID), binary.BigEndian.AppendUint64(nil, uint64(account.Epoch)), []byte(browser)}
}

// KnownDevice returns the identity of a browser in which the account has signed in before,
// or "".
func (p *Pages) KnownDevice(r *http.Request, account storage.Account) string {
	value := p.Site.Cookies.Get(r, session.Device)
	mac, err := base64.RawURLEncoding.DecodeString(value)
	browser := p.Site.Cookies.Get(r, session.Browser)
	if err != nil || account.ID == "" || !p.Site.Secrets.VerifyMAC("device "+p.Site.Issuer, mac, deviceOf(account, browser)...) {
		return ""
	}
	return value
}

// Throttled is the problem of a user who must wait.
func Throttled(wait time.Duration) ui.Problem {
	return ui.Problem{Code: ui.TooManyAttempts, Count: int(math.Ceil(wait.Minutes()))}
}
