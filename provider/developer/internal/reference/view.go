package reference

import "github.com/bonafide-id/bonafide/ui"

// View returns the page for people, but for the addresses of its links.
func (d *Document) View(page ui.DeveloperPage) ui.DeveloperDocsView {
	return ui.DeveloperDocsView{DeveloperPage: page, Sections: d.Sections()}
}
