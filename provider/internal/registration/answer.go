package registration

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Answer is what is registered (RFC 7591 section 3.2.1, RFC 7592 section 3), which may be less
// than what was asked for.
type Answer struct {
	ClientID        string `json:"client_id"`
	IssuedAt        int64  `json:"client_id_issued_at"`
	Secret          string `json:"client_secret,omitempty"`
	SecretExpiresAt *int64 `json:"client_secret_expires_at,omitempty"`
	Token           string `json:"registration_access_token"`
	URI             string `json:"registration_client_uri"`

	Name                   string   `json:"client_name"`
	ApplicationType        string   `json:"application_type"`
	SubjectType            string   `json:"subject_type"`
	RedirectURIs           []string `json:"redirect_uris,omitempty"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`
	InitiateLoginURI       string   `json:"initiate_login_uri,omitempty"`
	GrantTypes             []string `json:"grant_types"`
	ResponseTypes          []string `json:"response_types"`
	Scope                  string   `json:"scope"`
	PolicyURL              string   `json:"policy_uri,omitempty"`
	TermsURL               string   `json:"tos_uri,omitempty"`

	AuthMethod     string          `json:"token_endpoint_auth_method"`
	AuthSigningAlg string          `json:"token_endpoint_auth_signing_alg,omitempty"`
	JWKS           json.RawMessage `json:"jwks,omitempty"`
	JWKSURI        string          `json:"jwks_uri,omitempty"`

	RequirePushed     bool     `json:"require_pushed_authorization_requests,omitempty"`
	RequireSigned     bool     `json:"require_signed_request_object,omitempty"`
	RequestSigningAlg string   `json:"request_object_signing_alg,omitempty"`
	RequestURIs       []string `json:"request_uris,omitempty"`
	DPoPBound         bool     `json:"dpop_bound_access_tokens,omitempty"`

	IDTokenAlg  string `json:"id_token_signed_response_alg"`
	UserinfoAlg string `json:"userinfo_signed_response_alg,omitempty"`
	ResponseAlg string `json:"authorization_signed_response_alg,omitempty"`

	BackchannelLogoutURI     string `json:"backchannel_logout_uri,omitempty"`
	BackchannelLogoutSession bool   `json:"backchannel_logout_session_required,omitempty"`
}

// AnswerOf is the answer about a registration, with its secret, if it has one, and the registration
// access token for an address.
func AnswerOf(c storage.Client, secret, token, uri string) Answer {
	a := Answer{
		ClientID: c.ID, IssuedAt: c.CreatedAt.Unix(), Secret: secret, Token: token, URI: uri,
		Name: c.Name, ApplicationType: "web", SubjectType: subjectPublic,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs, InitiateLoginURI: c.InitiateLoginURI,
		GrantTypes: c.GrantTypes, ResponseTypes: c.ResponseTypes, Scope: strings.Join(c.Scopes, " "), PolicyURL: c.PolicyURL, TermsURL: c.TermsURL,
		AuthMethod: c.AuthMethod, AuthSigningAlg: c.AuthSigningAlg, JWKS: c.JWKS, JWKSURI: c.JWKSURI,
		RequirePushed: c.RequirePushed, RequireSigned: c.RequireSignedRequest, RequestSigningAlg: c.RequestSigningAlg, DPoPBound: c.RequireDPoP, RequestURIs: c.RequestURIs,
		IDTokenAlg: cmp.Or(c.IDTokenAlg, keyring.RS256), ResponseAlg: c.ResponseAlg,
		BackchannelLogoutURI: c.BackchannelLogoutURI, BackchannelLogoutSession: c.BackchannelLogoutSession,
	}
	if c.Public && OnDevice(c.RedirectURIs) {
		a.ApplicationType = "native"
	}
	if c.UserinfoSigned {
		a.UserinfoAlg = cmp.Or(c.UserinfoAlg, keyring.RS256)
	}
	if secret != "" {
		a.SecretExpiresAt = new(int64) // which is never
	}
	if len(a.GrantTypes) == 0 {
		a.GrantTypes = []string{protocol.GrantAuthorizationCode}
	}
	if a.ResponseTypes == nil {
		a.ResponseTypes = []string{}
	}
	return a
}
