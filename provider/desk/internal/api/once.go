package api

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// keepAnswers is how long the answer to an act is kept for its repetition.
const keepAnswers = 24 * time.Hour

// once makes an act be done once, however often it is sent.
type once struct {
	call   *call
	key    storage.Digest
	digest storage.Digest

	// begun is the ExpiresAt of an answer whose act was begun and is not known to be done: it is
	// done again.
	begun time.Time
}

// running are the acts that this process is about.
type running struct {
	mu  sync.Mutex
	now map[storage.Digest]bool
}

// begin reports whether nobody else is about the act.
func (r *running) begin(key storage.Digest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now[key] {
		return false
	}
	r.now[key] = true
	return true
}

func (r *running) end(key storage.Digest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.now, key)
}

// newOnce reads the Idempotency-Key of a request.
func newOnce(c *call) (*once, error) {
	values := c.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return nil, fail(kindNoKey, "")
	}
	key := values[0]
	if len(key) > 1 && strings.HasPrefix(key, `"`) && strings.HasSuffix(key, `"`) { // as structured fields have it
		key = key[1 : len(key)-1]
	}
	if len(values) > 1 || key == "" || len(key) > 255 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
		return nil, fail(kindRequest, "Send one header Idempotency-Key of 1 to 255 letters, digits and signs.")
	}
	digest := sha256.New()
	for _, part := range []string{c.Method, c.URL.EscapedPath(), c.Header.Get("If-Match"), c.Header.Get(headerMatter), string(c.raw)} {
		_, _ = fmt.Fprintf(digest, "%d:%s", len(part), part)
	}
	return &once{call: c, key: c.api.Provider.Rooms().People.Digest("desk answer", c.client, key), digest: storage.Digest(digest.Sum(nil))}, nil
}

// answered returns the answer to an earlier request with this key, and false if there was none.
func (o *once) answered() (sent, bool, error) {
	a, err := o.call.api.Frame.Store.Answer(o.call.Context(), o.call.client, o.key, o.call.now())
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return sent{}, false, nil
	case err != nil:
		return sent{}, false, fmt.Errorf("read answer: %w", err)
	case a.Body != o.digest:
		return sent{}, false, fail(kindReused, "")
	case a.Status == 0:
		o.begun = a.ExpiresAt
		return sent{}, false, nil
	}
	plain, err := o.call.api.Provider.Rooms().People.Open("desk answer", o.record(), a.Content)
	if err != nil {
		return sent{}, false, err
	}
	var s sent
	if err := json.Unmarshal(plain, &s); err != nil {
		return sent{}, false, fmt.Errorf("decode answer: %w", err)
	}
	return s, true, nil
}

// record names the record of an answer.
func (o *once) record() string { return o.call.client + " " + string(o.key[:]) }

// answer returns the record that a step keeps for a repetition.
func (o *once) answer(s sent) (*storage.Answer, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return &storage.Answer{
		Client: o.call.client, Key: o.key, Body: o.digest, Status: s.Status,
		Content: o.call.api.Provider.Rooms().People.Seal("desk answer", o.record(), plain), ExpiresAt: o.call.now().Add(keepAnswers),
	}, nil
}

// do carries an act out. Its response is known before, so that it is kept in the step of the
// act, or of its last part: whoever did not get it, gets it again. If another process has done it meanwhile, its
// response is that.
func (c *call) do(r response, act func(*storage.Answer) error) (response, error) {
	s, err := c.send(r)
	if err != nil {
		return response{}, err
	}
	answer, err := c.once.answer(s)
	if err != nil {
		return response{}, err
	}
	if err = act(answer); errors.Is(err, audit.ErrRepeated) {
		return response{}, errRepeated
	}
	return r, err
}

// errRepeated means that another process has answered the request meanwhile.
var errRepeated = errors.New("api: the request was repeated")
