package developer

import "github.com/bonafide-id/bonafide/ui"

// The scripts of the dashboard. No page needs one to work.
const (
	// scriptAll is for all pages.
	scriptAll = "developer.js"
	// scriptDocs is for the reference.
	scriptDocs = "docs.js"
	// scriptButton lets the button follow what is chosen of it.
	scriptButton = "button.js"
	// scriptLog shows new lines of a log by itself.
	scriptLog = "log.js"
)

func (p Page) locale() *ui.Locale { return p.Locale.OrEnglish() }

// wide is the frame of a page, which loads scripts.
func (p Page) wide(scripts []string) ui.Wide {
	l := p.locale()
	w := p.dashboard()
	if p.Within != nil {
		w = *p.Within
	}
	if p.Notice != "" {
		w.Notice = l.Plain(textOf(l).Notices[p.Notice])
	}
	for _, file := range append([]string{"developer.css", scriptAll}, scripts...) {
		w.Files = append(w.Files, files.AssetName(file))
	}
	return w
}

// dashboard is what the dashboard has around a page.
func (p Page) dashboard() ui.Wide {
	l := p.locale()
	t := textOf(l).Common
	w := ui.Wide{
		Page: p.Page, Product: l.Plain(t.Dashboard), HomeURL: p.HomeURL,
		Account: p.Account, AccountURL: p.AccountURL, AccountLabel: l.Plain(t.Account),
		Banner: banner(p), SectionsLabel: l.Plain(t.Sections), Remarks: remarks(p),
	}
	if p.DocsURL != "" {
		w.Tools = []ui.Link{{Label: ui.Label{Text: l.Plain(t.Docs)}, URL: p.DocsURL}}
	}
	if len(p.Trail) > 0 || p.SandboxURL != "" || p.ProductionURL != "" {
		w.Where = where(p)
	}
	for _, s := range p.Sections {
		w.Sections = append(w.Sections, ui.SectionLink{Label: l.Plain(t.SectionNames[s.Section]), URL: s.URL, Current: s.Current})
	}
	return w
}
