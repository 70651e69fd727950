// Command minimal is an identity provider and nothing else, in as few lines as that
// takes: a store, a configuration, a route.
//
//	SECRET=$(openssl rand -base64 32) go run ./examples/minimal
//
// It serves http://localhost:8080/id from the SQLite file identity.db in the working
// directory: open http://localhost:8080/id/ and sign up, with the code that is printed.
// Keep the secret: nothing else opens what the file holds. Clients come with
// Clients.Save; http://localhost:8080/id/oidc/.well-known/openid-configuration is
// what they read. To mount the provider at the root, drop /id from the base URL and from
// the pattern.
package main

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func main() {
	ctx, mux, address := context.Background(), http.NewServeMux(), cmp.Or(os.Getenv("ADDRESS"), "localhost:8080")
	store, err := sqlite.Open(ctx, "identity.db")
	if err != nil {
		log.Fatal(err)
	}
	id, err := provider.New(ctx, provider.Config{BaseURL: "http://" + address + "/id", Secret: []byte(os.Getenv("SECRET")), Store: store,
		Mailer: provider.InsecureMailPrinter(os.Stderr)}) // prints mails in place of sending them
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = id.Run(ctx) }() // rotates keys and removes what has expired
	mux.Handle("/id/", id)
	_, _ = os.Stdout.WriteString("open http://" + address + "/id/\n")
	log.Fatal((&http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}).ListenAndServe())
}
