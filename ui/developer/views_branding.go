package developer

import (
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// BrandingView is the pictures of an application and the colour of its buttons,
// with what they make of the screens. It posts [FieldVersion] with [ActionPreview] or
// [ActionPublish] and, in multipart/form-data, [ui.FieldColor] and the field of each picture
// as well as the one that [FieldRemove] names; or with [ActionDiscard] or [ActionUndo] and
// nothing else.
type BrandingView struct {
	Page
	ui.Form
	// Version is what was read.
	Version string
	// Name is that of the application.
	Name string
	// Pictures are those of the draft, or those that are published.
	Pictures []Picture
	// Color is what the field shows, and Contrast how that reads; zero where it is no
	// colour.
	Color    string
	Contrast theme.Contrast
	// Draft says that something of this is not published.
	Draft bool
	// MayChange shows the form, MayUndo the way back to what was published before.
	MayChange, MayUndo bool
	Previews           []Preview
}

// Picture is a picture of an application.
type Picture struct {
	// Field is ui.FieldLogo, FieldLogoDark, FieldWordmark or FieldWordmarkDark.
	Field string
	// URL is empty where there is none, which shows the first letter of the name for the
	// logo.
	URL string
}

// Preview is a screen in a frame.
type Preview struct {
	Screen ui.PreviewScreen
	Scheme ui.Scheme
	// RightToLeft says that it is in a language that is written from right to left.
	RightToLeft bool
	// URL has the screen. A script adds the colour that is being chosen to its query,
	// as [ui.FieldColor].
	URL string
}

// The names of fields of the branding page.
const (
	FieldLogoDark     = "logo_dark"
	FieldWordmark     = "wordmark"
	FieldWordmarkDark = "wordmark_dark"
)

// FieldRemove returns the name of the field that removes the picture of a field.
func FieldRemove(field string) string { return "remove_" + field }

// The values of [ui.FieldAction] on the branding page.
const (
	ActionPreview = "preview"
	ActionPublish = "publish"
	ActionDiscard = "discard"
	ActionUndo    = "undo"
)
