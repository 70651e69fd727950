package operations

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
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

func sealedSecrets(w *lab.Fixture, id string) []storage.ClientSecret {
	w.T.Helper()
	c := testkit.Must(w.Store.Client(w.T.Context(), id))(w.T)
	return c.Secrets
}

// knows reports whether a client that presents its secret is known by it.
func knows(w *lab.Fixture, id, secret string) bool {
	w.T.Helper()
	b := w.NewBrowser()
	_, answer := b.Token("client_id", id, "client_secret", secret, "code", "x")
	switch answer["error"] {
	case "invalid_grant":
		return true
	case "invalid_client":
		return false
	}
	w.T.Fatalf("%v", answer)
	return false
}

func TestAFormerSecretIsDropped(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	hint := lab.Member(t, w.Alice().StandardTokens(), "id_token")
	second := testkit.Must(w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(t)
	next := otherSecret()

	start := len(w.Log.String())
	during := w.Twin(secrets(next, lab.Secret(t)))
	if got := w.Lines(start, "records are still encrypted under previous secrets"); len(got) != 1 ||
		!strings.Contains(got[0], "PreviousSecrets[0].signing_keys=1 PreviousSecrets[0].data_keys=1 PreviousSecrets[0].client_secrets=5") {
		t.Errorf("at the start: %q", got)
	}
	during.Until(func() bool { return len(w.Lines(start, "records encrypted under the current secret")) > 0 })
	if got := w.Lines(start, "records encrypted under the current secret"); len(got) != 1 || !strings.Contains(got[0], "signing_keys=1 data_keys=1 client_secrets=5") {
		t.Errorf("afterwards: %q", got)
	}

	start = len(w.Log.String())
	after := w.Twin(secrets(next))
	for _, secret := range []string{lab.ClientSecret, second} {
		if !knows(after, "std", secret) {
			t.Error("a client secret went with the former secret")
		}
	}
	if got := w.Lines(start, "level=ERROR"); len(got) > 0 {
		t.Errorf("it complains: %q", got)
	}
	if secret, err := after.Clients().Secret(t.Context(), "std"); err != nil || secret != second {
		t.Errorf("ClientSecret: %v", err)
	}
	b := after.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	if got := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", hint, "prompt", "none")...))); got.Get("code") == "" {
		t.Errorf("an ID token of before as a hint: %v", got)
	}
	start = len(w.Log.String())
	w.Twin(secrets(next, lab.Secret(t)))
	if got := w.Lines(start, "records are still encrypted under previous secrets"); len(got) != 1 ||
		!strings.Contains(got[0], "signing_keys=0 PreviousSecrets[0].data_keys=0 PreviousSecrets[0].client_secrets=0") {
		t.Errorf("at the next start: %q", got)
	}
}

func TestRegisteringAgainSealsAnew(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	before := sealedSecrets(w, "v3")
	during := w.Twin(secrets(otherSecret(), lab.Secret(t)))
	registered := provider.Client{ID: "v3", Dialect: provider.V3, Name: "Veterans Shop", Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Origins: []string{"https://rp.test"}}
	for _, secret := range []string{lab.ClientSecret, ""} {
		registered.Secret = secret
		testkit.OK(t, during.Clients().Save(t.Context(), registered))
	}
	sealed := sealedSecrets(w, "v3")
	if len(sealed) != 1 || bytes.Equal(sealed[0].Sealed, before[0].Sealed) || !sealed[0].CreatedAt.Equal(before[0].CreatedAt) {
		t.Errorf("secrets %v, before %v", sealed, before)
	}
	if !knows(during, "v3", lab.ClientSecret) {
		t.Error("the client is not known by its secret")
	}
	events, err := during.Events().List(t.Context(), provider.EventFilter{Name: event.SecretChanged})
	if err != nil || len(events) > 0 {
		t.Errorf("events of a secret that has not changed: %v, %v", events, err)
	}
	again := sealedSecrets(w, "v3")
	if err := during.Clients().Save(t.Context(), registered); err != nil || !bytes.Equal(again[0].Sealed, sealedSecrets(w, "v3")[0].Sealed) {
		t.Errorf("it is sealed anew each time (%v)", err)
	}
}

func TestClientSecretsThatNothingOpensAreNamed(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	lost := w.Twin(secrets(otherSecret(), lab.Secret(t)))
	ghost := provider.Client{ID: "ghost", Dialect: provider.V3, Secret: lab.ClientSecret + "g", RedirectURIs: []string{lab.CallbackURI}}
	testkit.OK(t, lost.Clients().Save(t.Context(), ghost))
	second := testkit.Must(lost.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(t) // the first stays, under the secret that is not lost

	start := len(w.Log.String())
	after := w.Twin()
	got := w.Lines(start, "client secrets cannot be decrypted")
	if len(got) != 1 || !strings.Contains(got[0], "level=ERROR") || !strings.Contains(got[0], "client_secrets=2") || !strings.Contains(got[0], `clients="[ghost std]"`) {
		t.Errorf("at the start: %q", got)
	}
	if !knows(after, "std", lab.ClientSecret) {
		t.Error("a secret that can be opened is of no use beside one that cannot")
	}
	for id, secret := range map[string]string{"ghost": ghost.Secret, "std": second} {
		start = len(w.Log.String())
		p, answer := after.NewBrowser().Token("client_id", id, "client_secret", secret, "code", "x")
		if p.StatusCode != http.StatusInternalServerError || answer["error"] != "server_error" {
			t.Errorf("%s: %s %v", id, p.Status, answer)
		}
		if got := w.Lines(start, "client "+id); len(got) != 1 || !strings.Contains(got[0], "level=ERROR") {
			t.Errorf("%s: the log says %q", id, got)
		}
	}
	testkit.OK(t, after.Clients().Save(t.Context(), ghost))
	after.Advance(2 * time.Second)
	if !knows(w.Twin(), "ghost", ghost.Secret) {
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
	w := lab.New(t).WithClients()
	start := len(w.Log.String())
	during := w.Twin(secrets(otherSecret(), lab.Secret(t)), func(c *provider.Config) {
		c.Store = &interrupted{c.Store, func(id string) {
			var err error
			switch {
			case id == "q":
				err = errors.Join(w.Clients().Delete(t.Context(), "q", 0), w.RemoveDeleted(t.Context()))
			case id == "v3" && len(sealedSecrets(w, "v3")) == 1:
				_, err = w.Clients().RotateSecret(t.Context(), "v3", time.Hour, 0)
			}
			if err != nil {
				t.Error(err)
			}
		}}
	})
	during.Until(func() bool { return len(w.Lines(start, "records encrypted under the current secret")) > 0 })
	if got := w.Lines(start, "records encrypted under the current secret"); !strings.Contains(got[0], "client_secrets=4") { // std, std2, v3 twice
		t.Errorf("the log says %q", got)
	}
	if got := w.Lines(start, "level=ERROR"); len(got) > 0 {
		t.Errorf("it complains: %q", got)
	}
	if got := sealedSecrets(w, "v3"); len(got) != 2 || got[0].ExpiresAt.IsZero() || !got[1].ExpiresAt.IsZero() {
		t.Errorf("the new secret of v3 is lost: %v", got)
	}
	if _, err := w.Store.Client(t.Context(), "q"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the client that was deleted is back (%v)", err)
	}
	events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.ClientChanged})
	if err != nil || len(events) > 0 {
		t.Errorf("events of registrations that have not changed: %v, %v", events, err)
	}
}

// TestARollingChangeOfTheSecretComesToAnEnd tests processes of which each takes the
// other's secret for a former one.
func TestARollingChangeOfTheSecretComesToAnEnd(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	w.AgreeOnTime()
	next := otherSecret()
	start := func(change func(*provider.Config)) func() {
		counted := new(lab.Sweeps)
		p := w.Twin(change, func(c *provider.Config) { counted.Store, c.Store = c.Store, counted })
		return func() {
			before := counted.N.Load()
			p.Until(func() bool { return counted.N.Load() > before })
		}
	}
	sealed := func() string { return string(sealedSecrets(w, "v3")[0].Sealed) }
	rounds := []func(){start(secrets(next, lab.Secret(t))), start(secrets(lab.Secret(t), next))}
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
