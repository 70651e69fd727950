package providertest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/bonafide-id/bonafide/provider/verification"
)

// Script is a verifier that does what a test says, for Config.Policies:
//
//	script := providertest.NewScript("script", verification.Accept{Subgroups: []string{"Veteran"}})
//	idp := providertest.New(t, providertest.Config{Policies: verification.Policies{{
//		Group: "military", Rule: verification.By(script.Verifier()),
//	}}})
type Script struct {
	name string

	mu      sync.Mutex
	results []verification.Result
	fetched map[string][]byte
	events  []verification.Event
}

// NewScript returns a verifier of this name that answers the first event with the first
// result, and so on; the last one again and again.
func NewScript(name string, results ...verification.Result) *Script {
	return &Script{name: name, results: results, fetched: map[string][]byte{}}
}

// Then has the script answer the next events with these results.
func (s *Script) Then(results ...verification.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = results
}

// Tells is what the other side says when it is asked about a reference: the Data of Told.
func (s *Script) Tells(reference string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched[reference] = data
}

// Events returns the events that the verifier has been asked about, also those that had no
// effect because the case had moved on.
func (s *Script) Events() []verification.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]verification.Event(nil), s.events...)
}

// Verifier returns the verifier. Its callbacks have no signature: the body is the reference,
// and the header webhook-id the ID of the message.
func (s *Script) Verifier() verification.Verifier {
	return verification.Verifier{
		Name: s.name, Title: verification.Text{English: "By the script " + s.name}, CanReview: true,
		Next: func(_ context.Context, _ *verification.Case, e verification.Event) (verification.Result, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, e)
			if len(s.results) == 0 {
				return nil, errors.New("providertest: the script has no result")
			}
			result := s.results[0]
			if len(s.results) > 1 {
				s.results = s.results[1:]
			}
			return result, nil
		},
		Receive: func(_ context.Context, r *http.Request, body []byte) (verification.Message, error) {
			return verification.Message{ID: r.Header.Get("webhook-id"), Reference: strings.TrimSpace(string(body))}, nil
		},
		Fetch: func(_ context.Context, reference string) ([]byte, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.fetched[reference], nil
		},
	}
}
