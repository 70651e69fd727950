package developer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

func letDevices(c *developer.Config) { c.Devices = true }

func hasDevices(c provider.Client) bool { return slices.Contains(c.GrantTypes, deviceGrant) }

func TestDevelopersSwitchDevicesOn(t *testing.T) {
	t.Parallel()
	w := newFixture(t, letDevices).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.open(shopPath + "/settings")
	says(t, p, http.StatusOK, "gets into their account", `href="/developer/docs#endpoint-device"`)
	says(t, b.open("/developer/docs"), http.StatusOK, `id="endpoint-device"`)
	says(t, b.submit(p, "device_grant", "on", "action", "save"), http.StatusOK, "saved and active")
	if c := w.client(storage.Sandbox, "shop"); !hasDevices(c) || len(c.GrantTypes) != 3 {
		t.Errorf("grants %q", c.GrantTypes)
	}
	if f := w.changes(river)[0].Fields; len(f) != 1 || f[0].Name != "grant_types" || !slices.Equal(f[0].Added, []string{deviceGrant}) {
		t.Errorf("recorded %+v", f)
	}
	says(t, b.open(shopPath), http.StatusOK, "/oauth/device_authorization")
	unchanged := w.unchanged()
	says(t, b.submit(b.open(shopPath+"/settings"), "action", "save"), http.StatusOK, "saved and active")
	says(t, b.submit(b.open(shopPath+"/settings"), "require_verified", "on", "action", "save"), http.StatusUnprocessableEntity, "Verified people only", `id="device_grant-problem"`)
	says(t, b.submit(b.open(shopPath+"/settings"), "profile", "fapi2", "jwks", pastedKeys, "action", "save"), http.StatusUnprocessableEntity, "demands that this is off", `id="device_grant-problem"`)
	unchanged("the application")
	b.submit(b.open(shopPath+"/settings"), "device_grant", "-", "action", "save")
	if c := w.client(storage.Sandbox, "shop"); hasDevices(c) || len(c.GrantTypes) != 2 {
		t.Errorf("grants %q", c.GrantTypes)
	}
}

// Where the host has not let developers choose, a form does not give the grant, and does not take
// away what the host has given.
func TestAttackDevicesThatTheHostKeeps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config []func(*developer.Config)
		path   string
		change func(*provider.Client)
	}{
		"not let":             {nil, shopPath, func(*provider.Client) {}},
		"not at the provider": {[]func(*developer.Config){letDevices}, "/developer/o/river/production/shop", func(*provider.Client) {}},
		"dialect v3":          {[]func(*developer.Config){letDevices}, shopPath, func(c *provider.Client) { c.Dialect = provider.V3 }},
	} {
		env := storage.Sandbox
		if strings.Contains(test.path, "production") {
			env = storage.Production
		}
		w := newFixture(t, test.config...).withApplication(river, env, "shop", test.change)
		b := w.as(dev)
		p := b.open(test.path + "/settings")
		if strings.Contains(p.body, `name="device_grant"`) {
			t.Errorf("%s: the page has the switch", name)
		}
		action, fields := p.form(t, "action", "save")
		for _, field := range []string{"device_grant", "grant_types." + deviceGrant} {
			fields.Set(field, "on")
		}
		unchanged := w.unchanged()
		says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
		unchanged(name)
	}
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.GrantTypes = append(c.GrantTypes, deviceGrant) })
	b := w.as(dev)
	says(t, b.open(shopPath+"/settings"), http.StatusOK, "The operator of this service decides about this.", "<fieldset class=\"bare\" disabled>")
	b.submit(b.open(shopPath+"/settings"), "name", "Till", "action", "save")
	if c := w.client(storage.Sandbox, "shop"); !hasDevices(c) || c.Name != "Till" {
		t.Errorf("registered %+v", c)
	}
	// It is a right of the sandbox's operator there: a copy has none.
	b.submit(b.open(shopPath), "action", "copy")
	for _, a := range w.live() {
		if hasDevices(w.client(storage.Production, a.ClientID)) {
			t.Error("the copy in production has devices")
		}
	}
	if len(w.live()) == 0 {
		t.Error("there is no copy")
	}
}

// Under review, an application of production has devices as an operator has approved it: its
// developers can take them away, and not give them.
func TestAttackDevicesPastTheReview(t *testing.T) {
	t.Parallel()
	withDevices := func(c *provider.Config) { c.DeviceAuthorization.On = true }
	w := newFixtureOf(t, "127.0.0.1", withDevices, reviewed, letDevices).askable(func(c *provider.Client) { c.GrantTypes = append(c.GrantTypes, deviceGrant) })
	dev := w.as(dev)
	dev.submitForm(accessPath, "note", "Televisions.", "action", "ask")
	b := w.as(operator)
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, deviceGrant)
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")
	id := w.live()[0].ClientID
	if c := w.client(storage.Production, id); !hasDevices(c) {
		t.Fatalf("grants %q", c.GrantTypes)
	}
	path := "/developer/o/river/production/" + id + "/settings"
	says(t, dev.submit(dev.open(path), "name", "App shop", "action", "save"), http.StatusOK, "saved and active")
	dev.submit(dev.open(path), "device_grant", "-", "action", "save")
	if c := w.client(storage.Production, id); hasDevices(c) {
		t.Fatalf("grants %q", c.GrantTypes)
	}
	action, fields := dev.open(path).form(t, "action", "save")
	for _, field := range []string{"device_grant", "grant_types." + deviceGrant} {
		fields.Set(field, "on")
	}
	says(t, dev.follow(dev.post(action, fields)), http.StatusOK, "saved and active")
	if c := w.client(storage.Production, id); hasDevices(c) {
		t.Error("the developer has given it devices")
	}
}
