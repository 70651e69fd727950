package credential

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
)

// refusal is an answer with an error (OpenID for Verifiable Credential Issuance 1.0 sections 8.3.1
// and 11.3). Its description is fixed text, which repeats no input.
type refusal struct {
	code, description string
	status            int

	// wait is the value of Retry-After; zero for none.
	wait time.Duration
}

func (r *refusal) Error() string { return r.code + ": " + r.description }

var (
	errRequest = &refusal{code: "invalid_credential_request", status: http.StatusBadRequest,
		description: "The body is no JSON object with either credential_identifier or credential_configuration_id, and proofs."}
	errTooLarge = &refusal{code: "invalid_credential_request", status: http.StatusRequestEntityTooLarge,
		description: "The body is too large."}
	errMediaType = &refusal{code: "invalid_credential_request", status: http.StatusUnsupportedMediaType,
		description: "Send the request as application/json."}
	errEncryption = &refusal{code: "invalid_encryption_parameters", status: http.StatusBadRequest,
		description: "Responses are not encrypted."}
	errConfiguration = &refusal{code: "unknown_credential_configuration", status: http.StatusBadRequest,
		description: "The credential_configuration_id is unknown, or the access token is not for it."}
	errIdentifier = &refusal{code: "unknown_credential_identifier", status: http.StatusBadRequest,
		description: "The credential_identifier is unknown, or the access token is not for it."}
	errProof = &refusal{code: "invalid_proof", status: http.StatusBadRequest,
		description: "The proofs are not one proof of the type jwt, signed with ES256 by the public P-256 key in its jwk, made now for this issuer, with a nonce."}
	errNonce = &refusal{code: "invalid_nonce", status: http.StatusBadRequest,
		description: "The nonce of the proof is unknown, too old or used. Get another one, and make another proof."}
	errDenied = &refusal{code: "credential_request_denied", status: http.StatusBadRequest,
		description: "The user is no verified member of the group, or not for another day."}
	errNotification = &refusal{code: "invalid_notification_id", status: http.StatusBadRequest,
		description: "The notification_id is unknown, or the credential has ended."}
	errNotificationRequest = &refusal{code: "invalid_notification_request", status: http.StatusBadRequest,
		description: "The body is no JSON object with notification_id and event."}
	errOffer = &refusal{code: "invalid_request", status: http.StatusNotFound,
		description: "There is no such offer."}
	errOfferOver = &refusal{code: "invalid_request", status: http.StatusGone,
		description: "A wallet has fetched the offer, or its time is over. The user makes another one."}
	errMethod = &refusal{code: "invalid_request", status: http.StatusMethodNotAllowed,
		description: "Use another method."}
	errUnavailable = &refusal{code: "temporarily_unavailable", status: http.StatusServiceUnavailable, wait: 2 * time.Second,
		description: "The service cannot answer now. Please try again in a moment."}
)

// tooMany is the refusal of one request too many.
func tooMany(wait time.Duration) *refusal {
	return &refusal{code: "invalid_credential_request", status: http.StatusTooManyRequests, wait: wait, description: "Too many requests. Please wait."}
}

// fail answers with an error, and returns its code. One that is not the wallet's is logged, and is 503:
// nothing was issued.
func (s *Service) fail(w http.ResponseWriter, r *http.Request, err error) (code string) {
	var told *refusal
	if !errors.As(err, &told) {
		told = errUnavailable
		if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
			return told.code // nobody waits for the answer
		}
		s.cfg.Logger.ErrorContext(r.Context(), "a request of a wallet was not answered", slog.Any("error", err))
	}
	if told.wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(told.wait.Seconds()))))
	}
	writeJSON(w, told.status, map[string]string{"error": told.code, "error_description": told.description})
	return told.code
}

// writeJSON answers with a value of maps, lists and texts.
func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic("credential: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
