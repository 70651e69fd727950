package api

import (
	"errors"

	"github.com/bonafide-id/bonafide/provider"
)

// find returns the ID of the person whom a value is of, or none.
func (a *API) find(ctx contextOf, by, value string) ([]string, error) {
	id := value
	var err error
	switch by {
	case "email":
		var account provider.RecordedAccount
		account, err = a.Provider.Accounts().GetByEmail(ctx, value)
		id = account.ID
	default:
		err = a.exists(ctx, value)
	}
	if errors.Is(err, provider.ErrNoUser) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{id}, nil
}
