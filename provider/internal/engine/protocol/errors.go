package protocol

import (
	"context"
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/storage"
)

// Error is an error response of the protocol: the error code and description that the
// client sees, and the cause that only the log sees.
type Error struct {
	// Code is the error code of RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750
	// section 3.1, RFC 9449 section 5 or OpenID Connect Core section 3.1.2.6.
	Code string

	// Description is fixed text in plain words; it repeats no input.
	Description string

	// Status is the HTTP status where the error is the response itself.
	Status int

	// Cause is what happened inside, or nil.
	Cause error

	// Diagnosis names the mistake for those who build the application, and Details are
	// what there is to know beside it. Neither is sent to the caller, and neither holds a
	// secret.
	Diagnosis diagnosis.Name
	Details   map[string]string

	// ACRValues and MaxAge are how the user has to authenticate for the request to succeed
	// (RFC 9470 section 3): a class of authentication, and its maximum age in seconds; zero for
	// any.
	ACRValues string
	MaxAge    int64

	// DPoPNonce is the nonce for the next proof of the client (RFC 9449 section 8), or empty.
	// WithProof reports that the request presents an access token with a proof, so that the
	// challenge is of the scheme DPoP.
	DPoPNonce string
	WithProof bool

	// BearerOnly reports that nothing but a bearer token is taken here, so that the challenge is
	// of that scheme alone.
	BearerOnly bool
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Code + ": " + e.Description + ": " + e.Cause.Error()
	}
	return e.Code + ": " + e.Description
}

func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether two errors are one response, whatever is known beside it.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && e.Code == other.Code && e.Description == other.Description
}

// Because returns the error with its diagnosis and with details, given as names and
// values.
func (e *Error) Because(name diagnosis.Name, details ...string) *Error {
	diagnosed := *e
	diagnosed.Diagnosis = name
	for i := 0; i+1 < len(details); i += 2 {
		if diagnosed.Details == nil {
			diagnosed.Details = map[string]string{}
		}
		diagnosed.Details[details[i]] = details[i+1]
	}
	return &diagnosed
}

// Codes of the protocol's errors.
const (
	InvalidRequest          = "invalid_request"
	InvalidClient           = "invalid_client"
	InvalidGrant            = "invalid_grant"
	InvalidScope            = "invalid_scope"
	InvalidToken            = "invalid_token"
	InsufficientScope       = "insufficient_scope"
	InsufficientUserAuth    = "insufficient_user_authentication"
	UnauthorizedClient      = "unauthorized_client"
	UnsupportedGrantType    = "unsupported_grant_type"
	UnsupportedResponseType = "unsupported_response_type"
	UnsupportedResponseMode = "unsupported_response_mode"
	AccessDenied            = "access_denied"
	LoginRequired           = "login_required"
	ConsentRequired         = "consent_required"
	UnmetAuthentication     = "unmet_authentication_requirements"
	InteractionRequired     = "interaction_required"
	InvalidRequestObject    = "invalid_request_object"
	InvalidRequestURI       = "invalid_request_uri"
	RequestURINotSupported  = "request_uri_not_supported"
	RegistrationUnsupported = "registration_not_supported"
	InvalidTarget           = "invalid_target"
	InvalidDetails          = "invalid_authorization_details"
	InvalidRedirectURI      = "invalid_redirect_uri"
	InvalidClientMetadata   = "invalid_client_metadata"
	InvalidDPoPProof        = "invalid_dpop_proof"
	UseDPoPNonce            = "use_dpop_nonce"
	AuthorizationPending    = "authorization_pending"
	SlowDown                = "slow_down"
	ExpiredToken            = "expired_token"
	TemporarilyUnavailable  = "temporarily_unavailable"
	ServerError             = "server_error"
)

// Fail returns the error response with this code and description, and the HTTP status that
// goes with the code.
func Fail(code, description string) *Error {
	status := http.StatusBadRequest
	switch code {
	case InvalidClient, InvalidToken, InsufficientUserAuth:
		status = http.StatusUnauthorized
	case InsufficientScope:
		status = http.StatusForbidden
	case TemporarilyUnavailable:
		status = http.StatusServiceUnavailable
	case ServerError:
		status = http.StatusInternalServerError
	}
	return &Error{Code: code, Description: description, Status: status}
}

// AsError returns the error response to any error: the one that it is, or what storage
// could not do. A database that fails is never the client's fault.
func AsError(err error) *Error {
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	if IsUnavailable(err) {
		return Unavailable(err)
	}
	response := Fail(ServerError, "Something went wrong on our side. The request was not carried out.")
	response.Cause = err
	return response
}

// IsUnavailable reports whether the database did not answer, or not in time.
func IsUnavailable(err error) bool {
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// Unavailable is the error response to a request that may succeed later; cause goes to
// the log.
func Unavailable(cause error) *Error {
	e := Fail(TemporarilyUnavailable, "The service cannot answer now. Please try again in a moment.")
	e.Cause = cause
	return e
}

// Refused returns the error response with this code and its usual description.
func Refused(code string) *Error { return Fail(code, usualDescription(code)) }

func usualDescription(code string) string {
	switch code {
	case InvalidScope:
		return "The scope is unknown, or this application may not ask for it."
	case UnsupportedResponseType:
		return "This response_type is unknown, or this application may not use it."
	case UnsupportedResponseMode:
		return "This response_mode is unknown, or not safe with the response_type."
	case UnauthorizedClient:
		return "This application may not use this grant."
	case RegistrationUnsupported:
		return "The parameter registration is not supported."
	default:
		return "The request is malformed."
	}
}
