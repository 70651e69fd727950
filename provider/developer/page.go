package developer

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// path returns the address of a page of the dashboard: its parts, escaped.
func (d *frame) path(parts ...string) string {
	if len(parts) == 0 {
		return d.base + "/"
	}
	return below(d.base, parts...)
}

// review returns the address of a page of reviews, of the room that shows this one.
func (d *frame) review(r *request, parts ...string) string {
	return below(cmp.Or(r.within.ReviewsURL, d.path("review")), parts...)
}

// below adds parts to an address, escaped.
func below(address string, parts ...string) string {
	for _, part := range parts {
		address += "/" + url.PathEscape(part)
	}
	return address
}

// absolute returns the absolute address of a page, as for a mail.
func (d *frame) absolute(path string) string {
	base := d.Provider.Rooms().Installation().BaseURL
	return base + path[len(d.base)-len("/developer"):]
}

// page returns the frame that every page has around its content.
func (d *frame) page(r *request) (screens.Page, error) {
	p := screens.Page{
		Page: r.Page(), HomeURL: d.path(), DocsURL: d.path("docs"), Notice: screens.Notice(r.Room().Notice()), ConfirmURL: r.confirmURL,
	}
	if r.confirmed {
		p.Notice = screens.NoticeConfirmed
	}
	if r.within.Around != nil {
		w, err := r.within.Around()
		p.Within = &w
		return p, err
	}
	if r.User.UserID == "" {
		return p, nil
	}
	account, err := r.Room().Account()
	if err != nil {
		return screens.Page{}, err
	}
	p.Account, p.AccountURL = account, d.base[:len(d.base)-len("/developer")]+"/account"
	return p, nil
}

// organizationPage returns the frame of an organization's pages.
func (d *frame) organizationPage(r *request, current screens.Section) (screens.Page, error) {
	p, err := d.page(r)
	if err != nil {
		return screens.Page{}, err
	}
	p.Trail, p.Suspension = []screens.Link{{Label: r.org.Name, URL: d.path("o", r.org.ID)}}, r.suspension()
	for _, s := range []struct {
		section screens.Section
		path    string
	}{
		{screens.SectionApplications, ""},
		{screens.SectionMembers, "members"},
		{screens.SectionPersonas, "personas"},
		{screens.SectionInbox, "inbox"},
		{screens.SectionClock, "clock"},
		{screens.SectionActivity, "activity"},
		{screens.SectionOrganization, "settings"},
	} {
		if d.Trials == nil && slices.Contains([]screens.Section{screens.SectionPersonas, screens.SectionInbox, screens.SectionClock}, s.section) {
			continue
		}
		address := d.path("o", r.org.ID)
		if s.path != "" {
			address = d.path("o", r.org.ID, s.path)
		}
		p.Sections = append(p.Sections, screens.SectionLink{Section: s.section, URL: address, Current: s.section == current})
	}
	return p, nil
}

// applicationSections are the pages of an application below its own path.
var applicationSections = []struct {
	section screens.Section
	path    string
}{
	{screens.SectionOverview, ""},
	{screens.SectionSettings, "/settings"},
	{screens.SectionSecrets, "/secrets"},
	{screens.SectionBranding, "/branding"},
	{screens.SectionSamples, "/samples"},
	{screens.SectionTry, "/try"},
	{screens.SectionLog, "/log"},
	{screens.SectionNumbers, "/numbers"},
	{screens.SectionWebhooks, "/webhooks"},
	{screens.SectionFaults, "/faults"},
	{screens.SectionAccess, "/access"},
}

// applicationPage returns the frame of an application's pages. It links to the pages that
// the user may open.
func (d *frame) applicationPage(r *request, current screens.Section) (screens.Page, error) {
	p, err := d.page(r)
	if err != nil {
		return screens.Page{}, err
	}
	here := d.path("o", r.org.ID, r.env, r.app.ClientID)
	p.Suspension = r.suspension()
	p.Trail = []screens.Link{{Label: r.org.Name, URL: d.path("o", r.org.ID, r.env)}, {Label: r.app.Name, URL: here}}
	if r.env == storage.Production && r.app.Review == storage.ReviewAsked {
		p.WaitingURL = here + "/access"
	}
	for _, s := range applicationSections {
		looks, there := d.mounted["/o/{org}/{env}/{client}"+s.path]
		if there && r.may(looks) && d.hasSection(r.app, s.section) {
			p.Sections = append(p.Sections, screens.SectionLink{Section: s.section, URL: here + s.path, Current: s.section == current})
		}
	}
	return d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production)), nil
}

// hasSection reports whether an application has a page.
func (d *frame) hasSection(a storage.Application, s screens.Section) bool {
	switch s {
	case screens.SectionWebhooks:
		return d.hasWebhooks(a.Environment)
	case screens.SectionFaults:
		return a.Environment == storage.Sandbox && d.Trials != nil
	case screens.SectionAccess:
		return stopped(a) || d.Review && (a.Environment == storage.Sandbox || a.Review != storage.ReviewNone)
	default:
		return true
	}
}

// inEnvironment marks a page as one of an environment, with the link to the same page in
// the other.
func (d *frame) inEnvironment(p screens.Page, env, sandboxURL, productionURL string) screens.Page {
	p.Environment = screens.Environment(env)
	if d.Sandbox != nil {
		p.SandboxURL = sandboxURL
	}
	p.ProductionURL = productionURL
	return p
}

// done redirects to a page with a notice.
func (r *request) done(address string, n screens.Notice) error {
	r.Room().RedirectWith(address, ui.Notice(n))
	return nil
}

// asRole shows a role.
func asRole(role storage.Role) screens.Role { return screens.Role(role) }
