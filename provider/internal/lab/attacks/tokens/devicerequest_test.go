package tokens

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestDeviceEndpointRefuses has requests that get no code.
func TestDeviceEndpointRefuses(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	b := w.NewBrowser()
	for name, c := range map[string]struct {
		status int
		code   string
		form   url.Values
	}{
		"NotRegistered": {400, "unauthorized_client", lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "scope", "openid")},
		"NoSecret":      {401, "invalid_client", lab.Form("client_id", "box", "scope", "openid")},
		"Unknown":       {401, "invalid_client", lab.Form("client_id", "nobody", "scope", "openid")},
		"NoScope":       {400, "invalid_scope", lab.Form("client_id", "tv")},
		"NoDevice":      {400, "invalid_scope", lab.Form("client_id", "tv", "scope", "openid keys")},
		"Resource":      {400, "invalid_target", lab.Form("client_id", "tv", "scope", "openid", "resource", "https://evil.test/")},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.JSON(b.Post(devicePath, c.form))
			lab.Refused(t, p, c.status, c.code)
		})
	}
	off := lab.New(t).WithClients()
	if p := off.NewBrowser().Post(devicePath, lab.Form("client_id", "pub")); p.StatusCode != http.StatusNotFound {
		t.Errorf("off: %s", p.Status)
	}
	for _, at := range []*lab.Fixture{w, off} {
		_, m := at.NewBrowser().JSON(at.NewBrowser().Get("/oidc/.well-known/openid-configuration"))
		grants, _ := m["grant_types_supported"].([]any)
		listed := false
		for _, g := range grants {
			listed = listed || g == deviceGrant
		}
		if _, has := m["device_authorization_endpoint"]; has != (at == w) || listed != (at == w) {
			t.Errorf("discovery: endpoint %v, grant %v, want %v", has, listed, at == w)
		}
	}
}

// TestAttackBoundCode polls for a code that is bound to a key, without a proof and with another
// key's.
func TestAttackBoundCode(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	owner, thief := w.NewBrowser().Prover("ES256"), w.NewBrowser().Prover("EdDSA")
	d := &device{Browser: owner.Browser, client: []string{"client_id", "tv"}}
	form := lab.Form("client_id", "tv", "scope", "openid").Encode()
	const encoded = "application/x-www-form-urlencoded"
	p, body := d.JSON(owner.Send(http.MethodPost, devicePath, form, "Content-Type", encoded, "DPoP", owner.Proof("POST", devicePath)))
	if p.StatusCode != http.StatusOK {
		t.Fatalf("device authorization: %s %s", p.Status, p.Text)
	}
	d.code, d.shown = lab.Member(t, body, "device_code"), lab.Member(t, body, "user_code")
	decide(w.Alice(), d.shown, "allow")
	d.refused("invalid_grant")
	poll := lab.Form("client_id", "tv", "grant_type", deviceGrant, "device_code", d.code).Encode()
	p, _ = d.JSON(thief.Send(http.MethodPost, lab.TokenPath, poll, "Content-Type", encoded, "DPoP", thief.Proof("POST", lab.TokenPath)))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, tokens := d.JSON(owner.Send(http.MethodPost, lab.TokenPath, poll, "Content-Type", encoded, "DPoP", owner.Proof("POST", lab.TokenPath)))
	if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Errorf("the owner: %s %s", p.Status, p.Text)
	}
}

// TestDeviceRegistrations are refused where a device would get round what they require.
func TestDeviceRegistrations(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	for name, c := range map[string]provider.Client{
		"V3":       {Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}},
		"Verified": {Dialect: provider.Standard, Secret: lab.ClientSecret, RequireVerified: true},
	} {
		c.ID, c.Name, c.GrantTypes = "other", "Other", []string{deviceGrant}
		if err := w.Clients().Save(t.Context(), c); err == nil {
			t.Errorf("%s: registered", name)
		}
	}
}

// TestDatabaseDownIsNoWrongCode asks while the database is away.
func TestDatabaseDownIsNoWrongCode(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := withDevices(t, lab.Faulty(&store))
	d, alice := newDevice(w), w.Alice()
	entry, confirm := alice.Open("/device"), enter(alice, d.shown)
	store.Down(storage.ErrUnavailable)
	for name, p := range map[string]lab.Page{
		"entry":   alice.SubmitOnce(entry, "user_code", d.shown),
		"confirm": alice.SubmitOnce(confirm, "action", "allow"),
		"device":  d.Post(devicePath, lab.Form("client_id", "tv", "scope", "openid")),
	} {
		if p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: %s", name, p.Status)
		}
	}
	store.Down(nil)
	d.refused("authorization_pending")
}

// TestDatabaseFailsAtADevice has one method of the store fail at a time.
func TestDatabaseFailsAtADevice(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := withDevices(t, lab.Faulty(&store))
	d, alice := newDevice(w), w.Alice()
	form := lab.Form("client_id", "tv", "scope", "openid")
	entry, confirm := alice.Open("/device"), enter(alice, d.shown)
	for method, step := range map[string]func() lab.Page{
		"SaveDeviceCode":         func() lab.Page { return d.Post(devicePath, form) },
		"DeviceCode of the user": func() lab.Page { return alice.SubmitOnce(entry, "user_code", d.shown) },
		"AllowDeviceCode":        func() lab.Page { return alice.SubmitOnce(confirm, "action", "allow") },
		"DenyDeviceCode":         func() lab.Page { return alice.SubmitOnce(confirm, "action", "deny") },
		"DeviceCode": func() lab.Page {
			return d.Post(lab.TokenPath, lab.Form("client_id", "tv", "grant_type", deviceGrant, "device_code", d.code))
		},
	} {
		met := false
		store.BreakBefore(func(_ context.Context, called string) error {
			if called != strings.Fields(method)[0] {
				return nil
			}
			met = true
			return storage.ErrUnavailable
		})
		if p := step(); p.StatusCode != http.StatusServiceUnavailable || !met {
			t.Errorf("%s, met %v: %s %s", method, met, p.Status, p.Text)
		}
		store.Down(nil)
	}
	d.refused("authorization_pending")
}
