package ui

import "slices"

// approveText says what an approval does, finishText what was interrupted.
func (v DeveloperReviewView) approveText() string {
	t := v.locale().developer().Production.Review
	if v.Live {
		return v.locale().Plain(t.ServeText)
	}
	return v.locale().Plain(t.ApproveText)
}

func (v DeveloperReviewView) finishText() string {
	t := v.locale().developer().Production.Review
	if v.Live {
		return v.locale().Plain(t.ServeFinishText)
	}
	return v.locale().Plain(t.FinishText)
}

// isPictureField reports whether a field is a picture of the branding.
func isPictureField(field string) bool {
	return field == FieldLogo || field == FieldLogoDark || field == FieldWordmark || field == FieldWordmarkDark
}

// pictureLabel names a picture of the branding.
func pictureLabel(l *Locale, field string) string {
	label, _, _ := DeveloperPicture{Field: field}.texts(l)
	return label
}

// checksMet reports whether nothing is missing.
func checksMet(checks []DeveloperCheck) bool {
	return !slices.ContainsFunc(checks, func(c DeveloperCheck) bool { return !c.Met })
}
