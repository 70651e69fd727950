package resource

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

var noQuery url.Values

// dataQuery returns the query of a request for data. A pair that cannot be read is
// refused: dropped, it would leave another request than the one that was logged and
// judged on the way.
func dataQuery(r *http.Request) (url.Values, error) {
	if r.URL.RawQuery == "" {
		return noQuery, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("The query of the address is not encoded correctly.").Because(diagnosis.ParameterMalformed, "parameter", "query")
	}
	return query, nil
}

// way is how an access token has come.
type way int

const (
	inHeader way = iota
	inQuery
	inBody
	withProof
)

// presentedToken returns the access token of a request, and how it came: in the header, as that
// of a bearer or with a proof (RFC 9449 section 7.1), in the query where the registration allows
// it, or in a form by POST (RFC 6750 section 2); by two ways at once it is an invalid_request.
func presentedToken(r *http.Request, values url.Values) (token string, by way, err error) {
	query, header := values["access_token"], r.Header["Authorization"]
	if len(header) == 1 && !isOurs(header[0]) {
		header = nil // as a proxy or a browser adds them: it is as if there were none (RFC 6750 section 3.1)
	}
	var form []string
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "" {
		if err := input.ParseForm(r, web.MaxForm); err != nil {
			return "", inBody, err
		}
		form = r.PostForm["access_token"]
	}
	switch {
	case len(query)+len(header)+len(form) == 0:
		return "", inHeader, errNoToken
	case len(query)+len(header)+len(form) > 1:
		return "", inHeader, badRequest("The access token is given more than once.").Because(diagnosis.HeaderMalformed)
	case len(query) == 1:
		return query[0], inQuery, nil
	case len(form) == 1:
		return form[0], inBody, nil
	}
	return tokenIn(header[0])
}

// tokenIn returns the access token of an Authorization header, and whether it comes with a proof.
func tokenIn(header string) (token string, by way, err error) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimLeft(token, " ")
	switch {
	case token == "", strings.ContainsAny(token, " ,"):
		return "", inHeader, badRequest("The Authorization header is not of the form: Bearer token.").Because(diagnosis.HeaderMalformed)
	case strings.EqualFold(scheme, schemeDPoP):
		return token, withProof, nil
	}
	return token, inHeader, nil
}

const (
	schemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)

// isOurs reports whether an Authorization header is of a scheme for access tokens.
func isOurs(header string) bool {
	scheme, _, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, schemeBearer) || strings.EqualFold(scheme, schemeDPoP)
}

func badRequest(description string) *protocol.Error {
	return &protocol.Error{Code: protocol.InvalidRequest, Description: description, Status: http.StatusBadRequest}
}

var errTokenInQuery = badRequest("This application must send the token in the Authorization header.").
	Because(diagnosis.TokenInQuery)

var errNoToken = &protocol.Error{Status: http.StatusUnauthorized, Description: "An access token is needed.",
	Diagnosis: diagnosis.TokenMissing}

// errAudience says invalid_token, as RFC 6750 section 3.1 has for a token that is invalid
// for whatever reason, and RFC 9068 section 4 for one of another audience: more scope
// would not help.
var errAudience = &protocol.Error{
	Code: protocol.InvalidToken, Status: http.StatusUnauthorized,
	Description: "The access token is for another resource.", Diagnosis: diagnosis.TokenForResource,
}

var errScope = &protocol.Error{
	Code: protocol.InsufficientScope, Status: http.StatusForbidden,
	Description: "The scope of the access token does not cover this resource.",
}
