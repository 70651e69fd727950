// Command hostusers is a club's web site that keeps its own members, passwords and
// sign-in page, and is an identity provider for other sites at /id:
//
//	go run ./examples/hostusers
//
// It prints what to open and whom to sign in as. The members are in members.go, the
// sessions and pages of the site in site.go, as a host has them before it meets this
// library. All that connects the two is in identity.go:
//
//   - Who is signed in. Users.SignedIn reads the club's session and returns who it is,
//     since when and by which method. Users.SignInURL is the club's sign-in page, which
//     gets return_to and checks it with Pages.IsReturnTo before it redirects there:
//     else anybody could send people elsewhere by the club's address. With prompt=login
//     the page asks for the password although there is a session, because the
//     application asked for a fresh sign-in.
//   - What is known about them. Users.Person returns attributes and statuses at the
//     moment of their release: end the membership on the club's page, and the next
//     response of userinfo has it, even for a token issued before.
//
// With -app, the redirect URI of an application, it registers that application as the
// client "hut". Members are in memory and the database is in a temporary folder: the
// next start begins anew.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

var (
	address = flag.String("listen", "localhost:8082", "address to listen at")
	app     = flag.String("app", "", "redirect URI of an application to register")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C kills
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hostusers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "hostusers-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, err := sqlite.Open(ctx, filepath.Join(folder, "identity.db"))
	if err != nil {
		return err
	}
	// A database that lives no longer than the process may have a secret that
	// does not, either. Any other has to be opened with the same secret again.
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: the program stops when there is no randomness

	members, err := newMembers(member{
		ID: "m-1007", Email: "ada@example.com", FirstName: "Ada", LastName: "Bergström", Level: "Gold",
	}, "violet-anchor-sings-low")
	if err != nil {
		return err
	}
	grace := member{ID: "m-1008", Email: "grace@example.com", FirstName: "Grace", LastName: "Lindqvist"}
	if err := members.add(grace, "amber-ladder-hums-twice"); err != nil {
		return err
	}
	base := "http://" + *address
	site := newSite(members, base)
	identity, err := newIdentity(ctx, base, secret[:], store, site)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() { _ = identity.Close() }()
	if *app != "" {
		hut := provider.Client{
			ID: "hut", Name: "Mountain Hut", Secret: rand.Text() + rand.Text(), Dialect: provider.Standard, RedirectURIs: []string{*app},
		}
		if err := identity.Clients().Save(ctx, hut); err != nil {
			return err
		}
		fmt.Printf("The secret of the client hut is %s\n", hut.Secret)
	}
	go func() { _ = identity.Run(ctx) }() // always nil; Close waits for it

	server := &http.Server{Addr: *address, Handler: site, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		_ = server.Shutdown(patience)
	})
	fmt.Printf("Open %s and sign in as ada@example.com with violet-anchor-sings-low\n", base)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
