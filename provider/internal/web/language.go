package web

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
)

// LanguageParameter chooses the language, in authorization requests (OpenID Connect Core
// section 3.1.2.1) and on every page.
const LanguageParameter = "ui_locales"

// Speak has everything that a request leads to, its pages, mails and files, come in one of the
// languages that its flow was begun with (ui_locales), unless the user has chosen another.
func Speak(ctx context.Context, uiLocales string) {
	if m, ok := request.Attached(ctx, matchedKey{}).(*matched); ok && uiLocales != "" {
		m.locales = uiLocales
	}
}

// Spoken returns the languages of the flow of a request, for a flow within it.
func Spoken(r *http.Request) string { return matchOf(r).locales }

// Locale selects the language: the user's choice, that of the flow (Speak), or the browser's
// preference. There is no other for a request: half of a page in another reads as a fault.
func (s *Site) Locale(r *http.Request) *ui.Locale {
	return s.Locales.Match(s.wanted(r), r.Header.Get("Accept-Language"))
}

// wanted are the languages that the user has chosen, or the flow has. The parameter of an
// authorization request is no choice of the user.
func (s *Site) wanted(r *http.Request) string {
	asked, chosen, flow := asks(r, LanguageParameter), s.Cookies.Get(r, session.Language), Spoken(r)
	if routeOf(r).OwnQuery {
		return strings.Join([]string{chosen, flow, asked}, " ")
	}
	return strings.Join([]string{asked, chosen, flow}, " ")
}

// LanguageOf returns the language of a new account, or "" if its owner has not said any.
func (s *Site) LanguageOf(r *http.Request) string {
	if strings.TrimSpace(s.wanted(r)) == "" && r.Header.Get("Accept-Language") == "" {
		return ""
	}
	return s.Locale(r).Lang
}

// ReadTexts returns the languages of the screens, with the texts of the host; nil for none.
// It logs the languages with parts in English: a user would see two languages on one page.
func ReadTexts(texts fs.FS, logger *slog.Logger) (*ui.LocaleSet, error) {
	locales, err := ui.NewLocaleSet(texts)
	if err != nil || texts == nil {
		return locales, err
	}
	logMissing(locales, logger, (*ui.Locale).Missing)
	return locales, nil
}

func logMissing(locales *ui.LocaleSet, logger *slog.Logger, missingOf func(*ui.Locale) []string) {
	for _, l := range locales.All() {
		if missing := missingOf(l); len(missing) > 0 {
			logger.Info("texts of a language are partly in English",
				slog.String("language", l.Lang), slog.Int("sentences", len(missing)), slog.String("first", missing[0]))
		}
	}
}

// AddAudience checks what the host says to an audience, and serves the assets of its screens.
func (s *Site) AddAudience(a ui.Audience) error {
	if err := a.Check(s.Locales); err != nil {
		return err
	}
	if s.Locales.HasHostTexts() {
		logMissing(s.Locales, s.Logger, a.Missing)
	}
	s.files.add(a.Assets())
	return nil
}

// Remembered is the language of what no request asks for, such as mails to the owner of an
// account: the first of these that there is, or else English.
func (s *Site) Remembered(languages ...string) *ui.Locale {
	return s.Locales.Match(strings.Join(languages, " "), "")
}

// rememberLanguage stores the language that a user has chosen with the language switch.
func (s *Site) rememberLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := asks(r, LanguageParameter)
	if routeOf(r).OwnQuery || chosen == "" {
		return
	}
	if s.speaks(chosen) {
		s.Cookies.Set(w, session.Language, chosen, 0)
	}
}

func (s *Site) speaks(lang string) bool {
	return slices.ContainsFunc(s.Locales.All(), func(l *ui.Locale) bool { return l.Lang == lang })
}

// Chosen returns the language that the user has just chosen with the language switch, or "". A
// link of another site chooses none, or it could have an owner's mails come in any.
func (s *Site) Chosen(r *http.Request) string {
	chosen := asks(r, LanguageParameter)
	if chosen == "" || routeOf(r).OwnQuery || !s.speaks(chosen) {
		return ""
	}
	own := strings.HasPrefix(r.Header.Get("Referer"), s.Base.Scheme+"://"+s.Base.Host+"/")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		own = site == "same-origin"
	}
	if !own {
		return ""
	}
	return chosen
}

// languages are the links of the language switch: this page, with its parameters. A path
// that is not a page of the provider has none, because it is a stranger's text, and
// //host.example would link to that host. Nor has a long address, which it would repeat.
func (s *Site) languages(r *http.Request) []ui.Language {
	m := matchOf(r)
	path := m.Path
	if m.beside {
		path = m.path
	}
	if path == "" || !m.beside && strings.Contains(path, "{") {
		return nil
	}
	query := asked(r, m)
	if len(strings.Join(query, "")) > maxRepeated {
		return nil
	}
	address := s.Link(path, query...)
	if strings.Contains(address, "?") {
		address += "&"
	} else {
		address += "?"
	}
	var list []ui.Language
	for _, l := range s.Locales.All() {
		list = append(list, ui.Language{Lang: l.Lang, Name: l.Name, URL: address + LanguageParameter + "=" + l.Lang})
	}
	return list
}

// maxRepeated is how many bytes of its query a page repeats: a flow with the usual parameters
// needs a quarter of it.
const maxRepeated = 4 << 10

// asked returns the names and values of a page's parameters, without its language and its
// notice.
func asked(r *http.Request, m *matched) []string {
	var query []string
	if !m.beside {
		for _, name := range []string{FlowParameter, CodeParameter, MailboxParameter, ClientParameter, AfterParameter} {
			query = append(query, name, Parameter(r, name))
		}
		return query
	}
	for name, values := range r.URL.Query() {
		if name != LanguageParameter && name != NoticeParameter {
			query = append(query, name, values[0])
		}
	}
	return query
}
