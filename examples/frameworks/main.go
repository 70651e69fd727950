// Command frameworks is a host with users of its own on each of three web frameworks,
// chi, gin and echo, with a session library that goes with it:
//
//	go -C examples/frameworks run . chi   # or gin, or echo
//
// It serves http://localhost:8083 with one member, whom it prints. It is a module of its
// own, so that nobody else links the frameworks.
//
// Provider.ServeHTTP and Users.SignedIn know requests of net/http only. Where a
// framework keeps sessions in a context of its own, the handler that mounts the provider
// looks into the session and puts who is signed in into the context of the request
// (chi.go, gin.go and echo.go), where SignedIn finds it (this file).
//
// All that the host posts itself is behind its protection against forged requests
// (CSRF). The provider is mounted outside of it: its forms have a protection of their
// own, and applications post to its token endpoint, which knows no token of the host's.
package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const address = "localhost:8083"

// The one member of this host, and the names that a session knows it by.
const (
	memberID       = "m-1"
	memberEmail    = "ada@example.com"
	memberPassword = "violet-anchor-sings-low"

	keyMember = "member"
	keySince  = "since" // when the member signed in, in seconds since 1970
)

// sites are the hosts by the name of their framework.
var sites = map[string]func(*provider.Provider) http.Handler{"chi": chiSite, "gin": ginSite, "echo": echoSite}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "frameworks:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 || sites[os.Args[1]] == nil {
		return fmt.Errorf("usage: %s chi|gin|echo", os.Args[0])
	}
	folder, err := os.MkdirTemp("", "frameworks-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(folder, "identity.db"))
	if err != nil {
		return err
	}
	// A database that lives no longer than the process may have such a secret.
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: the program stops when there is no randomness
	p, err := newIdentity(ctx, "http://"+address, secret[:], store)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	fmt.Printf("Open http://%s/id/account and sign in as %s with %s\n", address, memberEmail, memberPassword)
	server := &http.Server{Addr: address, Handler: sites[os.Args[1]](p), ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}

func newIdentity(ctx context.Context, base string, secret []byte, store storage.Store) (*provider.Provider, error) {
	return provider.New(ctx, provider.Config{
		BaseURL: base + "/id", Secret: secret, Store: store,
		Users: provider.Users{SignedIn: signedIn, SignInURL: "/login", Person: person},
	})
}

type memberKey struct{}

// withMember returns the request of somebody who is signed in, by what the session
// says: the member's ID, and since when.
func withMember(r *http.Request, id string, since int64) *http.Request {
	if id == "" {
		return r
	}
	member := provider.SignedIn{UserID: id, AuthTime: time.Unix(since, 0), AMR: []string{"pwd"}}
	return r.WithContext(context.WithValue(r.Context(), memberKey{}, member))
}

// signedIn is Users.SignedIn; nobody is signed in where there is no member.
func signedIn(r *http.Request) (provider.SignedIn, error) {
	member, _ := r.Context().Value(memberKey{}).(provider.SignedIn)
	return member, nil
}

func person(_ context.Context, id string, _, _ []string) (provider.Person, error) {
	if id != memberID {
		return provider.Person{}, provider.ErrNoUser
	}
	return provider.Person{Attributes: map[string]any{"email": memberEmail, "fname": "Ada"}}, nil
}

// authenticate returns the ID of the member who has this address and password.
func authenticate(email, password string) (id string, ok bool) {
	right := subtle.ConstantTimeCompare([]byte(email+"\x00"+password), []byte(memberEmail+"\x00"+memberPassword)) == 1
	return memberID, right
}

// login is the sign-in page: a form, as the frameworks have no other page here. CSRF is
// the field of a framework that has one.
var login = template.Must(template.New("login").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head><body>
<form method="post" action="/login">
<input type="hidden" name="return_to" value="{{.ReturnTo}}">
<input type="hidden" name="_csrf" value="{{.CSRF}}">
<label>Email <input name="email" type="email" autocomplete="username"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button>Sign in</button>
</form></body></html>
`))

type loginPage struct{ ReturnTo, CSRF string }

// destination is where to go after signing in: to an address of the provider, and to no
// other that somebody made up (open redirect).
func destination(p *provider.Provider, returnTo string) string {
	if p.Pages().IsReturnTo(returnTo) {
		return returnTo
	}
	return "/id/account"
}
