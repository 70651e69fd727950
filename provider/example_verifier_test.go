package provider_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
)

// A host that verifies students by the list of a university: the consent screen and the
// account page offer it to whoever is not verified. Package verification has verifiers with
// pages, cases and reviews.
func ExampleVerifier() {
	students := []string{"ada@university.example"}
	emails := map[string]string{"u-1": "ada@university.example"}

	var idp *provider.Provider
	roster := func(ctx context.Context, v provider.Verification) (string, error) {
		if slices.Contains(students, emails[v.UserID]) {
			return v.ReturnTo, idp.People().SetStatus(ctx, v.UserID, provider.Status{
				Group: v.Group, Verified: true, VerifiedBy: "University of Example", Source: "Register of students", Method: "roster",
			})
		}
		// Not on the list: a page of the host asks for a document. It checks return_to with
		// Pages.IsReturnTo, records a Status that is Pending, and sends the user back.
		return "/student-card?" + url.Values{"return_to": {v.ReturnTo}}.Encode(), nil
	}
	idp, cleanUp := newExample(provider.Config{
		BaseURL:   "https://app.example.com/id",
		Verifiers: map[string]provider.Verifier{"student": roster},
	})
	defer cleanUp()
	for id, email := range emails {
		if _, err := idp.Accounts().Save(context.Background(), provider.Account{ID: id, Email: email}); err != nil {
			fmt.Println(err)
		}
	}

	// As the provider calls it, when users have pressed the button beside the group.
	for _, user := range []string{"u-1", "u-2"} {
		address, err := roster(context.Background(), provider.Verification{
			UserID: user, Group: "student", ReturnTo: "https://app.example.com/id/verify/return",
		})
		fmt.Println(address, err)
	}
	// Output:
	// https://app.example.com/id/verify/return <nil>
	// /student-card?return_to=https%3A%2F%2Fapp.example.com%2Fid%2Fverify%2Freturn <nil>
}
