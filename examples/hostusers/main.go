// Command hostusers is a club's web site that keeps its own members, passwords and
// sign-in page, and is an identity provider for other sites at /id:
//
//	go run ./examples/hostusers
//
// The members are in members.go, the sessions and pages of the site in site.go, as
// a host has them before it meets this library. What connects the two is in
// identity.go: who is signed in (level 1), and what is known about them (level 2).
//
// Members are in memory and the database is in a temporary folder: the next start
// begins anew.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const address = "localhost:8082"

func main() {
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
	base := "http://" + address
	site := newSite(members, base)
	identity, err := newIdentity(ctx, base, secret[:], store, site)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() { _ = identity.Close() }()
	go func() { _ = identity.Run(ctx) }() // always nil; Close waits for it

	server := &http.Server{Addr: address, Handler: site, ReadHeaderTimeout: 5 * time.Second}
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
