// Package developer is a dashboard for client developers: organizations with members, their
// applications with client IDs, secrets, redirect URIs and sample code, and a sandbox for
// trying all of it out.
//
// It is a handler of its own, which a host mounts below the base URL of its provider:
//
//	dashboard, err := developer.New(developer.Config{Provider: id, Store: store})
//	…
//	mux.Handle("/id/developer/", dashboard)
//
// Developers sign in as users of that provider, which is production. With a second provider
// as the sandbox, applications are tried there first. The dashboard's own data, such as who
// manages which application, is in the roles [storage.Developers] of the store; the
// registrations of the applications are the provider's.
//
// Every page is one row of the table in routes.go, which says who may open it: everybody,
// users, viewers, developers or owners of the organization in its path, operators. Others
// get 404.
package developer
