package tokens

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// secretsOf goes through every flow and returns all that must be in nobody's hands
// but those of the browser or application it was given to.
func secretsOf(t *testing.T, w *lab.Fixture) map[string]string {
	t.Helper()
	const password, renewed = "canary-Meadow-copper-19", "canary-Renewed-copper-20"
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	secrets := map[string]string{"password": password, "new password": renewed, "alice's password": lab.AlicePass, "verifier": verifier,
		"client secret": lab.ClientSecret, "wrong client secret": "canary-wrong-secret", "wrong password": "canary-wrong-password", "state": "canary-state-of-the-client"}

	b := w.NewBrowser()
	p := b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", password)
	_, code := w.Mails.Last(t)
	secrets["mail code"] = code
	b.Submit(p, "code", code)
	p = b.Open(lab.AuthorizeURL(lab.Ask("state", secrets["state"], "code_challenge", challenge, "code_challenge_method", "S256")...))
	secrets["flow"] = p.Request.URL.Query().Get("flow")
	got := lab.Response(t, b.Submit(p, "action", "allow"))
	secrets["code"] = got.Get("code")
	_, tokens := b.Token(lab.Std("code", got.Get("code"), "code_verifier", verifier)...)
	_, refreshed := b.Refresh(lab.Member(t, tokens, "refresh_token"))
	for name, from := range map[string]map[string]any{"first": tokens, "refreshed": refreshed} {
		for _, member := range []string{"access_token", "refresh_token", "id_token"} {
			secrets[name+" "+member] = lab.Member(t, from, member)
		}
	}
	implicit := b.Allow("scope", "openid military", "response_type", "code id_token token")
	for _, member := range []string{"code", "id_token", "access_token"} {
		secrets["implicit "+member] = implicit.Get(member)
	}
	b.Get(lab.UserinfoPath + "?access_token=" + implicit.Get("access_token"))
	b.Get(lab.AttributesPath + "?callback=show&access_token=" + implicit.Get("access_token"))
	b.Bearer(lab.UserinfoPath, secrets["refreshed access_token"])
	b.Token(lab.Std("client_secret", secrets["wrong client secret"], "code", "canary-code")...)
	b.Token(lab.Std("code", got.Get("code"))...) // a replay
	b.Post(lab.IntrospectPath, lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", secrets["implicit access_token"]))
	b.Post(lab.RevokePath, lab.Form("client_id", "v3", "client_secret", lab.ClientSecret, "token", secrets["implicit access_token"]))
	home := testkit.Must(url.Parse(w.Server.URL))(t)
	for _, c := range b.HTTP.Jar.Cookies(home) {
		if len(c.Value) > 16 {
			secrets["cookie "+c.Name] = c.Value
		}
	}
	reset := w.NewBrowser()
	p = reset.Submit(reset.Open("/reset"), "email", "carol@example.com")
	_, code = w.Mails.Last(t)
	secrets["reset code"] = code
	reset.Submit(p, "code", code, "new_password", renewed)
	thief := w.NewBrowser()
	thief.Submit(thief.Open("/signin"), "email", "alice@example.com", "password", secrets["wrong password"])
	w.Alice()
	testkit.Must(w.Clients().Secret(t.Context(), "std"))(t)
	for name, secret := range secrets {
		if secret == "" {
			t.Fatalf("no %s", name)
		}
	}
	return secrets
}

func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	secrets := secretsOf(t, w)
	secrets["secret of the provider"] = string(lab.Secret(t))
	for name, secret := range secrets {
		if body, ok := strings.CutPrefix(secret, "bf"); ok && strings.IndexByte(body, '_') == 1 { // an opaque token, also as bytes
			raw := testkit.Must(base64.RawURLEncoding.DecodeString(body[2:]))(t)
			secrets[name+" as bytes"] = string(raw[4:32])
		}
	}
	secrets["private key"] = "PRIVATE KEY"
	files, err := filepath.Glob(filepath.Dir(w.Path) + "/*")
	if err != nil || len(files) < 2 {
		t.Fatalf("database files: %v %v", files, err)
	}
	for _, file := range files {
		content := testkit.Must(os.ReadFile(file))(t)
		info := testkit.Must(os.Stat(file))(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", filepath.Base(file), info.Mode())
		}
		for name, secret := range secrets {
			if strings.Contains(string(content), secret) {
				t.Errorf("%s holds the %s", filepath.Base(file), name)
			}
		}
	}
}

func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(*testkit.Output) slog.Handler{
		"Text": func(b *testkit.Output) slog.Handler {
			return slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true})
		},
		"JSON": func(b *testkit.Output) slog.Handler {
			return slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := &testkit.Output{}
			w := lab.New(t, func(c *provider.Config) { c.Logger = slog.New(handler(log)) }).WithClients().WithUsers()
			secrets := secretsOf(t, w)
			delete(secrets, "mail code") // eight digits can be in a timestamp
			delete(secrets, "reset code")
			secrets["code that is none"] = "canary-code"
			written := log.String() + trail(t, w)
			if !strings.Contains(written, "request failed") {
				t.Fatal("nothing was logged")
			}
			for name, secret := range secrets {
				if strings.Contains(written, secret) {
					t.Errorf("the log holds the %s", name)
				}
			}
			for _, injected := range []string{"carol@example.com", "127.0.0.1:"} {
				if strings.Contains(log.String(), injected) {
					t.Errorf("the log holds %s", injected)
				}
			}
		})
	}
}

func TestStrangersCannotWriteLinesOfTheLog(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	const line = "a\nlevel=ERROR msg=forged\r\n\x1b[31m"
	b.Get(lab.AuthorizeURL("client_id", line, "state", line, "scope", line))
	b.Get(lab.AuthorizeURL("state", line, "prompt", "none"))
	b.Get("/nowhere/" + url.PathEscape(line))
	b.Token("code", line)
	b.Send(http.MethodPost, lab.TokenPath, line, "Content-Type", "application/x-www-form-urlencoded")
	b.Submit(b.Open("/signin"), "email", line, "password", line)
	for _, l := range strings.Split(strings.TrimSpace(w.Log.String()), "\n") {
		if !strings.HasPrefix(l, "time=") || strings.Contains(l, "\x1b") {
			t.Errorf("line %q", l)
		}
	}
}

// The trail answers who did what, when, from where.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	secretsOf(t, w)
	b := w.NewBrowser()
	page := b.Open("/signin")
	for range 12 {
		b.Submit(page, "email", "bob@example.com", "password", "not-his-password")
	}
	denied := w.Alice()
	denied.Submit(denied.Open(lab.AuthorizeURL(lab.Ask()...)), "action", "deny")
	err := w.Clients().Save(t.Context(), provider.Client{ID: "std2", Dialect: provider.V3, Secret: "another-" + lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}})
	testkit.OK(t, err)
	for _, name := range []string{
		event.SignedIn, event.SignInFailed, event.Throttled, event.SignedUp,
		event.PasswordChanged, event.Consent, event.Denied, event.Reuse, event.SecretShown,
		event.SecretChanged,
	} {
		if !w.Saw(name) {
			t.Errorf("no event %s", name)
		}
	}
	byHost := map[string]bool{
		event.AccountCreated: true, event.ClientCreated: true, event.ClientChanged: true,
		event.SecretShown: true, event.SecretChanged: true, event.AttributesChanged: true, event.StatusChanged: true,
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Limit: 1000}))(t)
	for _, e := range events {
		switch {
		case byHost[e.Name]:
		case e.Address == "":
			t.Errorf("%s: from where? %+v", e.Name, e)
		case e.UserID == "" && e.Name != event.Throttled && e.Name != event.ClientRefused:
			t.Errorf("%s: who? %+v", e.Name, e)
		}
	}
}
