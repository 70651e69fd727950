package outbound

import "time"

// Limits of the calls of upstream providers: their tokens and key sets are larger than what
// applications answer, and slow upstreams hold up nobody but those who come from them.
const (
	upstreamBody    = 1 << 20
	upstreamCalls   = 16
	upstreamTimeout = 10 * time.Second
)

// ForUpstreams returns options with the limits of a client that calls upstream providers: 16
// calls at a time, each of 10 seconds and 1 MiB.
func ForUpstreams(allowPrivate bool) Options {
	return Options{AllowPrivate: allowPrivate, Timeout: upstreamTimeout, MaxBody: upstreamBody, MaxCalls: upstreamCalls}
}
