package desk

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// shift is how long ago a member of the staff may have authenticated: the desk shows what
// people have sent, and an unlocked browser must not be enough for that the next day.
const shift = 8 * time.Hour

// The limits of one reviewer: far more than anybody decides, and too few to copy an archive.
var (
	postLimit     = provider.Limit{Burst: 60, Every: 2 * time.Second}
	evidenceLimit = provider.Limit{Burst: 300, Every: time.Second}
)

// handler answers a request of a member of the staff.
type handler func(*request) error

// request is a page request of a member of the staff.
type request struct {
	*provider.Screen
	staff Staff
	by    storage.Reviewer
}

// value returns a part of the path.
func (r *request) value(name string) string { return r.Request.PathValue(name) }

// posted returns a field of the posted form.
func (r *request) posted(name string) string { return r.Request.PostForm.Get(name) }

// stepUp is how long ago an operator may have authenticated who opens a page on which to
// decide for many at once. Whoever has opened it has filling-in time, so that nothing is lost
// that was entered or chosen.
const (
	stepUp    = 5 * time.Minute
	fillingIn = 10 * time.Minute
)

// mount serves a page to those who need it.
func (d *Desk) mount(p route) {
	serve := func(h handler) http.Handler {
		return d.provider.Pages().Screen(func(s *provider.Screen) error { return d.answer(s, p, h) })
	}
	d.mux.Handle("GET "+d.base+p.path, serve(p.show))
	if p.act != nil {
		d.mux.Handle("POST "+d.base+p.path, serve(p.act))
	}
}

// admit returns who asks for a page, or nil if the request is answered. For everybody else
// there is nothing here.
func (d *Desk) admit(s *provider.Screen, p route) (*request, error) {
	if s.User.UserID == "" {
		s.SignIn(0)
		return nil, nil
	}
	staff, err := d.Reviewer(s.Request.Context(), s.User.UserID)
	if err != nil {
		return nil, err
	}
	if !p.needs(staff) {
		return nil, provider.ErrScreenNotFound
	}
	age := shift
	if p.power {
		if age = stepUp; s.Request.Method == http.MethodPost {
			age += fillingIn
		}
	}
	confirmed := s.Fresh(age)
	if p.power { // a stolen password is not enough of who has more than that
		if confirmed, err = s.Confirmed(age); err != nil {
			return nil, err
		}
	}
	switch {
	case confirmed:
	case p.power:
		s.Confirm(age)
		return nil, nil
	default:
		s.SignIn(age)
		return nil, nil
	}
	staff.ID = cmp.Or(staff.ID, s.User.UserID)
	return &request{Screen: s, staff: staff, by: staff.as(s.User.UserID)}, nil
}

// answer answers a request of a member of the staff.
func (d *Desk) answer(s *provider.Screen, p route, h handler) error {
	r, err := d.admit(s, p)
	if r == nil || err != nil {
		return err
	}
	for _, values := range s.Request.PostForm {
		if len(values) > 1 { // readers of the first and of the last may each believe another
			return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New("a field is given twice")}
		}
	}
	if s.Request.Method == http.MethodPost {
		if err := d.allow(r, "desk_post", postLimit); err != nil {
			return err
		}
	}
	return h(r)
}

// allow limits what one member of the staff does.
func (d *Desk) allow(r *request, what string, limit provider.Limit) error {
	wait, err := d.provider.Pages().Allow(r.Request.Context(), what, r.staff.ID, limit)
	if err != nil {
		return err
	}
	if wait > 0 {
		return provider.ScreenError{Status: http.StatusTooManyRequests, Code: ui.ErrorTooMany, Wait: wait, HomeURL: d.path(), Err: errors.New("the reviewer has asked too often")}
	}
	return nil
}

// path returns the address of a page of the desk: its parts, escaped.
func (d *Desk) path(parts ...string) string {
	path := d.base + "/"
	for i, part := range parts {
		if i > 0 {
			path += "/"
		}
		path += url.PathEscape(part)
	}
	return path
}

// page returns the frame that every page has around its content.
func (d *Desk) page(r *request, current screens.Section) (screens.Page, error) {
	account, err := r.Account()
	if err != nil {
		return screens.Page{}, err
	}
	page := screens.Page{
		Page: r.Page(), HomeURL: d.path(), Account: account, AccountURL: d.base[:len(d.base)-len("/desk")] + "/account",
		Notice: screens.Notice(r.Notice()),
	}
	link := func(section screens.Section, address string) {
		page.Sections = append(page.Sections, screens.SectionLink{Section: section, URL: address, Current: section == current})
	}
	if r.staff.reviews() {
		link(screens.SectionInbox, d.path())
	}
	if r.staff.operates() {
		for _, section := range []screens.Section{screens.SectionRosters, screens.SectionCodes, screens.SectionHolds, screens.SectionNumbers} {
			link(section, d.path(string(section)))
		}
	}
	return page, nil
}

// done redirects to a page with a notice.
func (r *request) done(address string, n screens.Notice) error {
	r.RedirectWith(address, ui.Notice(n))
	return nil
}
