package web

import (
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
)

// maxLocation is the longest Location, in bytes, that fits with the other headers into the 4 KiB
// that nginx has for them by default.
const maxLocation = 3000

// Leave sends the browser to an address that others have made as long as they like: a response to an
// application, success or error, or a request that is posted by another site. Where a redirect would
// not arrive, a page goes on by itself: to an address that is too long for a header, and, after a
// form, to an app, which browsers do not follow there. In a frame, which shows no page of ours, it
// is a redirect. page is nil where the address is no application's.
func (s *Site) Leave(w http.ResponseWriter, r *http.Request, target string, afterForm bool, page func() ui.Page) {
	fits := len(target) <= maxLocation || r.Header.Get("Sec-Fetch-Dest") == "iframe"
	if fits && (!afterForm || HomeOf(target) != "") {
		s.Redirect(w, target)
		return
	}
	view := ui.ContinueView{URL: target}
	if page != nil {
		view.Page = page()
	} else if own, err := s.Base.Parse(target); err == nil {
		view.Page, view.URL = s.PageView(r, nil), own.String()
		view.Client.Name = s.Brand.Name
	}
	view.Languages = nil // the request is answered
	// Like a redirect, it cuts no popup off from the page that opened it.
	s.RenderTo(w, r, true, nil, http.StatusOK, s.Screens.Continue(view))
}
