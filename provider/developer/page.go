package developer

import (
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// path returns the address of a page of the dashboard: its parts, escaped.
func (d *Dashboard) path(parts ...string) string {
	path := d.base + "/"
	for i, part := range parts {
		if i > 0 {
			path += "/"
		}
		path += url.PathEscape(part)
	}
	return path
}

// absolute returns the absolute address of a page, as for a mail.
func (d *Dashboard) absolute(path string) string {
	base := d.Provider.Installation().BaseURL
	return base + path[len(d.base)-len("/developer"):]
}

// page returns the frame that every page has around its content.
func (d *Dashboard) page(r *request) (ui.DeveloperPage, error) {
	p := ui.DeveloperPage{
		Page: r.Page(), HomeURL: d.path(), DocsURL: d.path("docs"), Notice: ui.DeveloperNotice(r.Notice()), ConfirmURL: r.confirmURL,
	}
	if r.confirmed {
		p.Notice = ui.DeveloperConfirmed
	}
	if r.User.UserID == "" {
		return p, nil
	}
	account, err := r.Account()
	if err != nil {
		return ui.DeveloperPage{}, err
	}
	p.Account, p.AccountURL = account, d.base[:len(d.base)-len("/developer")]+"/account"
	return p, nil
}

// organizationPage returns the frame of an organization's pages.
func (d *Dashboard) organizationPage(r *request, current ui.DeveloperSection) (ui.DeveloperPage, error) {
	p, err := d.page(r)
	if err != nil {
		return ui.DeveloperPage{}, err
	}
	p.Trail, p.Suspension = []ui.DeveloperLink{{Label: r.org.Name, URL: d.path("o", r.org.ID)}}, r.suspension()
	for _, s := range []struct {
		section ui.DeveloperSection
		path    string
	}{
		{ui.SectionApplications, ""},
		{ui.SectionMembers, "members"},
		{ui.SectionPersonas, "personas"},
		{ui.SectionInbox, "inbox"},
		{ui.SectionClock, "clock"},
		{ui.SectionActivity, "activity"},
		{ui.SectionOrganization, "settings"},
	} {
		if d.Trials == nil && slices.Contains([]ui.DeveloperSection{ui.SectionPersonas, ui.SectionInbox, ui.SectionClock}, s.section) {
			continue
		}
		address := d.path("o", r.org.ID)
		if s.path != "" {
			address = d.path("o", r.org.ID, s.path)
		}
		p.Sections = append(p.Sections, ui.DeveloperSectionLink{Section: s.section, URL: address, Current: s.section == current})
	}
	return p, nil
}

// applicationSections are the pages of an application below its own path.
var applicationSections = []struct {
	section ui.DeveloperSection
	path    string
}{
	{ui.SectionOverview, ""},
	{ui.SectionSettings, "/settings"},
	{ui.SectionSecrets, "/secrets"},
	{ui.SectionBranding, "/branding"},
	{ui.SectionSamples, "/samples"},
	{ui.SectionTry, "/try"},
	{ui.SectionLog, "/log"},
	{ui.SectionNumbers, "/numbers"},
	{ui.SectionFaults, "/faults"},
	{ui.SectionAccess, "/access"},
}

// applicationPage returns the frame of an application's pages. It links to the pages that
// the user may open.
func (d *Dashboard) applicationPage(r *request, current ui.DeveloperSection) (ui.DeveloperPage, error) {
	p, err := d.page(r)
	if err != nil {
		return ui.DeveloperPage{}, err
	}
	here := d.path("o", r.org.ID, r.env, r.app.ClientID)
	p.Suspension = r.suspension()
	p.Trail = []ui.DeveloperLink{{Label: r.org.Name, URL: d.path("o", r.org.ID, r.env)}, {Label: r.app.Name, URL: here}}
	if r.env == storage.Production && r.app.Review == storage.ReviewAsked {
		p.WaitingURL = here + "/access"
	}
	for _, s := range applicationSections {
		looks, there := d.mounted["/o/{org}/{env}/{client}"+s.path]
		if there && r.may(looks) && d.hasSection(r.app, s.section) {
			p.Sections = append(p.Sections, ui.DeveloperSectionLink{Section: s.section, URL: here + s.path, Current: s.section == current})
		}
	}
	return d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production)), nil
}

// hasSection reports whether an application has a page.
func (d *Dashboard) hasSection(a storage.Application, s ui.DeveloperSection) bool {
	switch s {
	case ui.SectionFaults:
		return a.Environment == storage.Sandbox && d.Trials != nil
	case ui.SectionAccess:
		return stopped(a) || d.Review && (a.Environment == storage.Sandbox || a.Review != storage.ReviewNone)
	default:
		return true
	}
}

// inEnvironment marks a page as one of an environment, with the link to the same page in
// the other.
func (d *Dashboard) inEnvironment(p ui.DeveloperPage, env, sandboxURL, productionURL string) ui.DeveloperPage {
	p.Environment = ui.DeveloperEnvironment(env)
	if d.Sandbox != nil {
		p.SandboxURL = sandboxURL
	}
	p.ProductionURL = productionURL
	return p
}

// done redirects to a page with a notice.
func (r *request) done(address string, n ui.DeveloperNotice) error {
	r.RedirectWith(address, ui.Notice(n))
	return nil
}

// asRole shows a role.
func asRole(role storage.Role) ui.DeveloperRole { return ui.DeveloperRole(role) }
