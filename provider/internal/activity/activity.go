// Package activity tells what happened to the requests of applications: to whoever
// watches, outside of the way of an answer, and mistakes to the operator's log, once a
// minute each. An activity never holds a secret, a code or a token.
package activity

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/request"
)

// The names of what is asked for.
const (
	Authorize  = "authorize" // the response of the authorization endpoint, or an error page in its place
	Consent    = "consent"   // a user's approval on the consent screen
	Token      = "token"     // a token request other than a refresh
	Refresh    = "refresh"
	Userinfo   = "userinfo"
	Attributes = "attributes"
	Revoke     = "revoke"
	Introspect = "introspect"
	Push       = "push"
	Device     = "device"
	Wallet     = "wallet" // a request of a wallet with an access token
	SignOut    = "sign_out"

	// BackchannelLogout is an attempt of the provider to tell an application that a session has ended.
	BackchannelLogout = "backchannel_logout"
)

// The outcomes of requests.
const (
	OK     = "ok"     // with a Diagnosis, the application may be unable to read the response
	Denied = "denied" // by the user or the operator
	Failed = "error"
)

// Activity is what happened to one request of an application.
type Activity struct {
	At       time.Time
	ClientID string
	Event    string
	Outcome  string

	// Error is the error code of the response, such as invalid_grant, and Diagnosis names the mistake.
	// Either may be empty.
	Error     string
	Diagnosis diagnosis.Name

	// Details add facts by name, such as the redirect_uri received and those registered. Applications
	// and strangers choose some of them: each is text of at most some 400 bytes, without control
	// characters.
	Details map[string]string

	// RequestID is the request's ID on error pages and in log records.
	RequestID string

	// Flow is a random name of the sign-in that the request belongs to: the same from the authorization
	// request, pushed or not, to the last use of its tokens. Empty for requests outside of one.
	Flow string

	// UserID is the user, if known, and Address the network of the caller, as in an event.
	UserID  string
	Address string

	// Requests is how many there were, where they are only counted; zero for one. Those
	// have no RequestID, Flow, UserID and Address.
	Requests int
}

// Log tells what happened.
type Log struct {
	clock  func() time.Time
	logger *slog.Logger
	seen   *cache.Cache[mistake, struct{}]

	often    often
	watched  atomic.Bool // whether there is anybody to tell
	mu       sync.Mutex
	watchers []*watcher
	closed   bool
}

// mistake is what is logged once a minute.
type mistake struct {
	clientID string
	name     diagnosis.Name
}

const (
	repeatEvery = time.Minute
	maxSeen     = 4096
)

// New returns a log.
func New(clock func() time.Time, logger *slog.Logger) *Log {
	return &Log{clock: clock, logger: logger, seen: cache.New[mistake, struct{}](repeatEvery, maxSeen, clock)}
}

// Party is whose request it was; either may be empty.
type Party struct{ ClientID, UserID string }

// Succeeded tells that a request was answered as it wanted to be. Of what happens often most
// is only counted.
func (l *Log) Succeeded(ctx context.Context, event string, of Party) {
	if l.watched.Load() && !l.counts(of.ClientID, event) {
		l.tell(ctx, Activity{Event: event, Outcome: OK, ClientID: of.ClientID, UserID: of.UserID})
	}
}

// Asked is Succeeded with what the request asked for, which is worked out only when there is
// anybody to tell.
func (l *Log) Asked(ctx context.Context, event string, of Party, asked func() map[string]string) {
	if l.watched.Load() {
		l.tell(ctx, Activity{Event: event, Outcome: OK, ClientID: of.ClientID, UserID: of.UserID, Details: clean(asked())})
	}
}

// Remarked is Succeeded with a diagnosis: the answer may not be what the application can
// read.
func (l *Log) Remarked(ctx context.Context, event string, of Party, name diagnosis.Name, details map[string]string) {
	l.mistaken(ctx, Activity{Event: event, Outcome: OK, ClientID: of.ClientID, UserID: of.UserID,
		Diagnosis: name, Details: clean(details)})
}

// Refused tells that a request was answered with an error.
func (l *Log) Refused(ctx context.Context, event string, of Party, err *protocol.Error) {
	a := Activity{Event: event, Outcome: Failed, ClientID: of.ClientID, UserID: of.UserID,
		Error: err.Code, Diagnosis: diagnose(err), Details: clean(err.Details)}
	if err.Code == protocol.AccessDenied {
		a.Outcome = Denied
	}
	l.mistaken(ctx, a)
}

// mistaken tells what happened to a request in which there may be a mistake.
func (l *Log) mistaken(ctx context.Context, a Activity) {
	if a.Diagnosis.IsMistake() {
		_, _ = l.seen.Get(mistake{a.ClientID, a.Diagnosis}, func() (struct{}, error) {
			l.warn(ctx, a)
			return struct{}{}, nil
		})
	}
	if l.watched.Load() {
		l.tell(ctx, a)
	}
}

// diagnose returns the diagnosis of an error, also of one that is of our own doing.
func diagnose(err *protocol.Error) diagnosis.Name {
	switch {
	case err.Diagnosis != "":
		return err.Diagnosis
	case err.Code == protocol.TemporarilyUnavailable:
		return diagnosis.ProviderUnavailable
	case err.Code == protocol.ServerError:
		return diagnosis.ProviderFailed
	default:
		return ""
	}
}

func (l *Log) warn(ctx context.Context, a Activity) {
	attributes := []slog.Attr{
		slog.String("client", a.ClientID), slog.String("event", a.Event), slog.String("error", a.Error),
		slog.String("diagnosis", string(a.Diagnosis)),
		slog.String("cause", a.Diagnosis.Cause()), slog.String("remedy", a.Diagnosis.Remedy()),
	}
	for _, name := range slices.Sorted(maps.Keys(a.Details)) {
		attributes = append(attributes, slog.String(name, a.Details[name]))
	}
	level := slog.LevelWarn
	if a.ClientID == "" {
		level = slog.LevelInfo // it may be anybody
	}
	l.logger.LogAttrs(ctx, level, "application made a mistake; reported once a minute", attributes...)
}

// tell gives an activity to all who watch.
func (l *Log) tell(ctx context.Context, a Activity) {
	if a.ClientID == "" {
		return // nobody's
	}
	a.At, a.RequestID, a.Flow, a.Address = l.clock(), request.ID(ctx), request.Flow(ctx), request.Network(ctx)
	l.offer(a)
}

func (l *Log) offer(a Activity) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.watchers {
		w.offer(a)
	}
}

// maxDetail bounds a detail in bytes. Strangers choose some of them.
const maxDetail = 400

// clean returns details that are text, and not too long.
func clean(details map[string]string) map[string]string {
	if len(details) == 0 {
		return nil
	}
	cleaned := make(map[string]string, len(details))
	for name, value := range details {
		cleaned[name] = cleanText(value)
	}
	return cleaned
}

func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) > maxDetail {
		s = s[:maxDetail]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return strings.Map(func(r rune) rune {
		// Line breaks, and what turns the direction of text, would let a stranger
		// write lines of a log that are not there.
		if r < ' ' || r == 0x7f || '\u200e' <= r && r <= '\u200f' || '\u2028' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' {
			return '�'
		}
		return r
	}, s)
}
