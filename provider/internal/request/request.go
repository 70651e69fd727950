// Package request knows what every room needs of the HTTP request that it works for: its
// identifier, the network that it came from, and how long it may take.
package request

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
)

// Timeout bounds the work on one request: a store or host that hangs is answered with
// 503 instead of piling requests up.
const Timeout = 10 * time.Second

// Context is the context of one request, and what is known of it. What takes time is
// worked out when it is asked for: most requests are never logged. It is used once.
type Context struct {
	deadline
	request *http.Request
	trusted []netip.Prefix

	naming sync.Once
	id     string

	locating sync.Once
	addr     netip.Addr

	// flow names the sign-in that the request belongs to; zero for none.
	flow [8]byte

	// attached are what rooms keep with the request, by their keys.
	attached [2]attachment
}

type attachment struct{ key, value any }

type contextKey struct{}

func infoOf(ctx context.Context) *Context {
	i, _ := ctx.Value(contextKey{}).(*Context)
	return i
}

// Value implements context.Context.
func (c *Context) Value(key any) any {
	if key == (contextKey{}) {
		return c
	}
	return c.deadline.Value(key)
}

// Begin makes c the context of a request, with its identifier and its caller, which ends
// after Timeout. trusted are the proxies whose X-Forwarded-For is believed. Call End when
// the request is over.
func (c *Context) Begin(w http.ResponseWriter, r *http.Request, trusted []netip.Prefix) {
	c.deadline.parent, c.deadline.at = r.Context(), time.Now().Add(Timeout)
	c.request, c.trusted = r, trusted
	if r.Body != nil && r.Body != http.NoBody {
		// A body that drips would outlast the request. Where the deadline cannot be
		// set the host's server has to bound it.
		_ = http.NewResponseController(w).SetReadDeadline(c.deadline.at)
	}
}

// Lengthen gives a request that has just begun another time limit, for a body that takes
// long to send. The limits of the host's server give way to it.
func (c *Context) Lengthen(w http.ResponseWriter, limit time.Duration) {
	c.deadline.at = time.Now().Add(limit)
	response := http.NewResponseController(w)
	_ = response.SetReadDeadline(c.deadline.at)
	_ = response.SetWriteDeadline(c.deadline.at.Add(Timeout))
}

// Attach keeps something with the request of ctx, before it is served. There is room for
// one value of the room that serves and one of the room that calls the host.
func Attach(ctx context.Context, key, value any) context.Context {
	if i := infoOf(ctx); i != nil {
		for n := range i.attached {
			if i.attached[n].key == nil || i.attached[n].key == key {
				i.attached[n] = attachment{key, value}
				return ctx
			}
		}
	}
	return context.WithValue(ctx, key, value)
}

// Attached returns what was attached under a key, or nil.
func Attached(ctx context.Context, key any) any {
	if i := infoOf(ctx); i != nil {
		for _, a := range i.attached {
			if a.key == key {
				return a.value
			}
		}
	}
	return ctx.Value(key)
}

// ID names the request of ctx on error pages and in the log; "" outside of requests.
func ID(ctx context.Context) string {
	i := infoOf(ctx)
	if i == nil {
		return ""
	}
	i.naming.Do(func() { i.id = newID() })
	return i.id
}

// Addr returns the address that the request of ctx came from; an invalid one outside of
// requests.
func Addr(ctx context.Context) netip.Addr {
	i := infoOf(ctx)
	if i == nil {
		return netip.Addr{}
	}
	i.locating.Do(func() { i.addr = ratelimit.ClientAddr(i.request, i.trusted) })
	return i.addr
}

// Network returns the network that the request of ctx came from, or "" when there is none.
func Network(ctx context.Context) string {
	if addr := Addr(ctx); addr.IsValid() {
		return ratelimit.Network(addr)
	}
	return ""
}

// InFlow notes that a request belongs to the sign-in with this digest, for the log of its
// application. The digest begins with a time; what names the sign-in is behind that, as
// random as the sign-in's name is, and leads to no secret. Whoever notes it has seen that the
// sign-in is one of the application that the log is for.
func InFlow(ctx context.Context, digest [32]byte) {
	if i := infoOf(ctx); i != nil {
		i.flow = [8]byte(digest[8:])
	}
}

// Flow returns the name of the sign-in that the request of ctx belongs to, or "".
func Flow(ctx context.Context) string {
	i := infoOf(ctx)
	if i == nil || i.flow == [8]byte{} {
		return ""
	}
	return hex.EncodeToString(i.flow[:])
}

type trialKey struct{}

// Trial marks what the dashboard sends in the name of an application: its own servers have not
// used its secret then.
func Trial(ctx context.Context) context.Context { return context.WithValue(ctx, trialKey{}, true) }

// IsTrial reports whether a request is one of Trial.
func IsTrial(ctx context.Context) bool { return ctx.Value(trialKey{}) != nil }

// Outlasting returns a context for what must be carried out even when the caller leaves
// now. It takes no longer than a request may.
func Outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), Timeout)
}
