package lab

import (
	"context"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// Cast makes a sandbox of a provider, in which every application of realms has a set of
// its own; others have none.
func Cast(realms map[string]string, personas ...sandbox.Persona) func(*provider.Config) {
	if len(personas) == 0 {
		personas = sandbox.DefaultPersonas()
	}
	return func(c *provider.Config) {
		c.Sandbox = true
		c.Testing.Personas = func(_ context.Context, clientID string) (sandbox.PersonaSet, error) {
			realm, ok := realms[clientID]
			if !ok {
				return sandbox.PersonaSet{}, nil
			}
			return sandbox.PersonaSet{Realm: realm, Personas: personas}, nil
		}
	}
}

// OneRealm is where most tests play.
var OneRealm = map[string]string{"std": "acme", "v3": "acme"}

// Hinted is an authorization request of the standard client as a persona.
func Hinted(name string, pairs ...string) string {
	return AuthorizeURL(Ask(append([]string{"login_hint", "persona:" + name}, pairs...)...)...)
}
