package developer

import (
	"bytes"
	"errors"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pictureFields are the names of a brand's pictures in forms, addresses and the activity
// log.
var pictureFields = []string{ui.FieldLogo, screens.FieldLogoDark, screens.FieldWordmark, screens.FieldWordmarkDark}

// picture returns the picture of a field, nil for an unknown field.
func (b *brand) picture(field string) *[]byte {
	switch field {
	case ui.FieldLogo:
		return &b.Logo
	case screens.FieldLogoDark:
		return &b.LogoDark
	case screens.FieldWordmark:
		return &b.Wordmark
	case screens.FieldWordmarkDark:
		return &b.WordmarkDark
	default:
		return nil
	}
}

// changes returns the differences of another brand from b. Of a picture it says whether it
// was added, removed or changed.
func (b brand) changes(other brand) []storage.ChangedField {
	fields := changed("button_color", b.Color, other.Color)
	for _, field := range pictureFields {
		if before, after := *b.picture(field), *other.picture(field); !bytes.Equal(before, after) {
			change := storage.ChangedField{Name: field}
			if len(before) == 0 || len(after) == 0 { // added, or removed
				change.Before, change.After = onOff(len(before) > 0), onOff(len(after) > 0)
			}
			fields = append(fields, change)
		}
	}
	return fields
}

// pictures returns the pictures of a brand for a page at an address.
func (b brand) pictures(here string) []screens.Picture {
	var list []screens.Picture
	for _, field := range pictureFields {
		list = append(list, screens.Picture{Field: field, URL: b.pictureURL(here, field)})
	}
	return list
}

func (b brand) pictureURL(here, field string) string {
	if len(*b.picture(field)) == 0 {
		return ""
	}
	return here + "/" + field
}

// choosePictures puts the posted pictures into a brand, and returns their problems.
func (b *brand) choosePictures(r *request) (problems []ui.Problem, err error) {
	for _, field := range pictureFields {
		file, err := r.File(field)
		if err != nil {
			return nil, err
		}
		switch kept := b.picture(field); {
		case len(file) > 0:
			drawn, _, err := picture.ToPNG(r.Request.Context(), file)
			if problem, wrong := logoProblem(err); wrong {
				problem.Field = field
				problems = append(problems, problem)
			} else if err != nil {
				return nil, err
			}
			*kept = drawn
		case r.posted(screens.FieldRemove(field)) != "":
			*kept = nil
		}
	}
	if len(problems) > 0 {
		return problems, nil
	}
	if len(b.LogoDark) > 0 && len(b.Logo) == 0 {
		problems = append(problems, ui.Problem{Code: ui.PictureAlone, Field: screens.FieldLogoDark})
	}
	if len(b.WordmarkDark) > 0 && len(b.Wordmark) == 0 {
		problems = append(problems, ui.Problem{Code: ui.PictureAlone, Field: screens.FieldWordmarkDark})
	}
	return problems, nil
}

// logoProblem says why a picture cannot be a logo.
func logoProblem(err error) (ui.Problem, bool) {
	for _, p := range []struct {
		err  error
		code ui.ProblemCode
	}{
		{picture.ErrTooLarge, ui.LogoTooLarge},
		{picture.ErrTooWide, ui.LogoTooWide},
		{picture.ErrSVG, ui.LogoSVG},
		{picture.ErrFormat, ui.LogoFormat},
		{picture.ErrDamaged, ui.LogoDamaged},
		{picture.ErrWork, ui.LogoWork},
	} {
		if errors.Is(err, p.err) {
			return ui.Problem{Code: p.code}, true
		}
	}
	return ui.Problem{}, false
}
