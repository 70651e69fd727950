// Package diagnosis names the mistakes that applications make in their requests, each with
// its cause and its remedy in plain words. An answer repeats no input and tells strangers
// little; what is said here is for the people who build the application.
package diagnosis

// Name is the name of a diagnosis.
type Name string

// entry is what there is to say about a diagnosis.
type entry struct {
	name          Name
	cause, remedy string

	// expected marks what happens to an application that makes no mistake.
	expected bool
}

var byName = index()

func index() map[Name]entry {
	entries := map[Name]entry{}
	for _, e := range table {
		entries[e.name] = e
	}
	return entries
}

// Names returns all diagnoses, those of one endpoint together.
func Names() []Name {
	names := make([]Name, len(table))
	for i, e := range table {
		names[i] = e.name
	}
	return names
}

// Cause says what was wrong; "" for an unknown name.
func (n Name) Cause() string { return byName[n].cause }

// Remedy says what to do about it; "" for an unknown name.
func (n Name) Remedy() string { return byName[n].remedy }

// IsMistake reports whether the application has to be changed: not when a user says no, or
// a token has lived its life.
func (n Name) IsMistake() bool {
	e, ok := byName[n]
	return ok && !e.expected
}
