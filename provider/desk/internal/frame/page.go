package frame

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// link is a page of the navigation.
type link struct {
	section screens.Section
	path    string
	needs   func(action.Staff) bool
}

// Page returns what is around the content of a page: where it belongs, who is signed in, the
// pages that they may open, and what has just happened.
func (r *Request) Page(current screens.Section) (screens.Page, error) {
	f := r.Frame
	page := screens.Page{
		Page: r.Screen.Page(), HomeURL: r.Path(), Notice: screens.Notice(r.Room().Notice()),
		Areas: f.areas(r.Staff, current), AccountURL: f.AccountURL,
	}
	if f.Admit == nil {
		account, err := r.Room().Account()
		if err != nil && !errors.Is(err, provider.ErrNoUser) {
			return screens.Page{}, err
		}
		page.Account, page.AccountURL = account, strings.TrimSuffix(f.base, "/desk")+"/account"
	}
	for _, say := range f.dress {
		if err := say(r, &page); err != nil {
			return screens.Page{}, err
		}
	}
	return page, nil
}

// areas are the pages that somebody may open, by area. An area without one is left out.
func (f *Frame) areas(staff action.Staff, current screens.Section) (areas []screens.AreaLink) {
	for _, area := range screens.Areas() {
		one := screens.AreaLink{Area: area.Area, Current: slices.Contains(area.Sections, current)}
		for _, section := range area.Sections {
			i := slices.IndexFunc(f.links, func(l link) bool { return l.section == section && l.needs(staff) })
			if i >= 0 {
				address := f.base + strings.TrimSuffix(f.links[i].path, "{$}")
				one.Sections = append(one.Sections, screens.SectionLink{Section: section, URL: address, Current: section == current})
			}
		}
		if len(one.Sections) > 0 {
			areas = append(areas, one)
		}
	}
	return areas
}

// AtMost is a number that is counted up to a bound.
func AtMost(n, bound int) string {
	if n >= bound {
		return strconv.Itoa(bound) + "+"
	}
	return strconv.Itoa(n)
}
