package provider_test

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
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// A vocabulary of the host's own: one scope, which releases an attribute that the default
// catalogue does not have, and the status of a group.
func ExampleConfig_scopes() {
	idp, cleanUp := newExample(provider.Config{
		BaseURL:    "https://id.example.com",
		Attributes: []catalogue.Attribute{{Handle: "member_since", Name: "Member since", Type: catalogue.Date}},
		Groups:     []catalogue.Group{{Name: "crew", Title: "Crew", Subgroups: []string{"Skipper", "Deckhand"}}},
		Scopes: []catalogue.Scope{{
			Name:        "crew",
			Title:       "Your place in the crew",
			Description: "Your name, since when you are a member, and what you do on board.",
			Attributes:  []string{"fname", "lname", "member_since"},
			Groups:      []string{"crew"},
		}},
	})
	defer cleanUp()

	w := httptest.NewRecorder()
	idp.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/oidc/.well-known/openid-configuration", nil))
	var discovery struct {
		Scopes []string `json:"scopes_supported"`
	}
	if err := json.NewDecoder(w.Body).Decode(&discovery); err != nil {
		log.Fatal(err)
	}
	fmt.Println(discovery.Scopes)
	// Output: [openid offline_access crew]
}

// newExample returns a provider with a secret and a database of its own.
func newExample(cfg provider.Config) (idp *provider.Provider, cleanUp func()) {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	if cfg.Store, err = sqlite.Open(ctx, filepath.Join(folder, "identity.db")); err != nil {
		log.Fatal(err)
	}
	cfg.Secret = make([]byte, 32)
	rand.Read(cfg.Secret)
	if idp, err = provider.New(ctx, cfg); err != nil {
		log.Fatal(err)
	}
	return idp, func() {
		idp.Close()
		os.RemoveAll(folder)
	}
}
