package ui

// dashboard returns what a language says to developers, a pointer to a text; nil in a program
// that has no dashboard, which links none of its sentences then.
var dashboard func(*Locale) any

// HasDashboard says that the program has the dashboard: what the texts of a host say in it
// is checked as all else. Package provider/developer calls it when it is linked, before
// there is a set of languages.
func HasDashboard() {
	dashboard = func(l *Locale) any { return l.developer() }
}

// developer returns what the language says to developers.
func (l *Locale) developer() *developerText {
	l.dashboardOnce.Do(func() {
		t := new(developerText)
		l.speak(developerKey, t, textFile.forDevelopers)
		l.dashboard = t
	})
	return l.dashboard.(*developerText)
}

// forDevelopers returns what a file says to developers.
func (f textFile) forDevelopers() any {
	if f.own {
		return unpack(developerTexts, "packed/developers/"+f.lang+".json.gz")
	}
	return f.developers
}
