package ui

import "github.com/bonafide-id/bonafide/ui/theme"

// DeveloperBrandingView is the logo of an application and the colour of its buttons, with
// what they make of the screens. It posts [FieldVersion] with [ActionPreview] or
// [ActionPublish] and, in multipart/form-data, [FieldLogo], [FieldRemoveLogo] and
// [FieldColor]; or with [ActionDiscard] or [ActionUndo] and nothing else.
type DeveloperBrandingView struct {
	DeveloperPage
	Form
	// Version is what was read.
	Version string
	// Name is that of the application.
	Name string
	// LogoURL is the logo of the draft, or the one that is published. Empty shows the
	// first letter of the name.
	LogoURL string
	// Color is what the field shows, and Contrast how that reads; zero where it is no
	// colour.
	Color    string
	Contrast theme.Contrast
	// Draft says that something of this is not published.
	Draft bool
	// MayChange shows the form, MayUndo the way back to what was published before.
	MayChange, MayUndo bool
	Previews           []DeveloperPreview
}

// DeveloperPreview is a screen in a frame.
type DeveloperPreview struct {
	Screen PreviewScreen
	Scheme Scheme
	// URL has the screen. A script adds the colour that is being chosen to its query,
	// as [FieldColor].
	URL string
}

// The names of fields of the branding page.
const (
	FieldLogo       = "logo"
	FieldRemoveLogo = "remove_logo"
	FieldColor      = "color"
)

// The values of [FieldAction] on the branding page.
const (
	ActionPreview = "preview"
	ActionPublish = "publish"
	ActionDiscard = "discard"
	ActionUndo    = "undo"
)
