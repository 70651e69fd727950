package sampleclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// apiPath is where the site has an API for other programs: a resource server.
const (
	apiPath      = "/api"
	metadataPath = "/.well-known/oauth-protected-resource" + apiPath
)

// caller is what a provider says about an access token (RFC 7662).
type caller struct {
	Active   bool   `json:"active"`
	Audience any    `json:"aud"` // one, or a list
	Issuer   string `json:"iss"`
	ClientID string `json:"client_id"`
	Subject  string `json:"sub"`
	Scope    string `json:"scope,omitempty"`
}

// api answers a caller whose access token is for this API.
func (s *Site) api(w http.ResponseWriter, r *http.Request) {
	if found, ok := s.authorize(w, r, s.services[0], s.resource, metadataPath); ok {
		answer(w, found)
	}
}

// authorize returns the caller whose access token is of a service, for a resource, and tells any
// other where to get one (RFC 9728 section 5.1). One API has one issuer: another one's users, such
// as the sandbox's, whom nobody has checked, are none of its own.
func (s *Site) authorize(w http.ResponseWriter, r *http.Request, of *service, resource, metadata string) (found caller, ok bool) {
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s%s"`, s.base, metadata)
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "an access token for this API is missing", http.StatusUnauthorized)
		return caller{}, false
	}
	found, err := of.introspect(r, token)
	if err != nil {
		http.Error(w, "the provider cannot be asked", http.StatusBadGateway)
		return caller{}, false
	}
	if found.Active && found.isFor(resource) {
		return found, true
	}
	w.Header().Set("WWW-Authenticate", challenge+`, error="invalid_token"`)
	http.Error(w, "the access token is not in force, or for something else", http.StatusUnauthorized)
	return caller{}, false
}

// isFor reports whether a token is for an API: one that this site got for itself is in force, and
// good for nothing here.
func (c caller) isFor(resource string) bool {
	several, _ := c.Audience.([]any)
	return c.Audience == resource || slices.Contains(several, any(resource))
}

// introspect asks the provider about a token, as a client of its own.
func (s *service) introspect(r *http.Request, token string) (found caller, err error) {
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodPost, s.BaseURL+"/oauth/introspect", form)
	if err != nil {
		return found, err
	}
	ask.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	ask.SetBasicAuth(s.Standard.ID, s.Standard.Secret)
	body, err := fetch(ask)
	if err != nil {
		return found, err
	}
	err = json.Unmarshal(body, &found)
	return found, err
}

// metadata says for which provider's tokens the API is (RFC 9728).
func (s *Site) metadata(w http.ResponseWriter, _ *http.Request) {
	answer(w, protected(s.resource, s.services[0]))
}

// protected is what there is to know of a protected resource.
func protected(resource string, of *service) map[string]any {
	return map[string]any{"resource": resource, "authorization_servers": []string{of.discovery.issuer}, "bearer_methods_supported": []string{"header"}}
}

func answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what) // the caller may have gone
}
