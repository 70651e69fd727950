package flows

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// A provider beside the routes of its host, and what an application asks it first.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := sqlite.Open(ctx, filepath.Join(folder, "identity.db"))
	if err != nil {
		log.Fatal(err)
	}
	secret := make([]byte, 32) // of a real host: kept, and outside of the database
	rand.Read(secret)

	idp, err := provider.New(ctx, provider.Config{
		BaseURL: "https://app.example.com/id",
		Secret:  secret,
		Store:   store,
		Mailer:  provider.InsecureMailPrinter(os.Stderr),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
	go func() { _ = idp.Run(ctx) }() // rotates keys, removes what has expired

	mux := http.NewServeMux()
	mux.Handle("/id/", idp)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/id/oidc/.well-known/openid-configuration", nil))
	var discovery struct{ Issuer string }
	if err := json.NewDecoder(w.Body).Decode(&discovery); err != nil {
		log.Fatal(err)
	}
	fmt.Println(discovery.Issuer)
	// Output: https://app.example.com/id/oidc
}
