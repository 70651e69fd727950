package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// LanguageParameter chooses the language, in authorization requests (OpenID Connect Core
// section 3.1.2.1) and on every page.
const LanguageParameter = "ui_locales"

// Locale chooses the language: what the user has chosen, what the application asks for,
// what the browser prefers. request may be nil.
func (s *Site) Locale(r *http.Request, request *engine.AuthorizeRequest) *ui.Locale {
	wanted := []string{asks(r, LanguageParameter), s.Cookies.Get(r, session.Language)}
	if request != nil {
		wanted = append(wanted, request.UILocales)
	}
	return s.Locales.Match(strings.Join(wanted, " "), r.Header.Get("Accept-Language"))
}

// AccountLocale is the language of mails to the holder of an account that the holder did not
// ask for just now: the one that the account has, else English.
func (s *Site) AccountLocale(a storage.Account) *ui.Locale { return s.Locales.Match(a.Language, "") }

// rememberLanguage keeps the language that a user has chosen by a link of the language
// switch.
func (s *Site) rememberLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := asks(r, LanguageParameter)
	if routeOf(r).OwnQuery || chosen == "" {
		return
	}
	if slices.ContainsFunc(s.Locales.All(), func(l *ui.Locale) bool { return l.Lang == chosen }) {
		s.Cookies.Set(w, session.Language, chosen, 0)
	}
}

// languages are the links of the language switch: this page, with what it was asked for.
// A path that is none of ours, or not that of one page, has none: it is a stranger's text, and //host.example would
// be a link to that host. Nor has a long address, which each of the links would repeat.
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
	var list []ui.Language
	for _, l := range s.Locales.All() {
		list = append(list, ui.Language{Lang: l.Lang, Name: l.Name, URL: s.Link(path, append(slices.Clip(query), LanguageParameter, l.Lang)...)})
	}
	return list
}

// maxRepeated is how many bytes of its query a page repeats in each language: a flow with
// what applications usually send has a quarter of it.
const maxRepeated = 4 << 10

// asked returns the names and values of what a page was asked for, beside its language and
// what has just happened.
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
