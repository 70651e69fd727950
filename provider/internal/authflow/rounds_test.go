package authflow

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// ask is an authorization request, and who is signed in at the host when it comes.
type ask struct {
	prompt, op, hint string
	maxAge           time.Duration
	own              bool
	user             string
}

func (a ask) String() string {
	return fmt.Sprintf("prompt=%q op=%q max_age=%v hint=%q own=%v user=%q", a.prompt, a.op, a.maxAge, a.hint, a.own, a.user)
}

// everyAsk returns all combinations of what an application can ask for.
func everyAsk() []ask {
	prompts := []string{authorization.PromptNone}
	values := []string{authorization.PromptLogin, authorization.PromptConsent, authorization.PromptSelectAccount, authorization.PromptCreate}
	for set := range 1 << len(values) {
		var chosen []string
		for i, value := range values {
			if set&(1<<i) != 0 {
				chosen = append(chosen, value)
			}
		}
		prompts = append(prompts, strings.Join(chosen, " "))
	}
	var all []ask
	for _, prompt := range prompts {
		for _, op := range []string{"", authorization.OpSignIn, authorization.OpSignUp} {
			for _, maxAge := range []time.Duration{-1, 0, time.Second, time.Hour} {
				for _, hint := range []string{"", "alice", "bob"} {
					for _, own := range []bool{false, true} {
						for _, user := range []string{"", "alice"} {
							all = append(all, ask{prompt, op, hint, maxAge, own, user})
						}
					}
				}
			}
		}
	}
	return all
}

// hostSession is who is signed in at a host, by its clock.
type hostSession struct {
	user string
	at   time.Time
}

// hostKind is what the sign-in page of a host does, told what the provider asks for.
type hostKind struct {
	name  string
	clock time.Duration
	visit func(s hostSession, again bool, now time.Time) hostSession

	// proper is a host that asks for the password whenever it is told to.
	proper bool
}

func hostKinds() []hostKind {
	asks := func(s hostSession, again bool, now time.Time) hostSession {
		if s.user == "" || again {
			return hostSession{"alice", now}
		}
		return s
	}
	return []hostKind{
		{"Proper", 0, asks, true},
		{"ProperAndSlow", -10 * time.Second, asks, true},
		{"ProperAndFast", 10 * time.Second, asks, true},
		{"ContentWithItsSession", 0, func(s hostSession, _ bool, _ time.Time) hostSession { return s }, false},
		{"ContentAndSlow", -10 * time.Second, func(s hostSession, _ bool, _ time.Time) hostSession { return s }, false},
		{"ContentAndFast", 10 * time.Second, func(s hostSession, _ bool, _ time.Time) hostSession { return s }, false},
		{"IgnoresPromptLogin", 0, func(s hostSession, _ bool, now time.Time) hostSession { return asks(s, false, now) }, false},
		{"SignsSomebodyElseIn", 0, func(_ hostSession, _ bool, now time.Time) hostSession { return hostSession{"mallory", now} }, false},
		{"SignsSomebodyElseInSlowly", -10 * time.Second, func(_ hostSession, _ bool, now time.Time) hostSession { return hostSession{"mallory", now} }, false},
		{"ChangesToAnOldSession", 0, func(_ hostSession, _ bool, now time.Time) hostSession {
			return hostSession{"mallory", old(now)}
		}, false},
		{"ChangesToAndFro", 10 * time.Second, func(s hostSession, _ bool, now time.Time) hostSession {
			if s.user == "alice" {
				return hostSession{"mallory", old(now)}
			}
			return hostSession{"alice", old(now).Add(time.Hour)}
		}, false},
		{"SignsOut", 0, func(hostSession, bool, time.Time) hostSession { return hostSession{} }, false},
		{"KeepsTheTimeOfTheFirstSignIn", 0, func(_ hostSession, _ bool, now time.Time) hostSession {
			return hostSession{"alice", old(now)}
		}, false},
	}
}

// outcome is how a flow ended.
type outcome struct {
	code       string // of the error; empty for an answer
	user       string
	hostVisits int
	proved     bool // the password was asked for since the request came
}

// play lets a flow go its way between provider, host and a user who allows everything
// and goes on with the account that is shown.
func play(t *testing.T, a ask, h hostKind) outcome {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 500_000, time.UTC)
	client := &registry.Client{Client: storage.Client{ID: "app", Name: "App", SkipConsent: a.own}}
	f := &Flow{firstSeen: now, request: &engine.AuthorizeRequest{Request: authorization.Request{
		Client: client, RedirectURI: "https://rp.test/cb", Scopes: []string{"openid"}, Prompt: strings.Fields(a.prompt),
		Op: a.op, MaxAge: a.maxAge, Form: url.Values{},
	}}}
	session := hostSession{}
	if a.user != "" {
		session = hostSession{a.user, now.Add(h.clock - 5*time.Second)}
	}
	user := func() *User {
		if session.user == "" {
			return nil
		}
		return &User{User: host.User{UserID: session.user, AuthTime: session.at}}
	}
	if u := user(); u != nil {
		f.seen = []User{*u}
	}
	consents := map[string]*storage.Consent{}
	end := outcome{}
	for range 8 {
		s := authState{
			request: f.request, user: user(), hintSubject: a.hint, chosen: f.chosen, allowed: f.allowed, hostVisits: f.hostVisits, now: now,
			requested: terms{Scopes: f.request.Scopes, ClientName: "App", RedirectHost: "rp.test"},
		}
		if s.user != nil {
			s.candidates, s.consent = s.user.candidates(f.isFresh(s.user, now)), consents[s.user.UserID]
		}
		d := nextStep(s)
		now = now.Add(100 * time.Millisecond)
		switch d.step {
		case stepIssue:
			end.user, end.hostVisits = s.user.UserID, f.hostVisits
			return end
		case stepRefuse:
			end.code, end.hostVisits = d.code, f.hostVisits
			return end
		case stepSelectAccount:
			f.chosen = s.user.UserID
		case stepConsent:
			c := s.requested.beside(s.consent)
			c.DecidedAt = now
			consents[s.user.UserID], f.allowed = &c, s.user.UserID
		default:
			f.sendToHost(s.user)
			before := session
			session = h.visit(session, s.user != nil, now.Add(h.clock))
			if session.at == now.Add(h.clock) && session != before {
				end.proved = true
			}
		}
	}
	t.Fatalf("%s: %s: goes on and on", h.name, a)
	return end
}

// Whatever an application asks for and however a host answers, a request ends after two
// hostVisits to the host, and nothing that was asked for is left out.
func TestNoRequestSendsABrowserRound(t *testing.T) {
	for _, h := range hostKinds() {
		t.Run(h.name, func(t *testing.T) {
			for _, a := range everyAsk() {
				end := play(t, a, h)
				silent := a.prompt == authorization.PromptNone
				if end.hostVisits > maxVisits || silent && end.hostVisits > 0 {
					t.Fatalf("%s: %d hostVisits", a, end.hostVisits)
				}
				reauthenticates := strings.Contains(a.prompt, authorization.PromptLogin) || a.maxAge == 0
				switch {
				case end.code != "" && end.code != protocol.LoginRequired && end.code != protocol.ConsentRequired:
					t.Fatalf("%s: %s", a, end.code)
				case end.code == protocol.ConsentRequired && !silent:
					t.Fatalf("%s: %s without prompt=none", a, end.code)
				case end.code == "" && reauthenticates && !end.proved:
					t.Fatalf("%s: answered by the session alone", a)
				case end.code == "" && a.hint != "" && a.hint != end.user:
					t.Fatalf("%s: answered for %s", a, end.user)
				case h.proper && !silent && a.hint != "bob" && end.code != "":
					t.Fatalf("%s: %s at a host that does all it is asked to", a, end.code)
				}
			}
		})
	}
}

// old is when a session began that is as old at every visit.
func old(now time.Time) time.Time { return now.Truncate(24 * time.Hour) }
