package desk

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
)

// scriptCase has the keys of a case. Every key is a button as well.
const scriptCase = "case.js"

// Page is what all pages of the desk have around their content.
type Page struct {
	ui.Page
	// HomeURL is the first page of the desk.
	HomeURL string
	// Account is who is signed in; AccountURL leads to the account, empty for staff without
	// one.
	Account    ui.Account
	AccountURL string
	// Areas are the pages that the person may open.
	Areas []AreaLink
	// Notice is what has just happened. Empty shows none.
	Notice Notice
	// Remarks stand above the content of every page; nil entries are left out.
	Remarks []remark
}

type remark = templ.Component

// AreaLink leads to the pages of an area.
type AreaLink struct {
	Area Area
	// Current marks the area of the page that is shown.
	Current bool
	// Sections are its pages, at least one.
	Sections []SectionLink
}

// SectionLink leads to a page of the desk.
type SectionLink struct {
	Section Section
	URL     string
	// Current marks the page that is shown, or that it belongs to.
	Current bool
}

// Notice is what has just happened.
type Notice string

// The notices.
const (
	NoticeDecided     Notice = "decided"
	NoticeReturned    Notice = "returned"
	NoticeUndone      Notice = "undone"
	NoticeTooLate     Notice = "too_late"
	NoticeMovedOn     Notice = "moved_on"
	NoticeNone        Notice = "none"
	NoticeCodesEnd    Notice = "codes_ended"
	NoticeHeld        Notice = "held"
	NoticeHoldEnded   Notice = "hold_ended"
	NoticeActed       Notice = "acted"
	NoticeMatterEnded Notice = "matter_ended"
	NoticeMatterDone  Notice = "matter_closed"
	NoticeCodeSent    Notice = "code_sent"
	NoticeProved      Notice = "proved"
)

func (p Page) locale() *ui.Locale { return p.Locale.OrEnglish() }

// Wide is the frame of a page, which loads scripts and styles by the names under which they
// are served.
func (p Page) Wide(assets ...string) ui.Wide {
	l := p.locale()
	t := textOf(l).Common
	w := ui.Wide{
		Page: p.Page, Product: l.Plain(t.Desk), HomeURL: p.HomeURL,
		Account: p.Account, AccountURL: p.AccountURL, AccountLabel: l.Plain(t.Account), SectionsLabel: l.Plain(t.Sections),
		Files: append([]string{files.AssetName("desk.css")}, assets...), Remarks: remarks(p.Remarks),
	}
	for _, area := range p.Areas {
		w.Sections = append(w.Sections, ui.SectionLink{Label: l.Plain(t.AreaNames[area.Area]), URL: area.Sections[0].URL, Current: area.Current})
		if !area.Current || len(area.Sections) == 1 { // which is named like it
			continue
		}
		w.WithinLabel = l.Plain(t.AreaNames[area.Area])
		for _, s := range area.Sections {
			w.Within = append(w.Within, ui.SectionLink{Label: l.Plain(t.SectionNames[s.Section]), URL: s.URL, Current: s.Current})
		}
	}
	if p.Notice != "" {
		w.Notice = l.Plain(textOf(l).Notices[p.Notice])
	}
	return w
}

// served are the names under which files of this package are served.
func served(names []string) (assets []string) {
	for _, name := range names {
		assets = append(assets, files.AssetName(name))
	}
	return assets
}
