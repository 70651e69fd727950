// Command minimal is an identity provider at http://localhost:8080/id. Start it with
// SECRET=$(openssl rand -base64 32) and keep the value: the database needs it again.
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
	id, err := provider.New(ctx, provider.Config{BaseURL: "http://" + address + "/id", Secret: []byte(os.Getenv("SECRET")), Store: store})
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = id.Run(ctx) }() // rotates keys and removes what has expired
	mux.Handle("/id/", id)
	log.Fatal((&http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}).ListenAndServe())
}
