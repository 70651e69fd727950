package verification

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	requests "github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/share"
	"github.com/bonafide-id/bonafide/storage"
)

// The limits on callbacks: their size, the time to send one and to apply it, and how many are
// applied at once, of all networks and of one.
const (
	maxCallback    = 64 << 10
	callbackTime   = 10 * time.Second
	callbackWork   = 30 * time.Second
	maxCallbacks   = 32
	callbacksOfNet = 16
	maxMessageName = 200
)

// serveCallback receives a callback of the other side. Its signature is checked, and it wakes
// the case that it names: what it says is not believed, Fetch asks for that. The answer is the
// same for a known and an unknown name, and for a repeated message.
func (s *engine) serveCallback(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.WriteHeader(s.receive(w, r))
}

// receive returns the status of the answer. A callback has no place while it is awaited:
// strangers who send nothing would keep the genuine ones out.
func (s *engine) receive(w http.ResponseWriter, r *http.Request) int {
	method := r.PathValue("method")
	var candidates []candidate
	for _, p := range s.Policies {
		if v := p.verifier(method); v != nil && v.Receive != nil {
			candidates = append(candidates, candidate{p.Group, v})
		}
	}
	if len(candidates) == 0 {
		return http.StatusNotFound
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(callbackTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallback))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	place := s.callbacks.Hold(share.Part{Key: requests.Network(r.Context()), Max: callbacksOfNet})
	if !place.Take(1) {
		w.Header().Set("Retry-After", "10")
		return http.StatusServiceUnavailable
	}
	defer place.Release()
	genuine := false
	for _, one := range candidates {
		message, err := s.signed(r, one, body)
		if err != nil {
			continue
		}
		genuine = true
		if err := s.wakeCase(r.Context(), one, message); err != nil {
			s.Logger.ErrorContext(r.Context(), "a callback could not be applied", slog.String("method", method), slog.Any("error", err))
			return http.StatusServiceUnavailable
		}
	}
	if !genuine {
		return http.StatusUnauthorized
	}
	return http.StatusNoContent
}

// candidate is a verifier with the group of its policy: those of two policies may have one
// name and different secrets.
type candidate struct {
	group    string
	verifier *Verifier
}

// signed checks the signature of a callback.
func (s *engine) signed(r *http.Request, one candidate, body []byte) (Message, error) {
	message, err := call(r.Context(), s.places(one.verifier), func(ctx context.Context) (Message, error) {
		copied := r.Clone(ctx)
		copied.Body = io.NopCloser(bytes.NewReader(body))
		return one.verifier.Receive(ctx, copied, body)
	})
	if err == nil && (len(message.ID) > maxMessageName || message.Reference == "" || len(message.Reference) > maxReference) {
		err = fmt.Errorf("%w: it names no message and reference", errVerifier)
	}
	return message, err
}

// wakeCase has the case of a message asked for its outcome. One that cannot be asked now is
// due, and asked by Run; nobody has to send the message again.
func (s *engine) wakeCase(ctx context.Context, one candidate, message Message) error {
	ref := storage.CaseReference{Method: one.verifier.Name, Reference: message.Reference}
	c, err := storage.One(s.Store.Cases(ctx, storage.CaseFilter{Reference: &ref}))
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Group != one.group {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read case: %w", err)
	}
	err = s.told(ctx, c.ID, ref, message.ID)
	switch {
	case errors.Is(err, ErrNotNow), errors.Is(err, ErrNoCase), errors.Is(err, ErrNoPolicy):
		return nil // it has ended, or the message was applied before
	case errors.Is(err, provider.ErrNoUser): // the account is locked
		return s.askSoon(ctx, c.ID)
	case errors.Is(err, errVerifier):
		s.Logger.WarnContext(ctx, "a verifier could not be asked for an outcome; will retry", slog.String("method", ref.Method), slog.Any("error", err))
		return s.askSoon(ctx, c.ID)
	default:
		return err
	}
}

// told asks the other side about a reference of a case, and the verifier what that means. What
// an earlier try at the other side brings counts if it accepts, and does not disturb a later
// one otherwise.
func (s *engine) told(ctx context.Context, caseID string, ref storage.CaseReference, messageID string) error {
	a := action{
		fits: func(c storage.Case, k content) error {
			of := k.check(ref.Method)
			if c.State.IsFinal() || k.Waiting != nil || of == nil {
				return ErrNotNow
			}
			return nil
		},
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, err := s.verifierOf(c, ref.Method)
			if err != nil {
				return nil, "", err
			}
			e := Event{Kind: Told, Reference: ref.Reference}
			if e.Data, err = s.fetch(ctx, v, ref.Reference); err != nil {
				return nil, "", err
			}
			in, mailed, err := s.ask(ctx, v, c, k, e, false)
			if err != nil {
				return nil, "", err
			}
			if _, accepts := in.result.(Accept); !accepts && k.check(ref.Method).Reference != ref.Reference {
				return nil, "", nil
			}
			return in, mailed, nil
		},
	}
	if messageID != "" {
		a.message = ref.Method + " " + messageID
	}
	_, _, err := s.act(ctx, caseID, a)
	return err
}

// fetch asks the other side about a reference; nil for a method that has none to ask.
func (s *engine) fetch(ctx context.Context, v *Verifier, reference string) ([]byte, error) {
	if v.Fetch == nil || reference == "" {
		return nil, nil
	}
	data, err := call(ctx, s.places(v), func(ctx context.Context) ([]byte, error) { return v.Fetch(ctx, reference) })
	if err != nil {
		return nil, fmt.Errorf("method %q: fetch: %w", v.Name, err)
	}
	return data, nil
}

// askSoon makes a case due, for Run to ask the other side.
func (s *engine) askSoon(ctx context.Context, caseID string) error {
	_, _, err := s.memberships.rewrite(ctx, caseID, func(k *content) bool {
		k.Unasked = true
		return true
	})
	if errors.Is(err, ErrNoCase) {
		return nil
	}
	return err
}
