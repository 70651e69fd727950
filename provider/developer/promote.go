package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// inProduction returns a registration of the sandbox as production would have it, and the
// addresses that it leaves behind there: those of a developer's own machine.
func inProduction(kind string, c provider.Client) (promoted provider.Client, left []string) {
	keep := func(uris []string, native bool) []string {
		return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
			unsafe := !isSafe(uri, native)
			if unsafe && !slices.Contains(left, uri) {
				left = append(left, uri)
			}
			return unsafe
		})
	}
	native := kind == kindNative
	c.RedirectURIs = keep(c.RedirectURIs, native)
	c.PostLogoutRedirectURIs = keep(c.PostLogoutRedirectURIs, native)
	c.Origins = keep(c.Origins, false)
	return c, left
}

// promoted returns what production gets of a registration in an environment, and what it
// leaves behind; of one that is in production it is the registration itself.
func promoted(a storage.Application, c provider.Client) (provider.Client, []string) {
	if a.Environment != storage.Sandbox {
		return c, nil
	}
	return inProduction(a.Kind, c)
}
