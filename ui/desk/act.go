package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// ActTitle is what an action is called in the language of a page, as on its button.
func ActTitle(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Act.Titles[name])
}

// ActDoes is a sentence that says what an action does.
func ActDoes(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Act.Does[name])
}

// ActUndo and ActTold are sentences that say whether an action can be undone, and who is told.
func ActUndo(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Act.Undos[endings[name].undo])
}

// ActTold says who is told of an action.
func ActTold(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Act.Tolds[endings[name].told])
}

// ActField is what a value of an action is called.
func ActField(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Act.Fields[name])
}

// ActFactName is what a part of an effect is called; its name, if the desk has no word for it.
func ActFactName(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	word, known := textOf(l).Act.Facts[name]
	if !known {
		return name
	}
	return l.Plain(word)
}

// ActVoid is a sentence that says why there is nothing to do.
func ActVoid(l *ui.Locale, void string) string {
	l = l.OrEnglish()
	word, known := textOf(l).Act.Voids[void]
	if !known {
		word = textOf(l).Act.Voids["other"]
	}
	return l.Plain(word)
}

// ending is how an action ends: by name whether it can be undone, and who is told.
type ending struct{ undo, told string }

var endings = map[string]ending{
	"send_reset":              {"none", "person"},
	"end_session":             {"again", "person"},
	"end_sessions":            {"again", "person"},
	"revoke_application":      {"again", "person"},
	"end_credential":          {"again", "history"},
	"lock":                    {"back", "person"},
	"unlock":                  {"back", "person"},
	"show_value":              {"none", "history"},
	"show_sensitive":          {"none", "history"},
	"correct_value":           {"never", "person"},
	"end_status":              {"never", "person"},
	"set_status":              {"back", "person"},
	"start_deletion":          {"wait", "person"},
	"stop_deletion":           {"back", "person"},
	"send_export":             {"none", "person"},
	"reset_factors":           {"wait", "person"},
	"reset_factors_now":       {"never", "everywhere"},
	"change_email":            {"return", "everywhere"},
	"stop_application":        {"back", "owners"},
	"start_application":       {"back", "owners"},
	"move_application":        {"back", "owners"},
	"take_scopes":             {"never", "owners"},
	"deny_host":               {"back", "nobody"},
	"allow_host":              {"back", "nobody"},
	"send_again":              {"never", "nobody"},
	"switch_off":              {"back", "dashboard"},
	"switch_on":               {"back", "dashboard"},
	"appoint_owner":           {"invitation", "owners"},
	"suspend_organization":    {"back", "owners"},
	"reactivate_organization": {"back", "owners"},
	"rotate_keys":             {"never", "nobody"},
	"revoke_keys":             {"never", "nobody"},
	"revoke_before":           {"never", "nobody"},
	"use_roster":              {"never", "nobody"},
	"release_codes":           {"never", "nobody"},
}

// harmless reports whether an action takes nothing away, so that its button is no warning.
func harmless(name string) bool {
	return slices.Contains([]string{
		"send_reset", "unlock", "show_value", "show_sensitive", "stop_deletion", "send_export", "start_application", "allow_host", "reactivate_organization",
		"send_again", "switch_on", "appoint_owner",
	}, name)
}

func buttonClass(name string) string {
	if harmless(name) {
		return "primary"
	}
	return "danger"
}

// hidden are the values that a checked form carries back.
func (v ActView) hidden() (fields []ui.Field) {
	for _, value := range v.Values {
		fields = append(fields, ui.Field{Name: value.Name, Value: value.Value})
	}
	return fields
}

// said are the values that are shown as they were given: a fact of the same name says more.
func (v ActView) said(l *ui.Locale) []ActValue {
	return slices.DeleteFunc(slices.Clone(v.Values), func(value ActValue) bool {
		return slices.ContainsFunc(v.Facts, func(f ActFact) bool { return ActFactName(l, f.Name) == ActField(l, value.Name) })
	})
}

// need is a sentence that says what an action still needs.
func (v ActView) need(l *ui.Locale) string {
	t := textOf(l).Act
	return l.Plain(map[ActNeed]ui.Message{
		NeedsMailbox: t.Proof, NeedsSession: t.ProofSession, NeedsEyes: t.Eyes, NeedsProtected: t.Protected,
	}[v.Needs])
}

// The mistakes in the form of an action.
const (
	WrongMissing Wrong = "missing"
	WrongValue   Wrong = "value"
	WrongMoved   Wrong = "moved"
)

// entryType is that of the field of a value.
func entryType(name string) string {
	switch name {
	case "email":
		return "email"
	case "until":
		return "date"
	case "before":
		return "datetime-local"
	}
	return "text"
}
