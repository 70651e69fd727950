package service

import (
	"embed"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
)

//go:embed packed assets
var embedded embed.FS

var files = ui.NewFiles[text]("DeskService", embedded)

// Audience returns the texts and assets of these screens, for a provider.
func Audience() ui.Audience { return files }

// textOf returns what a language says on these screens.
func textOf(l *ui.Locale) *text { return files.Text(l) }

// Page is what all pages of the desk have around their content.
type Page = desk.Page

func localeOf(p Page) *ui.Locale { return p.Locale.OrEnglish() }

// layout is the page around every page of this package.
func layout(p Page, title string) templ.Component {
	return desk.Layout(p, title, files.AssetName("service.css"))
}
