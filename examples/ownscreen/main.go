// Command ownscreen is an identity provider whose consent screen is a component of its own
// (consent.templ); every other screen is that of package ui.
//
//	SECRET=$(openssl rand -base64 32) go run ./examples/ownscreen
//
// It prints the address of an authorization request: open it, sign in as
// ada@example.com with the password that is printed, and look at what asks.
//
// A component gets the view that the screen of package ui would get. It posts what the
// view's documentation names to Form.Action, with the fields of Form.Hidden. Where only
// words or colours are to be others, Config.Texts and Config.Brand are less work.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/ui"
)

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false

const password = "violet-anchor-sings-low"

func main() {
	ctx, address := context.Background(), cmp.Or(os.Getenv("ADDRESS"), "localhost:8080")
	const app = "http://localhost:3000/callback"
	idp, err := open(ctx, "http://"+address, app, []byte(os.Getenv("SECRET")), "identity.db")
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = idp.Run(ctx) }()
	fmt.Printf("open %s\nand sign in as ada@example.com, password %s\n", request("http://"+address, app), password)
	server := &http.Server{Addr: address, Handler: idp, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// open returns a provider with a consent screen of its own, a user and an application.
func open(ctx context.Context, baseURL, redirectURI string, secret []byte, file string) (*provider.Provider, error) {
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	idp, err := provider.New(ctx, provider.Config{
		BaseURL: baseURL, Secret: secret, Store: store,
		Screens: ui.Screens{Consent: consent},
	})
	if err != nil {
		return nil, err
	}
	ada, err := idp.Accounts().Save(ctx, provider.Account{Email: "ada@example.com", EmailVerified: true, Password: password})
	if err != nil {
		return nil, fmt.Errorf("save account: %w", err)
	}
	if err := idp.People().SetAttributes(ctx, ada, map[string]any{"fname": "Ada", "lname": "Lovelace"}); err != nil {
		return nil, err
	}
	err = idp.Clients().Save(ctx, provider.Client{
		ID: "hut", Name: "Mountain Hut", Public: true, Dialect: provider.Standard, RedirectURIs: []string{redirectURI},
	})
	if err != nil {
		return nil, fmt.Errorf("save client: %w", err)
	}
	return idp, nil
}

// request is an authorization request of the application, as its library would make it.
func request(baseURL, redirectURI string) string {
	return baseURL + "/oauth/authorize?" + url.Values{
		"client_id": {"hut"}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid profile email"},
		// The challenge of RFC 7636 appendix B: a library makes another each time.
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode()
}
