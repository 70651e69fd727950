package desk

import (
	"errors"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/people"
	"github.com/bonafide-id/bonafide/ui"
)

// naming returns what calls the targets of actions by their names: a person by the masked
// address, an application by its own, others by their ID.
func naming(p *provider.Provider, looks *people.Room) func(*frame.Request, action.Kind, string) (ui.Label, error) {
	return func(r *frame.Request, kind action.Kind, id string) (ui.Label, error) {
		label := ui.Label{Text: id, Lang: ui.Undetermined}
		switch kind {
		case action.Person:
			return looks.Name(r, id)
		case action.Application:
			client, err := p.Clients().Get(r.Context(), id)
			if errors.Is(err, provider.ErrNoClient) {
				return label, nil
			}
			if err != nil {
				return label, err
			}
			if client.Name != "" {
				label.Text = ui.Clean(client.Name, ui.MaxName)
			}
		case action.Host, action.Receiver, action.Organization, action.Service:
		}
		return label, nil
	}
}
