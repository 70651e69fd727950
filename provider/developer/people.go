package developer

import (
	"errors"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// people are the users on a page, each read once.
type people struct {
	read  func(userID string) (ui.Account, error)
	known map[string]ui.Account
}

func (d *frame) newPeople(r *request) people {
	return people{func(userID string) (ui.Account, error) {
		return d.Provider.Rooms().People.View(r.Request.Context(), userID)
	}, map[string]ui.Account{}}
}

// account returns the display of a user; zero for one who is gone.
func (p people) account(userID string) (ui.Account, error) {
	if a, ok := p.known[userID]; ok {
		return a, nil
	}
	a, err := p.read(userID)
	if err != nil && !errors.Is(err, provider.ErrNoUser) {
		return ui.Account{}, err
	}
	p.known[userID] = a
	return a, nil
}
