package main

import (
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/storage"
)

// newIdentity makes the club an identity provider for other sites, with the club's
// own members and sign-in page, and mounts it on the club's site.
func newIdentity(ctx context.Context, base string, secret []byte, store storage.Store, s *site) (*provider.Provider, error) {
	p, err := provider.New(ctx, provider.Config{
		BaseURL: base + "/id",
		Secret:  secret,
		Store:   store,
		Brand:   provider.Brand{Name: "Bergström Alpine Club", ButtonColor: "#7c2d12", HomeURL: "/"},
		Groups:  []catalogue.Group{{Name: "club", Title: "Club member", Subgroups: []string{"Gold", "Silver"}}},
		Scopes: []catalogue.Scope{{
			Name: "membership", Title: "Your membership",
			Description: "Your name, your email address, and whether you are a member of the club.",
			Attributes:  []string{"uuid", "email", "fname", "lname"},
			Groups:      []string{"club"},
		}},
		Users: provider.Users{
			SignedIn:   s.signedIn,
			SignInURL:  "/login",
			SignOutURL: "/logout",
			Person:     s.members.person,
		},
	})
	if err != nil {
		return nil, err
	}
	s.isReturnTo = p.Pages().IsReturnTo
	s.mux.Handle("/id/", p)
	return p, nil
}

// signedIn is level 1: who is signed in at the club, since when, and how.
func (s *site) signedIn(r *http.Request) (provider.SignedIn, error) {
	found, ok := s.session(r)
	if !ok {
		return provider.SignedIn{}, nil
	}
	return provider.SignedIn{UserID: found.memberID, AuthTime: found.authTime, AMR: []string{"pwd"}}, nil
}

// person is level 2: what the club knows about a member, at the moment that another
// site is told. A membership that has ended is gone from the next answer.
func (ms *members) person(_ context.Context, id string, _, _ []string) (provider.Person, error) {
	m, ok := ms.find(id)
	if !ok {
		return provider.Person{}, provider.ErrNoUser
	}
	p := provider.Person{Attributes: map[string]any{"email": m.Email, "fname": m.FirstName, "lname": m.LastName}}
	if m.Level != "" {
		p.Statuses = []provider.Status{{Group: "club", Subgroups: []string{m.Level}, Verified: true}}
	}
	return p, nil
}
