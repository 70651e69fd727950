package plans

import (
	"embed"

	"github.com/bonafide-id/bonafide/ui"
)

//go:embed packed assets
var embedded embed.FS

var files = ui.NewFiles[text]("DeskPlans", embedded)

// Audience returns the texts and assets of the screens, for a provider.
func Audience() ui.Audience { return files }

// textOf returns what a language says on the screens.
func textOf(l *ui.Locale) *text { return files.Text(l) }
