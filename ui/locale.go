package ui

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// Locale is a language that the screens can be shown in, from [Locales],
// [MatchLocale] or a [LocaleSet].
type Locale struct {
	// Lang is its BCP 47 tag, such as "de".
	Lang string
	// Dir is the direction that it is written in, "ltr" or "rtl".
	Dir string
	// Name is what it is called in itself, such as "Deutsch".
	Name string

	tag   language.Tag
	files []textFile

	// text is what the files say to people, once OrEnglish has read them.
	text *text
	once sync.Once

	// audiences are what they say to those who have a package of their own: by its *Files[T]
	// a func() *T.
	audiences sync.Map
}

// LocaleSet is a set of languages to choose from. It is safe for concurrent use.
type LocaleSet struct {
	all     []*Locale // English first, for that is what the matcher falls back to
	matcher language.Matcher

	// host are the files with words of a host.
	host []textFile
}

// defaults are the languages of this module as they are.
var defaults = sync.OnceValue(func() *LocaleSet { return newLocaleSet(ownFiles()) })

// Locales returns the languages of this module, English first.
func Locales() []*Locale { return defaults().All() }

// MatchLocale is [LocaleSet.Match] for the languages of this module.
func MatchLocale(uiLocales, acceptLanguage string) *Locale {
	return defaults().Match(uiLocales, acceptLanguage)
}

// HasHostTexts reports whether a host says any of it in words of its own.
func (s *LocaleSet) HasHostTexts() bool { return len(s.host) > 0 }

// All returns the languages of the set, English first.
func (s *LocaleSet) All() []*Locale { return slices.Clone(s.all) }

// Match chooses the language of a screen: the first of uiLocales, a
// space-separated list as OpenID Connect Core §3.1.2.1 defines ui_locales,
// that there is, else the best for the Accept-Language header, else English.
// What cannot be read as a language is passed over.
func (s *LocaleSet) Match(uiLocales, acceptLanguage string) *Locale {
	var wanted []language.Tag
	for _, field := range strings.Fields(bounded(uiLocales)) {
		if tag, err := language.Parse(field); err == nil {
			wanted = append(wanted, tag)
		}
	}
	// Asked apart from the header: a language that the application wants and
	// that there is not must give way to what the browser wants.
	if _, i, confidence := s.matcher.Match(wanted...); confidence >= language.Low {
		return s.all[i]
	}
	accepted, _, err := language.ParseAcceptLanguage(bounded(acceptLanguage))
	if err != nil {
		return s.all[0]
	}
	_, i, _ := s.matcher.Match(accepted...)
	return s.all[i]
}

// bounded cuts a list of languages that is too long to come from a browser, so
// that a stranger cannot make reading it expensive.
func bounded(list string) string {
	const most = 512
	if len(list) <= most {
		return list
	}
	return list[:max(0, strings.LastIndexAny(list[:most], ", "))]
}

// OrEnglish returns l, or English where none was chosen, with its text.
func (l *Locale) OrEnglish() *Locale {
	if l == nil {
		l = MatchLocale("", "")
	}
	l.once.Do(func() { l.text = own.read(l) })
	return l
}

// Problem returns the sentence for what is to be corrected.
func (l *Locale) Problem(p Problem) string {
	l = l.OrEnglish()
	sentence := Clean(p.Text, maxProblem)
	if sentence == "" {
		sentence = l.Plain(l.text.Problems[p.Code], Count(p.Count))
	}
	if p.Line == 0 {
		return sentence
	}
	return l.Plain(l.text.Common.OnLine, With("line", Words(strconv.Itoa(p.Line))), With("problem", Words(sentence)))
}

// problemsHeading says what there is to do about problems: to wait, to correct a field, or
// only to read them.
func (l *Locale) problemsHeading(listed []Problem) string {
	t := l.text.Common
	switch {
	case listed[0].Code == TooManyAttempts:
		return l.Plain(t.WaitHeading)
	case slices.ContainsFunc(listed, func(p Problem) bool { return p.field() != "" }):
		return l.Plain(t.ProblemsHeading)
	default:
		return l.Plain(t.ProblemHeading)
	}
}
