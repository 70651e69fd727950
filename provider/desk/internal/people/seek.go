package people

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/verification"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Ways are what the field of a find takes here, in the language of a page.
func (d *Room) Ways(r *frame.Request) string {
	words := []string{screens.WayWord(r.Locale(), screens.WayEmail), screens.WayWord(r.Locale(), screens.WayID)}
	for _, handle := range d.findable() {
		words = append(words, d.Frame.Provider.Rooms().Pages.AttributeWords(r.Locale(), handle).Text)
	}
	if d.Verification != nil {
		words = append(words, screens.WayWord(r.Locale(), screens.WayCase))
	}
	if d.Dashboard != nil {
		words = append(words, screens.WayWord(r.Locale(), screens.WayRequest))
	}
	return strings.Join(words, " – ")
}

// findable are the attributes by whose value people are found.
func (d *Room) findable() (handles []string) {
	for _, a := range d.Frame.Provider.Rooms().Installation().Attributes {
		if a.Findable {
			handles = append(handles, a.Handle)
		}
	}
	return handles
}

// seek returns the IDs of the people of whom exactly this is recorded: as their address or ID, as
// the value of an attribute, or as the ID of a case. All ways are gone, so that each takes as long.
func (d *Room) seek(ctx context.Context, sought string) (ids []string, err error) {
	ways := []func(context.Context, string) ([]string, error){d.byAddressOrID, d.byCase}
	for _, handle := range d.findable() {
		ways = append(ways, func(ctx context.Context, value string) ([]string, error) {
			return d.ask(ctx, room.Finder{Handle: handle, Value: value}, person.Finder{Handle: handle, Value: value})
		})
	}
	for _, way := range ways {
		found, err := way(ctx, sought)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

func (d *Room) byAddressOrID(ctx context.Context, sought string) ([]string, error) {
	if strings.Contains(sought, "@") {
		return d.ask(ctx, room.Finder{Email: sought}, person.Finder{Email: sought})
	}
	return d.Frame.Provider.Rooms().People.Find(ctx, room.Finder{ID: sought})
}

// ask asks what is recorded here, and the host with its own users.
func (d *Room) ask(ctx context.Context, here room.Finder, there person.Finder) ([]string, error) {
	found, err := d.Frame.Provider.Rooms().People.Find(ctx, here)
	if err != nil || d.Frame.Provider.Rooms().Installation().HasAccounts {
		return found, err
	}
	known, err := d.Host.FindUsers(ctx, there)
	return append(found, known...), err
}

func (d *Room) byCase(ctx context.Context, sought string) ([]string, error) {
	if d.Verification == nil {
		return nil, nil
	}
	c, err := d.Verification.Case(ctx, sought)
	if errors.Is(err, verification.ErrNoCase) || err == nil && c.UserID == "" {
		return nil, nil
	}
	return []string{c.UserID}, err
}
