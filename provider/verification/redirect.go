package verification

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// RedirectConfig configures Redirect. Name, Title, Start, Fetch and Outcome are required.
type RedirectConfig struct {
	// Name, Title, Asks, Takes, Keeps and Proof are those of the verifier.
	Name        string
	Title, Asks Text
	Takes       time.Duration
	Keeps       Text
	Proof       Proof

	// Start begins an attempt at the other side. It may be called again for the same
	// attempt, with the same Case.Key, which the other side takes as its idempotency key.
	// The person comes back to Case.ReturnURL.
	Start func(ctx context.Context, client *http.Client, c *Case) (Destination, error)

	// Signature checks that a callback is of the other side and recent, such as by
	// VerifyWebhook, and returns its message: the ID, and the reference of the attempt. An
	// error gets 401. What else the callback says is not believed.
	// Defaults to none: the other side is asked from time to time.
	Signature func(r *http.Request, body []byte) (Message, error)

	// Fetch asks the other side about an attempt.
	Fetch func(ctx context.Context, client *http.Client, reference string) (data []byte, err error)

	// Outcome reads what Fetch has brought: an Accept, Refuse or Review, or a Wait if there is
	// no result yet. A Refuse with a reason that CanRetry ends the attempt, not the method.
	Outcome func(c *Case, data []byte) (Result, error)

	// Forget deletes what the other side keeps about an attempt.
	// Defaults to nothing to delete.
	Forget func(ctx context.Context, client *http.Client, reference string) error

	// Every is the time until the other side is asked again without a callback.
	// Defaults to 10 minutes.
	Every time.Duration

	// CanReview reports that Outcome can return Review.
	CanReview bool

	// Egress is how the other side is called.
	Egress Egress
}

// Destination is a page of the other side.
type Destination struct {
	// URL is an absolute https address.
	URL string

	// Reference is how the other side names the attempt, unique for the method: at most 255
	// bytes. It is recorded before the person leaves, so that whatever comes back finds the
	// case, and nothing else does: no address, no name.
	Reference string

	// Until is how long the page can be used; zero for as long as the case is open.
	Until time.Time
}

// Redirect verifies members at a service elsewhere: the person is sent there with a
// reference, the service calls back, and is asked for the outcome. The callback and the
// person's return only wake: they decide nothing, and it does not matter how often, in which
// order or how late they come.
func Redirect(cfg RedirectConfig) Verifier {
	client := cfg.Egress.Client()
	cfg.Every = cmp.Or(cfg.Every, 10*time.Minute)
	r := &redirect{cfg, client}
	v := Verifier{
		Name: cfg.Name, Title: cfg.Title, Asks: cfg.Asks, Takes: cfg.Takes, Keeps: cfg.Keeps, Proof: cfg.Proof, CanReview: cfg.CanReview,
		Next:  r.next,
		Fetch: r.fetch,
		check: cfg.check,
	}
	if cfg.Signature != nil {
		v.Receive = r.receive
	}
	if cfg.Forget != nil {
		v.Forget = func(ctx context.Context, reference string) error { return cfg.Forget(ctx, client, reference) }
	}
	return v
}

func (cfg RedirectConfig) check(field string) error {
	switch {
	case cfg.Start == nil:
		return wrongField(field+".Start", "is missing")
	case cfg.Fetch == nil:
		return wrongField(field+".Fetch", "is missing")
	case cfg.Outcome == nil:
		return wrongField(field+".Outcome", "is missing")
	case cfg.Every < time.Minute:
		return wrongField(field+".Every", "must be at least a minute")
	default:
		return nil
	}
}

type redirect struct {
	RedirectConfig
	client *http.Client
}

// attempt is what a case remembers of an attempt.
type attempt struct {
	Destination
	Back bool `json:"back,omitempty"` // the person has come back
}

// next sends the person away, and asks for the outcome whenever something may have happened.
func (r *redirect) next(ctx context.Context, c *Case, event Event) (Result, error) {
	a := attempt{Destination: Destination{Reference: event.Reference}, Back: true} // that was given up
	switch {
	case event.Kind == Begun, len(c.Memory) == 0 && event.Kind != Told:
		return r.begin(ctx, c)
	case len(c.Memory) > 0:
		a = attempt{}
		if err := json.Unmarshal(c.Memory, &a); err != nil {
			return nil, fmt.Errorf("decode attempt: %w", err)
		}
	}
	data, current := event.Data, event.Kind != Told || event.Reference == a.Reference
	if event.Kind != Told && data == nil {
		var err error
		if data, err = r.fetch(ctx, a.Reference); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			data = nil // the other side is asked again
		}
	}
	a.Back = a.Back || event.Kind == Returned
	outcome, err := r.outcome(c, data)
	if err != nil {
		return nil, err
	}
	if _, accepted := outcome.(Accept); !current && !accepted {
		outcome = Wait{} // an attempt from before: it can still succeed, and cannot end this one
	}
	wait, waits := outcome.(Wait)
	if !waits {
		return outcome, nil
	}
	if !a.Back { // the person may still be there
		return GoTo(a.Destination), r.remember(c, a)
	}
	wait.Reference = a.Reference
	if wait.Again.IsZero() {
		wait.Again = event.At.Add(r.Every)
	}
	return wait, r.remember(c, a)
}

// outcome reads what Fetch has brought; nothing is a Wait.
func (r *redirect) outcome(c *Case, data []byte) (Result, error) {
	if data == nil {
		return Wait{}, nil
	}
	outcome, err := r.Outcome(c, data)
	if err != nil {
		return nil, err
	}
	switch outcome.(type) {
	case Accept, Refuse, Review, Wait:
		return outcome, nil
	default:
		return nil, errors.New("verification: the Outcome of a Redirect is an Accept, Refuse, Review or Wait")
	}
}

// begin sends the person to the other side. An attempt without a reference would be nobody's.
func (r *redirect) begin(ctx context.Context, c *Case) (Result, error) {
	to, err := r.Start(ctx, r.client, c)
	if err != nil {
		return nil, err
	}
	page, err := url.Parse(to.URL)
	switch {
	case to.Reference == "" || len(to.Reference) > 255:
		return nil, errors.New("verification: Start has returned no reference of 1 to 255 bytes")
	case err != nil || page.Host == "" || page.Scheme != "https" && !(r.Egress.AllowPrivate && page.Scheme == "http"):
		return nil, errors.New("verification: Start has returned no https address")
	}
	return GoTo(to), r.remember(c, attempt{Destination: to})
}

func (r *redirect) remember(c *Case, a attempt) (err error) {
	c.Memory, err = json.Marshal(a)
	return err
}

func (r *redirect) receive(_ context.Context, request *http.Request, body []byte) (Message, error) {
	m, err := r.Signature(request, body)
	if err == nil && (m.ID == "" || m.Reference == "") {
		err = errors.New("verification: the callback names no message or no attempt")
	}
	return m, err
}

// fetch asks the other side. Nothing is not an answer.
func (r *redirect) fetch(ctx context.Context, reference string) ([]byte, error) {
	data, err := r.Fetch(ctx, r.client, reference)
	if err == nil && len(data) == 0 {
		err = errors.New("verification: Fetch has brought nothing")
	}
	return data, err
}
