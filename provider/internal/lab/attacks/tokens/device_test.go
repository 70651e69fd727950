package tokens

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const (
	devicePath  = "/oauth/device_authorization"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
)

// withDevices returns a provider with devices of a public and of a confidential client. Its
// scopes are those of lab and "keys", which no device gets.
func withDevices(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	w := lab.New(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.DeviceAuthorization.On = true
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "keys", Title: "Your keys", NoDevice: true})
	}}, change...)...).WithClients().WithUsers()
	for _, c := range []provider.Client{
		{ID: "tv", Name: "Living Room", Dialect: provider.Standard, Public: true, GrantTypes: []string{deviceGrant, "refresh_token"}},
		{ID: "box", Name: "Set-Top Box", Dialect: provider.Standard, Secret: lab.ClientSecret, GrantTypes: []string{deviceGrant}},
	} {
		w.OK(w.Clients().Save(t.Context(), c))
	}
	return w
}

// device is a device with its codes.
type device struct {
	*lab.Browser
	client       []string
	code, shown  string
	verification string
}

// newDevice has a device of a client ask for codes.
func newDevice(w *lab.Fixture, pairs ...string) *device {
	w.T.Helper()
	d := &device{Browser: w.NewBrowser(), client: []string{"client_id", "tv"}}
	form := lab.Form(append([]string{"client_id", "tv", "scope", "openid military"}, pairs...)...)
	for i := 0; i+1 < len(pairs); i += 2 {
		form[pairs[i]] = []string{pairs[i+1]}
	}
	p, body := d.JSON(d.Post(devicePath, form))
	if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
		w.T.Fatalf("device authorization: %s %s", p.Status, p.Text)
	}
	d.code, d.shown = lab.Member(w.T, body, "device_code"), lab.Member(w.T, body, "user_code")
	d.verification, _ = body["verification_uri_complete"].(string)
	return d
}

// poll asks for tokens, after the interval.
func (d *device) poll(pairs ...string) (lab.Page, map[string]any) {
	d.T.Helper()
	d.Fixture.Advance(6 * time.Second)
	return d.pollAtOnce(pairs...)
}

func (d *device) pollAtOnce(pairs ...string) (lab.Page, map[string]any) {
	d.T.Helper()
	form := lab.Form(append(append([]string{}, d.client...), "grant_type", deviceGrant, "device_code", d.code)...)
	for i := 0; i+1 < len(pairs); i += 2 {
		form[pairs[i]] = []string{pairs[i+1]}
	}
	return d.JSON(d.Post(lab.TokenPath, form))
}

// refused polls, and fails the test unless the answer is this error.
func (d *device) refused(code string) {
	d.T.Helper()
	p, _ := d.poll()
	lab.Refused(d.T, p, http.StatusBadRequest, code)
}

// enter has a user enter a code, and returns the page after it.
func enter(b *lab.Browser, code string) lab.Page {
	b.T.Helper()
	return b.SubmitOnce(b.Open("/device"), "user_code", code)
}

// decide has a user enter a code and decide.
func decide(b *lab.Browser, code, action string) lab.Page {
	b.T.Helper()
	p := enter(b, code)
	lab.Shown(b.T, p, http.StatusOK)
	return b.SubmitOnce(p, "action", action)
}

func TestDeviceGetsWhatItsUserAllows(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	d, alice := newDevice(w), w.Alice()
	d.refused("authorization_pending")
	p := enter(alice, strings.ToLower(strings.ReplaceAll(d.shown, "-", " ")))
	lab.Shown(t, p, http.StatusOK)
	for _, said := range []string{"Living Room", d.shown, "same network as you", "Allow it only if you started this yourself", "Alice", "I did not start this"} {
		if !strings.Contains(p.Text, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	if no, yes := strings.Index(p.Text, `value="deny"`), strings.Index(p.Text, `value="allow"`); no < 0 || yes < no {
		t.Error("No is not first")
	}
	lab.Shown(t, alice.SubmitOnce(p, "action", "allow"), http.StatusOK)
	if mail, _ := w.Mails.Last(t); !strings.Contains(mail.Text, "Living Room") || !strings.Contains(mail.Text, "/account/apps") {
		t.Errorf("mail %q", mail.Text)
	}
	if !w.Saw(event.DeviceAllowed) {
		t.Error("no event")
	}
	answer, tokens := d.poll()
	lab.Granted(t, answer, tokens)
	if claims := lab.ClaimsOf(t, lab.Member(t, tokens, "id_token")); claims["sub"] != "alice" || claims["acr"] == nil {
		t.Errorf("claims %v", claims)
	}
	if tokens["refresh_token"] == nil || alice.Userinfo(tokens)["sub"] != "alice" {
		t.Errorf("tokens %v", tokens)
	}
	answer, _ = d.JSON(d.Post(lab.TokenPath, lab.Form("client_id", "tv", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"))))
	if answer.StatusCode != http.StatusOK {
		t.Errorf("refresh: %s %s", answer.Status, answer.Text)
	}
	d.refused("invalid_grant")
	if p := alice.Open("/account/apps"); !strings.Contains(p.Text, "Living Room") {
		t.Error("the applications of the user do not show it")
	}
}

// TestNoDeviceConsentIsRemembered asks twice, on a device and in a browser.
func TestNoDeviceConsentIsRemembered(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "tv", Name: "Living Room", Dialect: provider.Standard, Public: true,
		GrantTypes: []string{deviceGrant, "authorization_code"}, RedirectURIs: []string{lab.CallbackURI}}))
	alice := w.Alice()
	decide(alice, newDevice(w).shown, "allow")
	if p := enter(alice, newDevice(w).shown); !strings.Contains(p.Text, `value="allow"`) {
		t.Errorf("not asked again on a device: %s", p.Text)
	}
	p := alice.Open(lab.AuthorizeURL("client_id", "tv", "scope", "openid military", "code_challenge", lab.S256, "code_challenge_method", "S256"))
	if !strings.Contains(p.Text, `value="allow"`) {
		t.Errorf("not asked in the browser: %s", p.Text)
	}
}

// TestAttackGuesses enters wrong codes: a right one gives none back, and another account of the same
// network no more than the network has (A20). What can be no code is no guess.
func TestAttackGuesses(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	alice := w.Alice()
	for _, no := range []string{"WDJB", "WDJB-MJHA", "code: WDJB-MJHT", strings.Repeat("B", 1<<10)} {
		lab.Shown(t, enter(alice, no), http.StatusUnprocessableEntity)
	}
	for range 4 {
		lab.Shown(t, enter(alice, "BBBB-BBBB"), http.StatusUnprocessableEntity)
	}
	d := newDevice(w)
	lab.Shown(t, enter(alice, d.shown), http.StatusOK)
	lab.Shown(t, enter(alice, d.shown), http.StatusTooManyRequests)
	bob := w.Bob()
	for range 4 { // the address has ten, and one that was refused counts
		lab.Shown(t, enter(bob, "BBBB-BBBB"), http.StatusUnprocessableEntity)
	}
	w.AddAccount(provider.Account{ID: "carol", Email: "carol@example.com", EmailVerified: true, Password: lab.OldPassword})
	carol := w.NewBrowser().SignIn("carol@example.com", lab.OldPassword)
	lab.Shown(t, enter(carol, "BBBB-BBBB"), http.StatusTooManyRequests)
	w.Advance(2*time.Minute + time.Second)
	lab.Shown(t, enter(alice, d.shown), http.StatusOK)
}

// TestAttackMailedLink follows a link with a code: the user signs in, and compares the codes (A23).
func TestAttackMailedLink(t *testing.T) {
	t.Parallel()
	w := withDevices(t, func(c *provider.Config) { c.DeviceAuthorization.Complete = true })
	d, b := newDevice(w), w.NewBrowser()
	link, err := url.Parse(d.verification)
	if err != nil || link.Query().Get("user_code") != d.shown {
		t.Fatalf("verification_uri_complete %q", d.verification)
	}
	p := b.Open(link.RequestURI())
	if strings.Contains(p.Text, "Living Room") || strings.Contains(p.Text, d.shown) {
		t.Error("a stranger learns about the request")
	}
	p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
	if !strings.Contains(p.Text, `value="`+d.shown+`"`) || strings.Contains(p.Text, "Living Room") {
		t.Fatalf("the code is not filled in, or skipped: %s", p.Text)
	}
	d.refused("authorization_pending")
	p = send(b, p, "198.51.100.7", "user_code", d.shown)
	if !strings.Contains(p.Text, "another network") || !strings.Contains(p.Text, d.shown) {
		t.Errorf("the page names no other network: %s", p.Text)
	}
	d.refused("authorization_pending")
	without := withDevices(t)
	other := newDevice(without)
	if p := without.Alice().Open("/device?user_code=" + other.shown); other.verification != "" || strings.Contains(p.Text, other.shown) {
		t.Errorf("a code is filled in without the switch")
	}
}

// send submits the form of a page from another network.
func send(b *lab.Browser, p lab.Page, address string, values ...string) lab.Page {
	b.T.Helper()
	action, fields := p.Form(b.T)
	for i := 0; i+1 < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	r := testkit.Must(http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.Absolute(action), strings.NewReader(fields.Encode())))(b.T)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", address)
	return b.Do(r)
}

// TestAttackOtherNetwork is refused where the host requires one network, at both pages.
func TestAttackOtherNetwork(t *testing.T) {
	t.Parallel()
	w := withDevices(t, func(c *provider.Config) { c.DeviceAuthorization.SameNetwork = "require" })
	d, alice := newDevice(w), w.Alice()
	lab.Shown(t, send(alice, alice.Open("/device"), "198.51.100.7", "user_code", d.shown), http.StatusForbidden)
	confirm := enter(alice, d.shown)
	lab.Shown(t, send(alice, confirm, "198.51.100.7", "action", "allow"), http.StatusForbidden)
	d.refused("authorization_pending")
	lab.Shown(t, alice.SubmitOnce(confirm, "action", "allow"), http.StatusOK)
}

// TestAttackForeignForm posts the form of another user, and forged ones.
func TestAttackForeignForm(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	d, alice := newDevice(w), w.Alice()
	_, seen := enter(alice, d.shown).Form(t)
	bob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	_, own := bob.Open("/device").Form(t)
	own.Set("action", "allow")
	own.Set("device", seen.Get("device"))
	if p := bob.Post("/device/confirm", own); p.StatusCode != http.StatusSeeOther {
		t.Errorf("another user: %s", p.Status)
	}
	own.Set("device", "forged")
	lab.Shown(t, bob.Post("/device/confirm", own), http.StatusBadRequest)
	seen.Del("csrf")
	for name := range seen {
		if name != "device" && name != "action" {
			seen.Del(name)
		}
	}
	seen.Set("action", "allow")
	lab.Shown(t, alice.Post("/device/confirm", seen), http.StatusForbidden)
	if p := w.NewBrowser().Open("/device"); strings.Contains(p.Text, `name="user_code"`) {
		t.Error("a code is asked of nobody")
	}
	d.refused("authorization_pending")
}

func TestDeviceHearsOfDecisions(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	alice := w.Alice()
	d := newDevice(w)
	decide(alice, d.shown, "deny")
	d.refused("access_denied")
	d = newDevice(w)
	p := decide(alice, d.shown, "report")
	if !strings.Contains(p.Text, "Thank you") || !w.Saw(event.DeviceReported) {
		t.Errorf("report: %s", p.Text)
	}
	if mail, _ := w.Mails.Last(t); !strings.Contains(mail.Text, "had not started") {
		t.Errorf("mail %q", mail.Text)
	}
	d.refused("access_denied")
	w.Advance(10 * time.Minute) // of guesses
	d = newDevice(w)
	d.refused("authorization_pending")
	tooEarly, _ := d.pollAtOnce()
	lab.Refused(t, tooEarly, http.StatusBadRequest, "slow_down")
	w.Advance(5 * time.Second)
	tooEarly, _ = d.pollAtOnce() // ten seconds by now
	lab.Refused(t, tooEarly, http.StatusBadRequest, "slow_down")
	w.Advance(5 * time.Minute)
	d.refused("expired_token")
	lab.Shown(t, enter(alice, d.shown), http.StatusUnprocessableEntity)
}

// TestAttackCodesOfOthers presents codes as another application, at another grant, and as nothing.
func TestAttackCodesOfOthers(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	d := newDevice(w)
	decide(w.Alice(), d.shown, "allow")
	p, _ := d.poll("client_id", "box", "client_secret", lab.ClientSecret)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, _ = d.poll("device_code", d.shown)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, _ = d.Token(lab.Std("code", d.code)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, tokens := d.poll()
	lab.Granted(t, p, tokens)
}
