package api

import (
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	users "github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// find returns the IDs of the people whom a value is of: what is recorded here, and whom the host
// knows.
func (a *API) find(ctx contextOf, in find) ([]string, error) {
	if (in.Handle != "") != (in.By == "attribute") {
		return nil, at400("/handle", "goes with the attribute that is looked for, and with nothing else")
	}
	if in.Value == "" {
		return nil, nil
	}
	var here room.Finder
	var there users.Finder
	switch in.By {
	case "id":
		here.ID = in.Value
	case "email":
		here.Email, there.Email = in.Value, in.Value
	default:
		here.Handle, here.Value = in.Handle, in.Value
		there.Handle, there.Value = in.Handle, in.Value
	}
	found, err := a.Provider.Rooms().People.Find(ctx, here)
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		return nil, &problem{kind: kindValue, Faults: []fault{{"/handle", "is no attribute by which people are found"}}, cause: err}
	}
	if err != nil || in.By == "id" || a.Provider.Rooms().Installation().HasAccounts {
		return found, err
	}
	known, err := a.Host.FindUsers(ctx, there)
	for _, id := range known {
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found, err
}
