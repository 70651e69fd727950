// Command button shows the sign-in button on pages without a server of their own: a
// plain HTML page with a popup and a redirect, and a single-page application that
// is a public client with PKCE.
//
//	go run ./examples/button
//
// It prints the page to open and whom to sign in as. Provider and site run on two ports,
// as two origins, in one process; nothing is kept. Look at site/index.html for the
// button, at site/redeem.js for all that a public client needs to turn a response into
// claims, and at site/spa for the single-page application.
package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

//go:embed site
var site embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := runInTemp(ctx)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// runInTemp runs on a database that is gone afterwards.
func runInTemp(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bonafide-button-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return run(ctx, dir, "localhost:8080", "localhost:8082")
}

// run serves the provider and the site until ctx ends.
func run(ctx context.Context, dir, providerAddr, siteAddr string) error {
	providerURL, siteURL := "http://"+providerAddr, "http://"+siteAddr
	idp, err := newProvider(ctx, filepath.Join(dir, "identity.db"), providerURL, siteURL)
	if err != nil {
		return err
	}
	defer idp.Close()
	pages, err := fs.Sub(site, "site")
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	stopProvider, err := serve(ctx, providerAddr, idp, failed)
	if err != nil {
		return err
	}
	defer stopProvider()
	stopSite, err := serve(ctx, siteAddr, http.FileServerFS(pages), failed)
	if err != nil {
		return err
	}
	defer stopSite()
	fmt.Printf("open %s and sign in as maria@example.com with the password %s\n", siteURL, demoPassword)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}
}

// serve answers at an address until it is stopped, and reports when it cannot go on.
func serve(ctx context.Context, addr string, handler http.Handler, failed chan<- error) (stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { failed <- server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

const demoPassword = "harbor-velvet-canyon-58"

func newProvider(ctx context.Context, path, providerURL, siteURL string) (*provider.Provider, error) {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails; and nothing outlives the process
	idp, err := provider.New(ctx, provider.Config{BaseURL: providerURL, Secret: secret, Store: store})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	id, err := idp.Accounts().Save(ctx, provider.Account{Email: "maria@example.com", EmailVerified: true, Password: demoPassword})
	if err == nil {
		err = idp.People().SetAttributes(ctx, id, map[string]any{"fname": "Maria", "lname": "Lopez"})
	}
	if err == nil {
		err = idp.People().SetStatus(ctx, id, provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true})
	}
	if err == nil {
		err = idp.Clients().Save(ctx, provider.Client{
			ID: "page", Name: "Plain page", Dialect: provider.Standard, Public: true,
			RedirectURIs: []string{siteURL + "/callback.html", siteURL + "/spa/"}, Origins: []string{siteURL},
		})
	}
	if err != nil {
		return nil, errors.Join(err, idp.Close())
	}
	return idp, nil
}
