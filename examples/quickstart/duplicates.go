package main

import (
	"fmt"
	"strings"
)

// duplicates are errors about what is in the file twice, and nils: the later one would win in
// silence, and two users with one address would be one. Spellings of an address that only the
// provider knows to be one are found when the second is applied.
func (e *environment) duplicates(sample *sampleClient) (errs []error) {
	uuids, addresses, clients := seen{}, seen{}, seen{}
	if sample != nil {
		for _, id := range []string{sampleV3, sampleStandard} {
			clients[id] = "that of the sample client"
		}
	}
	if e.Desk != nil && e.Desk.URL != "" {
		clients[deskClient] = "that of the desk"
	}
	for i, u := range e.Users {
		place := fmt.Sprintf("users[%d]", i)
		errs = append(errs, uuids.add(u.ID, place, "uuid"), addresses.add(strings.ToLower(u.Email), place, "email"))
		groups := seen{}
		for j, s := range u.Status {
			errs = append(errs, groups.add(s.Group, fmt.Sprintf("%s.status[%d]", place, j), "group"))
		}
	}
	for i, c := range e.Clients {
		errs = append(errs, clients.add(c.ID, fmt.Sprintf("clients[%d]", i), "client_id"))
	}
	return errs
}

// seen is where a value has been met, for each value.
type seen map[string]string

func (s seen) add(value, place, key string) error {
	if value == "" {
		return nil
	}
	if first, twice := s[value]; twice {
		return fmt.Errorf("%s.%s: %q is %s already", place, key, value, first)
	}
	s[value] = "that of " + place
	return nil
}
