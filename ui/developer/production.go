package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// approveText says what an approval does, finishText what was interrupted.
func (v ReviewView) approveText() string {
	t := textOf(v.locale()).Production.Review
	if v.Live {
		return v.locale().Plain(t.ServeText)
	}
	return v.locale().Plain(t.ApproveText)
}

func (v ReviewView) finishText() string {
	t := textOf(v.locale()).Production.Review
	if v.Live {
		return v.locale().Plain(t.ServeFinishText)
	}
	return v.locale().Plain(t.FinishText)
}

// isPictureField reports whether a field is a picture of the branding.
func isPictureField(field string) bool {
	return field == ui.FieldLogo || field == FieldLogoDark || field == FieldWordmark || field == FieldWordmarkDark
}

// pictureLabel names a picture of the branding.
func pictureLabel(l *ui.Locale, field string) string {
	label, _, _ := Picture{Field: field}.texts(l)
	return label
}

// checksMet reports whether nothing is missing.
func checksMet(checks []Check) bool {
	return !slices.ContainsFunc(checks, func(c Check) bool { return !c.Met })
}
