package desk

import "github.com/bonafide-id/bonafide/ui"

// scriptCase has the keys of a case. Every key is a button as well.
const scriptCase = "case.js"

// Page is what all pages of the desk have around their content.
type Page struct {
	ui.Page
	// HomeURL is the first page of the desk.
	HomeURL string
	// Account is who is signed in; AccountURL leads to the account.
	Account    ui.Account
	AccountURL string
	// Sections are the pages that the person may open.
	Sections []SectionLink
	// Notice is what has just happened. Empty shows none.
	Notice Notice
}

// SectionLink leads to a page of the desk.
type SectionLink struct {
	Section Section
	URL     string
	// Current marks the page that is shown, or that it belongs to.
	Current bool
}

// Section is a page of the desk.
type Section string

// The sections.
const (
	SectionInbox   Section = "inbox"
	SectionRosters Section = "rosters"
	SectionCodes   Section = "codes"
	SectionHolds   Section = "holds"
	SectionNumbers Section = "numbers"
)

// Notice is what has just happened.
type Notice string

// The notices.
const (
	NoticeDecided   Notice = "decided"
	NoticeReturned  Notice = "returned"
	NoticeUndone    Notice = "undone"
	NoticeTooLate   Notice = "too_late"
	NoticeMovedOn   Notice = "moved_on"
	NoticeNone      Notice = "none"
	NoticeImported  Notice = "imported"
	NoticePutBack   Notice = "put_back"
	NoticeCodesEnd  Notice = "codes_ended"
	NoticeHeld      Notice = "held"
	NoticeHoldEnded Notice = "hold_ended"
)

func (p Page) locale() *ui.Locale { return p.Locale.OrEnglish() }

// wide is the frame of a page, which loads scripts.
func (p Page) wide(scripts []string) ui.Wide {
	l := p.locale()
	t := textOf(l).Common
	w := ui.Wide{
		Page: p.Page, Product: l.Plain(t.Desk), HomeURL: p.HomeURL,
		Account: p.Account, AccountURL: p.AccountURL, AccountLabel: l.Plain(t.Account), SectionsLabel: l.Plain(t.Sections),
		Files: []string{files.AssetName("desk.css")},
	}
	for _, s := range p.Sections {
		w.Sections = append(w.Sections, ui.SectionLink{Label: l.Plain(t.SectionNames[s.Section]), URL: s.URL, Current: s.Current})
	}
	if p.Notice != "" {
		w.Notice = l.Plain(textOf(l).Notices[p.Notice])
	}
	for _, script := range scripts {
		w.Files = append(w.Files, files.AssetName(script))
	}
	return w
}
