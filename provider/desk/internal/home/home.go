// Package home is the first page of the desk: what there is to do, what is wrong, and one field
// that finds a person.
package home

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/role"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Matters returns the open matters of who asks.
type Matters func(r *frame.Request) ([]screens.OpenMatter, error)

// Routes returns the page.
func Routes(matters Matters) []frame.Route {
	return []frame.Route{{Path: "/{$}", Section: screens.SectionHome, Needs: role.Staff.Works, Show: matters.show}}
}

func (matters Matters) show(r *frame.Request) error {
	page, err := r.Page(screens.SectionHome)
	if err != nil {
		return err
	}
	v := screens.HomeView{Page: page}
	if r.Staff.Helps() {
		find := r.Form()
		find.Action = r.Path("find")
		v.Find = &find
		if v.Matters, err = matters(r); err != nil {
			return err
		}
	}
	if v.Tasks, err = r.Frame.Tasks(r); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Home(v))
	return nil
}
