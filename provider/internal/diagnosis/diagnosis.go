// Package diagnosis names the mistakes that applications make in their requests, each with
// its cause and its remedy in the words of ui/text. An answer repeats no input and tells
// strangers little; what is said here is for the people who build the application.
package diagnosis

import (
	"slices"
	"sync"

	"github.com/bonafide-id/bonafide/ui"
)

// Name is the name of a diagnosis.
type Name string

// Names returns all diagnoses, those of one endpoint together.
func Names() []Name { return slices.Clone(inOrder) }

// Cause says in English what was wrong; "" for an unknown name.
func (n Name) Cause() string { return english().Cause(string(n)) }

// Remedy says in English what to do about it; "" for an unknown name.
func (n Name) Remedy() string { return english().Remedy(string(n)) }

// english has the words. Logs and hosts are told them as they are in this module.
var english = sync.OnceValue(func() *ui.Locale { return ui.Locales()[0] })

// IsMistake reports whether the application has to be changed: not when a user says no, or
// a token has lived its life.
func (n Name) IsMistake() bool {
	return slices.Contains(inOrder, n) && !slices.Contains(expected, n)
}
