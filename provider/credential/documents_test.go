package credential

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// get returns what verifiers are answered at a path.
func (w *world) get(path string, header ...string) *httptest.ResponseRecorder {
	r, recorder := httptest.NewRequest(http.MethodGet, "https://app.test"+path, nil), httptest.NewRecorder()
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w.ServeHTTP(recorder, r)
	return recorder
}

func TestStatusOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ann")
	held := w.hold(t, "ann")
	before := w.get("/id/vci/status/1")
	h := before.Header()
	if before.Code != http.StatusOK || h.Get("Content-Type") != "application/statuslist+jwt" || h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Cache-Control") != "public, max-age=30" || h.Get("Pragma") != "" {
		t.Errorf("%d, %v", before.Code, h)
	}
	if again := w.get("/id/vci/status/1", "If-None-Match", h.Get("Etag")); again.Code != http.StatusNotModified {
		t.Errorf("%d for the copy that the verifier has", again.Code)
	}
	is := func(place int) bool {
		t.Helper()
		_, payload, _ := strings.Cut(w.get("/id/vci/status/1").Body.String(), ".")
		payload, _, _ = strings.Cut(payload, ".")
		raw, err := base64.RawURLEncoding.DecodeString(payload)
		w.must(t, err)
		var list statusList
		w.must(t, json.Unmarshal(raw, &list))
		return unpack(t, list.List.List)[place/8]>>(place%8)&1 == 1
	}
	if is(held.Place) {
		t.Error("ended while in force")
	}
	w.must(t, w.idp.People().DeleteStatus(t.Context(), "ann", "student"))
	w.now = w.now.Add(checkBases)
	w.must(t, w.sweep(t.Context()))
	w.now = w.now.Add(checkLists)
	if !is(held.Place) || checkBases+checkLists > 30*time.Second {
		t.Error("not on the list half a minute after the end of its status")
	}
	for path, want := range map[string]int{
		"/id/vci/status/2": http.StatusNotFound, "/id/vci/status/x": http.StatusNotFound, "/id/vci/status/1?time=1": http.StatusNotImplemented,
	} {
		if got := w.get(path); got.Code != want || got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, %v, want %d", path, got.Code, got.Header(), want)
		}
	}
	_, err := w.store.OpenList(t.Context(), 0, w.now)
	w.must(t, err)
	w.now = held.ExpiresAt.Add(24 * time.Hour)
	for removed := 1; removed > 0; { // a step ends early on a busy machine
		removed, err = w.store.Sweep(t.Context(), w.now, 100)
		w.must(t, err)
	}
	if got := w.get("/id/vci/status/1"); got.Code != http.StatusGone {
		t.Errorf("%d for a list of nobody", got.Code)
	}
	w.must(t, w.store.Close())
	if got := w.get("/id/vci/status/2"); got.Code != http.StatusServiceUnavailable {
		t.Errorf("%d without a database", got.Code)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(path string) map[string]any {
		t.Helper()
		got := w.get(path)
		if got.Code != http.StatusOK || got.Header().Get("Cache-Control") != "public, max-age=3600" || got.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d, %v", path, got.Code, got.Header())
		}
		var document map[string]any
		if err := json.Unmarshal(got.Body.Bytes(), &document); err != nil || strings.Contains(got.Body.String(), "null") || strings.Contains(got.Body.String(), "integrity") {
			t.Errorf("%s: %v: %s", path, err, got.Body)
		}
		return document
	}
	if issuer := read("/.well-known/jwt-vc-issuer/id/oidc"); len(issuer) != 2 || issuer["issuer"] != "https://app.test/id/oidc" || issuer["jwks_uri"] != "https://app.test/id/vci/jwks" {
		t.Errorf("issuer %v", issuer)
	}
	if keys, _ := read("/id/vci/jwks")["keys"].([]any); len(keys) != 1 || keys[0].(map[string]any)["alg"] != "ES256" {
		t.Errorf("keys %v", keys)
	}
	m := read("/id/vci/types/student")
	claims, display := m["claims"].([]any), m["display"].([]any)
	if m["vct"] != "https://app.test/id/vci/types/student" || m["name"] != "Student" || len(display) != 8 || len(claims) != 3 {
		t.Errorf("type %v", m)
	}
	claim := claims[0].(map[string]any)
	label := claim["display"].([]any)[0].(map[string]any)
	if claim["path"].([]any)[0] != "subgroups" || claim["sd"] != "always" || label["locale"] != "en" || label["label"] == "" || label["label"] == "subgroups" {
		t.Errorf("claim %v", claim)
	}
	if got := w.get("/id/vci/types/other"); got.Code != http.StatusNotFound {
		t.Errorf("%d for a type that there is not", got.Code)
	}
}

// certify returns a certificate of a key.
func certify(t *testing.T, name string, key *ecdsa.PrivateKey, by *x509.Certificate, signer *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	if by == nil {
		by, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKeyOfTheHost(t *testing.T) {
	t.Parallel()
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	root, middle, own := newKey(), newKey(), newKey()
	anchor := certify(t, "anchor", root, nil, nil)
	above := certify(t, "above", middle, anchor, root)
	leaf := certify(t, "leaf", own, above, middle)
	other := certify(t, "other", newKey(), above, middle)
	w := newWorld(t)
	for name, c := range map[string]struct {
		change func(*Config)
		wrong  string
	}{
		"Key":           {func(c *Config) { c.Signer = own }, ""},
		"Chain":         {func(c *Config) { c.Signer, c.Certificates = own, []*x509.Certificate{leaf, above} }, ""},
		"NoSigner":      {func(c *Config) { c.Certificates = []*x509.Certificate{leaf} }, "Certificates"},
		"AnotherKey":    {func(c *Config) { c.Signer, c.Certificates = own, []*x509.Certificate{other} }, "Certificates[0]"},
		"WithTheAnchor": {func(c *Config) { c.Signer, c.Certificates = own, []*x509.Certificate{leaf, above, anchor} }, "Certificates[2]"},
		"BrokenChain":   {func(c *Config) { c.Signer, c.Certificates = own, []*x509.Certificate{leaf, other} }, "Certificates[1]"},
	} {
		cfg := w.cfg
		c.change(&cfg)
		k, err := newKeys(t.Context(), cfg)
		var wrong *provider.FieldError
		if errors.As(err, &wrong) != (c.wrong != "") || wrong != nil && wrong.Field != c.wrong {
			t.Errorf("%s: %v, want an error of %q", name, err, c.wrong)
		}
		if err != nil {
			continue
		}
		token, err := k.sign(t.Context(), keyring.TypeCredential, []byte(`{}`))
		header, _, _ := strings.Cut(token, ".")
		if text, _ := base64.RawURLEncoding.DecodeString(header); err != nil || strings.Contains(string(text), "x5c") != (name == "Chain") || strings.Contains(string(text), "kid") != (name == "Key") {
			t.Errorf("%s: header %s, %v", name, text, err)
		}
	}
}
