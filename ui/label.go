package ui

import (
	"context"
	"io"

	"github.com/a-h/templ"
	"golang.org/x/text/language"
)

// Label is a word or a sentence that somebody wrote for people, such as the title of a
// scope.
type Label struct {
	Text string
	// Lang is the BCP 47 tag of the language that it is in, where that is not the one of
	// the screen; "und" where nobody knows. Empty is that of the screen.
	Lang string
}

// Undetermined is the Lang of a text in a language that nobody knows.
const Undetermined = "und"

// isForeign reports whether the text is in no language of the screen.
func (l Label) isForeign() bool { return l.Lang != "" }

// lang returns the attribute lang, which is empty for a language that nobody knows
// (HTML section 3.2.6.2).
func (l Label) lang() string {
	if l.Lang == Undetermined {
		return ""
	}
	return l.Lang
}

// Render writes the text as HTML, in the direction and language that it has.
func (l Label) Render(_ context.Context, w io.Writer) error {
	text := templ.EscapeString(Clean(l.Text, MaxValue))
	if l.isForeign() {
		text = `<span lang="` + templ.EscapeString(l.lang()) + `" dir="auto">` + text + `</span>`
	}
	_, err := io.WriteString(w, text)
	return err
}

// Row writes several labels in a row, as "a, b, c". It is in no known language if one of them is.
func (l *Locale) Row(labels []Label) (row Label) {
	l = l.OrEnglish()
	for i, label := range labels {
		if i == 0 {
			row.Text = label.Text
		} else {
			row.Text = l.Plain(l.text.Common.List, With("a", Words(row.Text)), With("b", Words(label.Text)))
		}
		if label.Lang != "" {
			row.Lang = Undetermined
		}
	}
	return row
}

// Word returns what a text of the default catalogue is called in this language. Any other
// text is returned as it is, in a language that nobody knows.
func (l *Locale) Word(original string) Label {
	if original == "" {
		return Label{}
	}
	l = l.OrEnglish()
	switch m, ok := l.text.Catalogue[original]; {
	case ok && m.inEnglish:
		return Label{Text: original, Lang: language.English.String()}
	case ok:
		return Label{Text: l.Plain(m)}
	}
	return Label{Text: original, Lang: Undetermined}
}
