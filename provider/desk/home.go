package desk

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/people"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// home is the first page of the desk: what there is to do, what is wrong, and one field that finds
// a person.
type home struct{ looks *people.Room }

func (h home) route() frame.Route {
	return frame.Route{Path: "/{$}", Section: screens.SectionHome, Needs: action.Staff.Works, Show: h.show}
}

func (h home) show(r *frame.Request) error {
	page, err := r.Page(screens.SectionHome)
	if err != nil {
		return err
	}
	v := screens.HomeView{Page: page}
	if r.Staff.Helps() {
		find := r.Form()
		find.Action = r.Path("find")
		v.Find, v.Ways = &find, h.looks.Ways(r)
		if v.Matters, err = h.looks.OpenMatters(r); err != nil {
			return err
		}
	}
	if v.Tasks, err = r.Frame.Tasks(r); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Home(v))
	return nil
}
