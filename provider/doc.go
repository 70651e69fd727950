// Package provider turns a Go application into an identity provider: it serves
// OAuth 2 and OpenID Connect endpoints, the screens that users sign in and consent
// on, their account pages, and the sign-in button for other people's sites.
//
//	store, err := sqlite.Open(ctx, "identity.db")
//	p, err := provider.New(ctx, provider.Config{
//		BaseURL: "https://id.example.com",
//		Secret:  secret, // 32 random bytes, kept outside the database
//		Store:   store,
//		Mailer:  mailer,
//	})
//	defer p.Close()
//	go p.Run(ctx)
//	http.ListenAndServe(addr, p)
//
// # One request, from the button to the claims
//
// A visitor of an application presses its sign-in button and arrives at the
// authorization endpoint (authorize.go). The request is checked, client and
// redirect URI first, because every later error goes there. One pure function
// (step.go) then decides what is needed next: to sign in, to choose an account, to
// consent, or nothing more. Each of these is a page of its own that does one thing
// and leads back to the authorization endpoint, so none can be left out. What
// travels between the pages is sealed and bound to the browser (flow.go). In the
// end the engine records a grant and answers the application (respond.go).
//
// The application exchanges the code at the token endpoint (token.go) and reads
// claims (data.go, userinfo.go, attributes.go). What a scope releases is decided in one
// place (release.go, after the vocabulary of scope.go), and read when it is asked
// for: a status that has been revoked is gone from the next answer.
//
// # Users
//
// By default the provider keeps accounts itself. A host that has users of its own
// connects them with [Users]: a function that tells who is signed in, and a
// function that tells what is known about them.
//
// # Several processes
//
// Any number of processes may serve one provider, with the same BaseURL, Secret and
// database. What one of them changes is in force there at once, and in all others
// within a second: for less than that an application, an access token, and what is
// recorded about a user may come from memory.
//
// # Clients
//
// [Provider.SaveClient] registers an application. Its [Client.Dialect] chooses the
// wire form: [V3], an older interface that many clients are written for, or
// [Standard].
package provider
