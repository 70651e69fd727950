package provider

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// flow is an authorization request on its way through pages. It travels as a sealed
// value, so that nothing in it can be changed, and names the browser that it
// belongs to. Nothing of it is stored: any number of flows can be under way in one
// browser, and going back works. That it cannot be answered twice is due to the
// grant, which exists once for each flow.
type flow struct {
	request   *engine.AuthorizeRequest
	id        [16]byte
	firstSeen time.Time

	// chosen reports that the visitor has chosen an account in this flow.
	chosen bool
}

// sealedFlow is the form in which a flow travels.
type sealedFlow struct {
	ID      []byte `json:"i"`
	Seen    int64  `json:"t"`
	Browser []byte `json:"b"`
	Chosen  bool   `json:"c,omitempty"`
	Request string `json:"r"`
}

// flowParameter carries the sealed flow in addresses and forms.
const flowParameter = "flow"

func (p *Provider) sealFlowPurpose() string { return "flow " + p.issuer }

// newFlow begins a flow for a request that has just come.
func (p *Provider) newFlow(request *engine.AuthorizeRequest) *flow {
	f := &flow{request: request, firstSeen: p.cfg.Clock().Truncate(time.Microsecond)}
	_, _ = rand.Read(f.id[:]) // never fails: the program stops when there is no randomness
	return f
}

// digest names the flow in the grant that answers it. It begins with the time, so
// that the names of flows that come together lie together in an index.
func (f *flow) digest() storage.Digest {
	d := storage.Digest(sha256.Sum256(append([]byte("flow "), f.id[:]...)))
	binary.BigEndian.PutUint64(d[:8], uint64(f.firstSeen.UnixMicro()))
	return d
}

// seal returns the flow as it travels, bound to this browser.
func (p *Provider) seal(w http.ResponseWriter, r *http.Request, f *flow) (string, error) {
	browser := sha256.Sum256([]byte(p.browser(w, r)))
	plain, err := json.Marshal(sealedFlow{
		ID: f.id[:], Seen: f.firstSeen.UnixMicro(), Browser: browser[:], Chosen: f.chosen, Request: f.request.Form.Encode(),
	})
	if err != nil {
		return "", fmt.Errorf("encode flow: %w", err)
	}
	return p.secrets.SealString(p.sealFlowPurpose(), plain), nil
}

// openFlow returns the flow that a page or form belongs to. The request in it is
// checked again: client and redirect URI may have changed since.
func (p *Provider) openFlow(ctx context.Context, r *http.Request) (*flow, error) {
	plain, err := p.secrets.OpenString(p.sealFlowPurpose(), parameter(r, flowParameter))
	if err != nil {
		return nil, &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: err}
	}
	var s sealedFlow
	if err := json.Unmarshal(plain, &s); err != nil {
		return nil, fmt.Errorf("decode flow: %w", err)
	}
	browser := sha256.Sum256([]byte(p.cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 {
		return nil, &pageError{status: http.StatusBadRequest, code: ui.ErrorBrowser, cause: errors.New("flow of another browser")}
	}
	form, err := url.ParseQuery(s.Request)
	if err != nil {
		return nil, fmt.Errorf("decode flow: %w", err)
	}
	f := &flow{id: [16]byte(s.ID), firstSeen: time.UnixMicro(s.Seen).UTC(), chosen: s.Chosen}
	if f.request, err = p.parseAuthorize(ctx, form); err != nil {
		return nil, err
	}
	if p.cfg.Clock().Sub(f.firstSeen) > p.cfg.Lifetimes.Flow {
		return nil, &pageError{status: http.StatusBadRequest, code: ui.ErrorExpired, request: f.request}
	}
	return f, nil
}

// parseAuthorize checks an authorization request; what the application has to be
// told is a *refusal.
func (p *Provider) parseAuthorize(ctx context.Context, form url.Values) (*engine.AuthorizeRequest, error) {
	request, err := p.engine.ParseAuthorize(ctx, form)
	if err != nil && request != nil {
		return nil, &refusal{request, err}
	}
	return request, err
}

// optionalFlow is openFlow for screens that also stand alone: no flow is a nil one.
func (p *Provider) optionalFlow(ctx context.Context, r *http.Request) (*flow, error) {
	if parameter(r, flowParameter) == "" {
		return nil, nil
	}
	return p.openFlow(ctx, r)
}

// requestOf returns the request of a flow, or nil.
func (f *flow) requestOf() *engine.AuthorizeRequest {
	if f == nil {
		return nil
	}
	return f.request
}
