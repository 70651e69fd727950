package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
)

// newBook returns what can be done at a desk.
func newBook(cfg Config) (*action.Book, error) {
	apps, err := applications.New(applications.Options{Provider: cfg.Provider, Dashboard: cfg.Dashboard})
	if err != nil {
		return nil, err
	}
	return action.NewBook(slices.Concat(apps.Actions())...)
}
