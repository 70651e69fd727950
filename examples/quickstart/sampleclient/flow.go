package sampleclient

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

// flow is a sign-in that a visitor has begun. The three secrets tie the provider's
// answer to this browser (state), its ID token to this flow (nonce), and the code to
// this site (verifier, RFC 7636).
type flow struct {
	service  *service
	protocol protocol
	begun    time.Time
	popup    bool

	scope                  string
	level                  level
	extra                  url.Values // other parameters of the authorization request
	state, nonce, verifier string
}

// protocol is a way to sign in and read who came.
type protocol interface {
	// Key stands for the protocol in addresses; Title and About tell people.
	Key() string
	Title() string
	About() string

	// ClientID is for the sign-in button.
	ClientID() string

	// authorizeURL is where the visitor goes to sign in.
	authorizeURL(ctx context.Context, f *flow) (string, error)

	// finish redeems the code and reads everything about the visitor.
	finish(ctx context.Context, f *flow, code string) (*outcome, error)
}

// patience is how long a flow waits for the provider.
const patience = 15 * time.Second

// passedOn are the parameters that the visitor chooses on the start page.
var passedOn = []string{"op", "eid", "prompt"}

// start sends the visitor to the provider.
func (s *Site) start(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	c := s.service(q.Get("service"))
	p := c.protocol(r.PathValue("protocol"))
	if p == nil {
		s.notFound(w, r)
		return
	}
	f := &flow{
		service: c, protocol: p, begun: time.Now(), popup: q.Get("display") == "popup",
		scope: q.Get("scope"), level: levelOf(q.Get("level")), extra: url.Values{},
		state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier(),
	}
	if f.scope == "" {
		f.scope = defaultScope
	}
	if f.popup {
		f.extra.Set("display", "popup")
	}
	for _, name := range passedOn {
		if value := q.Get(name); value != "" {
			f.extra.Set(name, value)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	address, err := p.authorizeURL(ctx, f)
	if err != nil {
		s.problem(w, f, asProblem(err))
		return
	}
	s.cookie.set(w, s.sessions.begin(s.cookie.get(r), f))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// callback receives the provider's answer, and leads on to a page of its own: the
// address of this one holds a code, which reloading would send again.
func (s *Site) callback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	id := s.cookie.get(r)
	f := s.sessions.take(id, q.Get("state"))
	if f == nil {
		s.problem(w, nil, problemUnasked)
		return
	}
	next := "/result"
	if o, err := f.receive(r.Context(), q); err != nil {
		s.sessions.fail(id, f, asProblem(err))
		next = "/problem"
	} else {
		s.cookie.set(w, s.sessions.finish(id, o))
	}
	if f.popup {
		// The script on this page hands over to the page behind the popup.
		s.render(w, http.StatusOK, "handover.html", handoverPage{s.page("Done", f.service), next})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// receive checks the provider's answer and redeems its code.
func (f *flow) receive(ctx context.Context, q url.Values) (*outcome, error) {
	// The issuer first: the answer of another provider, even its error, says
	// nothing about this flow (mix-up attack, RFC 9207).
	if q.Get("iss") != f.service.BaseURL+"/oidc" {
		return nil, problemIssuer
	}
	if code := q.Get("error"); code != "" {
		return nil, refused(code, q.Get("error_description"))
	}
	if q.Get("code") == "" {
		return nil, errors.New("the answer has neither a code nor an error")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, err := f.protocol.finish(ctx, f, q.Get("code"))
	if err != nil {
		return nil, err
	}
	o.service, o.protocol, o.when = f.service, f.protocol, time.Now()
	return o, nil
}

// signOut forgets the visitor here, and goes on to the provider when asked to.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	id := s.cookie.get(r)
	o := s.sessions.outcome(id)
	s.sessions.end(id)
	s.cookie.set(w, "")
	next := "/"
	if o != nil && r.PostFormValue("everywhere") != "" {
		next = o.signOutURL(s.base + "/")
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}
