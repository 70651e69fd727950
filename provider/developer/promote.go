package developer

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// inProduction returns a sandbox registration in its production form, and the addresses
// that it drops: those of a developer's own machine.
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
	c.InitiateLoginURI = strings.Join(keep(strings.Fields(c.InitiateLoginURI), false), "")
	c.Origins = keep(c.Origins, false)
	return c, left
}

// promoted returns the production form of a registration, and its dropped addresses; a
// production registration stays as it is.
func promoted(a storage.Application, c provider.Client) (provider.Client, []string) {
	if a.Environment != storage.Sandbox {
		return c, nil
	}
	return inProduction(a.Kind, c)
}
