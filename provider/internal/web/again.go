package web

import (
	"maps"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// sentAgain is the field of a form that the page of SendAgain has posted.
const sentAgain = "sent_again"

// PlainHTTP begins the addresses to which the policy of a page allows a form to lead only if it
// says so.
const PlainHTTP = "http:"

// SendAgain answers a form that another site has posted, which has been read, by a page that
// posts it to the same address once more: a browser sends no cookie with a form of another site.
// The page sets none, and cuts no popup off from the page that opened it. It reports false for a
// form that comes from that page, and an error for one that says so and comes from elsewhere: a
// browser that does not name its origin would send it for ever. Such a form can be as long as it
// is, an address cannot; plain reports that it may lead to an address of plain http.
func (s *Site) SendAgain(w http.ResponseWriter, r *http.Request, plain bool) (answered bool, err error) {
	if r.PostForm.Has(sentAgain) {
		r.PostForm.Del(sentAgain)
		if err := s.checkOrigin(r); err != nil {
			return true, &PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: err}
		}
		return false, nil
	}
	page := s.PageView(r, nil)
	page.Client.Name, page.Languages = s.Brand.Name, nil
	fields := []ui.Field{{Name: sentAgain, Value: "1"}}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		for _, value := range r.PostForm[name] {
			fields = append(fields, ui.Field{Name: name, Value: value})
		}
	}
	var destinations []string
	if plain {
		destinations = []string{PlainHTTP}
	}
	view := ui.FormPostView{Page: page, URL: s.BaseURL + PathOf(r), Fields: fields}
	s.RenderTo(w, r, true, destinations, http.StatusOK, s.Screens.FormPost(view))
	return true, nil
}

// AsGet is the request of an address with this query, whatever was posted there.
func AsGet(r *http.Request, query string) *http.Request {
	r = r.Clone(r.Context())
	r.Method, r.PostForm, r.URL.RawQuery = http.MethodGet, nil, query
	return r
}
