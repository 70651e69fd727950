package operations

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// keyService is a signer on another machine, which a test can spoil.
type keyService struct {
	*rsa.PrivateKey
	spoil atomic.Pointer[func(signature []byte) ([]byte, error)]
	hides bool // what its key is
}

func newKeyService(t testing.TB) *keyService {
	t.Helper()
	key := testkit.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	return &keyService{PrivateKey: key}
}

func (s *keyService) Public() crypto.PublicKey {
	if s.hides {
		panic("canary-of-the-signer")
	}
	return s.PrivateKey.Public()
}

func (s *keyService) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	signature, err := s.PrivateKey.Sign(random, digest, options)
	if f := s.spoil.Load(); f != nil {
		return (*f)(signature)
	}
	return signature, err
}

func TestSignerThatDoesNotWork(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	another := newKeyService(t)
	for name, c := range map[string]struct {
		spoil func([]byte) ([]byte, error)
		tells string
	}{
		"Fails":   {func([]byte) ([]byte, error) { return nil, errors.New("canary-of-the-signer") }, "canary-of-the-signer"},
		"Panics":  {func([]byte) ([]byte, error) { panic("canary-of-the-signer") }, "canary-of-the-signer"},
		"Exits":   {func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil }, "ended its goroutine"},
		"Hangs":   {func([]byte) ([]byte, error) { <-released; return nil, nil }, "deadline exceeded"},
		"Garbage": {func([]byte) ([]byte, error) { return []byte("signature"), nil }, "does not match"},
		"Nothing": {func([]byte) ([]byte, error) { return nil, nil }, "does not match"},
		"OneBit":  {func(s []byte) ([]byte, error) { s = slices.Clone(s); s[17] ^= 1; return s, nil }, "does not match"},
		"AnotherKey": {func([]byte) ([]byte, error) {
			sum := sha256.Sum256([]byte("x"))
			return another.Sign(rand.Reader, sum[:], crypto.SHA256)
		}, "does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // one of them takes its time
			service := newKeyService(t)
			w, b := lab.WithAlice(t, func(c *provider.Config) { c.Signers = rs256(service) })
			tokens := b.StandardTokens()
			code := b.Allow(lab.Ask()...).Get("code")
			implicit := []string{"scope", "openid military", "response_type", "id_token", "nonce", "n"}
			b.Allow(implicit...)

			service.spoil.Store(&c.spoil)
			p, _ := b.Token(lab.Std("code", code)...)
			lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
			p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
			lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
			lab.Unavailable(t, b.Get(lab.AuthorizeURL(implicit...)))
			service.spoil.Store(nil)

			if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
				t.Errorf("the code is spent: %s %s", p.Status, p.Text)
			}
			if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
				t.Errorf("the refresh token is spent: %s %s", p.Status, p.Text)
			}
			if b.Allow(implicit...).Get("id_token") == "" {
				t.Error("no answer afterwards")
			}
			if !strings.Contains(w.Log.String(), c.tells) || strings.Contains(w.Log.String(), "stack=") {
				t.Errorf("the log does not tell %q, or a stack", c.tells)
			}
		})
	}
}

func rs256(key crypto.Signer) map[string]crypto.Signer { return map[string]crypto.Signer{"RS256": key} }

func TestSignerThatHidesItsKeyIsRefused(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	testkit.OK(t, err)
	defer store.Close()
	service := newKeyService(t)
	service.hides = true
	_, err = provider.New(t.Context(), provider.Config{BaseURL: "https://id.test", Secret: lab.Secret(t), Store: store, Signing: provider.Signing{Signers: rs256(service)}})
	if err == nil || !strings.Contains(err.Error(), "Config.Signing.Signers") {
		t.Errorf("New returned %v", err)
	}
}

func TestWrappedSignerThatDoesNotWorkLater(t *testing.T) {
	t.Parallel()
	var service *keyService
	_, b := lab.WithAlice(t, func(c *provider.Config) {
		c.Wrap = func(_ string, key crypto.Signer) (crypto.Signer, error) {
			service = &keyService{PrivateKey: key.(*rsa.PrivateKey)}
			return service, nil
		}
	})
	code := b.Allow(lab.Ask()...).Get("code")
	exits := func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil }
	service.spoil.Store(&exits)
	p, _ := b.Token(lab.Std("code", code)...)
	lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	service.spoil.Store(nil)
	if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("the code is spent: %s %s", p.Status, p.Text)
	}
}

// The host changes its key: the next is in the set before it signs, and the former one
// verifies afterwards.
func TestPublicKeysOfTheSigner(t *testing.T) {
	t.Parallel()
	former, current, next := newKeyService(t), newKeyService(t), newKeyService(t)
	var w *lab.Fixture
	configure := func(c *provider.Config) {
		if w != nil {
			c.BaseURL, c.Store = w.Server.URL, w.Store
		}
	}
	w = lab.New(t, configure, func(c *provider.Config) {
		c.Signers = rs256(former)
		c.PublicKeys = map[string][]crypto.PublicKey{"RS256": {&former.PublicKey, &current.PublicKey, &current.PublicKey}}
	}).WithClients().WithUsers()
	b := w.Alice()
	header, _ := lab.JWT(t, lab.Member(t, b.StandardTokens(), "id_token"))
	hint := lab.Member(t, b.StandardTokens(), "id_token")
	before := lab.KeyIDs(w.PublishedKeys())
	if len(before) != 2 || !slices.Contains(before, header["kid"].(string)) {
		t.Fatalf("key set %v, signed with %v", before, header["kid"])
	}
	w.Provider = lab.New(t, configure, func(c *provider.Config) {
		c.Signers = rs256(current)
		c.PublicKeys = map[string][]crypto.PublicKey{"RS256": {&former.PublicKey, &next.PublicKey}}
	}).Provider
	after := lab.KeyIDs(w.PublishedKeys())
	if len(after) != 3 || !slices.Contains(after, before[0]) || !slices.Contains(after, before[1]) {
		t.Errorf("key sets %v, then %v", before, after)
	}
	again, _ := lab.JWT(t, lab.Member(t, b.StandardTokens(), "id_token"))
	if again["kid"] == header["kid"] || !slices.Contains(before, again["kid"].(string)) {
		t.Errorf("signed with %v, then %v", header["kid"], again["kid"])
	}
	if got := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none", "id_token_hint", hint)...))); got.Get("code") == "" {
		t.Errorf("a hint of the former key: %v", got)
	}
}

func TestPublicKeysThatCannotBePublishedAreRefused(t *testing.T) {
	t.Parallel()
	service := newKeyService(t)
	small := testkit.Must(rsa.GenerateKey(rand.Reader, 1024))(t)
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/identity.db"))(t)
	defer store.Close()
	for name, keys := range map[string]provider.Signing{
		`PublicKeys["RS256"][0]`: {Signers: rs256(service), PublicKeys: map[string][]crypto.PublicKey{"RS256": {nil}}},
		`PublicKeys["RS256"][1]`: {Signers: rs256(service), PublicKeys: map[string][]crypto.PublicKey{"RS256": {&service.PublicKey, &small.PublicKey}}},
		"PublicKeys: ":           {PublicKeys: map[string][]crypto.PublicKey{"RS256": {&service.PublicKey}}},
	} {
		c := provider.Config{BaseURL: "https://id.test", Secret: lab.Secret(t), Store: store, Signing: keys}
		if _, err := provider.New(t.Context(), c); err == nil || !strings.Contains(err.Error(), "Config.Signing."+name) {
			t.Errorf("%s: New returned %v", name, err)
		}
	}
}
