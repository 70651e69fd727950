package ui

import "github.com/a-h/templ"

// MaxReason is the maximum length of a reason of the host that is shown, in characters.
const MaxReason = 60

// HistoryWords are what the history says of an act; empty for none.
func HistoryWords(l *Locale, act HistoryAct, client string) string {
	said, ok := l.OrEnglish().text.History.Acts[act]
	if !ok {
		return ""
	}
	return l.OrEnglish().Plain(said, With("client", Clean(client, MaxName)))
}

// by says who else has done something, and why.
func (e HistoryEntry) by(l *Locale) templ.Component {
	t := l.text.History
	if *e.By == (HistoryActor{}) {
		return l.Say(t.ByService)
	}
	return l.Say(t.ByStaff, With("role", wordOr(l, t.Roles, e.By.Role)), With("reason", wordOr(l, t.Reasons, e.By.Reason)))
}

// wordOr is the word for a name, or else the name itself, which is the host's.
func wordOr(l *Locale, words map[string]Message, name string) any {
	if word, ok := words[name]; ok {
		return Words(l.Plain(word))
	}
	return Clean(name, MaxReason)
}
