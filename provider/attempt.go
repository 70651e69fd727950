package provider

import (
	"context"
	"encoding/base64"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/ui"
)

// caller tells the limits on guessing who tries something that concerns an account.
func (p *Provider) caller(r *http.Request, account string) throttle.Caller {
	return throttle.Caller{Account: account, Device: p.knownDevice(r, account), Address: p.clientAddr(r)}
}

func (p *Provider) clientAddr(r *http.Request) netip.Addr {
	return throttle.ClientAddr(r, p.cfg.TrustedProxies)
}

// attempt counts an attempt and returns how long to wait when it is one too many,
// which is recorded.
func (p *Provider) attempt(ctx context.Context, action throttle.Action, by throttle.Caller) (time.Duration, error) {
	wait, err := p.limits.Allow(ctx, action, by)
	if err != nil || wait == 0 {
		return 0, err
	}
	// Once in a while only: who floods the provider must not flood the trail, too.
	_, err = p.refusals.Get(refused{action.String(), throttle.Network(by.Address)}, func() (struct{}, error) {
		p.record(ctx, Event{Name: EventThrottled, Detail: action.String()})
		return struct{}{}, nil
	})
	return wait, err
}

// refused is whom the audit trail has been told of as trying something too often.
type refused struct{ action, network string }

const (
	// refusalsEvery is how often it is told again.
	refusalsEvery = time.Minute

	// maxRefusals bounds how many are remembered.
	maxRefusals = 4096
)

// deviceLife is how long a browser counts as one that an account has signed in from.
const deviceLife = 365 * 24 * time.Hour

// markDevice notes in the browser that the account has signed in from it, so that
// somebody who guesses at the account elsewhere cannot lock its owner out here.
func (p *Provider) markDevice(w http.ResponseWriter, r *http.Request, emailKey string) {
	mac := p.secrets.MAC("device "+p.issuer, []byte(emailKey), []byte(p.browser(w, r)))
	p.cookies.Set(w, session.Device, base64.RawURLEncoding.EncodeToString(mac[:]), deviceLife)
}

// knownDevice returns what identifies a browser that the account has signed in from
// before, or "".
func (p *Provider) knownDevice(r *http.Request, emailKey string) string {
	value := p.cookies.Get(r, session.Device)
	mac, err := base64.RawURLEncoding.DecodeString(value)
	browser := p.cookies.Get(r, session.Browser)
	if err != nil || !p.secrets.VerifyMAC("device "+p.issuer, mac, []byte(emailKey), []byte(browser)) {
		return ""
	}
	return value
}

// tooMany says how long to wait and returns the status of such an answer (RFC 6585
// section 4).
func tooMany(w http.ResponseWriter, wait time.Duration) int {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return http.StatusTooManyRequests
}

func throttled(wait time.Duration) ui.Problem {
	return ui.Problem{Code: ui.TooManyAttempts, Count: int(math.Ceil(wait.Minutes()))}
}
