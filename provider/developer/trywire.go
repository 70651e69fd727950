package developer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	requests "github.com/bonafide-id/bonafide/provider/internal/request"
)

// answer is a provider's response within the process: no request goes over the network, and
// none can be redirected.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer

	sent string // the request, to be shown
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// ask sends a trial's request to the provider, as the application would. form is nil for a
// GET.
func (run *tryRun) ask(method, path string, form url.Values, header http.Header) *answer {
	address := run.p.Rooms().Installation().BaseURL + path
	a := &answer{header: http.Header{}, sent: wire(method+" "+address, header, form)}
	body := strings.NewReader(form.Encode())
	r, err := http.NewRequestWithContext(requests.Trial(run.r.Request.Context()), method, address, body)
	if err != nil {
		a.status = http.StatusInternalServerError
		return a
	}
	r.Header = header
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	// It comes from where the developer is: limits count it there.
	r.RemoteAddr, r.RequestURI = run.r.Request.RemoteAddr, path
	r.Header["X-Forwarded-For"] = run.r.Request.Header.Values("X-Forwarded-For")
	run.p.ServeHTTP(a, r)
	return a
}

// text is the response for display.
func (a *answer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	if mediaType := a.header.Get("Content-Type"); mediaType != "" {
		b.WriteString("Content-Type: " + mediaType + "\n")
	}
	if challenge := a.header.Get("WWW-Authenticate"); challenge != "" {
		b.WriteString("WWW-Authenticate: " + challenge + "\n")
	}
	if a.body.Len() > 0 {
		b.WriteString("\n" + shown(a.body.Bytes()))
	}
	return b.String()
}

// shown is a body for display: JSON in lines, tokens shortened, and a JWT decoded.
func shown(body []byte) string {
	if text, ok := asJWT(body); ok {
		header, claims, ok := decodeJWT(text)
		if ok {
			return short(text) + "\n\n" + indented(header) + "\n" + indented(claims)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return short(string(body))
	}
	if object, ok := value.(map[string]any); ok {
		for _, name := range secretNames {
			if secret, ok := object[name].(string); ok {
				object[name] = short(secret)
			}
		}
	}
	pretty, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return ""
	}
	return string(pretty)
}

// asJWT returns a body that is a JWT, even in a JSON string.
func asJWT(body []byte) (string, bool) {
	text := string(body)
	if strings.HasPrefix(text, `"`) && json.Unmarshal(body, &text) != nil {
		return "", false
	}
	return text, strings.Count(text, ".") == 2 && strings.HasPrefix(text, "ey")
}

// decodeJWT returns header and claims of a JWT as JSON.
func decodeJWT(token string) (header, claims []byte, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, nil, false
	}
	header, err1 := base64.RawURLEncoding.DecodeString(parts[0])
	claims, err2 := base64.RawURLEncoding.DecodeString(parts[1])
	return header, claims, err1 == nil && err2 == nil && json.Valid(header) && json.Valid(claims)
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return ""
	}
	return b.String()
}

// secretNames are the parameters that are shortened; hiddenNames are not shown at all.
var (
	secretNames = []string{"access_token", "refresh_token", "id_token", "code", "state", "nonce", "code_verifier", "token"}
	hiddenNames = []string{"client_secret"}
)

const hiddenText = "••••"

// short returns the first characters of a secret that nobody may copy from a screen.
func short(secret string) string {
	if len(secret) <= 8 {
		return hiddenText
	}
	return secret[:8] + "…"
}

// wire is a request for display, one parameter a line.
func wire(line string, header http.Header, form url.Values) string {
	var b strings.Builder
	b.WriteString(line + "\n")
	if authorization := header.Get("Authorization"); authorization != "" {
		scheme, credentials, _ := strings.Cut(authorization, " ")
		if scheme == "Bearer" {
			credentials = short(credentials)
		} else {
			credentials = hiddenText
		}
		b.WriteString("Authorization: " + scheme + " " + credentials + "\n")
	}
	separator := "\n"
	for _, name := range slices.Sorted(maps.Keys(form)) {
		value := form.Get(name)
		switch {
		case slices.Contains(hiddenNames, name):
			value = hiddenText
		case slices.Contains(secretNames, name):
			value = short(value)
		}
		b.WriteString(separator + name + "=" + value)
		separator = "\n&"
	}
	return b.String()
}
