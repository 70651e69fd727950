// Package provider turns a Go application into an identity provider: it serves OAuth 2 and
// OpenID Connect endpoints, the sign-in and consent pages, the users' account pages, and
// the sign-in button for other sites.
//
//	store, err := sqlite.Open(ctx, "identity.db")
//	if err != nil {
//		log.Fatal(err)
//	}
//	idp, err := provider.New(ctx, provider.Config{
//		BaseURL: "http://localhost:8080/id",              // https for everybody else
//		Secret:  []byte(os.Getenv("SECRET")),             // openssl rand -base64 32; keep it
//		Store:   store,                                   // or that of storage/postgres
//		Mailer:  provider.InsecureMailPrinter(os.Stderr), // smtpmailer.New sends mails
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	go idp.Run(ctx) // rotates keys, removes what has expired
//	err = idp.Clients().Save(ctx, provider.Client{
//		ID: "shop", Secret: os.Getenv("SHOP_SECRET"), Name: "Example Shop",
//		Dialect:      provider.Standard,
//		RedirectURIs: []string{"http://localhost:3000/callback"},
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	mux := http.NewServeMux() // beside your own routes, on any router
//	mux.Handle("/id/", idp)
//
// # What you want, and where it is
//
//	own users, own sign-in page        Config.Users
//	name, colours, logo                Config.Brand
//	mails                              Config.Mailer
//	sites that ask                     Clients.Save, with Dialect: Standard
//	scopes, attributes, groups         Config.Scopes, Attributes, Groups
//	who belongs to a group             Config.Verifiers, package verification
//	passkeys, second factors           Config.SignIn
//	Google and others                  Config.Upstreams
//	a dashboard, a desk for staff      packages developer and desk
//	programs to start from             the folder examples
//
// # Contents
//
// [New] creates a [Provider] from a [Config]. The host serves, runs and closes it. Its methods return:
//
//   - [Clients]: registered applications and their secrets.
//   - [Accounts]: embedded accounts.
//   - [People]: users, with embedded accounts or of the host, with their attributes, statuses
//     and sessions.
//   - [Pages]: the host's own pages.
//   - [Keys]: signing keys, and encryption under the secret.
//   - [Events]: the audit log.
//   - [Trail]: the seals of the audit log, which show that nobody has changed it.
//
// # Users
//
// By default the provider keeps accounts itself. A host with its own users connects them
// with [Users]: one function returns the signed-in user, another the user's data.
//
// # Applications
//
// [Clients.Save] registers an application. Its [Client.Dialect] says the wire format: [Standard],
// or [V3], an older interface that many clients are written for. Which claims a scope releases
// is decided at each request: a revoked status is gone from the next response.
//
// # Mounting
//
// The provider answers below the path of Config.BaseURL, mounted with that path or behind
// http.StripPrefix. Requests for another path get 404, and the first of them a log record
// while none has come below its own.
// A host's protection against forged requests (CSRF) must exempt the provider, or cover
// only the host's own routes: the provider's forms have their own protection, and
// applications post to /oauth/token, /oauth/revoke, /oauth/introspect, /oauth/par,
// /oauth/device_authorization, /oauth/authorize, /api/public/v3/userinfo and /signout without a token of the host's.
//
// # Several processes
//
// Any number of processes may serve one provider, with the same BaseURL, Secret and
// database. A change takes effect at once in the process that makes it, and within a second
// in all others.
package provider
