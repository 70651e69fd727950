package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/feature/plural"
)

// message is a sentence of the catalogue with its {placeholders}, in as many
// forms as its language needs to count in. A sentence that counts nothing has
// only the form for other.
type message map[plural.Form]string

// pluralForms are the names that a catalogue has for the forms of a sentence.
var pluralForms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// UnmarshalJSON reads a string, or an object with a string for each form.
func (m *message) UnmarshalJSON(data []byte) error {
	var single string
	if json.Unmarshal(data, &single) == nil {
		*m = message{plural.Other: single}
		return nil
	}
	var forms map[string]string
	if err := json.Unmarshal(data, &forms); err != nil {
		return fmt.Errorf("read forms of a sentence: %w", err)
	}
	*m = message{}
	for name, sentence := range forms {
		form, ok := pluralForms[name]
		if !ok {
			return fmt.Errorf("read forms of a sentence: no form is called %q", name)
		}
		(*m)[form] = sentence
	}
	return nil
}

// arg fills a placeholder of a message. Its value is a string that somebody
// chose, an int, our own words, or a templ.Component such as a link.
type arg struct {
	name  string
	value any
}

// words are text of the catalogue or an address of the service. They are
// escaped, and otherwise left as they are.
type words string

// Render writes the words as HTML.
func (t words) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, templ.EscapeString(string(t)))
	return err
}

// count fills {n} and chooses the form of the sentence.
func count(n int) arg { return arg{"n", max(0, n)} }

// minutes fills {n} with a duration in whole minutes, at least one.
func minutes(d time.Duration) arg { return count(max(1, int(d.Minutes()))) }

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// form returns the sentence that agrees with the number among args.
func (l *Locale) form(m message, args []arg) string {
	for _, a := range args {
		if n, ok := a.value.(int); ok {
			if s, ok := m[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]; ok {
				return s
			}
		}
	}
	return m[plural.Other]
}

// plain returns the sentence as text, for titles, labels and e-mails. What
// cannot be text is left out.
func (l *Locale) plain(m message, args ...arg) string {
	return placeholder.ReplaceAllStringFunc(l.form(m, args), func(p string) string {
		switch v := lookup(args, p).(type) {
		case string:
			return clean(v, maxName)
		case int:
			return strconv.Itoa(v)
		case words:
			return string(v)
		default:
			return ""
		}
	})
}

// say writes the sentence as HTML. A string among args is isolated, so that
// its direction stays its own.
func (l *Locale) say(m message, args ...arg) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		sentence, done := l.form(m, args), 0
		for _, at := range placeholder.FindAllStringIndex(sentence, -1) {
			if err := words(sentence[done:at[0]]).Render(ctx, w); err != nil {
				return err
			}
			if err := filling(lookup(args, sentence[at[0]:at[1]])).Render(ctx, w); err != nil {
				return err
			}
			done = at[1]
		}
		return words(sentence[done:]).Render(ctx, w)
	})
}

// filling is what stands in the place of a placeholder.
func filling(value any) templ.Component {
	switch v := value.(type) {
	case templ.Component:
		return v
	case int:
		return words(strconv.Itoa(v))
	case string:
		return name(v)
	default:
		return templ.NopComponent
	}
}

func lookup(args []arg, placeholder string) any {
	for _, a := range args {
		if a.name == strings.Trim(placeholder, "{}") {
			return a.value
		}
	}
	return nil
}
