package registration

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/storage"
)

// MaxBytes is the maximum size of metadata.
const MaxBytes = 8 << 10

// Metadata are the members that a program registers. Others are ignored, and the answer is
// without them: a logo_uri is not fetched, since pictures are what an operator looks at.
type Metadata struct {
	// ClientID and Secret are those of a registration that is replaced.
	ClientID string `json:"client_id"`
	Secret   string `json:"client_secret"`

	Name                   string   `json:"client_name"`
	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris"`
	InitiateLoginURI       string   `json:"initiate_login_uri"`
	GrantTypes             []string `json:"grant_types"`
	ResponseTypes          []string `json:"response_types"`
	Scope                  string   `json:"scope"`
	PolicyURL              string   `json:"policy_uri"`
	TermsURL               string   `json:"tos_uri"`

	AuthMethod     string          `json:"token_endpoint_auth_method"`
	AuthSigningAlg string          `json:"token_endpoint_auth_signing_alg"`
	JWKS           json.RawMessage `json:"jwks"`
	JWKSURI        string          `json:"jwks_uri"`

	RequirePushed     bool     `json:"require_pushed_authorization_requests"`
	RequireSigned     bool     `json:"require_signed_request_object"`
	RequestSigningAlg string   `json:"request_object_signing_alg"`
	RequestURIs       []string `json:"request_uris"`
	DPoPBound         bool     `json:"dpop_bound_access_tokens"`

	IDTokenAlg  string `json:"id_token_signed_response_alg"`
	UserinfoAlg string `json:"userinfo_signed_response_alg"`
	ResponseAlg string `json:"authorization_signed_response_alg"`

	BackchannelLogoutURI     string `json:"backchannel_logout_uri"`
	BackchannelLogoutSession bool   `json:"backchannel_logout_session_required"`

	// What there is not, and what a program must not believe to have.
	SubjectType         string `json:"subject_type"`
	SectorIdentifierURI string `json:"sector_identifier_uri"`
	IDTokenEncryption   string `json:"id_token_encrypted_response_alg"`
	UserinfoEncryption  string `json:"userinfo_encrypted_response_alg"`
	ResponseEncryption  string `json:"authorization_encrypted_response_alg"`
	RequestEncryption   string `json:"request_object_encryption_alg"`
	CertificateBound    bool   `json:"tls_client_certificate_bound_access_tokens"`
}

// Read returns the metadata of a text. The error is a protocol.Error that names the member that
// no application can have.
func Read(text []byte) (Metadata, error) {
	var m Metadata
	if len(text) > MaxBytes || json.Unmarshal(text, &m) != nil {
		return m, wrong("The body must be a JSON object with the metadata of RFC 7591, none of them twice, of at most 8 KiB.")
	}
	switch {
	case m.SubjectType != "" && m.SubjectType != subjectPublic:
		return m, wrong("subject_type must be public.")
	case m.SectorIdentifierURI != "":
		return m, wrong("sector_identifier_uri is for pairwise subjects, which there are not.")
	case m.IDTokenEncryption != "" || m.UserinfoEncryption != "" || m.ResponseEncryption != "" || m.RequestEncryption != "":
		return m, wrong("Nothing is encrypted for applications: leave out the members for encryption.")
	case m.CertificateBound:
		return m, wrong("tls_client_certificate_bound_access_tokens must be false.")
	case !slices.Contains(authMethods, m.AuthMethod):
		return m, wrong("token_endpoint_auth_method must be none, client_secret_basic, client_secret_post or private_key_jwt.")
	}
	if string(m.JWKS) == "null" {
		m.JWKS = nil
	}
	return m, nil
}

const subjectPublic = "public"

var authMethods = []string{"", protocol.AuthNone, protocol.AuthBasic, protocol.AuthPost, protocol.AuthPrivateKey}

func wrong(description string) error {
	return protocol.Fail(protocol.InvalidClientMetadata, description)
}

// Onto returns a registration with all that metadata say in the place of what it has: a member that
// is left out has its default. Without a scope it has no scopes, which who lets it in has to
// decide about.
func (m Metadata) Onto(c storage.Client) storage.Client {
	c.Name, c.PolicyURL, c.TermsURL = m.Name, m.PolicyURL, m.TermsURL
	c.RedirectURIs, c.PostLogoutRedirectURIs = m.RedirectURIs, m.PostLogoutRedirectURIs
	c.InitiateLoginURI, c.Scopes = m.InitiateLoginURI, strings.Fields(m.Scope)
	c.GrantTypes, c.ResponseTypes = m.GrantTypes, m.ResponseTypes
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{protocol.GrantAuthorizationCode}
	}
	switch {
	case onlyOfDevices(c.GrantTypes): // no browser comes back to them, although some programs say how
		c.ResponseTypes, c.RedirectURIs = nil, nil
	case len(c.ResponseTypes) == 0 && len(c.RedirectURIs) > 0:
		c.ResponseTypes = []string{"code"}
	}
	c.AuthMethod = cmp.Or(m.AuthMethod, protocol.AuthBasic) // RFC 7591 section 2 has the default
	c.Public = c.AuthMethod == protocol.AuthNone
	c.AuthSigningAlg, c.JWKS, c.JWKSURI = m.AuthSigningAlg, []byte(m.JWKS), m.JWKSURI
	c.RequirePushed, c.RequireSignedRequest, c.RequestSigningAlg, c.RequireDPoP = m.RequirePushed, m.RequireSigned, m.RequestSigningAlg, m.DPoPBound
	c.RequestURIs = m.RequestURIs
	c.IDTokenAlg, c.ResponseAlg = m.IDTokenAlg, m.ResponseAlg
	c.UserinfoSigned, c.UserinfoAlg = m.UserinfoAlg != "", m.UserinfoAlg
	c.BackchannelLogoutURI, c.BackchannelLogoutSession = m.BackchannelLogoutURI, m.BackchannelLogoutSession
	return c
}

// onlyOfDevices reports whether all that is granted begins with the code of a device.
func onlyOfDevices(grants []string) bool {
	return slices.Contains(grants, protocol.GrantDeviceCode) && !slices.ContainsFunc(grants, func(g string) bool {
		return g != protocol.GrantDeviceCode && g != protocol.GrantRefreshToken
	})
}
