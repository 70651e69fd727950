package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
)

// newBook returns what can be done at a desk.
func newBook(cfg Config) (*action.Book, error) {
	apps, err := applications.New(applications.Options{Provider: cfg.Provider, Dashboard: cfg.Dashboard})
	if err != nil {
		return nil, err
	}
	people := person.Actions(person.Options{Provider: cfg.Provider, Host: cfg.People, Clock: cfg.Clock})
	return action.NewBook(slices.Concat(people, apps.Actions())...)
}
