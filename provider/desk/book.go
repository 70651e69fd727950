package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/inbox"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/desk/internal/records"
	"github.com/bonafide-id/bonafide/provider/desk/internal/service"
)

// rooms are those whose pages are about what they act on, too.
type rooms struct {
	applications *applications.Room
	service      *service.Room
	records      *records.Room
}

func newRooms(cfg Config) (r rooms, err error) {
	if r.applications, err = applications.New(applications.Options{Provider: cfg.Provider, Dashboard: cfg.Dashboard}); err != nil {
		return rooms{}, err
	}
	r.service = service.New(service.Options{Provider: cfg.Provider, Store: cfg.Store, Logger: cfg.Logger, Clock: cfg.Clock})
	r.records = &records.Room{Provider: cfg.Provider, Matters: cfg.Store}
	return r, nil
}

// mount serves the pages of the rooms.
func (r rooms) mount(f *frame.Frame) {
	f.Mount(r.applications.Routes()...)
	if f.Admit == nil {
		f.Mount(r.applications.ReviewRoutes()...)
	}
	f.Mount(r.service.Routes()...)
	f.Mount(r.records.Routes()...)
	f.Offer(r.applications.Tasks)
	f.Offer(r.service.Tasks)
}

// newBook returns what can be done at a desk.
func newBook(cfg Config, r rooms) (*action.Book, error) {
	people := person.Actions(person.Options{Provider: cfg.Provider, Host: cfg.People, Clock: cfg.Clock})
	return action.NewBook(slices.Concat(people, r.applications.Actions(), r.service.Actions(), inbox.Actions(cfg.Verification))...)
}
