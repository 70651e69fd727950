package providertest_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// application is the client under test: what it knows of the provider is its registration
// and the issuer.
type application struct {
	oauth2.Config
	verifier *oidc.IDTokenVerifier
}

func newApplication(ctx context.Context, idp *providertest.Server) application {
	discovered, err := oidc.NewProvider(ctx, idp.Issuer())
	if err != nil {
		log.Fatal(err)
	}
	return application{
		oauth2.Config{
			ClientID: idp.ClientID, ClientSecret: idp.ClientSecret, RedirectURL: idp.RedirectURI,
			Endpoint: discovered.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "login", "military"},
		},
		discovered.Verifier(&oidc.Config{ClientID: idp.ClientID, Now: idp.Now}),
	}
}

// signIn is what the application does with a code.
func (a application) signIn(ctx context.Context, code string) (*oauth2.Token, *oidc.IDToken, error) {
	token, err := a.Exchange(ctx, code)
	if err != nil {
		return nil, nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := a.verifier.Verify(ctx, raw)
	return token, id, err
}

// classOf signs a user in, and returns the class of the authentication.
func (a application) classOf(ctx context.Context, user *providertest.Browser, authorizeURL string) (string, error) {
	callback, err := user.SignIn(ctx, authorizeURL, "veteran")
	if err != nil {
		return "", err
	}
	_, id, err := a.signIn(ctx, callback.Query().Get("code"))
	if err != nil {
		return "", err
	}
	var claims struct{ ACR string }
	err = id.Claims(&claims)
	return claims.ACR, err
}

// In a test New takes the place of Start, and Server.SignIn that of NewBrowser.
func Example() {
	ctx := context.Background()
	idp, err := providertest.Start(ctx, providertest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
	app := newApplication(ctx, idp)

	callback, err := idp.NewBrowser().SignIn(ctx, app.AuthCodeURL("state"), "veteran")
	if err != nil {
		log.Fatal(err)
	}
	_, id, err := app.signIn(ctx, callback.Query().Get("code"))
	if err != nil {
		log.Fatal(err)
	}
	var claims struct {
		FirstName string `json:"fname"`
		Status    []struct {
			Group     string
			Subgroups []string
			Verified  bool
		}
	}
	if err := id.Claims(&claims); err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.Subject)
	fmt.Printf("%+v\n", claims)

	callback, err = idp.NewBrowser().SignIn(ctx, app.AuthCodeURL("state"), "denies")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(callback.Query().Get("error"))
	// Output:
	// persona.veteran
	// {FirstName:Maria Status:[{Group:military Subgroups:[Veteran] Verified:true}]}
	// access_denied
}

func ExampleServer_Advance() {
	ctx := context.Background()
	idp, err := providertest.Start(ctx, providertest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
	app := newApplication(ctx, idp)
	callback, err := idp.NewBrowser().SignIn(ctx, app.AuthCodeURL("state"), "student")
	if err != nil {
		log.Fatal(err)
	}
	token, _, err := app.signIn(ctx, callback.Query().Get("code"))
	if err != nil {
		log.Fatal(err)
	}

	idp.Advance(8 * 24 * time.Hour) // longer than a refresh token lives
	_, err = app.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	fmt.Println(err)
	// Output:
	// oauth2: "invalid_grant" "The code or token is unknown, expired, used or revoked, or belongs to another application."
}

// An application that asks for a passkey before a payment: a user who has signed in with a
// password is asked for more, and an application that does not look at acr takes either.
func ExampleServer_SetAssurance() {
	ctx := context.Background()
	idp, err := providertest.Start(ctx, providertest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
	app := newApplication(ctx, idp)
	user := idp.NewBrowser()

	idp.SetAssurance(provider.OneFactor)
	acr, err := app.classOf(ctx, user, app.AuthCodeURL("state"))
	fmt.Println(acr, err)

	pay := app.AuthCodeURL("state", oauth2.SetAuthURLParam("claims", `{"id_token": {"acr": {"essential": true, "value": "phr"}}}`))
	idp.SetAssurance(provider.PhishingResistant)
	acr, err = app.classOf(ctx, user, pay)
	fmt.Println(acr, err)
	// Output:
	// https://refeds.org/profile/sfa <nil>
	// phr <nil>
}

func ExampleServer_SetFault() {
	ctx := context.Background()
	idp, err := providertest.Start(ctx, providertest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
	app := newApplication(ctx, idp)

	for _, fault := range []sandbox.Fault{sandbox.IDTokenSignature, sandbox.IDTokenAudience, sandbox.NoFault} {
		idp.SetFault(fault)
		callback, err := idp.NewBrowser().SignIn(ctx, app.AuthCodeURL("state"), "veteran")
		if err != nil {
			log.Fatal(err)
		}
		_, _, err = app.signIn(ctx, callback.Query().Get("code"))
		fmt.Println(err)
	}
	// Output:
	// failed to verify signature: failed to verify id token signature
	// oidc: expected audience "client" got ["client.of.another"]
	// <nil>
}
