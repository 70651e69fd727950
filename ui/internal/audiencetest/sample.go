package audiencetest

import (
	_ "embed"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// sampleSource has what pages may say that is no sentence.
//
//go:embed sample.go
var sampleSource string

// Now is when every fixture is rendered.
var Now = Day(2026, time.March, 12).Add(14*time.Hour + 5*time.Minute)

// Ada is who is signed in.
var Ada = ui.Account{Name: "Ada Lovelace", Email: "ada@example.com"}

// Day returns a day in UTC.
func Day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Page is a page that no application is part of; [Client] is one.
func Page(l *ui.Locale) ui.Page {
	return ui.Page{
		Locale: l,
		Brand: ui.Brand{
			Name: "Bonafide", Logo: ui.Picture{URL: "sample/brand.svg"}, HomeURL: "/",
			TermsURL: "/terms", PolicyURL: "/privacy", HelpURL: "/help",
		},
		AssetPath: "assets/",
		Languages: []ui.Language{{Lang: "en", URL: "?ui_locales=en", Name: "English"}, {Lang: "de", URL: "?ui_locales=de", Name: "Deutsch"}, {Lang: "ar", URL: "?ui_locales=ar", Name: "العربية"}},
		Now:       Now,
	}
}

// Client is an application that has sent the user.
var Client = ui.Client{
	Name: "River Bikes", Logo: ui.Picture{URL: "sample/client.svg"}, Host: "riverbikes.example",
	TermsURL: "https://riverbikes.example/terms", PolicyURL: "https://riverbikes.example/privacy",
}

// What somebody might call themselves or a thing of theirs, to fool people or to break a screen,
// and one that has no place to break.
const (
	Hostile = "\u202egnoW\u202c</title><script>alert(1)</script>\"' onload=x\nSecond line \u200b\u2066end"
	Endless = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsverwaltung"
	LongID  = "b3f1c9d07a5e42868c1fd0e9b7a3625448de9170f3b1c9d07a5e42868c1fd0e9b7a3625448de9170"
)

// Form is a form with what is to be corrected in it.
func Form(problems ...ui.Problem) ui.Form {
	return ui.Form{Action: "/here", Hidden: []ui.Field{{Name: "flow", Value: "f1"}, {Name: "csrf", Value: "c1"}}, Problems: problems}
}
