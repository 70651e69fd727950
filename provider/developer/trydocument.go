package developer

import (
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showDocument asks for the address of the metadata document of a client that nobody has
// registered.
func (d *tryPages) showDocument(r *request) error {
	return d.renderDocument(r, screens.DocumentView{}, http.StatusOK)
}

func (d *tryPages) renderDocument(r *request, view screens.DocumentView, status int, problems ...ui.Problem) error {
	if !d.provider(r.env).Rooms().Installation().Documents {
		return provider.ErrScreenNotFound
	}
	p, err := d.organizationPage(r, screens.SectionApplications)
	if err != nil {
		return err
	}
	view.Page = d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production))
	view.Form = r.Form(problems...)
	r.Render(status, screens.Document(view))
	return nil
}

// tryDocument reads the document at the entered address, and keeps nothing. The limit on users
// comes before the provider's own: the address is a stranger's choice.
func (d *tryPages) tryDocument(r *request) error {
	view := screens.DocumentView{Address: strings.TrimSpace(r.posted(screens.FieldAddress))}
	if view.Address == "" {
		return d.renderDocument(r, view, http.StatusUnprocessableEntity, screens.DocumentMissing(r.Page()))
	}
	wait, err := d.Provider.Rooms().Pages.Allow(r.Request.Context(), "dashboard document", r.User.UserID, documents)
	if err != nil {
		return err
	}
	var tried room.DocumentTrial[provider.Client]
	if wait == 0 {
		if tried, err = d.provider(r.env).Rooms().Clients.TryDocument(r.Request.Context(), view.Address); err != nil {
			return err
		}
	}
	if wait += tried.Wait; wait > 0 {
		return d.renderDocument(r, view, r.Room().TooMany(wait), screens.DocumentTooMany(r.Page()))
	}
	c := tried.Client
	view.Tried, view.Wrong, view.Notes = true, tried.Wrong, tried.Notes
	view.Host, view.CallsItself, view.Life = c.Name, tried.CallsItself, tried.Life
	view.RedirectURIs, view.AuthMethod, view.GrantTypes, view.Scopes = c.RedirectURIs, c.TokenEndpointAuthMethod, c.GrantTypes, c.Scopes
	if c.Public {
		view.AuthMethod = "none"
	}
	return d.renderDocument(r, view, http.StatusOK)
}
