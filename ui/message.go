package ui

import (
	"context"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Message is a sentence of a text with its {placeholders}, in as many
// forms as its language needs to count in. A sentence that counts nothing has
// only the form for other.
type Message struct {
	forms map[plural.Form]string

	// inEnglish is for a sentence that its language lacks.
	inEnglish bool
}

// pluralForms are the names that a catalogue has for the forms of a sentence.
var pluralForms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// Arg fills a placeholder of a [Message]; see [With] and [Count].
type Arg struct {
	name  string
	value any
}

// With fills the placeholder of a name with a string that somebody chose, which is cleaned
// and isolated from the text around it, an int, our own [Words], or a [templ.Component] such
// as a link.
func With(name string, value any) Arg { return Arg{name, value} }

// Words are text of the catalogue or an address of the service. They are
// escaped, and otherwise left as they are.
type Words string

// Render writes the words as HTML.
func (t Words) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, templ.EscapeString(string(t)))
	return err
}

// Count fills {n} and chooses the form of the sentence.
func Count(n int) Arg { return With("n", max(0, n)) }

// minutes fills {n} with a duration in whole minutes, at least one.
func minutes(d time.Duration) Arg { return Count(max(1, int(d.Minutes()))) }

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// form returns the sentence that agrees with the number among args.
func (l *Locale) form(m Message, args []Arg) string {
	tag := l.tag
	if m.inEnglish {
		tag = language.English
	}
	for _, a := range args {
		if n, ok := a.value.(int); ok {
			if s, ok := m.forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]; ok {
				return s
			}
		}
	}
	return m.forms[plural.Other]
}

// What keeps an English sentence in its direction within text from right to left.
const leftToRight, popDirection = "\u2066", "\u2069"

// Plain returns the sentence as text, for titles, labels and e-mails. What
// cannot be text is left out.
func (l *Locale) Plain(m Message, args ...Arg) string {
	sentence := placeholder.ReplaceAllStringFunc(l.form(m, args), func(p string) string {
		switch v := lookup(args, p).(type) {
		case string:
			return Clean(v, MaxName)
		case int:
			return l.Number(int64(v))
		case Words:
			return string(v)
		default:
			return ""
		}
	})
	if m.inEnglish && l.Dir == "rtl" {
		return leftToRight + sentence + popDirection
	}
	return sentence
}

// Say writes the sentence as HTML. A string among args is isolated, so that
// its direction stays its own.
func (l *Locale) Say(m Message, args ...Arg) templ.Component {
	sentence := l.fill(m, args)
	if !m.inEnglish {
		return sentence
	}
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, `<span lang="en" dir="ltr">`); err != nil {
			return err
		}
		if err := sentence.Render(ctx, w); err != nil {
			return err
		}
		_, err := io.WriteString(w, `</span>`)
		return err
	})
}

// fill writes the sentence with its placeholders filled.
func (l *Locale) fill(m Message, args []Arg) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		sentence, done := l.form(m, args), 0
		for _, at := range placeholder.FindAllStringIndex(sentence, -1) {
			if err := Words(sentence[done:at[0]]).Render(ctx, w); err != nil {
				return err
			}
			if err := l.filling(lookup(args, sentence[at[0]:at[1]])).Render(ctx, w); err != nil {
				return err
			}
			done = at[1]
		}
		return Words(sentence[done:]).Render(ctx, w)
	})
}

// filling is what stands in the place of a placeholder.
func (l *Locale) filling(value any) templ.Component {
	switch v := value.(type) {
	case templ.Component:
		return v
	case int:
		return Words(l.Number(int64(v)))
	case string:
		return Name(v)
	default:
		return templ.NopComponent
	}
}

func lookup(args []Arg, placeholder string) any {
	for _, a := range args {
		if a.name == strings.Trim(placeholder, "{}") {
			return a.value
		}
	}
	return nil
}
