package desk

import (
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
)

// Resource returns the Admin API as one of provider.Config.Resources. With it New serves the API
// at the base URL of the provider followed by /desk/api/v1/, for these clients alone. Each is
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
func mountAPI(f *frame.Frame, cfg Config, book *action.Book) error {
	a, err := api.New(api.Options{Frame: f, Book: book, Dashboard: cfg.Dashboard, Verification: cfg.Verification})
	if a == nil || err != nil {
		return err
	}
	f.Handle("/api/v1/", a)
	f.HandleAt(WellKnown(cfg.Provider.Installation().BaseURL), a.Metadata())
	f.Mount(a.Route())
	return nil
}
