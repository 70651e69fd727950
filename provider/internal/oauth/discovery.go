package oauth

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// metadata is the discovery document (OpenID Connect Discovery section 3, RFC 8414
// section 2).
type metadata struct {
	Issuer                            string   `json:"issuer"`
	AuthorizationEndpoint             string   `json:"authorization_endpoint"`
	TokenEndpoint                     string   `json:"token_endpoint"`
	UserinfoEndpoint                  string   `json:"userinfo_endpoint"`
	JWKSURI                           string   `json:"jwks_uri"`
	RegistrationEndpoint              string   `json:"registration_endpoint,omitempty"`
	RevocationEndpoint                string   `json:"revocation_endpoint"`
	IntrospectionEndpoint             string   `json:"introspection_endpoint"`
	EndSessionEndpoint                string   `json:"end_session_endpoint"`
	BackchannelLogoutSupported        bool     `json:"backchannel_logout_supported"`
	BackchannelLogoutSessionSupported bool     `json:"backchannel_logout_session_supported"`
	ScopesSupported                   []string `json:"scopes_supported"`
	ResponseTypesSupported            []string `json:"response_types_supported"`
	ResponseModesSupported            []string `json:"response_modes_supported"`
	GrantTypesSupported               []string `json:"grant_types_supported"`
	SubjectTypesSupported             []string `json:"subject_types_supported"`
	IDTokenSigningAlgs                []string `json:"id_token_signing_alg_values_supported"`
	AuthorizationSigningAlgs          []string `json:"authorization_signing_alg_values_supported"`
	UserinfoSigningAlgs               []string `json:"userinfo_signing_alg_values_supported"`
	TokenEndpointAuthMethods          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationEndpointAuthMethods     []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionEndpointAuthMethods  []string `json:"introspection_endpoint_auth_methods_supported"`
	TokenEndpointAuthAlgs             []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	RevocationEndpointAuthAlgs        []string `json:"revocation_endpoint_auth_signing_alg_values_supported"`
	IntrospectionEndpointAuthAlgs     []string `json:"introspection_endpoint_auth_signing_alg_values_supported"`
	RequestObjectSigningAlgs          []string `json:"request_object_signing_alg_values_supported"`
	PushedAuthorizationEndpoint       string   `json:"pushed_authorization_request_endpoint"`
	RequirePushedAuthorization        bool     `json:"require_pushed_authorization_requests"`
	CodeChallengeMethodsSupported     []string `json:"code_challenge_methods_supported"`
	ClaimsSupported                   []string `json:"claims_supported"`
	ClaimTypesSupported               []string `json:"claim_types_supported"`
	ACRValuesSupported                []string `json:"acr_values_supported"`
	PromptValuesSupported             []string `json:"prompt_values_supported"`
	DisplayValuesSupported            []string `json:"display_values_supported"`
	UILocalesSupported                []string `json:"ui_locales_supported"`
	AuthorizationResponseIssParameter bool     `json:"authorization_response_iss_parameter_supported"`
	ClaimsParameterSupported          bool     `json:"claims_parameter_supported"`
	RequestParameterSupported         bool     `json:"request_parameter_supported"`
	RequestURIParameterSupported      bool     `json:"request_uri_parameter_supported"`
	RequireRequestURIRegistration     bool     `json:"require_request_uri_registration,omitempty"`
	DeviceAuthorizationEndpoint       string   `json:"device_authorization_endpoint,omitempty"`
	ClientIDMetadataDocument          bool     `json:"client_id_metadata_document_supported,omitempty"`
	DPoPSigningAlgs                   []string `json:"dpop_signing_alg_values_supported"`
}

// describe makes the discovery document from the lists that the endpoints themselves follow.
func (e *Endpoints) describe(preAuthorizes bool) error {
	at := func(path string) string { return e.Site.BaseURL + path }
	m := metadata{
		Issuer:                            e.Site.Issuer,
		AuthorizationEndpoint:             at("/oauth/authorize"),
		TokenEndpoint:                     at("/oauth/token"),
		UserinfoEndpoint:                  at("/api/public/v3/userinfo"),
		JWKSURI:                           at("/oidc/.well-known/jwks"),
		RevocationEndpoint:                at("/oauth/revoke"),
		IntrospectionEndpoint:             at("/oauth/introspect"),
		EndSessionEndpoint:                at("/signout"),
		BackchannelLogoutSupported:        true,
		BackchannelLogoutSessionSupported: e.HasAccounts,
		ScopesSupported:                   []string{claims.OpenID, claims.OfflineAccess},
		ResponseTypesSupported:            protocol.ResponseTypes,
		GrantTypesSupported:               e.grantTypes(preAuthorizes),
		SubjectTypesSupported:             []string{"public"},
		IDTokenSigningAlgs:                e.SigningAlgorithms,
		AuthorizationSigningAlgs:          e.SigningAlgorithms,
		UserinfoSigningAlgs:               e.SigningAlgorithms,
		TokenEndpointAuthMethods:          protocol.AuthMethods,
		RevocationEndpointAuthMethods:     protocol.AuthMethods,
		IntrospectionEndpointAuthMethods:  []string{protocol.AuthBasic, protocol.AuthPost, protocol.AuthPrivateKey},
		TokenEndpointAuthAlgs:             clientkeys.Algorithms,
		RevocationEndpointAuthAlgs:        clientkeys.Algorithms,
		IntrospectionEndpointAuthAlgs:     clientkeys.Algorithms,
		RequestObjectSigningAlgs:          clientkeys.Algorithms,
		PushedAuthorizationEndpoint:       at("/oauth/par"),
		RequestParameterSupported:         true,
		RequestURIParameterSupported:      e.RequestURI,
		RequireRequestURIRegistration:     e.RequestURI,
		CodeChallengeMethodsSupported:     []string{"S256"},
		ClaimsSupported:                   []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "sid"},
		ClaimTypesSupported:               []string{"normal"},
		ACRValuesSupported:                e.Classes,
		PromptValuesSupported:             []string{authorization.PromptNone, authorization.PromptLogin, authorization.PromptConsent, authorization.PromptSelectAccount, authorization.PromptCreate},
		DisplayValuesSupported:            []string{"page", web.DisplayPopup},
		AuthorizationResponseIssParameter: true,
		ClaimsParameterSupported:          true,
		ClientIDMetadataDocument:          e.Documents,
		DPoPSigningAlgs:                   dpop.Algorithms,
	}
	if e.Registrations != nil {
		m.RegistrationEndpoint = at(RegistrationPath)
	}
	if e.Devices {
		m.DeviceAuthorizationEndpoint = at("/oauth/device_authorization")
	}
	for _, mode := range slices.Concat(protocol.ResponseModes, protocol.SignedModes) {
		m.ResponseModesSupported = append(m.ResponseModesSupported, string(mode))
	}
	for _, s := range e.Catalogue.Scopes {
		m.ScopesSupported = append(m.ScopesSupported, s.Name)
	}
	handles, _ := e.Catalogue.Release(m.ScopesSupported)
	m.ClaimsSupported = append(m.ClaimsSupported, handles...)
	if slices.Contains(handles, "email") && !slices.Contains(handles, "email_verified") {
		m.ClaimsSupported = append(m.ClaimsSupported, "email_verified")
	}
	if !slices.Contains(handles, "eid") {
		m.ClaimsSupported = append(m.ClaimsSupported, "eid")
	}
	for _, l := range e.Site.Locales.All() {
		m.UILocalesSupported = append(m.UILocalesSupported, l.Lang)
	}
	more := map[string]any{}
	if e.Verified != nil {
		m.ClaimsSupported = append(m.ClaimsSupported, "verified_claims")
		maps.Copy(more, e.Verified.Metadata(m.Issuer))
	}
	if e.Credentials != nil {
		maps.Copy(more, e.Credentials.Metadata())
	}
	if preAuthorizes {
		more["pre-authorized_grant_anonymous_access_supported"] = true
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(more) > 0 {
		rest, err := json.Marshal(more)
		if err != nil {
			return err
		}
		body = slices.Concat(body[:len(body)-1], []byte(","), rest[1:])
	}
	e.discovery.Store(web.NewDocument(body, publicHeaders))
	return nil
}

// grantTypes are those that some application may use.
func (e *Endpoints) grantTypes(preAuthorizes bool) []string {
	return slices.DeleteFunc(slices.Clone(protocol.RegisteredGrantTypes), func(g string) bool {
		return g == protocol.GrantDeviceCode && !e.Devices || g == protocol.GrantTokenExchange && !e.Exchanges || g == protocol.GrantPreAuthorized && !preAuthorizes
	})
}

// InsertedPaths are the paths at which clients look for the discovery document of a
// provider whose base URL has this path, if they insert the well-known part before the
// issuer's path (RFC 8414 section 3.1). They are paths of the host: with a base URL that
// has a path they lie beside it.
func InsertedPaths(basePath string) []string {
	return []string{
		"/.well-known/oauth-authorization-server" + basePath + "/oidc",
		"/.well-known/openid-configuration" + basePath + "/oidc",
	}
}

func (e *Endpoints) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	e.discovery.Load().ServeHTTP(w, r)
}

// serveKeys is the key set (RFC 7517 section 5). It answers from memory, also while
// the database is down.
func (e *Endpoints) serveKeys(w http.ResponseWriter, r *http.Request) {
	e.Keys.Refresh(r.Context())
	e.keySet().ServeHTTP(w, r)
}

// freshKeys returns the response with the keys, or nil when they have to be read first.
func (e *Endpoints) freshKeys() *web.Document {
	if !e.Keys.IsFresh() {
		return nil
	}
	return e.keySet()
}

// published is the response with the key set, and its source.
type published struct {
	jwks     []byte
	document *web.Document
}

// keySet returns the response with the current keys. It is made when they change.
func (e *Endpoints) keySet() *web.Document {
	now, known := e.Keys.JWKS(), e.published.Load()
	if known == nil || !bytes.Equal(known.jwks, now) {
		known = &published{now, web.NewDocument(now, publicHeaders)}
		e.published.Store(known)
	}
	return known.document
}

// publicHeaders are the headers of documents. Clients may cache discovery and key set for
// an hour: a new key is published a day before it signs.
var publicHeaders = http.Header{
	"Access-Control-Allow-Origin": {"*"},
	"Content-Type":                {"application/json"},
	"Cache-Control":               {"public, max-age=3600"},
	"X-Content-Type-Options":      {"nosniff"},
}
