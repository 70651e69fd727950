// Package home is the first page of the desk: what there is to do, what is wrong, and one field
// that finds a person.
package home

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/role"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// People are what the page says of people: the open matters of who asks, and by what people are
// found.
type People struct {
	Matters func(r *frame.Request) ([]screens.OpenMatter, error)
	Ways    func(r *frame.Request) string
}

// Routes returns the page.
func Routes(people People) []frame.Route {
	return []frame.Route{{Path: "/{$}", Section: screens.SectionHome, Needs: role.Staff.Works, Show: people.show}}
}

func (people People) show(r *frame.Request) error {
	page, err := r.Page(screens.SectionHome)
	if err != nil {
		return err
	}
	v := screens.HomeView{Page: page}
	if r.Staff.Helps() {
		find := r.Form()
		find.Action = r.Path("find")
		v.Find, v.Ways = &find, people.Ways(r)
		if v.Matters, err = people.Matters(r); err != nil {
			return err
		}
	}
	if v.Tasks, err = r.Frame.Tasks(r); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Home(v))
	return nil
}
