package developer_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

const shopPath = "/developer/o/river/sandbox/shop"

// exchanges reports whether the application shop of the sandbox gets tokens with a secret.
func (w *fixture) exchanges(secret string) bool {
	w.t.Helper()
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	p := b.get("/oauth/authorize?" + url.Values{
		"client_id": {"shop"}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid"}, "state": {"s"},
		"login_hint": {"persona:veteran"},
	}.Encode())
	answer, err := url.Parse(p.Header.Get("Location"))
	if err != nil || answer.Query().Get("code") == "" {
		w.t.Fatalf("no code: %s %q\n%s", p.Status, p.Header.Get("Location"), p.body)
	}
	p = b.post("/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {answer.Query().Get("code")}, "redirect_uri": {callbackURI},
		"client_id": {"shop"}, "client_secret": {secret},
	})
	return p.StatusCode == http.StatusOK && strings.Contains(p.body, "access_token")
}

var shownSecret = regexp.MustCompile(`id="(?:new|client)-secret" dir="ltr">([^<]+)<`)

// secretOn returns the secret that a page shows.
func secretOn(t testing.TB, p page) string {
	t.Helper()
	found := shownSecret.FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("no secret at %s (%s)\n%s", p.Request.URL, p.Status, p.body)
	}
	return found[1]
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	t.Run("ARunningClientKeepsWorkingWhileARotationOverlaps", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		old := testkit.Must(w.sandbox.Clients().Secret(t.Context(), "shop"))(w.t)
		b := w.as(dev)
		p := b.submit(b.open(shopPath+"/secrets"), "overlap", "hour", "action", "rotate")
		if got := p.Header.Get("Cache-Control"); got != "no-store, no-transform" {
			t.Errorf("a page with a secret may be compressed: %q", got)
		}
		fresh := secretOn(t, p)
		if !w.exchanges(old) || !w.exchanges(fresh) {
			t.Error("one of the two does not work during the overlap")
		}
		if !strings.Contains(p.body, old[len(old)-4:]) || strings.Contains(p.body, old) {
			t.Error("the former secret is not shown by how it ends alone")
		}
		w.advance(61 * time.Minute)
		if w.exchanges(old) || !w.exchanges(fresh) {
			t.Error("after the overlap the old one works, or the new one does not")
		}
	})
	t.Run("ALeakedOneEndsAtOnce", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		old := testkit.Must(w.sandbox.Clients().Secret(t.Context(), "shop"))(w.t)
		b := w.as(dev)
		fresh := secretOn(t, b.submit(b.open(shopPath+"/secrets"), "overlap", "none", "action", "rotate"))
		if w.exchanges(old) || !w.exchanges(fresh) {
			t.Error("the old one works, or the new one does not")
		}
	})
	t.Run("OneCanBeEndedBeforeItsTime", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		old := testkit.Must(w.sandbox.Clients().Secret(t.Context(), "shop"))(w.t)
		b := w.as(dev)
		p := b.submit(b.open(shopPath+"/secrets"), "overlap", "week", "action", "rotate")
		fresh := secretOn(t, p)
		if p = b.submit(p, "action", "end"); !strings.Contains(p.body, "Secret revoked.") {
			t.Errorf("%s\n%s", p.Status, p.body)
		}
		if w.exchanges(old) || !w.exchanges(fresh) {
			t.Error("the ended one works, or the other does not")
		}
		// The newest has no such button; a forged form does not end it either.
		action, fields := p.form(t, "overlap", "none", "action", "rotate")
		secrets := testkit.Must(w.sandbox.Clients().ListSecrets(t.Context(), "shop"))(w.t)
		fields.Set("action", "end")
		fields.Set("secret", secrets[0].ID)
		if p := b.post(action, fields); p.StatusCode != http.StatusConflict || !w.exchanges(fresh) {
			t.Errorf("the last one: %s", p.Status)
		}
	})
	t.Run("ReloadingThePageOfANewOneMakesNoOther", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		b := w.as(dev)
		action, fields := b.open(shopPath+"/secrets").form(t, "overlap", "none", "action", "rotate")
		fresh := secretOn(t, b.post(action, fields))
		if p := b.follow(b.post(action, fields)); strings.Contains(p.body, "new-secret") {
			t.Error("another one was made")
		}
		if !w.exchanges(fresh) {
			t.Error("the one that was shown does not work")
		}
	})
	t.Run("APublicApplicationHasNone", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Public = true })
		b := w.as(dev)
		if p := b.open(shopPath + "/secrets"); p.StatusCode != http.StatusOK || !strings.Contains(p.body, "has no secret") || strings.Contains(p.body, "rotate") {
			t.Errorf("%s\n%s", p.Status, p.body)
		}
		_, fields := b.open(shopPath+"/settings").form(t, "name", "x")
		fields.Set("action", "reveal")
		says(t, b.post(shopPath, fields), http.StatusNotFound)
	})
}

// A secret is on the one answer that was asked for it, and nowhere else.
func TestAttackSecretAfterwards(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.submit(b.open(shopPath), "action", "reveal")
	secret := secretOn(t, p)
	if real, err := w.sandbox.Clients().Secret(t.Context(), "shop"); err != nil || real != secret {
		t.Fatalf("shown %q, is %q, %v", secret, real, err)
	}
	if p.Header.Get("Cache-Control") != "no-store, no-transform" || strings.Contains(p.Request.URL.String(), secret) {
		t.Errorf("cached: %q, at %s", p.Header.Get("Cache-Control"), p.Request.URL)
	}
	rotated := secretOn(t, b.submit(b.open(shopPath+"/secrets"), "overlap", "day", "action", "rotate"))
	for _, address := range []string{shopPath, shopPath + "/secrets", shopPath + "/settings", "/developer/o/river/activity", "/developer/o/river/sandbox"} {
		if body := b.open(address).body; strings.Contains(body, secret) || strings.Contains(body, rotated) {
			t.Errorf("%s has a secret", address)
		}
	}
	if body := b.open("/developer/o/river/activity").body; !strings.Contains(body, "Secret revealed") || !strings.Contains(body, "Secret created") {
		t.Error("the activity does not tell who has seen it")
	}
	for _, s := range []string{secret, rotated} {
		if strings.Contains(w.log.String(), s) {
			t.Error("a secret is in the log")
		}
	}
}

// Somebody finds the browser of a developer open, ten minutes after the sign-in.
func TestAttackOpenBrowser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	secrets, overview, deletion := b.open(shopPath+"/secrets"), b.open(shopPath), b.open(shopPath+"/delete")
	settings := b.open(shopPath + "/settings")
	w.advance(10 * time.Minute)
	unchanged := w.unchanged()
	asked := func(what string, p page) {
		t.Helper()
		if !strings.HasPrefix(p.Request.URL.Path, "/signin") || shownSecret.MatchString(p.body) {
			t.Errorf("%s: %s at %s", what, p.Status, p.Request.URL)
		}
	}
	asked("reveals a secret", b.submit(overview, "action", "reveal"))
	asked("makes a secret", b.submit(secrets, "overlap", "none", "action", "rotate"))
	asked("sees the secrets", b.open(shopPath+"/secrets"))
	asked("deletes", b.submit(deletion, "confirm", "App shop", "action", "delete"))
	asked("opens the page that deletes", b.open(shopPath+"/delete"))
	p := b.submit(settings, "redirect_uris", "https://evil.test/cb", "action", "save")
	says(t, p, http.StatusForbidden, "First confirm that it’s you")
	unchanged("an application")
}

// Twenty posts of one form make one secret, and one that is shown works.
func TestAttackRotationsAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	for _, user := range []string{dev, owner} {
		b := w.as(user)
		action, fields := b.open(shopPath+"/secrets").form(t, "overlap", "none", "action", "rotate")
		shown := make(chan string, 20)
		var posts sync.WaitGroup
		for range 20 {
			posts.Go(func() {
				if found := shownSecret.FindStringSubmatch(b.post(action, fields).body); found != nil {
					shown <- found[1]
				}
			})
		}
		posts.Wait()
		close(shown)
		if n := len(shown); n != 1 {
			t.Fatalf("%d secrets are shown", n)
		}
		if !w.exchanges(<-shown) {
			t.Error("the one that is shown does not work")
		}
	}
}

// An application that an operator has stopped is copied away, and from there back.
func TestAttackCopyOfWhatIsStopped(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Operator = isOperator })
	w.withApplication(river, storage.Production, "shop")
	b, o := w.as(dev), w.as(operator)
	csrf := b.csrfOf(dev)
	o.submit(o.open("/developer/review/production/shop"), "reason", "Fraud", "action", "stop")
	here := "/developer/o/river/production/shop"
	if p := b.open(here); strings.Contains(p.body, `value="copy"`) {
		t.Error("a copy is offered")
	}
	if p := b.post(here, url.Values{"csrf": {csrf}, "action": {"copy"}}); p.StatusCode != http.StatusForbidden {
		t.Errorf("%s", p.Status)
	}
	if apps, err := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: river}); err != nil || len(apps) != 1 {
		t.Errorf("%d applications, %v", len(apps), err)
	}
}
