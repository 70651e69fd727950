// Package theme makes the colours, shapes and fonts of the screens from what a host chooses:
// a palette for day and one for night, of which each colour that is left out is derived from
// the others, held to the contrasts of WCAG 2.2, and written as the custom properties of
// the stylesheet of package ui.
//
// A [Theme] is files and their names. Each name holds a digest of what is in the file, or
// the colour that it is made of, so that all of them can be cached for ever.
package theme
