package provider_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/bonafide-id/bonafide/provider"
)

func ExampleClients_Save() {
	ctx := context.Background()
	idp, cleanUp := newExample(provider.Config{BaseURL: "https://id.example.com"})
	defer cleanUp()

	err := idp.Clients().Save(ctx, provider.Client{
		ID:           "shop",
		Secret:       rand.Text() + rand.Text(), // hand it to the shop's developers
		Name:         "Example Shop",
		Dialect:      provider.Standard,
		RedirectURIs: []string{"https://shop.example/callback"},
		Scopes:       []string{"identity", "military"},
	})
	if err != nil {
		log.Fatal(err)
	}

	// The shop can send a browser now. Nobody is signed in, so the browser gets to the
	// sign-in screen.
	request := "https://id.example.com/oauth/authorize?" + url.Values{
		"client_id": {"shop"}, "redirect_uri": {"https://shop.example/callback"},
		"response_type": {"code"}, "scope": {"openid military"}, "state": {"4nN8"},
	}.Encode()
	w := httptest.NewRecorder()
	idp.ServeHTTP(w, httptest.NewRequest(http.MethodGet, request, nil))
	location, err := w.Result().Location()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(location.Path)
	// Output: /signin
}
