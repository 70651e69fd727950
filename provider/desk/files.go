package desk

import (
	"fmt"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/desk/person"
	"github.com/bonafide-id/bonafide/ui/desk/plans"
	"github.com/bonafide-id/bonafide/ui/desk/service"
)

// ServeFiles has a provider serve the styles and scripts of the desk's pages. New calls it. A host
// whose desk is in a process of its own, behind a proxy that leads the path of the desk there and
// all else to the public process, calls it in the public one: the files are below the path of the
// provider, and nothing else of the desk is there. A desk with Config.URL serves them itself.
func ServeFiles(p *provider.Provider) error { return addAudiences(p.Pages()) }

func addAudiences(pages provider.Pages) error {
	for _, audience := range []ui.Audience{screens.Audience(), person.Audience(), plans.Audience(), service.Audience()} {
		if err := pages.Room().AddAudience(audience); err != nil {
			return fmt.Errorf("desk: %w", err)
		}
	}
	return nil
}
