package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// The grants that developers cannot give an application as they like.
const (
	// grantJWTBearer is that with which an application acts for absent users (RFC 7523): only
	// an operator gives it.
	grantJWTBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

	// grantTokenExchange is that with which an API calls another for its user (RFC 8693): only an
	// operator gives it.
	grantTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

	// grantDevice is that of devices without a browser (RFC 8628), for Config.Devices.
	grantDevice = "urn:ietf:params:oauth:grant-type:device_code"
)

// hasDevices reports whether developers may give the applications of an environment the grant
// of devices at all.
func (d *forms) hasDevices(env string) bool {
	return d.Devices && d.provider(env).Rooms().Installation().Devices
}

// choosesDevices reports whether developers may choose it for an application: under review, a
// production application has it only from its review.
func (d *forms) choosesDevices(r *request, now provider.Client) bool {
	return d.hasDevices(r.env) && now.Dialect == provider.Standard && r.app.Kind != kindMachine &&
		(d.mayRegister(r.env) || slices.Contains(now.GrantTypes, grantDevice))
}

// devices reads the switch.
func (p *posting) devices() {
	if !p.d.choosesDevices(p.r, p.before) {
		return
	}
	has := grantTypesOf(p.Client)
	chosen := slices.DeleteFunc(slices.Clone(has), func(g string) bool { return g == grantDevice })
	if p.is(screens.FieldDevices) {
		chosen = append(chosen, grantDevice)
	}
	p.GrantTypes = keep(p.GrantTypes, has, chosen)
}

// withoutOperators returns a registration for another environment, without the rights that only
// an operator gives there.
func (d *forms) withoutOperators(env string, c provider.Client, a storage.Application) provider.Client {
	c.SkipConsent = false
	c.GrantTypes = slices.DeleteFunc(slices.Clone(c.GrantTypes), func(g string) bool {
		return g == grantJWTBearer || g == grantTokenExchange || g == grantDevice && !d.hasDevices(env)
	})
	if len(c.GrantTypes) == 0 && a.Kind == kindMachine {
		c.GrantTypes = []string{grantClient}
	}
	return c
}
