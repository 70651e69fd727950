// Package developer is a dashboard for client developers: organizations with members,
// their applications with client IDs, secrets, redirect URIs and sample code, beside a
// sandbox in which all of it can be tried.
//
// It is a handler of its own, which a host mounts below the base URL of its provider:
//
//	dashboard, err := developer.New(developer.Config{Provider: id, Store: store})
//	…
//	mux.Handle("/id/developer/", dashboard)
//
// Developers sign in as users of that provider, which is production. With a second
// provider as the sandbox, applications are tried there first. What the dashboard keeps
// itself, who may look after which application, is in the roles [storage.Developers] of
// the store; the registrations of the applications are the provider's.
//
// Every page is one row of the table in routes.go, which says who may open it: everybody,
// users, viewers, developers or owners of the organization in its path, operators. What
// belongs to others is not found.
package developer
