package developer

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pageOfApplications is the number of applications on a page.
const pageOfApplications = 50

// first is the environment in which applications begin: the sandbox if there is one.
func (d *frame) first() string {
	if d.Sandbox == nil {
		return storage.Production
	}
	return storage.Sandbox
}

// leadToApplications redirects from an organization to its applications.
func (d *appPages) leadToApplications(r *request) error {
	address := d.path("o", r.org.ID, d.first())
	if notice := r.Room().Notice(); notice != "" {
		r.Room().RedirectWith(address, notice)
		return nil
	}
	r.Redirect(address)
	return nil
}

// showApplications lists the applications of an organization in an environment.
func (d *appPages) showApplications(r *request) error {
	here := d.path("o", r.org.ID, r.env)
	filter := storage.ApplicationFilter{
		Environment: r.env, OrganizationID: r.org.ID, Search: r.asked(screens.FieldSearch),
		AfterName: r.asked("after_name"), After: r.asked("after"), Limit: pageOfApplications + 1,
	}
	found, err := d.Store.Applications(r.Request.Context(), filter)
	if err != nil {
		return err
	}
	p, err := d.organizationPage(r, screens.SectionApplications)
	if err != nil {
		return err
	}
	view := screens.ApplicationsView{
		Page:   d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production)),
		Search: filter.Search, SearchURL: here,
	}
	if len(found) > pageOfApplications {
		found = found[:pageOfApplications]
		last := found[pageOfApplications-1]
		view.MoreURL = here + "?" + url.Values{
			screens.FieldSearch: {filter.Search}, "after_name": {last.Name}, "after": {last.ClientID},
		}.Encode()
	}
	if r.may(developers) && d.mayRegister(r.env) && !r.suspended() {
		view.RegisterURL = here + "/new"
	}
	if d.provider(r.env).Rooms().Installation().Documents {
		view.DocumentURL = here + "/document"
	}
	if r.may(owners) && d.registersByToken(r.env) {
		view.TokensURL = here + "/tokens"
	}
	for _, a := range found {
		row, err := d.applicationRow(r, a)
		if err != nil {
			return err
		}
		view.Applications = append(view.Applications, row)
	}
	r.Render(http.StatusOK, screens.Applications(view))
	return nil
}

// applicationRow returns an application in a list. One without a registration has no
// dialect: its page says what to do.
func (d *appPages) applicationRow(r *request, a storage.Application) (screens.Application, error) {
	row := screens.Application{
		Name: a.Name, URL: d.path("o", r.org.ID, r.env, a.ClientID), ClientID: a.ClientID, Kind: a.Kind,
	}
	if a.Deleting {
		row.Deleting = true
		return row, nil
	}
	c, err := d.provider(r.env).Clients().Get(r.Request.Context(), a.ClientID)
	if errors.Is(err, provider.ErrNoClient) {
		row.Incomplete = true
		return row, nil
	}
	if err != nil {
		return screens.Application{}, err
	}
	row.Name = d.named(r.Request.Context(), a, c.Name).Name
	row.Dialect, row.Disabled, row.Unreviewed = c.Dialect, c.Disabled, c.Unreviewed
	if len(c.Logo) > 0 {
		row.LogoURL = row.URL + "/branding/logo"
	}
	return row, nil
}
