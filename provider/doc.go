// Package provider turns a Go application into an identity provider: it serves
// OAuth 2 and OpenID Connect endpoints, the pages that users sign in and consent
// on, their account pages, and the sign-in button for other people's sites.
//
//	store, err := sqlite.Open(ctx, "identity.db")
//	idp, err := provider.New(ctx, provider.Config{
//		BaseURL: "https://id.example.com",
//		Secret:  secret, // 32 random bytes, kept outside the database
//		Store:   store,
//		Mailer:  mailer,
//	})
//	defer idp.Close()
//	go idp.Run(ctx)
//	err = idp.Clients().Save(ctx, provider.Client{ID: "shop", RedirectURIs: addresses})
//	http.ListenAndServe(addr, idp)
//
// # Contents
//
//   - [New] makes a [Provider] of a [Config], which is served, run and closed.
//   - [Provider.Clients] are the registered applications and their secrets: see [Clients].
//   - [Provider.Accounts] are the embedded accounts: see [Accounts].
//   - [Provider.People] are the users, with an account or of the host: their attributes,
//     statuses and sessions. See [People].
//   - [Provider.Keys] are the signing keys, and the secret that seals: see [Keys].
//   - [Provider.Events] are the audit log and the activity of applications: see [Events].
//   - [Provider.Pages] are for pages of the host's own: see [Pages].
//   - [Provider.Sandbox] is the clock and the personas of a sandbox: see [Sandbox].
//   - [Provider.Installation] describes the provider, for documentation: see [Installation].
//
// # One request, from the button to the claims
//
// A user of an application presses its sign-in button and arrives at the authorization
// endpoint. The request is checked, client and redirect URI first, because every later
// error goes there. One pure function then decides what is needed next: to sign in, to
// select an account, to consent, or nothing more. Each of these is a page of its own that
// does one thing and leads back to the authorization endpoint, so none can be left out.
// What travels between the pages is sealed and bound to the browser. In the end a grant is
// recorded and the application gets a code.
//
// The application exchanges the code for tokens and reads claims with them. What a scope
// releases is decided in one place, and read when it is asked for: a status that has been
// revoked is gone from the next response.
//
// # Users
//
// By default the provider keeps accounts itself. A host that has users of its own
// connects them with [Users]: a function that says who is signed in, and a function that
// says what is known about them. Where a framework keeps sessions in a context of its
// own, its handler puts who is signed in into the context of the request that it gives to
// the provider.
//
// # Applications
//
// [Clients.Save] registers an application. Its [Client.Dialect] chooses the
// wire form: [V3], an older interface that many clients are written for, or
// [Standard].
//
// # The vocabulary
//
// Scopes, attributes and verified groups are those of package catalogue, and whatever the
// host adds to them in [Config].
//
// # Mounting
//
// The provider answers below the path of Config.BaseURL, mounted with that path or
// behind http.StripPrefix; requests for another path get 404, and the Logger a line, once.
// A host's protection against forged requests (CSRF) must leave the provider out, or be
// put in front of the host's own routes only: its forms have a protection of their own,
// and applications post to /oauth/token, /oauth/revoke, /oauth/introspect, /oauth/par,
// /oauth/authorize and /api/public/v3/userinfo with no token of the host's.
//
// # Pages of the host
//
// [Pages.Screen] serves a page of the host's own beside those of the provider, with the
// same frame, forms and error pages, to everybody or to users who have signed in.
//
// # Several processes
//
// Any number of processes may serve one provider, with the same BaseURL, Secret and
// database. What one of them changes is in force there at once, and in all others
// within a second: for less than that an application, an access token, and what is
// recorded about a user may come from memory.
//
// # Where to read on
//
// provider.go puts the rooms below internal together, each of which begins with a package
// comment: authflow is the way of a request, account and selfservice the pages of users,
// oauth and resource the endpoints for programs, claims what is released.
package provider
