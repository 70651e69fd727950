package tokens

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// listener takes whatever it is told, as it comes.
type listener struct {
	*httptest.Server
	mu    sync.Mutex
	heard []string
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		if parts := strings.Split(text, "."); len(parts) == 3 && !strings.HasPrefix(text, "{") { // a security event token
			header, _ := base64.RawURLEncoding.DecodeString(parts[0])
			claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
			text = string(header) + string(claims)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.heard = append(l.heard, r.URL.Path+" "+text)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

var toldTypes = regexp.MustCompile(`^/(\w+) .*?"(?:type":"|events":\{"https://schemas\.openid\.net/secevent/)([^"]+)"`)

// TestAttackReadingMoreThanWasAllowed listens to all that is told of a user by every way: bodies have who and
// what, and neither secrets, addresses, reasons, values nor who did it.
func TestAttackReadingMoreThanWasAllowed(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	key := "whsec_" + base64.StdEncoding.EncodeToString([]byte("canary-key-of-the-hook--"))
	w := lab.New(t, lab.AllowPrivate, func(c *provider.Config) {
		c.Signals = signals.Config{Webhooks: true, SharedSignals: true, Endpoints: []signals.Endpoint{{Address: l.URL + "/host", Secret: key}}}
	}).Runs()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "rp", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Name: "canary-name",
		GrantTypes: []string{"authorization_code", "client_credentials"}, Scopes: []string{"openid", "military", "ssf.read", "ssf.manage"},
	}))
	const mail, password, another = "canary-mail@example.com", "canary-password-tulip-42", "canary-password-violin-77"
	user, err := w.Accounts().Save(t.Context(), provider.Account{Email: mail, EmailVerified: true, Password: password})
	w.OK(err)
	w.OK(w.People().SetAttributes(t.Context(), user, map[string]any{"fname": "canary-name"}))
	_, hookKey, err := w.Signals().Save(t.Context(), signals.Receiver{ClientID: "rp", Address: l.URL + "/hook", Description: "canary-description", Asymmetric: true})
	w.OK(err)
	b := w.NewBrowser().SignIn(mail, password)
	access := w.MachineToken("rp", "ssf.manage").AccessToken
	p := b.Send(http.MethodPost, "/ssf/stream", `{"description":"canary-description","delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"`+l.URL+`/push","authorization_header":"canary-header"}}`,
		"Authorization", "Bearer "+access, "Content-Type", "application/json")
	if p.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	lab.Eventually(t, func() bool {
		of, err := w.Signals().List(t.Context(), storage.ReceiverFilter{})
		w.OK(err)
		return len(of) == 3 && !slices.ContainsFunc(of, func(r signals.Receiver) bool { return r.State != string(storage.ReceiverEnabled) })
	})
	tokens := b.TokensOf("rp")

	staff := provider.By(t.Context(), storage.Actor{Name: "staff:canary-actor", Matter: "canary-matter"})
	w.OK(w.People().SetStatus(staff, user, provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, VerifiedBy: "canary-verifier", Source: "canary-source", Method: "canary-method"}))
	w.OK(w.People().SetStatus(staff, user, provider.Status{Group: "military", Reason: "canary-reason"}))
	w.OK(w.People().EndSessions(staff, user, ""))
	_, err = w.Accounts().Save(staff, provider.Account{ID: user, Email: mail, EmailVerified: true, Password: another})
	w.OK(err)
	w.OK(w.Accounts().SetDisabled(staff, user, true))
	w.OK(w.Accounts().SetDisabled(staff, user, false))
	w.OK(w.Rooms().People.RevokeConsent(staff, user, "rp"))
	w.OK(w.People().Revoke(staff, user))
	_, err = w.Keys().Rotate(t.Context())
	w.OK(err)
	w.OK(w.Accounts().Delete(staff, user))

	want := []string{
		"host account.deleted", "host account.disabled", "host account.enabled", "host consent.withdrawn", "host credential.changed", "host keys.rotated", "host sessions.ended", "host status.changed",
		"hook account.deleted", "hook account.disabled", "hook account.enabled", "hook consent.withdrawn", "hook credential.changed", "hook keys.rotated", "hook ping", "hook sessions.ended", "hook status.changed",
		"push caep/event-type/credential-change", "push caep/event-type/session-revoked", "push caep/event-type/token-claims-change",
		"push risc/event-type/account-disabled", "push risc/event-type/account-enabled", "push risc/event-type/account-purged",
	}
	missing := func() []string {
		left := slices.Clone(want)
		for _, m := range l.all() {
			found := toldTypes.FindStringSubmatch(m)
			if found == nil {
				t.Fatalf("it hears %s", m)
			}
			left = slices.DeleteFunc(left, func(s string) bool { return s == found[1]+" "+found[2] })
		}
		return left
	}
	lab.Eventually(t, func() bool {
		waiting, err := w.Signals().List(t.Context(), storage.ReceiverFilter{Counted: true})
		w.OK(err)
		unread, err := w.Signals().Unread(t.Context())
		w.OK(err)
		return unread.IsZero() && !slices.ContainsFunc(waiting, func(r signals.Receiver) bool { return r.Waiting > 0 })
	})
	if left := missing(); len(left) > 0 {
		t.Errorf("not heard are %q of %q", left, l.all())
	}
	secrets := []string{"canary", "@", "127.0.0.", "Veteran", strings.TrimPrefix(hookKey, "whsec_"), access}
	for _, name := range []string{"access_token", "id_token"} {
		secrets = append(secrets, lab.Member(t, tokens, name))
	}
	for _, m := range l.all() {
		path, body, _ := strings.Cut(m, " ")
		if issuer := w.Server.URL + "/oidc"; path == "/push" {
			body = strings.ReplaceAll(body, issuer, "")
		}
		for _, secret := range secrets {
			if strings.Contains(body, secret) {
				t.Errorf("%s tells %q: %s", path, secret, body)
			}
		}
		var told struct {
			Data map[string]any `json:"data"`
		}
		if path != "/push" && json.Unmarshal([]byte(body), &told) == nil {
			for name := range told.Data {
				if !slices.Contains([]string{"sub", "group", "client_id"}, name) {
					t.Errorf("%s has a %s: %s", path, name, body)
				}
			}
		}
	}
	if strings.Contains(w.Log.String(), strings.TrimPrefix(hookKey, "whsec_")) || strings.Contains(w.Log.String(), "canary-header") {
		t.Error("the log has a key, or the header of a stream")
	}
}
