package frame

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Handler answers a request of a member of the staff.
type Handler func(*Request) error

// Route is a page of the desk, with its form.
type Route struct {
	// Path is a pattern of http.ServeMux below that of the desk. With a part {matter} the
	// page is about the person of that matter, which is open, of who asks, and in
	// Request.Matter.
	Path string

	// Needs says whose page it is. For everybody else there is nothing at its address.
	Needs func(action.Staff) bool

	// Section is the link of the navigation that leads to this page, if it has no parts;
	// empty for none.
	Section screens.Section

	// Show answers GET, Act POST; nil for neither.
	Show, Act Handler

	// Power reports that already its page takes a fresh sign-in, so that nothing is lost
	// that is entered there. Every POST takes one anyway, unless it is Mild.
	Power bool

	// Mild reports that a POST is no power: it changes nothing about anybody. Nil reports
	// that none is. Its Request has no Matter yet.
	Mild func(*Request) bool

	// Patience is the time limit of a POST. Defaults to that of all pages.
	Patience time.Duration
}

// Mild is for a Route whose posts are no powers.
func Mild(*Request) bool { return true }

// Mount serves pages to those who need them.
func (f *Frame) Mount(routes ...Route) {
	for _, p := range routes {
		if p.Section != "" {
			f.links = append(f.links, link{p.Section, p.Path, p.Needs})
		}
		serve := func(method string, h Handler) {
			f.serve(method+" ", p.Path, f.Pages.Room().Patient(p.Patience).Screen(func(s *provider.Screen) error { return f.Answer(s, p, h) }))
		}
		if p.Show != nil {
			serve(http.MethodGet, p.Show)
		}
		if p.Act != nil {
			serve(http.MethodPost, p.Act)
		}
	}
}
