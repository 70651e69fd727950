package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
	"github.com/bonafide-id/bonafide/provider/desk/internal/records"
)

// Resource returns the Admin API as one of provider.Config.Resources. With it New serves the API
// at the base URL of the provider, or else Config.URL, followed by /desk/api/v1/, for these clients alone. Each is
// registered by the host, with private_key_jwt, the grant client_credentials, and those of the
// Resource's scopes that it needs: no other application can have them, and the dashboard offers
// them to nobody.
func Resource(baseURL string, clients ...string) provider.Resource {
	return api.Resource(baseURL, clients...)
}

// WellKnown returns the path, for the router of the host, at which clients look for what the
// Admin API needs before they have a token (RFC 9728). A Desk serves it:
//
//	mux.Handle(desk.WellKnown(baseURL), d)
//
// Clients that follow WWW-Authenticate do not use it.
func WellKnown(baseURL string) string { return api.WellKnown(baseURL) }

// mountAPI serves the Admin API and its reference, if the provider has the Resource.
func mountAPI(f *frame.Frame, cfg Config, book *action.Book, planned *plans.Service, lines *records.Room) error {
	a, err := api.New(api.Options{Frame: f, Book: book, Host: cfg.People, Plans: planned, Dashboard: cfg.Dashboard, Verification: cfg.Verification, Lines: lines.Of})
	if a == nil || err != nil {
		return err
	}
	f.Handle("/api/v1/", a)
	f.HandleAt(WellKnown(f.BaseURL), a.Metadata())
	f.Mount(a.Route())
	return nil
}

// isClient reports of an application whether the Admin API of a desk is for it.
func isClient(f *frame.Frame) func(id string) bool {
	for _, r := range f.Provider.Rooms().Installation().Resources {
		if r.URI == Resource(f.BaseURL).URI {
			return func(id string) bool { return slices.Contains(r.Clients, id) }
		}
	}
	return func(string) bool { return false }
}
