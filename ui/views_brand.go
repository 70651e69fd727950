package ui

// BrandPreviewView is the screens of the service as its users will see them, for whoever
// runs it. The languages of the page are those that the screens can be seen in.
type BrandPreviewView struct {
	Page
	// Scheme is the colours of the frames, SchemeLight or SchemeDark.
	Scheme Scheme
	// LightURL and DarkURL are this page in the colours of day and of night. A theme that
	// has but one of them shows no switch.
	LightURL, DarkURL string
	// Desktop shows the frames as wide as the screen of a computer, and not of a phone.
	Desktop bool
	// PhoneURL and DesktopURL are this page in these widths.
	PhoneURL, DesktopURL string
	// Frames are what is seen, each a [Preview] at an address of its own.
	Frames []PreviewFrame
}

// PreviewFrame is a screen in a frame.
type PreviewFrame struct {
	Screen PreviewScreen
	URL    string
}
