package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// call is a request that the gate has let in.
type call struct {
	*http.Request
	api    *API
	op     *operation
	client string
	scopes []string

	// tree is the body; raw is it as it was sent.
	tree any
	raw  []byte

	// matter is that of an operation that demands one.
	matter *storage.Matter

	// once is what makes an act be done once; nil for a read.
	once *once
}

// response is the answer of an operation.
type response struct {
	status int
	body   any

	// revision is that of what the body shows; empty for none.
	revision string

	// location is the path of what was made, below the API's; next is where the next page of a
	// list begins.
	location, next string
}

// ok is a response with a body.
func ok(body any) response { return response{body: body} }

// name is that of the client in the trail, and in matters and plans.
func (c *call) name() string { return clientPrefix + c.client }

// clientPrefix is what the names of clients begin with in the trail.
const clientPrefix = "client:"

func (c *call) now() time.Time { return c.api.Frame.Now() }

// by returns the context in which the client acts. What it does rests on the matter, with this
// proof of the caller.
func (c *call) by(proof storage.CallerProof, answer *storage.Answer) context.Context {
	return provider.By(c.Context(), c.actor(proof, answer))
}

// acts makes the context of the request that in which the client acts: no operation has to think
// of it.
func (c *call) acts() { c.Request = c.Request.WithContext(c.by(storage.NoProof, nil)) }

// actor is who acts in the context of by.
func (c *call) actor(proof storage.CallerProof, answer *storage.Answer) storage.Actor {
	a := storage.Actor{Name: c.name(), Answer: answer}
	if c.once != nil {
		a.Again = c.once.begun
	}
	if c.matter != nil {
		a.Matter = c.matter.ID
		a.On = storage.DeedBasis{Matter: c.matter.ID, Staff: c.name(), Subject: c.matter.Subject, Proof: proof, At: c.now()}
	}
	return a
}

// has reports whether the token of the request has a scope.
func (c *call) has(scope string) bool { return slices.Contains(c.scopes, scope) }

// checkQuery refuses parameters that there are not, and those that come twice.
func (c *call) checkQuery() error {
	for name, values := range c.URL.Query() {
		known := slices.ContainsFunc(c.op.parameters(), func(p parameter) bool { return p.name == name })
		switch {
		case !known:
			return fail(kindRequest, fmt.Sprintf("There is no parameter %q.", name))
		case len(values) > 1:
			return fail(kindRequest, fmt.Sprintf("The parameter %q comes twice.", name))
		}
	}
	return nil
}

// time returns a parameter that is a time; zero for none.
func (c *call) time(name string) (time.Time, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fail(kindRequest, fmt.Sprintf("The parameter %q is no time like 2026-11-26T05:30:00Z.", name))
	}
	return t, nil
}

// sent is a response as it is sent, and kept for a repetition of the request.
type sent struct {
	Status               int
	ETag, Location, Link string
	Body                 json.RawMessage
}

// send makes a response as it is sent.
func (c *call) send(r response) (sent, error) {
	body, err := json.Marshal(r.body)
	if err != nil {
		return sent{}, fmt.Errorf("encode response: %w", err)
	}
	s := sent{Status: r.status, Body: append(body, '\n')}
	if s.Status == 0 {
		s.Status = c.op.Status
	}
	if r.revision != "" {
		s.ETag = c.etag(r.revision)
	}
	if r.location != "" {
		s.Location = c.api.resource.URI + r.location
	}
	if r.next != "" {
		query := c.URL.Query()
		query.Set(parameterAfter, r.next)
		s.Link = "<" + c.api.resource.URI + c.below() + "?" + query.Encode() + `>; rel="next"`
	}
	return s, nil
}

// below returns the path of the request below the API's, escaped.
func (c *call) below() string { return c.URL.EscapedPath()[len(c.api.path):] }

func (s sent) write(w http.ResponseWriter) {
	h := w.Header()
	for name, value := range map[string]string{"ETag": s.ETag, "Location": s.Location, "Link": s.Link} {
		if value != "" {
			h.Set(name, value)
		}
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(s.Status)
	_, _ = w.Write(s.Body)
}
