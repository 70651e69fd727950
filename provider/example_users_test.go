package provider_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// member is a user as the host keeps one.
type member struct {
	name, email string
	isStudent   bool
	signedInAt  time.Time
}

// A host that keeps its users connects its sessions and its table of members. The
// provider then has no accounts, passwords and sessions of its own.
func ExampleUsers() {
	ctx := context.Background()
	members := map[string]member{
		"m-17": {name: "Ada", email: "ada@example.com", isStudent: true, signedInAt: time.Now()},
	}
	idp, cleanUp := newExample(provider.Config{
		BaseURL: "https://app.example.com/id",
		Users: provider.Users{
			SignInURL: "https://app.example.com/login",
			SignedIn: func(r *http.Request) (provider.SignedIn, error) {
				session, _ := r.Cookie("session")
				if session == nil {
					return provider.SignedIn{}, nil // nobody is
				}
				id := session.Value // of a real host: looked up
				return provider.SignedIn{UserID: id, AuthTime: members[id].signedInAt}, nil
			},
			Person: func(_ context.Context, id string, _, _ []string) (provider.Person, error) {
				m, ok := members[id]
				if !ok {
					return provider.Person{}, provider.ErrNoUser
				}
				return provider.Person{
					Attributes: map[string]any{"fname": m.name, "email": m.email},
					Statuses:   []provider.Status{{Group: "student", Verified: m.isStudent}},
				}, nil
			},
		},
	})
	defer cleanUp()
	if err := idp.Clients().Save(ctx, provider.Client{
		ID: "shop", Public: true, Dialect: provider.Standard, RedirectURIs: []string{"https://shop.example/callback"},
	}); err != nil {
		log.Fatal(err)
	}

	// A request of the shop, first of a browser that is not signed in at the host.
	request := httptest.NewRequest(http.MethodGet, "https://app.example.com/id/oauth/authorize?client_id=shop"+
		"&redirect_uri=https://shop.example/callback&response_type=code&scope=openid+student"+
		"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256", nil)
	for range 2 {
		w := httptest.NewRecorder()
		idp.ServeHTTP(w, request)
		location, err := w.Result().Location()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(location.Path)
		request.AddCookie(&http.Cookie{Name: "session", Value: "m-17"})
	}
	// Output:
	// /login
	// /id/oauth/consent
}
