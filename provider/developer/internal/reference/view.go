package reference

import screens "github.com/bonafide-id/bonafide/ui/developer"

// View returns the page for people, but for the addresses of its links.
func (d *Document) View(page screens.Page) screens.DocsView {
	return screens.DocsView{Page: page, Sections: d.Sections()}
}
