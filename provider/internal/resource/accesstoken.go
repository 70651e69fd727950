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

// presentedToken returns the access token of a request, and whether it came in the query.
// It comes in the header, in the query where the registration allows it, or in a form by
// POST (RFC 6750 section 2); by two ways at once it is an invalid_request.
func presentedToken(r *http.Request, values url.Values) (token string, inQuery bool, err error) {
	query := values["access_token"]
	header := r.Header["Authorization"]
	var form []string
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "" {
		if err := input.ParseForm(r, web.MaxForm); err != nil {
			return "", false, err
		}
		form = r.PostForm["access_token"]
	}
	switch {
	case len(query)+len(header)+len(form) == 0:
		return "", false, &protocol.Error{Status: http.StatusUnauthorized, Description: "An access token is needed.",
			Diagnosis: diagnosis.TokenMissing}
	case len(query)+len(header)+len(form) > 1:
		return "", false, badRequest("The access token is given more than once.").Because(diagnosis.HeaderMalformed)
	case len(query) == 1:
		return query[0], true, nil
	case len(form) == 1:
		return form[0], false, nil
	}
	scheme, token, _ := strings.Cut(header[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " ,") {
		return "", false, badRequest("The Authorization header is not of the form: Bearer token.").Because(diagnosis.HeaderMalformed)
	}
	return token, false, nil
}

func badRequest(description string) *protocol.Error {
	return &protocol.Error{Code: protocol.InvalidRequest, Description: description, Status: http.StatusBadRequest}
}

var errTokenInQuery = badRequest("This application must send the token in the Authorization header.").
	Because(diagnosis.TokenInQuery)

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
