package authflow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// maxTravelling is the longest request, in bytes, that travels with its flow. With it no address
// of a sign-in is longer than the two kilobytes that every proxy forwards: what else travels is
// short, whatever the application sends. A request has half of it with state, nonce and PKCE.
const maxTravelling = 512

// travelling returns the request of a flow as it travels, or nothing if it is too long and is
// kept, under the name of the flow, which does not leave its seal. A request never changes, so
// that one row is enough for a flow, and going back works as for any other.
func (e *flows) travelling(w http.ResponseWriter, r *http.Request, f *Flow) (string, error) {
	if f.kept {
		return "", nil
	}
	form := f.request.Form.Encode()
	if len(form) <= maxTravelling {
		return form, nil
	}
	ctx := r.Context()
	if err := e.allowDear(w, r, f.request); err != nil {
		return "", err
	}
	err := e.Store.SavePushedRequest(ctx, storage.PushedRequest{
		Digest: keptDigest(f.id[:]), Payload: e.Site.Secrets.Seal(e.keptPurpose(), []byte(form)), ExpiresAt: f.firstSeen.Add(e.Life),
	})
	if err != nil {
		return "", fmt.Errorf("keep request: %w", err)
	}
	f.kept = true
	return "", nil
}

// allowDear counts a request that costs more than others: one that is kept, or fetched from an application.
func (e *flows) allowDear(w http.ResponseWriter, r *http.Request, asked *engine.AuthorizeRequest) error {
	wait, err := e.Limits.Allow(r.Context(), e.Limit, ratelimit.Key{})
	if err == nil && wait > 0 {
		err = &web.PageError{Status: web.TooMany(w, wait), Code: ui.ErrorTooMany, Request: asked, Cause: errTooManyKept}
	}
	return err
}

var errTooManyKept = errors.New("too many long requests, or requests by address, from one address")

// requestOf returns the request of a flow: the one that travels with it, or the one that is kept.
func (e *flows) requestOf(ctx context.Context, s sealedFlow) (url.Values, error) {
	form := s.Request
	if form == "" {
		kept, err := e.Store.PushedRequest(ctx, "", keptDigest(s.ID), e.Clock())
		if errors.Is(err, storage.ErrNotFound) {
			return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
		}
		if err != nil {
			return nil, fmt.Errorf("read kept request: %w", err)
		}
		plain, err := e.Site.Secrets.Open(e.keptPurpose(), kept.Payload)
		if err != nil {
			return nil, fmt.Errorf("open kept request: %w", err)
		}
		form = string(plain)
	}
	values, err := url.ParseQuery(form)
	if err != nil {
		return nil, fmt.Errorf("decode flow: %w", err)
	}
	return values, nil
}

func (e *flows) keptPurpose() string { return "request of a flow " + e.Site.Issuer }

// keptDigest names the request of the flow with an ID.
func keptDigest(id []byte) storage.Digest {
	return sha256.Sum256(append([]byte("request of flow "), id...))
}
