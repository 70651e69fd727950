package fedcm

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Brand is how the browser's dialog looks.
type Brand struct {
	Name            string `json:"name"`
	BackgroundColor string `json:"background_color"`
	Color           string `json:"color"`
	Icons           []Icon `json:"icons,omitempty"`
}

// Icon is a square picture of at least 40 pixels a side.
type Icon struct {
	URL  string `json:"url"`
	Size int    `json:"size"`
}

// WellKnownPath is that of the document that names the one provider of a registrable domain.
const WellKnownPath = "/.well-known/web-identity"

// WellKnown is the document at WellKnownPath for the provider with this base URL.
func WellKnown(baseURL string) any {
	return map[string]any{
		"accounts_endpoint": baseURL + accountsPath, "login_url": baseURL + signInPath,
		"provider_urls": []string{baseURL + configPath},
	}
}

// showConfig answers the same to everybody: nobody learns from it which site asks, nor who
// is signed in.
func (p *Pages) showConfig(w http.ResponseWriter, r *http.Request) error {
	at := func(path string) string { return p.Site.BaseURL + path }
	p.Site.WriteJSON(w, r, http.StatusOK, map[string]any{
		"accounts_endpoint": at(accountsPath), "client_metadata_endpoint": at(metadataPath), "id_assertion_endpoint": at(assertionPath),
		"disconnect_endpoint": at(disconnectPath), "login_url": at(signInPath), "supports_use_other_account": true, "branding": p.Brand,
	})
	return nil
}

// showMetadata tells where an application says what it does with data. The button never
// causes this request.
func (p *Pages) showMetadata(w http.ResponseWriter, r *http.Request) error {
	var links struct {
		Policy string `json:"privacy_policy_url,omitempty"`
		Terms  string `json:"terms_of_service_url,omitempty"`
	}
	client, err := p.Engine.Client(r.Context(), web.Parameter(r, web.ClientParameter))
	if err == nil {
		links.Policy, links.Terms = client.PolicyURL, client.TermsURL
	} else if !errors.Is(err, registry.ErrNoClient) {
		return err
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		allow(w, origin)
	}
	p.Site.WriteJSON(w, r, http.StatusOK, links)
	return nil
}

// allow lets the page of an origin have the answer.
func allow(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
}
