package desk

import (
	"embed"

	"github.com/bonafide-id/bonafide/ui"
)

//go:embed packed assets
var embedded embed.FS

var files = ui.NewFiles[text]("Desk", embedded)

// Audience returns the texts and assets of the desk, for a provider.
func Audience() ui.Audience { return files }

// textOf returns what a language says to staff.
func textOf(l *ui.Locale) *text { return files.Text(l) }
