package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// resourcesOf returns the URIs of the APIs for which a registration may request access
// tokens.
func (d *forms) resourcesOf(env string, c provider.Client) []string {
	if len(c.Resources) > 0 {
		return c.Resources
	}
	var all []string
	for _, r := range d.offeredResources(env) {
		all = append(all, r.URI)
	}
	return all
}

// offeredResources are the APIs of an environment without those that the host keeps for
// applications that it names.
func (d *forms) offeredResources(env string) []provider.Resource {
	return slices.DeleteFunc(d.provider(env).Rooms().Installation().Resources, func(r provider.Resource) bool { return len(r.Clients) > 0 })
}

// choosableResources are those that developers may give one application: under review, a
// production application gets only reviewed ones.
func (d *forms) choosableResources(env string, c provider.Client) []provider.Resource {
	all := d.offeredResources(env)
	if d.mayRegister(env) {
		return all
	}
	has := d.resourcesOf(env, c)
	return slices.DeleteFunc(all, func(r provider.Resource) bool { return !slices.Contains(has, r.URI) })
}

// resourcesIn returns the APIs of a sandbox registration that exist in an environment as
// well; if there are none, as with different addresses, all of that environment.
func (d *forms) resourcesIn(env string, c provider.Client) []string {
	all := d.resourcesOf(env, provider.Client{})
	kept := slices.DeleteFunc(slices.Clone(c.Resources), func(uri string) bool { return !slices.Contains(all, uri) })
	if len(kept) == 0 {
		return all
	}
	return kept
}

// resources reads the offered APIs. Others stay.
func (p *posting) resources() {
	offered := p.d.choosableResources(p.r.env, p.before)
	if len(offered) == 0 {
		return
	}
	meant := p.d.resourcesOf(p.r.env, p.Client)
	chosen := slices.DeleteFunc(slices.Clone(meant), func(uri string) bool {
		return slices.ContainsFunc(offered, func(o provider.Resource) bool { return o.URI == uri })
	})
	for _, o := range offered {
		if p.is(ui.FieldResources + "." + o.URI) {
			chosen = append(chosen, o.URI)
		}
	}
	if len(chosen) == 0 { // a registration without any may ask for all
		p.wrong(ui.Problem{Code: ui.ResourceMissing})
		return
	}
	p.Resources = keep(p.Resources, meant, chosen)
}
