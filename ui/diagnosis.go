package ui

// Diagnosis returns the sentences of a diagnosis, for pages; false for a name that is
// unknown.
func (l *Locale) Diagnosis(name string) (cause, remedy Message, known bool) {
	d, known := l.OrEnglish().text.Diagnoses[name]
	return d.Cause, d.Remedy, known
}

// Cause says what was wrong with a request of an application, by the name of a
// diagnosis; "" for a name that is unknown.
func (l *Locale) Cause(diagnosis string) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Diagnoses[diagnosis].Cause)
}

// Remedy says what to do about a diagnosis; "" for a name that is unknown.
func (l *Locale) Remedy(diagnosis string) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Diagnoses[diagnosis].Remedy)
}
