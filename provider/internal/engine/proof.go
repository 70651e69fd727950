package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// A proof (RFC 9449) is read before a request is authenticated, so that one that is refused
// spends no assertion, code or refresh token: the client sends the same request again with a
// nonce. It is spent after all other checks, so that only who has a live token or is a client
// can have anything stored.

// Proofs are how proofs of possession are read.
type Proofs struct {
	Reader dpop.Reader

	// Target returns the address of a request, as the metadata has it: the base URL and the
	// path that was called, and never what the request says about its host.
	Target func(r *http.Request) string

	// DataUses keep the proofs that were presented with access tokens. UsedIDs keep all
	// others.
	DataUses interface {
		UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error
	}
}

// headerOfProof is the field of a proof, as net/http spells it.
const headerOfProof = "Dpop"

var (
	errProof = protocol.Fail(protocol.InvalidDPoPProof,
		"The DPoP proof is malformed, used, or not for this request, or its key is not accepted.")
	errProofMissing = protocol.Fail(protocol.InvalidRequest, "This application has to send a DPoP proof.").
			Because(diagnosis.DPoPMissing)
	errProofNonce = protocol.Fail(protocol.UseDPoPNonce, "Send the DPoP proof again, with the nonce of the header DPoP-Nonce.").
			Because(diagnosis.DPoPNonceNeeded)
)

// prover reads and spends the proofs of requests.
type prover struct {
	proofs  Proofs
	usedIDs storage.UsedIDs
	clients registry.Source
	clock   func() time.Time
}

// withProof reads the proof of a request of a client and has the request answered with it; nil for
// none. The nonce is for the client's next proof, and an error tells it as well.
func (v *prover) withProof(ctx context.Context, r *http.Request, form url.Values, answer func(*dpop.Proof) error) (nonce string, err error) {
	proof, nonce, err := v.readProof(ctx, r, form)
	if err == nil {
		err = answer(proof)
	}
	return nonce, withNonce(err, nonce)
}

// demandProof refuses a request without a proof whose assertion names a client that has to send
// one: authentication would spend the assertion with which the client comes again. Credentials
// that can be repeated are read first, and begin decides.
func (v *prover) demandProof(ctx context.Context, r *http.Request, form url.Values, proof *dpop.Proof) error {
	if proof != nil || !form.Has("client_assertion") {
		return nil
	}
	if client, err := v.clients.Client(ctx, clientauth.ClaimedClient(r, form)); err == nil && client.RequireDPoP {
		return errProofMissing
	}
	return nil // authentication says what is wrong with the client
}

// readProof returns the proof of a request of a client, and the nonce for its later ones; nil for
// none. Clients of a dialect without proofs may send what they like.
func (v *prover) readProof(ctx context.Context, r *http.Request, form url.Values) (proof *dpop.Proof, nonce string, err error) {
	header := r.Header[headerOfProof]
	if len(header) == 0 {
		return nil, "", nil
	}
	if client, err := v.clients.Client(ctx, clientauth.ClaimedClient(r, form)); err == nil && !client.Dialect.DPoP {
		return nil, "", nil
	}
	return v.proofFor(r, "")
}

// proofFor reads the proof of a request that presents an access token, or none.
func (v *prover) proofFor(r *http.Request, token string) (proof *dpop.Proof, nonce string, err error) {
	now, target := v.clock(), v.proofs.Target(r)
	if len(r.Header[headerOfProof]) == 0 {
		return nil, v.proofs.Reader.Nonces.Next("", now), errProof.Because(diagnosis.DPoPMissing)
	}
	p, err := v.proofs.Reader.Read(r.Header[headerOfProof], r.Method, target, token, now)
	nonce = v.proofs.Reader.Nonces.Next(p.Nonce, now)
	switch {
	case err == nil:
		return &p, nonce, nil
	case errors.Is(err, dpop.ErrNonce):
		return nil, nonce, errProofNonce
	case errors.Is(err, dpop.ErrTarget):
		return nil, nonce, errProof.Because(diagnosis.DPoPTarget, "expected", r.Method+" "+target)
	case errors.Is(err, dpop.ErrToken):
		return nil, nonce, errProof.Because(diagnosis.DPoPKeyDiffers)
	default:
		return nil, nonce, errProof.Because(diagnosis.DPoPMalformed, "reason", strings.TrimPrefix(err.Error(), "dpop: "))
	}
}

// spendProof records that a proof has been presented, over all processes. It comes last.
func (v *prover) spendProof(ctx context.Context, p *dpop.Proof) error {
	return v.spendIn(ctx, v.usedIDs, p)
}

func (v *prover) spendIn(ctx context.Context, uses interface {
	UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error
}, p *dpop.Proof) error {
	if p == nil {
		return nil
	}
	err := uses.UseID(ctx, p.Use, p.Until, v.clock())
	if errors.Is(err, storage.ErrConflict) {
		return errProof.Because(diagnosis.DPoPUsed)
	}
	return err
}

// withNonce returns an error with the nonce for the client's next proof.
func withNonce(err error, nonce string) error {
	if err == nil || nonce == "" {
		return err
	}
	told := *protocol.AsError(err)
	told.DPoPNonce = nonce
	return &told
}

// begin notes the client of a token request, and refuses one that lacks a required proof.
func (s *exchange) begin(r fosite.AccessRequester) error {
	s.client = clientOf(r.GetClient())
	if s.client.RequireDPoP && s.jkt().IsZero() {
		return errProofMissing
	}
	return nil
}

// jkt returns the thumbprint of the key that the request proves, or zero.
func (s *exchange) jkt() storage.Digest {
	if s.proof == nil || !s.client.Dialect.DPoP {
		return storage.Digest{}
	}
	return s.proof.JKT
}

// holds refuses a request that does not prove the key to which its code or refresh token is
// bound.
func (s *exchange) holds() error {
	bound := s.presented.Token.JKT
	if bound.IsZero() || bound == s.jkt() {
		return nil
	}
	return errGrant.Because(diagnosis.DPoPKeyDiffers)
}

// refreshKey returns the key to which a new refresh token is bound: for good, once one is. A
// client that authenticates has shown who it is without a key (RFC 9449 section 5).
func (s *exchange) refreshKey() storage.Digest {
	if s.client.Public {
		return s.jkt()
	}
	if s.presented.Token.Kind == storage.RefreshToken {
		return s.presented.Token.JKT
	}
	return storage.Digest{}
}

var (
	errTokenBound = protocol.Fail(protocol.InvalidToken, "This access token is bound to a key. Send it with the scheme DPoP and a proof.").
			Because(diagnosis.DPoPMissing)
	errTokenUnbound = protocol.Fail(protocol.InvalidToken, "This access token is bound to no key. Send it with the scheme Bearer.").
			Because(diagnosis.TokenUnbound)
	errTokenKey = protocol.Fail(protocol.InvalidToken, "This access token is bound to another key than that of the proof.").
			Because(diagnosis.DPoPKeyDiffers)
)

// ProvenToken is AccessToken for a token that a request presents with a proof of the key to which
// it is bound. What the request is for happens after SpendProof.
func (e *Engine) ProvenToken(ctx context.Context, r *http.Request, presented string) (Access, error) {
	found, err := e.lookUp(ctx, presented)
	switch {
	case err != nil:
		return found, err
	case found.Token.JKT.IsZero():
		return found, errTokenUnbound
	}
	found.proof, found.DPoPNonce, err = e.proofFor(r, presented)
	if err != nil {
		refused := *protocol.AsError(err)
		refused.Status = http.StatusUnauthorized
		return found, withNonce(&refused, found.DPoPNonce)
	}
	if found.proof.JKT != found.Token.JKT {
		return found, errTokenKey
	}
	return found, nil
}

// SpendProof records that the proof of an access has been presented; for a bearer it does nothing.
func (e *Engine) SpendProof(ctx context.Context, a Access) error {
	if a.proof == nil {
		return nil
	}
	err := e.spendIn(ctx, e.Proofs.DataUses, a.proof)
	var refused *protocol.Error
	if errors.As(err, &refused) {
		used := *refused
		used.Status = http.StatusUnauthorized
		err = &used
	}
	return err
}
