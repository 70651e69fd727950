package action

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoTarget means that there is nothing with this ID, or nothing that may be acted on.
var ErrNoTarget = errors.New("desk: no such target")

// Book is the table with what its actions do. An action that nothing carries out here, such
// as one on accounts where the host has its own users, is not in it.
type Book struct{ actions []Action }

// NewBook returns the book of these actions, in the order of the table.
func NewBook(actions ...Action) (*Book, error) {
	b := &Book{}
	rules := Table()
	for _, a := range actions {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Name == a.Name }) {
			return nil, fmt.Errorf("desk: %q is not in the table of actions", a.Name)
		}
	}
	for _, rule := range rules {
		for _, a := range actions {
			if a.Name == rule.Name {
				a.Rule = rule
				b.actions = append(b.actions, a)
			}
		}
	}
	return b, nil
}

// Action returns the action of this name, and false if nobody can do it here.
func (b *Book) Action(name string) (Action, bool) {
	i := slices.IndexFunc(b.actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, false
	}
	return b.actions[i], true
}

// On returns the actions on a kind of target, in the order of the table.
func (b *Book) On(kind Kind) (on []Action) {
	for _, a := range b.actions {
		if a.Target == kind {
			on = append(on, a)
		}
	}
	return on
}
