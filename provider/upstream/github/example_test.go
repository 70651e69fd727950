package github_test

import (
	"fmt"
	"os"

	"github.com/bonafide-id/bonafide/provider/upstream/github"
)

// GitHub, and a server of a company.
func ExampleNew() {
	public := github.New(github.Options{ClientID: "Iv1.0123456789abcdef", Secret: "…"})
	own := github.New(github.Options{ClientID: "Iv1.fedcba9876543210", Secret: os.Getenv("GHE_SECRET"), Enterprise: "https://git.corp.example"})
	fmt.Println(public.Check())
	fmt.Println(own.Check())
	// Output:
	// <nil>
	// Secret: is missing
}
