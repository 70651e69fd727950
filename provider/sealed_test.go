package provider_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

func otherSecret() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	return secret
}

func secrets(current []byte, previous ...[]byte) func(*provider.Config) {
	return func(c *provider.Config) { c.Secret, c.PreviousSecrets = current, previous }
}

// lines returns the lines of the log since a moment that hold a text.
func (w *fixture) lines(since int, text string) (found []string) {
	for line := range strings.Lines(w.log.String()[since:]) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// until runs the background work until something is so.
func (w *fixture) until(so func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	eventually(w.t, so)
	cancel()
	if err := <-done; err != nil {
		w.t.Fatal(err)
	}
}

func (w *fixture) sealedSecrets(id string) []storage.ClientSecret {
	w.t.Helper()
	c, err := w.store.Client(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c.Secrets
}

// knows reports whether a client that presents its secret is known by it.
func (w *fixture) knows(id, secret string) bool {
	w.t.Helper()
	b := w.newBrowser()
	_, answer := b.token("client_id", id, "client_secret", secret, "code", "x")
	switch answer["error"] {
	case "invalid_grant":
		return true
	case "invalid_client":
		return false
	}
	w.t.Fatalf("%v", answer)
	return false
}

func TestAFormerSecretIsDropped(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	hint := text(t, w.alice().standardTokens(), "id_token")
	second, err := w.RotateClientSecret(t.Context(), "std", time.Hour, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := otherSecret()

	start := len(w.log.String())
	during := w.twin(secrets(next, testSecret(t)))
	if got := w.lines(start, "what former secrets still seal"); len(got) != 1 ||
		!strings.Contains(got[0], "PreviousSecrets[0].signing_keys=1 PreviousSecrets[0].data_keys=1 PreviousSecrets[0].client_secrets=5") {
		t.Errorf("at the start: %q", got)
	}
	during.until(func() bool { return len(w.lines(start, "sealed anew")) > 0 })
	if got := w.lines(start, "sealed anew under"); len(got) != 1 || !strings.Contains(got[0], "signing_keys=1 data_keys=1 client_secrets=5") {
		t.Errorf("afterwards: %q", got)
	}

	start = len(w.log.String())
	after := w.twin(secrets(next))
	for _, secret := range []string{clientSecret, second} {
		if !after.knows("std", secret) {
			t.Error("a client secret went with the former secret")
		}
	}
	if got := w.lines(start, "level=ERROR"); len(got) > 0 {
		t.Errorf("it complains: %q", got)
	}
	if secret, err := after.ClientSecret(t.Context(), "std"); err != nil || secret != second {
		t.Errorf("ClientSecret: %v", err)
	}
	b := after.newBrowser().signIn("alice@example.com", alicePass)
	if got := response(t, b.get(authorizeURL(ask("id_token_hint", hint, "prompt", "none")...))); got.Get("code") == "" {
		t.Errorf("an ID token of before as a hint: %v", got)
	}
	start = len(w.log.String())
	w.twin(secrets(next, testSecret(t)))
	if got := w.lines(start, "what former secrets still seal"); len(got) != 1 ||
		!strings.Contains(got[0], "signing_keys=0 PreviousSecrets[0].data_keys=0 PreviousSecrets[0].client_secrets=0") {
		t.Errorf("at the next start: %q", got)
	}
}

func TestRegisteringAgainSealsAnew(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	before := w.sealedSecrets("v3")
	during := w.twin(secrets(otherSecret(), testSecret(t)))
	registered := provider.Client{ID: "v3", Name: "Veterans Shop", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Origins: []string{"https://rp.test"}}
	for _, secret := range []string{clientSecret, ""} {
		registered.Secret = secret
		if err := during.SaveClient(t.Context(), registered); err != nil {
			t.Fatal(err)
		}
	}
	sealed := w.sealedSecrets("v3")
	if len(sealed) != 1 || bytes.Equal(sealed[0].Sealed, before[0].Sealed) || !sealed[0].CreatedAt.Equal(before[0].CreatedAt) {
		t.Errorf("secrets %v, before %v", sealed, before)
	}
	if !during.knows("v3", clientSecret) {
		t.Error("the client is not known by its secret")
	}
	events, err := during.Events(t.Context(), provider.EventFilter{Name: provider.EventSecretChanged})
	if err != nil || len(events) > 0 {
		t.Errorf("events of a secret that has not changed: %v, %v", events, err)
	}
	again := w.sealedSecrets("v3")
	if err := during.SaveClient(t.Context(), registered); err != nil || !bytes.Equal(again[0].Sealed, w.sealedSecrets("v3")[0].Sealed) {
		t.Errorf("it is sealed anew each time (%v)", err)
	}
}

func TestClientSecretsThatNothingOpensAreNamed(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	lost := w.twin(secrets(otherSecret(), testSecret(t)))
	ghost := provider.Client{ID: "ghost", Secret: clientSecret + "g", RedirectURIs: []string{callbackURI}}
	if err := lost.SaveClient(t.Context(), ghost); err != nil {
		t.Fatal(err)
	}
	second, err := lost.RotateClientSecret(t.Context(), "std", time.Hour, 0) // the first stays, under the secret that is not lost
	if err != nil {
		t.Fatal(err)
	}

	start := len(w.log.String())
	after := w.twin()
	got := w.lines(start, "client secrets cannot be opened")
	if len(got) != 1 || !strings.Contains(got[0], "level=ERROR") || !strings.Contains(got[0], "client_secrets=2") || !strings.Contains(got[0], `clients="[ghost std]"`) {
		t.Errorf("at the start: %q", got)
	}
	if !after.knows("std", clientSecret) {
		t.Error("a secret that can be opened is of no use beside one that cannot")
	}
	for id, secret := range map[string]string{"ghost": ghost.Secret, "std": second} {
		start = len(w.log.String())
		p, answer := after.newBrowser().token("client_id", id, "client_secret", secret, "code", "x")
		if p.StatusCode != http.StatusInternalServerError || answer["error"] != "server_error" {
			t.Errorf("%s: %s %v", id, p.Status, answer)
		}
		if got := w.lines(start, "client "+id); len(got) != 1 || !strings.Contains(got[0], "level=ERROR") {
			t.Errorf("%s: the log says %q", id, got)
		}
	}
	if err := after.SaveClient(t.Context(), ghost); err != nil {
		t.Fatal(err)
	}
	after.advance(2 * time.Second)
	if !w.twin().knows("ghost", ghost.Secret) {
		t.Error("registering it again does not help")
	}
}

// interrupted is a store in which somebody else is faster.
type interrupted struct {
	storage.Store
	first func(id string)
}

func (s *interrupted) SaveClient(ctx context.Context, c storage.Client) error {
	s.first(c.ID)
	return s.Store.SaveClient(ctx, c)
}

func TestSealingAnewLosesNoChange(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	start := len(w.log.String())
	during := w.twin(secrets(otherSecret(), testSecret(t)), func(c *provider.Config) {
		c.Store = &interrupted{c.Store, func(id string) {
			var err error
			switch {
			case id == "q":
				err = errors.Join(w.DeleteClient(t.Context(), "q"), w.RemoveDeleted(t.Context()))
			case id == "v3" && len(w.sealedSecrets("v3")) == 1:
				_, err = w.RotateClientSecret(t.Context(), "v3", time.Hour, 0)
			}
			if err != nil {
				t.Error(err)
			}
		}}
	})
	during.until(func() bool { return len(w.lines(start, "sealed anew under")) > 0 })
	if got := w.lines(start, "sealed anew under"); !strings.Contains(got[0], "client_secrets=4") { // std, std2, v3 twice
		t.Errorf("the log says %q", got)
	}
	if got := w.lines(start, "level=ERROR"); len(got) > 0 {
		t.Errorf("it complains: %q", got)
	}
	if got := w.sealedSecrets("v3"); len(got) != 2 || got[0].ExpiresAt.IsZero() || !got[1].ExpiresAt.IsZero() {
		t.Errorf("the new secret of v3 is lost: %v", got)
	}
	if _, err := w.store.Client(t.Context(), "q"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the client that was deleted is back (%v)", err)
	}
	events, err := w.Events(t.Context(), provider.EventFilter{Name: provider.EventClientChanged})
	if err != nil || len(events) > 0 {
		t.Errorf("events of registrations that have not changed: %v, %v", events, err)
	}
}

// sweeps is a store that counts how often what is over was removed, which is the end of
// a round of the background work.
type sweeps struct {
	storage.Store
	n atomic.Int64
}

func (s *sweeps) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	defer s.n.Add(1)
	return s.Store.Sweep(ctx, now, limit)
}

// TestARollingChangeOfTheSecretComesToAnEnd tests processes of which each takes the
// other's secret for a former one.
func TestARollingChangeOfTheSecretComesToAnEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	w.agreeOnTime()
	next := otherSecret()
	start := func(change func(*provider.Config)) func() {
		counted := new(sweeps)
		p := w.twin(change, func(c *provider.Config) { counted.Store, c.Store = c.Store, counted })
		return func() {
			before := counted.n.Load()
			p.until(func() bool { return counted.n.Load() > before })
		}
	}
	sealed := func() string { return string(w.sealedSecrets("v3")[0].Sealed) }
	rounds := []func(){start(secrets(next, testSecret(t))), start(secrets(testSecret(t), next))}
	for _, round := range rounds {
		before := sealed()
		if round(); sealed() == before {
			t.Error("the first round seals nothing anew")
		}
	}
	settled := sealed()
	for range 3 {
		for _, round := range rounds {
			round()
		}
	}
	if sealed() != settled {
		t.Error("they seal the same again and again")
	}
}
