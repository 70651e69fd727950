package tokens

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestResponseGoesWhereItIsSafe demands the place of every response: no token, and no
// error of a request for one, ever comes in a query, which servers and logs see.
func TestResponseGoesWhereItIsSafe(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithEveryResponseType()
	b := w.Alice()
	b.Allow("client_id", "every", "scope", "openid military", "nonce", "n")
	const query, fragment, form = "?", "#", "form"
	for name, c := range map[string]struct {
		change []string
		want   string
	}{
		"Code":                         {[]string{"response_type", "code"}, query},
		"CodeInFragment":               {[]string{"response_type", "code", "response_mode", "fragment"}, fragment},
		"CodeByForm":                   {[]string{"response_type", "code", "response_mode", "form_post"}, form},
		"Token":                        {[]string{"response_type", "token"}, fragment},
		"IDToken":                      {[]string{"response_type", "id_token"}, fragment},
		"IDTokenToken":                 {[]string{"response_type", "id_token token"}, fragment},
		"TokenIDToken":                 {[]string{"response_type", "token id_token"}, fragment},
		"IDTokenTokenByForm":           {[]string{"response_type", "id_token token", "response_mode", "form_post"}, form},
		"CodeToken":                    {[]string{"response_type", "code token"}, fragment},
		"CodeIDTokenToken":             {[]string{"response_type", "code id_token token"}, fragment},
		"TokensInQuery":                {[]string{"response_type", "id_token token", "response_mode", "query"}, fragment},
		"UnknownTypeWithToken":         {[]string{"response_type", "token foo"}, fragment},
		"UnknownTypeWithIDToken":       {[]string{"response_type", "foo id_token"}, fragment},
		"UnknownTypeWithTokenInQuery":  {[]string{"response_type", "token foo", "response_mode", "query"}, fragment},
		"RepeatedTokenType":            {[]string{"response_type", "token token"}, fragment},
		"UnknownType":                  {[]string{"response_type", "foo"}, query},
		"UnknownTypeByForm":            {[]string{"response_type", "foo", "response_mode", "form_post"}, form},
		"MissingType":                  {[]string{"response_type", ""}, query},
		"MissingTypeByForm":            {[]string{"response_type", "", "response_mode", "form_post"}, form},
		"UnknownMode":                  {[]string{"response_mode", "web_message"}, query},
		"UnknownModeOfTokens":          {[]string{"response_type", "token", "response_mode", "web_message"}, fragment},
		"MistakeByForm":                {[]string{"response_mode", "form_post", "nonce", "a\tb"}, form},
		"MistakeInFragment":            {[]string{"response_mode", "fragment", "max_age", "x"}, fragment},
		"TooLongByForm":                {[]string{"response_mode", "form_post", "login_hint", strings.Repeat("a", 3000)}, form},
		"RequestObjectByForm":          {[]string{"response_mode", "form_post", "request", "eyJhbGciOiJub25lIn0.e30."}, form},
		"NoNonceOfTokens":              {[]string{"response_type", "id_token token", "nonce", ""}, fragment},
		"SilentWithoutConsentOfTokens": {[]string{"response_type", "token", "prompt", "none", "scope", "openid student"}, fragment},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Get(lab.AuthorizeURL(append([]string{"client_id", "every", "scope", "openid military", "nonce", "n"}, c.change...)...))
			location := p.Header.Get("Location")
			if c.want == form {
				action, fields := p.Form(t)
				if p.StatusCode != http.StatusOK || action != lab.CallbackURI || fields.Get("state") != "xyz" || fields.Get("iss") != w.Issuer() {
					t.Fatalf("%s, form to %s with %v", p.Status, action, fields)
				}
				return
			}
			if !strings.HasPrefix(location, lab.CallbackURI+c.want) || !strings.Contains(location, "state=xyz") {
				t.Errorf("answered %s %s, want %s%s", p.Status, location, lab.CallbackURI, c.want)
			}
			if c.want == fragment && strings.Contains(location, "?") || p.Header.Get("Referrer-Policy") != "no-referrer" || p.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %v", location, p.Header)
			}
		})
	}
	for _, mode := range []string{"form_post", "query", "fragment"} {
		lab.Told(t, w, b.Get(lab.AuthorizeURL("client_id", "every", "response_mode", "form_post")+"&response_mode="+mode), "invalid_request")
	}
}
