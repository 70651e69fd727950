package api

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	users "github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// problem is an error response (RFC 9457).
type problem struct {
	kind kind

	// Detail says what is wrong with this request, if the title does not.
	Detail string

	// Faults are the members of the body that are wrong.
	Faults []fault

	// scope is the one that is missing, and retry how long to wait; zero for none.
	scope string
	retry time.Duration

	cause error
}

// fault is a member of the body that is wrong.
type fault struct {
	Pointer string `json:"pointer" doc:"Where it is, as a JSON Pointer (RFC 6901)."`
	Detail  string `json:"detail" doc:"What is wrong with it."`
}

// kind is one of the kinds of problems.
type kind struct {
	name   string
	status int
	title  string
}

// The kinds of problems.
var (
	kindRequest    = kind{"invalid_request", http.StatusBadRequest, "The request is not of the form that the reference says."}
	kindBody       = kind{"invalid_body", http.StatusBadRequest, "The body is not of the form that the reference says."}
	kindCursor     = kind{"invalid_cursor", http.StatusBadRequest, "The parameter after is not one that this list has given to this client."}
	kindNoKey      = kind{"idempotency_key_missing", http.StatusBadRequest, "This act needs the header Idempotency-Key."}
	kindNoMatter   = kind{"matter_missing", http.StatusBadRequest, "A person is shown in an open matter only: send its ID in the header Desk-Matter."}
	kindNoToken    = kind{"token_missing", http.StatusUnauthorized, "The request has no access token."}
	kindToken      = kind{"invalid_token", http.StatusUnauthorized, "The access token is not good for this API."}
	kindScope      = kind{"insufficient_scope", http.StatusForbidden, "The access token lacks a scope."}
	kindProof      = kind{"proof_missing", http.StatusForbidden, "The caller has not proved enough, or too long ago."}
	kindNotFound   = kind{"not_found", http.StatusNotFound, "There is nothing here, or nothing for this client."}
	kindMethod     = kind{"method_not_allowed", http.StatusMethodNotAllowed, "This address has no such method."}
	kindRunning    = kind{"still_running", http.StatusConflict, "The first request with this Idempotency-Key is still being answered."}
	kindVoid       = kind{"nothing_to_do", http.StatusConflict, "There is nothing to do."}
	kindPlan       = kind{"needs_plan", http.StatusConflict, "Two of the staff do this: propose a plan."}
	kindOver       = kind{"over", http.StatusConflict, "It is over."}
	kindChanged    = kind{"changed", http.StatusPreconditionFailed, "The target has another revision than If-Match says. Look at it again."}
	kindTooLarge   = kind{"too_large", http.StatusRequestEntityTooLarge, "The body is too large."}
	kindMedia      = kind{"unsupported_media_type", http.StatusUnsupportedMediaType, "The body has to be application/json."}
	kindValue      = kind{"invalid_value", http.StatusUnprocessableEntity, "A value cannot be accepted."}
	kindReused     = kind{"idempotency_key_reused", http.StatusUnprocessableEntity, "This Idempotency-Key was sent with another request."}
	kindNoRevision = kind{"if_match_missing", http.StatusPreconditionRequired, "This act needs the header If-Match with the revision that was looked at."}
	kindTooMany    = kind{"too_many_requests", http.StatusTooManyRequests, "This client has asked too often."}
	kindFailed     = kind{"failed", http.StatusInternalServerError, "Something went wrong here. The request may not have been carried out."}
	kindUnavail    = kind{"unavailable", http.StatusServiceUnavailable, "The service cannot answer now. Try again in a moment."}
)

// kinds are all of them, in the order of their status.
var kinds = []kind{
	kindRequest, kindBody, kindCursor, kindNoKey, kindNoMatter, kindNoToken, kindToken, kindScope, kindProof, kindNotFound, kindMethod,
	kindRunning, kindVoid, kindPlan, kindOver, kindChanged, kindTooLarge, kindMedia, kindValue, kindReused, kindNoRevision,
	kindTooMany, kindFailed, kindUnavail,
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.kind.name + ": " + p.cause.Error()
	}
	return p.kind.name + ": " + p.Detail
}

func (p *problem) Unwrap() error { return p.cause }

// fail returns a problem with a detail, which may be empty.
func fail(k kind, detail string) *problem { return &problem{kind: k, Detail: detail} }

// notFound is what is unknown and what is forbidden alike.
var notFound = fail(kindNotFound, "")

// asProblem returns the problem for any error. A failure of the database or of the host is never
// that something is not there.
func asProblem(err error) *problem {
	var known *problem
	var wrong *provider.FieldError
	var screen provider.ScreenError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &screen) && screen.Status == http.StatusServiceUnavailable,
		errors.Is(err, storage.ErrUnavailable), errors.Is(err, users.ErrUnavailable):
		return &problem{kind: kindUnavail, retry: 2 * time.Second, cause: err}
	case errors.As(err, &wrong):
		return &problem{kind: kindValue, Faults: []fault{{pointer(wrong.Field), wrong.Err.Error()}}, cause: err}
	case errors.Is(err, room.ErrTooMany):
		return &problem{kind: kindTooMany, retry: minute}
	case errors.Is(err, audit.ErrProof):
		return fail(kindProof, "")
	case errors.Is(err, provider.ErrChanged), errors.Is(err, storage.ErrChanged):
		return fail(kindChanged, "")
	case errors.Is(err, audit.ErrMatter), errors.Is(err, action.ErrNoTarget), errors.Is(err, provider.ErrNoUser),
		errors.Is(err, provider.ErrNoClient), errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrEnded),
		errors.Is(err, provider.ErrScreenNotFound):
		return notFound
	default:
		return &problem{kind: kindFailed, cause: err}
	}
}

// problemBody is the form of a problem.
type problemBody struct {
	Type   string  `json:"type" doc:"The kind of the problem: an address in the reference."`
	Title  string  `json:"title" doc:"What the kind means."`
	Status int     `json:"status" doc:"The status of the response."`
	Code   string  `json:"code" doc:"The name of the kind, for programs."`
	Detail string  `json:"detail,omitempty" doc:"What is wrong with this request."`
	Errors []fault `json:"errors,omitempty" doc:"The members of the body that are wrong."`
}

// writeProblem answers with a problem, and returns its body.
func (a *API) writeProblem(w http.ResponseWriter, p *problem) {
	h := w.Header()
	switch p.kind.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if challenge := a.challenge(p); challenge != "" {
			h.Set("WWW-Authenticate", challenge)
		}
	}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	body, err := json.Marshal(problemBody{
		Type: a.docs + "#" + p.kind.name, Title: p.kind.title, Status: p.kind.status, Code: p.kind.name, Detail: p.Detail, Errors: p.Faults,
	})
	if err != nil {
		panic(err) // texts and a number
	}
	h.Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.kind.status)
	_, _ = w.Write(append(body, '\n'))
}
