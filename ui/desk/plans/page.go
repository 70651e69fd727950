package plans

import (
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
)

// Page is what all pages of plans have around their content.
type Page struct {
	desk.Page
	// Said is what has just happened here. Empty shows none.
	Said Notice
}

// Notice is what has just happened.
type Notice string

// The notices.
const (
	NoticeProposed  Notice = "proposed"
	NoticeApproved  Notice = "approved"
	NoticeEnded     Notice = "ended"
	NoticeOver      Notice = "over"
	NoticeOwn       Notice = "own"
	NoticeMoved     Notice = "moved"
	NoticeSignedOff Notice = "signed_off"
	NoticeOwnBreak  Notice = "own_break"
)

// NoticeOf returns a notice of these pages, and false for one of others.
func NoticeOf(n ui.Notice) (Notice, bool) {
	_, ok := textOf(nil).Notices[Notice(n)]
	return Notice(n), ok
}

func (p Page) locale() *ui.Locale { return p.Locale.OrEnglish() }

// isWarning reports whether a notice says that nothing was done.
func (n Notice) isWarning() bool {
	return n == NoticeOver || n == NoticeOwn || n == NoticeMoved || n == NoticeOwnBreak
}
