package credential

import (
	"bytes"
	"context"
	"crypto"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// keys sign credentials and status lists.
type keys struct{ set *keyring.KeySet }

// newKeys opens keys of the provider's database, or takes the one of the host.
func newKeys(ctx context.Context, cfg Config) (*keys, error) {
	certificates, err := cfg.certificates()
	if err != nil {
		return nil, err
	}
	types, rooms := []string{keyring.TypeCredential, keyring.TypeStatusList}, cfg.Provider.Rooms().Keys
	var k keys
	if cfg.Signer != nil {
		k.set, err = rooms.RingOf("Signer", cfg.Signer, certificates, types...)
		return &k, err
	}
	var life time.Duration
	for _, kind := range cfg.Kinds {
		life = max(life, kind.life())
	}
	k.set, err = rooms.Ring(ctx, "credential", life, types...)
	return &k, err
}

// certificates returns the chain in DER. Verifiers have the anchor, and trust none that comes with a
// credential.
func (c Config) certificates() (der [][]byte, err error) {
	if len(c.Certificates) > 0 {
		key, ok := c.Certificates[0].PublicKey.(interface{ Equal(crypto.PublicKey) bool })
		switch {
		case c.Signer == nil:
			return nil, wrongField("Certificates", "are those of the Signer, which is missing")
		case !ok || !key.Equal(c.Signer.Public()):
			return nil, wrongField("Certificates[0]", "is not that of the Signer's key")
		}
	}
	for i, certificate := range c.Certificates {
		if bytes.Equal(certificate.RawIssuer, certificate.RawSubject) {
			return nil, wrongField(fmt.Sprintf("Certificates[%d]", i), "is an anchor, which verifiers have; leave it out")
		}
		if i > 0 {
			if err := c.Certificates[i-1].CheckSignatureFrom(certificate); err != nil {
				return nil, wrongField(fmt.Sprintf("Certificates[%d]", i), "has not signed the one before: %w", err)
			}
		}
		der = append(der, certificate.Raw)
	}
	return der, nil
}

// sign returns a signed token of this type.
func (k *keys) sign(ctx context.Context, typ string, claims []byte) (string, error) {
	k.set.Refresh(ctx)
	return k.set.SignAs(typ, keyring.ES256, claims)
}

// serveKeys is the key set (RFC 7517 section 5). It answers from memory, also while the database is
// down; a new key is in it for a day before it signs.
func (s *Service) serveKeys(w http.ResponseWriter, r *http.Request) {
	s.keys.set.Refresh(r.Context())
	public(documentLife, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.keys.set.JWKS())
	})(w, r)
}

// serveIssuer says where the keys are (SD-JWT-based Verifiable Credentials section 4).
func (s *Service) serveIssuer(w http.ResponseWriter, r *http.Request) {
	public(documentLife, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"issuer": s.issuer, "jwks_uri": s.url + "/jwks"})
	})(w, r)
}
