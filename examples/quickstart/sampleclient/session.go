package sampleclient

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// sessionLife is how long a visitor is remembered, flowLife how long signing
	// in may take.
	sessionLife = time.Hour
	flowLife    = 30 * time.Minute

	// maxSessions and maxFlows bound the memory that visitors can take up.
	maxSessions = 10_000
	maxFlows    = 20
)

// session is what the site knows about one browser: the flows that it has begun, by
// state, and how the last that ended did.
type session struct {
	created time.Time
	flows   map[string]*flow
	outcome *outcome
	problem *ended
}

// ended is a flow that ended without an outcome.
type ended struct {
	flow    *flow
	problem *problem
}

// sessions are kept in memory: a visitor of a sample can sign in again after a
// restart. The zero value is ready for use.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
}

// begin remembers a flow for the browser with this session, which is made when there
// is none, and returns its id.
func (s *sessions) begin(id string, f *flow) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	if found == nil {
		s.makeRoom()
		found, id = &session{created: f.begun, flows: map[string]*flow{}}, rand.Text()
		s.byID[id] = found
	}
	for state, old := range found.flows {
		if f.begun.Sub(old.begun) > flowLife || len(found.flows) >= maxFlows {
			delete(found.flows, state)
		}
	}
	found.flows[f.state] = f
	return id
}

// makeRoom forgets sessions that have ended, and any when there are too many.
func (s *sessions) makeRoom() {
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	for id, old := range s.byID {
		if time.Since(old.created) > sessionLife || len(s.byID) >= maxSessions {
			delete(s.byID, id)
		}
	}
}

// take returns the flow that this browser has begun with this state, once. A
// response that nobody here has asked for finds none: it may be an attempt to sign
// the visitor in as somebody else (RFC 6749 section 10.12).
func (s *sessions) take(id, state string) *flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	if found == nil {
		return nil
	}
	f := found.flows[state]
	delete(found.flows, state)
	if f == nil || time.Since(f.begun) > flowLife {
		return nil
	}
	return f
}

// finish gives the visitor a new session with the outcome of a flow, and returns its
// id: the old one may have been planted by somebody else (session fixation).
func (s *sessions) finish(id string, o *outcome) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom()
	next := &session{created: time.Now(), flows: map[string]*flow{}, outcome: o}
	if old := s.byID[id]; old != nil {
		next.flows = old.flows // other tabs may be signing in
		delete(s.byID, id)
	}
	id = rand.Text()
	s.byID[id] = next
	return id
}

// outcome returns what the visitor is signed in with, or nil.
func (s *sessions) outcome(id string) *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	if found == nil || time.Since(found.created) > sessionLife {
		return nil
	}
	return found.outcome
}

// fail remembers why a flow ended.
func (s *sessions) fail(id string, f *flow, p *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byID[id]; found != nil {
		found.problem = &ended{f, p}
	}
}

// problem returns why the last flow failed, or nil.
func (s *sessions) problem(id string) *ended {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byID[id]; found != nil {
		return found.problem
	}
	return nil
}

// end forgets a session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

// cookie is the cookie that holds the session id.
type cookie struct {
	name   string
	secure bool
}

// newCookie names the cookie. Over http the prefix __Host- is not allowed, and ports
// do not keep cookies apart, hence the port in the name.
func newCookie(base *url.URL) cookie {
	if base.Scheme == "https" {
		return cookie{"__Host-sample", true}
	}
	return cookie{"sample_" + base.Port(), false}
}

func (c cookie) get(r *http.Request) string {
	found, err := r.Cookie(c.name)
	if err != nil {
		return ""
	}
	return found.Value
}

func (c cookie) set(w http.ResponseWriter, id string) {
	age := int(sessionLife.Seconds())
	if id == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: c.name, Value: id, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode,
	})
}
