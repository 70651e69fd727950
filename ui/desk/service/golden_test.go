package service

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{
	Section: "DeskService", Files: files, Fixtures: fixtures, One: "application",
	Beside: map[string]string{"": "../../text/en.json", "Desk": "../text/en.json"},
}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		var states []State
		for s := range textOf(l).States {
			states = append(states, s)
		}
		return append(more, tags(l, states))
	})
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"State": uitest.Keys(text.States), "Role": uitest.Keys(text.Organization.Roles), "Turn": uitest.Keys(text.Keys.Turns),
		"Check": uitest.Keys(text.Health.Checked), "Count": uitest.Keys(text.Health.Counts),
	}, "views.go")
	uitest.Named(t, map[string][]string{
		"ReceiverKind": uitest.Keys(text.Receivers.Kinds), "ReceiverState": uitest.Keys(text.Receivers.States), "MessageState": uitest.Keys(text.Receivers.MessageStates),
	}, "../../receiver.go")
}
