package ui

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// Phrase returns how a text of the default catalogue is called within a sentence, such as
// "your email address" for "Email". Any other has none.
func (l *Locale) Phrase(original string) Label {
	l = l.OrEnglish()
	if m, ok := l.text.Phrases[original]; ok {
		return Label{Text: l.Plain(m)}
	}
	return Label{}
}

// StandsForYou says in words what an identifier is.
func (l *Locale) StandsForYou() string {
	l = l.OrEnglish()
	return l.Plain(l.text.Consent.StandsForYou)
}

// HowVerified names how and when a group was verified, by the title of the group.
func (l *Locale) HowVerified(group Label) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Consent.VerifiedFact, With("label", group.Text))
}

// InWallet names a proof of a group in a wallet, by the title of the group.
func (l *Locale) InWallet(group Label) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Consent.WalletFact, With("label", group.Text))
}

// Allow is the word on the button that lets an application have what it asks for.
func (l *Locale) Allow() string {
	l = l.OrEnglish()
	return l.Plain(l.text.Consent.Allow)
}

// BackToAccount is the link from a page below the account.
func (l *Locale) BackToAccount() string {
	l = l.OrEnglish()
	return l.Plain(l.text.Common.BackToAccount)
}

// NoWay says of a group that nobody can be verified in it here.
func (l *Locale) NoWay() string {
	l = l.OrEnglish()
	return l.Plain(l.text.Groups.NoWay)
}

// standing is the word for where a user stands with a group: who was refused is not as one who
// has never asked.
func (l *Locale) standing(g ConsentGroup) Message {
	if g.State == GroupUnverified && (g.Declined || g.Reason != "") {
		return l.text.Consent.Refused
	}
	return l.groupState(g.State)
}

// CodeValidFor says for how many minutes a code can be used.
func (l *Locale) CodeValidFor(d time.Duration) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Common.CodeValidFor, minutes(d))
}

// NewTab says that a link opens another tab.
func (l *Locale) NewTab() string {
	l = l.OrEnglish()
	return l.Plain(l.text.Common.NewTab)
}

// Truth says whether something is so.
func (l *Locale) Truth(is bool) string {
	l = l.OrEnglish()
	return l.Plain(l.truth(is))
}

// Number writes a number with all its digits, in groups where there are more than four.
func (l *Locale) Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	if len(digits)-first <= 4 {
		return digits
	}
	l = l.OrEnglish()
	grouped := digits[len(digits)-3:]
	for end := len(digits) - 3; end > first; end -= 3 {
		start := max(first, end-3)
		grouped = l.Plain(l.text.Common.Thousands, With("a", Words(digits[start:end])), With("b", Words(grouped)))
	}
	return digits[:first] + grouped
}

// List writes several things in a row, as "a, b and c".
func (l *Locale) List(things []templ.Component) templ.Component {
	if len(things) == 0 {
		return templ.NopComponent
	}
	row := things[0]
	for i, thing := range things[1:] {
		m := l.text.Common.List
		if i == len(things)-2 {
			m = l.text.Common.ListLast
		}
		row = l.Say(m, With("a", row), With("b", thing))
	}
	return row
}

// maxNamed is how many things a sentence names, so that it can be read; those that call for
// caution it always does.
const maxNamed = 6

// receives is the sentence on what the application learns now. It is made of what the
// screen lists, so that it cannot promise less: what it has no room for, it counts.
func (v ConsentView) receives() templ.Component {
	l := v.locale()
	t := l.text.Consent
	var things, rest []templ.Component
	for _, a := range plainly(v.Attributes) {
		rest = append(rest, l.named(a.Phrase, a.Label))
	}
	for _, a := range cautioned(v.Attributes) {
		things = append(things, l.named(a.Phrase, a.Label))
	}
	things = append(things, l.statuses(v.Groups)...)
	room := max(1, maxNamed-len(things))
	if len(rest) <= room+1 { // "and one more" is no shorter than its name
		room = len(rest)
	}
	things = append(rest[:room:room], things...)
	client := With("client", v.Client.label())
	if len(things) == 0 {
		return templ.NopComponent
	}
	if more := len(rest) - room; more > 0 {
		things = append(things, l.Say(t.More, Count(more)))
	}
	return l.Say(t.Receives, client, With("list", l.List(things)))
}

// receivesToo is the sentence on what the boxes add: what they are ticked for, which the
// user has allowed before, and what they can be ticked for.
func (v ConsentView) receivesToo() templ.Component {
	l := v.locale()
	t := l.text.Consent
	var before []templ.Component
	for _, o := range v.Optional {
		if o.Chosen {
			before = append(before, l.Say(t.Named, With("label", v.optionTitle(o))))
		}
	}
	switch {
	case len(before) == 0:
		return l.Say(t.TickedToo)
	case len(before) == len(v.Optional):
		return l.Say(t.TickedBefore, With("list", l.List(before)))
	default:
		return templ.Join(l.Say(t.TickedBefore, With("list", l.List(before))), Words(" "), l.Say(t.TickedToo))
	}
}

// statuses are the groups within a sentence: by their phrases, and all that have none
// together.
func (l *Locale) statuses(groups []ConsentGroup) (things []templ.Component) {
	t := l.text.Consent
	var names []templ.Component
	for _, g := range groups {
		if g.Phrase.Text != "" {
			things = append(things, g.Phrase)
		} else {
			names = append(names, l.Say(t.Named, With("label", g.Label)))
		}
	}
	if len(names) > 0 {
		things = append(things, l.Say(t.Belonging, With("list", l.List(names))))
	}
	return things
}

// UseAnother is the button of who is signed in with another account than they want.
func (l *Locale) UseAnother() string { return l.Plain(l.text.Common.UseAnother) }

// BackTo leads back to an application by its name.
func (l *Locale) BackTo(client string) string {
	return l.Plain(l.text.Common.BackToClient, With("client", client))
}

// named is what a thing is called within a sentence: by its phrase, or else by its label.
func (l *Locale) named(phrase, name Label) templ.Component {
	if phrase.Text != "" {
		return phrase
	}
	return l.Say(l.text.Consent.Named, With("label", name))
}
