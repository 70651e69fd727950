package api

import (
	"encoding/json"
	"net/http"
	"net/url"
)

// The paths of the documents about the API, below its own.
const (
	documentPath = "/openapi.json"
	metadataPath = "/metadata.json"
)

func (a *API) metadataURL() string { return a.resource.URI + metadataPath }

// metadata is what a client learns of the API before it has a token (RFC 9728 section 2).
func (a *API) metadata() []byte {
	installed := a.Provider.Rooms().Installation()
	text, err := json.Marshal(map[string]any{
		"resource":                 a.resource.URI,
		"resource_name":            a.resource.Name,
		"authorization_servers":    []string{installed.Issuer},
		"scopes_supported":         a.resource.Scopes,
		"bearer_methods_supported": []string{"header"},
		"resource_documentation":   a.docs,
	})
	if err != nil {
		panic(err) // texts
	}
	return text
}

// Metadata serves it at the well-known path of the host, too.
func (a *API) Metadata() http.Handler { return a.Frame.Pages.Room().Program(document(a.metadata())) }

// WellKnown is the path, for the router of the host, at which clients look for the metadata
// unless they are told (RFC 9728 section 3.1).
func WellKnown(baseURL string) string {
	base, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return "/.well-known/oauth-protected-resource" + base.Path + "/desk/api/v1"
}
