package ui

// Locale is a language that the screens can be shown in.
type Locale struct {
	// Lang is its BCP 47 tag, such as "de".
	Lang string
	// Dir is the direction that it is written in, "ltr" or "rtl".
	Dir string
	// Name is what it is called in itself, such as "Deutsch".
	Name string
}
