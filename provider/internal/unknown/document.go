package unknown

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// metadata are the members of a document that are read (RFC 7591 section 2). Others are
// ignored, as values of lists are that the provider does not have.
type metadata struct {
	ClientID               string          `json:"client_id"`
	Name                   string          `json:"client_name"`
	RedirectURIs           []string        `json:"redirect_uris"`
	PostLogoutRedirectURIs []string        `json:"post_logout_redirect_uris"`
	GrantTypes             []string        `json:"grant_types"`
	ResponseTypes          []string        `json:"response_types"`
	AuthMethod             string          `json:"token_endpoint_auth_method"`
	AuthSigningAlg         string          `json:"token_endpoint_auth_signing_alg"`
	JWKS                   json.RawMessage `json:"jwks"`
	JWKSURI                string          `json:"jwks_uri"`
	IDTokenAlg             string          `json:"id_token_signed_response_alg"`
	UserinfoAlg            string          `json:"userinfo_signed_response_alg"`
	ResponseAlg            string          `json:"authorization_signed_response_alg"`
	RequestSigningAlg      string          `json:"request_object_signing_alg"`
	RequireSignedRequest   bool            `json:"require_signed_request_object"`
	RequirePushed          bool            `json:"require_pushed_authorization_requests"`
	RequireDPoP            bool            `json:"dpop_bound_access_tokens"`
	PolicyURL              string          `json:"policy_uri"`
	TermsURL               string          `json:"tos_uri"`

	// Members that make a document none of this kind: a secret that everybody can read.
	Secret        json.RawMessage `json:"client_secret"`
	SecretExpires json.RawMessage `json:"client_secret_expires_at"`
}

// read returns the registration of a document that was found at the address id. The error
// names the first member that is wrong.
func (p *Policy) read(id string, text []byte, now time.Time) (storage.Client, error) {
	m, wrong := p.examine(id, text)
	if len(wrong) > 0 {
		return storage.Client{}, wrong[0]
	}
	c := storage.Client{
		ID: id, Name: nameOf(id), Dialect: registry.DialectStandard, Origin: storage.OriginDocument, Unreviewed: true, NoQueryToken: true, NoJSONP: true,
		RequirePKCE: true, RedirectURIs: m.RedirectURIs, PostLogoutRedirectURIs: m.PostLogoutRedirectURIs,
		ResponseTypes: []string{"code"}, GrantTypes: []string{protocol.GrantAuthorizationCode}, Scopes: p.Scopes,
		Document: &storage.ClientDocument{Name: m.Name, FetchedAt: now, LookedAt: now, Digest: sha256.Sum256(text), Text: text},
	}
	if slices.Contains(m.GrantTypes, protocol.GrantRefreshToken) {
		c.GrantTypes = append(c.GrantTypes, protocol.GrantRefreshToken)
	}
	if p.validateOwn(id, m.PolicyURL) == nil {
		c.PolicyURL = m.PolicyURL
	}
	if p.validateOwn(id, m.TermsURL) == nil {
		c.TermsURL = m.TermsURL
	}
	if err := readKeys(&c, m); err != nil {
		return storage.Client{}, err
	}
	err := p.readProtection(&c, m)
	return c, err
}

// examine reads a document that was found at the address id. Each error names a member that is
// wrong.
func (p *Policy) examine(id string, text []byte) (m metadata, wrong []error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, []error{errors.New("is not a JSON object with the members of RFC 7591")}
	}
	if m.ClientID != id {
		wrong = append(wrong, errors.New("client_id is not the address of the document, byte for byte"))
	}
	if len(m.Secret) > 0 || len(m.SecretExpires) > 0 {
		wrong = append(wrong, errors.New("client_secret is in a document that everybody can read"))
	}
	if len(m.RedirectURIs) == 0 {
		wrong = append(wrong, errors.New("redirect_uris are missing"))
	}
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		wrong = append(wrong, errors.New("response_types are without code"))
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, protocol.GrantAuthorizationCode) {
		wrong = append(wrong, errors.New("grant_types are without authorization_code"))
	}
	wrong = append(wrong, p.checkAddresses(id, m)...)
	var c storage.Client
	if err := readKeys(&c, m); err != nil {
		return m, append(wrong, err)
	}
	if err := p.readProtection(&c, m); err != nil {
		wrong = append(wrong, err)
	}
	return m, wrong
}

// checkAddresses refuses the whole document for one address that is not of its owner: another
// of its addresses would do as the next one to be asked for.
func (p *Policy) checkAddresses(id string, m metadata) (wrong []error) {
	for i, uri := range m.RedirectURIs {
		if err := p.validateRedirect(id, uri); err != nil {
			wrong = append(wrong, fmt.Errorf("redirect_uris[%d] %w", i, err))
		}
	}
	for i, uri := range m.PostLogoutRedirectURIs {
		if err := p.validateRedirect(id, uri); err != nil {
			wrong = append(wrong, fmt.Errorf("post_logout_redirect_uris[%d] %w", i, err))
		}
	}
	if m.JWKSURI != "" {
		if err := p.validateOwn(id, m.JWKSURI); err != nil {
			wrong = append(wrong, fmt.Errorf("jwks_uri %w", err))
		}
	}
	return wrong
}

// readProtection reads with what client and provider sign for each other, and without what the
// client does nothing. A document with a wish that cannot be met is refused: the client would
// refuse what it gets instead, or be less safe than it believes.
func (p *Policy) readProtection(c *storage.Client, m metadata) error {
	for _, signed := range []struct{ name, alg string }{
		{"id_token_signed_response_alg", m.IDTokenAlg}, {"userinfo_signed_response_alg", m.UserinfoAlg}, {"authorization_signed_response_alg", m.ResponseAlg},
	} {
		if signed.alg != "" && !slices.Contains(p.Algorithms, signed.alg) {
			return errors.New(signed.name + " is none that the provider signs with")
		}
	}
	hasKeys := len(c.JWKS) > 0 || c.JWKSURI != ""
	switch {
	case m.RequestSigningAlg != "" && !slices.Contains(clientkeys.Algorithms, m.RequestSigningAlg):
		return errors.New("request_object_signing_alg is not supported")
	case m.RequireSignedRequest && !hasKeys:
		return errors.New("require_signed_request_object needs keys")
	case m.RequirePushed && c.Public:
		return errors.New("require_pushed_authorization_requests needs private_key_jwt: nobody else may push before a user has decided")
	}
	c.IDTokenAlg, c.UserinfoAlg, c.UserinfoSigned, c.ResponseAlg = m.IDTokenAlg, m.UserinfoAlg, m.UserinfoAlg != "", m.ResponseAlg
	c.RequestSigningAlg, c.RequireSignedRequest, c.RequirePushed, c.RequireDPoP = m.RequestSigningAlg, m.RequireSignedRequest, m.RequirePushed, m.RequireDPoP
	return nil
}

// readKeys reads how a client authenticates: by its key, or not at all.
func readKeys(c *storage.Client, m metadata) error {
	switch m.AuthMethod {
	case "", protocol.AuthNone:
		c.Public, c.AuthMethod = true, protocol.AuthNone
		return nil
	case protocol.AuthPrivateKey:
	default:
		return errors.New("token_endpoint_auth_method is neither none nor private_key_jwt")
	}
	c.AuthMethod, c.AuthSigningAlg, c.JWKSURI = m.AuthMethod, m.AuthSigningAlg, m.JWKSURI
	if (len(m.JWKS) > 0) == (m.JWKSURI != "") {
		return errors.New("private_key_jwt needs one of jwks and jwks_uri")
	}
	if m.AuthSigningAlg != "" && !slices.Contains(clientkeys.Algorithms, m.AuthSigningAlg) {
		return errors.New("token_endpoint_auth_signing_alg is not supported")
	}
	if len(m.JWKS) > 0 {
		keys, err := clientkeys.Registered(m.JWKS)
		if err != nil {
			return fmt.Errorf("jwks %w", err)
		}
		c.JWKS = keys
	}
	return nil
}
