package developer

// DocsView is the reference of an installation for those who build
// applications. It needs nobody who is signed in. What it says is English in every
// language of the frame, for it is about words of protocols.
type DocsView struct {
	Page
	// OpenAPIURL and TextURL are the same reference for programs and for language
	// models.
	OpenAPIURL, TextURL string
	// Sections are the reference itself.
	Sections []DocsSection
}

// DocsSection is a part of the reference. In all its texts, words between backquotes
// are code.
type DocsSection struct {
	// ID is its anchor.
	ID    string
	Title string
	// Text is paragraphs, Steps what is done one after the other.
	Text, Steps []string
	Tables      []DocsTable
	Code        []DocsCode
	// Parts are one heading below.
	Parts []DocsSection
}

// DocsTable is a table. The first cell of a row is its heading.
type DocsTable struct {
	Caption string
	Columns []string
	Rows    [][]string
}

// DocsCode is an example.
type DocsCode struct{ Caption, Text string }
