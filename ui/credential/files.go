package credential

import (
	"embed"

	"github.com/bonafide-id/bonafide/ui"
)

//go:embed packed
var embedded embed.FS

var files = ui.NewFiles[text]("Credentials", embedded)

// Audience returns the texts of the screens, for a provider.
func Audience() ui.Audience { return files }

// textOf returns what a language says on the screens.
func textOf(l *ui.Locale) *text { return files.Text(l) }
