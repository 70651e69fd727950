package developer

import (
	"context"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/signals"
)

// SigningAlgs are the algorithms to choose from.
var SigningAlgs = signingAlgs

// Page is a row of the table of pages.
type Page struct {
	Path  string
	Looks string
	// Posts is empty for a page without a form.
	Posts string
}

// Pages returns the table of pages.
func (d *Dashboard) Pages() []Page {
	names := map[need]string{
		everybody: "everybody", users: "users", viewers: "viewers", developers: "developers", owners: "owners", operators: "operators",
	}
	var pages []Page
	for _, r := range d.routes() {
		p := Page{Path: r.path, Looks: names[r.looks]}
		if r.act != nil {
			p.Posts = names[r.posts]
		}
		pages = append(pages, p)
	}
	return pages
}

// UserPseudonym stands for a user at an application.
func (d *Dashboard) UserPseudonym(env, clientID, userID string) string {
	return d.pseudonym(env, clientID, userID)
}

// Registrar decides about what programs register in an environment.
func (d *Dashboard) Registrar(env string) room.Registrar[provider.Client] {
	return registrar{d.apps, env}
}

// TellOperators is what goes on in the background every minute.
func (d *Dashboard) TellOperators(ctx context.Context) { d.tellOperators(ctx) }

// GoOn is what goes on in the background every minute, too.
func (d *Dashboard) GoOn(ctx context.Context) { d.halts.goOn(ctx) }

// RemoveOld is what goes on in the background every minute.
func (d *Dashboard) RemoveOld(ctx context.Context) { d.removeOld(ctx) }

// Record writes lines in the background until ctx ends, of what happens while it is watched:
// watch begins that.
func (d *Dashboard) Record(ctx context.Context) (watch func() (stop func())) {
	(<-d.watching)()
	go d.recorder.run(ctx)
	return d.watch
}

// IsWoken reports whether the background is to go on at once.
func (d *Dashboard) IsWoken() bool {
	select {
	case <-d.woken:
		return true
	default:
		return false
	}
}

// Agreed is the review of an address of a stream.
func (d *Dashboard) Agreed(ctx context.Context, env, clientID, address string) (bool, error) {
	return d.hooks.agreed(env)(ctx, clientID, address)
}

// Failing tells the owners of an application of which a receiver takes no messages.
func (d *Dashboard) Failing(env string, of signals.Receiver) {
	d.hooks.failing(env)(context.Background(), of)
}
