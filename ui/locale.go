package ui

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// Locale is a language that the screens can be shown in, from [Locales] or
// [MatchLocale].
type Locale struct {
	// Lang is its BCP 47 tag, such as "de".
	Lang string
	// Dir is the direction that it is written in, "ltr" or "rtl".
	Dir string
	// Name is what it is called in itself, such as "Deutsch".
	Name string

	tag  language.Tag
	text text
}

//go:embed text/*.json
var catalogue embed.FS

// locales are all languages of the catalogue, English first, for that is what
// the matcher falls back to.
var locales = sync.OnceValue(func() []*Locale {
	files, err := catalogue.ReadDir("text")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	all := make([]*Locale, 0, len(files))
	for _, file := range files {
		lang := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
		data, err := catalogue.ReadFile("text/" + file.Name())
		if err != nil {
			panic(err)
		}
		l, err := parseLocale(lang, data)
		if err != nil {
			panic(err) // every file is parsed by the tests
		}
		if lang == "en" {
			all = append([]*Locale{l}, all...)
		} else {
			all = append(all, l)
		}
	}
	return all
})

func parseLocale(lang string, data []byte) (*Locale, error) {
	tag, err := language.Parse(lang)
	if err != nil {
		return nil, fmt.Errorf("read language %q: %w", lang, err)
	}
	l := &Locale{Lang: lang, tag: tag}
	if err := decodeText(data, &l.text); err != nil {
		return nil, fmt.Errorf("read language %q: %w", lang, err)
	}
	l.Name, l.Dir = l.text.Language.Name, l.text.Language.Dir
	return l, nil
}

func decodeText(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

var matcher = sync.OnceValue(func() language.Matcher {
	tags := make([]language.Tag, len(locales()))
	for i, l := range locales() {
		tags[i] = l.tag
	}
	return language.NewMatcher(tags)
})

// Locales returns the languages that the screens can be shown in, English
// first.
func Locales() []*Locale { return append([]*Locale(nil), locales()...) }

// MatchLocale chooses the language of a screen: the first of uiLocales, a
// space-separated list as OpenID Connect Core §3.1.2.1 defines ui_locales,
// that there is, else the best for the Accept-Language header, else English.
// What cannot be read as a language is passed over.
func MatchLocale(uiLocales, acceptLanguage string) *Locale {
	var wanted []language.Tag
	for _, s := range strings.Fields(bounded(uiLocales)) {
		if tag, err := language.Parse(s); err == nil {
			wanted = append(wanted, tag)
		}
	}
	// Asked apart from the header: a language that the application wants and
	// that there is not must give way to what the browser wants.
	if _, i, confidence := matcher().Match(wanted...); confidence >= language.Low {
		return locales()[i]
	}
	accepted, _, err := language.ParseAcceptLanguage(bounded(acceptLanguage))
	if err != nil {
		return locales()[0]
	}
	_, i, _ := matcher().Match(accepted...)
	return locales()[i]
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

// orEnglish returns l, or English where none was chosen.
func (l *Locale) orEnglish() *Locale {
	if l == nil {
		return locales()[0]
	}
	return l
}

// problem returns the sentence for what is to be corrected.
func (l *Locale) problem(p Problem) string {
	sentence := clean(p.Text, maxProblem)
	if sentence == "" {
		sentence = l.plain(l.text.Problems[p.Code], count(p.Count))
	}
	if p.Line == 0 {
		return sentence
	}
	return l.plain(l.text.Developer.Common.OnLine, arg{"line", words(strconv.Itoa(p.Line))}, arg{"problem", words(sentence)})
}

// languageName returns what a language is called in itself.
func languageName(lang string) string {
	for _, l := range locales() {
		if l.Lang == lang {
			return l.Name
		}
	}
	return lang
}
