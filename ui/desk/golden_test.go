package desk

import (
	"maps"
	"slices"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

var audience = audiencetest.Audience{Section: "Desk", Files: files, Fixtures: fixtures, One: "case"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) {
	audience.Said(t, func(l *ui.Locale) (more []templ.Component) {
		p := audiencetest.Page(l)
		for notice := range textOf(l).Notices {
			d := page(p, SectionInbox)
			d.Notice = notice
			more = append(more, Inbox(InboxView{Page: d, Form: audiencetest.Form()}))
		}
		more = append(more, actSentences(l)...)
		all := AreaLink{Area: AreaHome, Current: true}
		for section := range textOf(l).Common.SectionNames {
			all.Sections = append(all.Sections, SectionLink{Section: section})
		}
		more = append(more, Home(HomeView{Page: Page{Page: p, Areas: []AreaLink{all}}}))
		for _, w := range []Wrong{
			WrongAnsweredNo, WrongNoReason, WrongNoNote, WrongDate, WrongGroup, WrongNumber, WrongEmail, WrongLength,
			WrongEndOfCodes, WrongCase, WrongHoldReason, WrongEndOfHold, WrongMissing, WrongValue, WrongMoved,
		} {
			more = append(more, ui.Words(ProblemOf(l, FieldNote, w).Text))
		}
		for _, problem := range []RosterProblem{RosterFileMissing, RosterFileWrong, RosterTooMany, RosterManySkipped, RosterMovedOn} {
			more = append(more, ui.Words(RosterView{Problem: problem}.problem(l)))
		}
		return more
	}, "25+")
}

func TestEveryCodeHasASentence(t *testing.T) {
	text := textOf(nil)
	uitest.Named(t, map[string][]string{
		"Notice": uitest.Keys(text.Notices), "Area": uitest.Keys(text.Common.AreaNames), "Section": uitest.Keys(text.Common.SectionNames),
		"TaskKind": uitest.Keys(text.Home.Tasks), "State": uitest.Keys(text.Common.States),
	}, "page.go", "sections.go", "tasks.go", "views.go")
	if diff := cmp.Diff(len(keyOrder), len(text.Case.KeyNames)); diff != "" {
		t.Errorf("keys and their names differ: %s", diff)
	}
}

// actSentences are those about actions.
func actSentences(l *ui.Locale) (all []templ.Component) {
	say := func(s string) { all = append(all, ui.Words(s+" ")) }
	for _, name := range slices.Sorted(maps.Keys(endings)) {
		for _, of := range []func(*ui.Locale, string) string{ActTitle, ActDoes, ActUndo, ActTold} {
			say(of(l, name))
		}
	}
	t := textOf(l).Act
	for name := range t.Fields {
		say(ActField(l, name))
	}
	for name := range t.Facts {
		say(ActFactName(l, name))
	}
	for name := range t.Voids {
		say(ActVoid(l, name))
	}
	for _, need := range []ActNeed{NeedsMailbox, NeedsSession, NeedsEyes, NeedsProtected} {
		say(ActView{Needs: need}.need(l))
	}
	return all
}

func TestUnknownFactAndVoidAreTold(t *testing.T) {
	if got := ActFactName(nil, "moons"); got != "moons" {
		t.Errorf("an unknown fact is called %q", got)
	}
	if got := ActVoid(nil, "moons"); got != ActVoid(nil, "other") || got == "" {
		t.Errorf("an unknown reason is %q", got)
	}
}
