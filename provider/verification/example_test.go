package verification_test

import (
	"context"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/provider/verification/academic"
)

// A verifier of a host: whoever has a card of the library is a member. One card verifies one
// person, without anything said about it here.
func ExampleVerifier() {
	cards := map[string]string{"4711-0815": "Reader", "4711-0816": "Staff"}
	form := []verification.Field{{Name: "number", Label: verification.Text{English: "Number of your card"}}}
	card := verification.Verifier{
		Name: "library_card", Title: verification.Text{English: "With your library card"},
		Next: func(_ context.Context, _ *verification.Case, e verification.Event) (verification.Result, error) {
			number := e.Form["number"]
			kind, known := cards[number]
			switch {
			case e.Kind != verification.Answered:
				return verification.Ask{Fields: form}, nil
			case !known:
				return verification.Ask{Fields: form, Problem: verification.ReasonNoMatch}, nil
			}
			return verification.Accept{
				Subgroups: []string{kind}, Source: "City library", Proved: []verification.Fact{{Kind: "card", Value: number}},
			}, nil
		},
	}

	// Its policy: with a card, or with an address of a school.
	_ = verification.Policies{{Group: "library", Rule: verification.AnyOf(
		verification.By(card),
		verification.By(verification.EmailDomain(verification.EmailDomainConfig{Institution: academic.Institution})),
	)}}

	// As the service calls it, when somebody has chosen the method and has sent the form.
	for _, e := range []verification.Event{
		{Kind: verification.Begun},
		{Kind: verification.Answered, Form: map[string]string{"number": "1"}},
		{Kind: verification.Answered, Form: map[string]string{"number": "4711-0815"}},
	} {
		switch r, _ := card.Next(context.Background(), &verification.Case{}, e); r := r.(type) {
		case verification.Ask:
			fmt.Printf("asks for %s %q\n", r.Fields[0].Name, r.Problem)
		case verification.Accept:
			fmt.Println("accepts", r.Subgroups, r.Source)
		}
	}
	// Output:
	// asks for number ""
	// asks for number "no_match"
	// accepts [Reader] City library
}
