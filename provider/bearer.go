package provider

import (
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// access returns what the request's access token is good for. The token comes in
// the header, in the query where the dialect allows it, or in a form by POST (RFC
// 6750 section 2); by two ways at once it is an invalid_request.
func (p *Provider) access(r *http.Request) (engine.Access, error) {
	token, inQuery, err := presentedToken(r)
	if err != nil {
		return engine.Access{}, err
	}
	a, err := p.engine.AccessToken(r.Context(), token)
	if err != nil {
		return engine.Access{}, err
	}
	if inQuery && !a.Client.Dialect.TokenInQuery {
		return engine.Access{}, badRequest("This application must send the token in the Authorization header.")
	}
	return a, nil
}

func presentedToken(r *http.Request) (token string, inQuery bool, err error) {
	query := r.URL.Query()["access_token"]
	header := r.Header.Values("Authorization")
	var form []string
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "" {
		if err := engine.ParseForm(r, maxScreenForm); err != nil {
			return "", false, err
		}
		form = r.PostForm["access_token"]
	}
	switch {
	case len(query)+len(header)+len(form) == 0:
		return "", false, &engine.Error{Status: http.StatusUnauthorized, Description: "An access token is needed."}
	case len(query)+len(header)+len(form) > 1:
		return "", false, badRequest("The access token is given more than once.")
	case len(query) == 1:
		return query[0], true, nil
	case len(form) == 1:
		return form[0], false, nil
	}
	scheme, token, _ := strings.Cut(header[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " ,") {
		return "", false, badRequest("The Authorization header is not of the form: Bearer token.")
	}
	return token, false, nil
}

func badRequest(description string) error {
	return &engine.Error{Code: engine.InvalidRequest, Description: description, Status: http.StatusBadRequest}
}

var errScope = &engine.Error{
	Code: engine.InsufficientScope, Status: http.StatusForbidden,
	Description: "The scope of the access token does not cover this resource.",
}
