package openid_test

import (
	"fmt"
	"os"

	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

// The single sign-on of a company, a university, or another Bonafide.
func ExampleNew() {
	campus := openid.New(openid.Options{
		Issuer: "https://login.uni.example", ClientID: "bonafide", Secret: os.Getenv("CAMPUS_SECRET"),
		Scopes:     []string{"email", "profile", "eduperson"},
		Parameters: map[string]string{"resource": "https://id.example"},
	})
	fmt.Println(campus.Check())
	// Output: <nil>
}

// Everybody with a Google account, and one for a company alone.
func ExampleGoogle() {
	everybody := openid.Google(openid.GoogleOptions{ClientID: "1.apps.googleusercontent.com", Secret: "GOCSPX-…"})
	staff := openid.Google(openid.GoogleOptions{ClientID: "1.apps.googleusercontent.com", Secret: "GOCSPX-…", Domains: []string{"corp.example"}})
	fmt.Println(everybody.Check(), staff.Check())
	// Output: <nil> <nil>
}

// Accounts of two companies. The ID of a tenant is in the overview of its Microsoft Entra.
func ExampleMicrosoft() {
	c := openid.Microsoft(openid.MicrosoftOptions{
		ClientID: "6731de76-14a6-49ae-97bc-6eba6914391e", Secret: "…", Tenant: openid.MicrosoftOrganizations,
		Tenants: []string{"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "11111111-2222-3333-4444-555555555555"},
	})
	fmt.Println(c.Check())

	c = openid.Microsoft(openid.MicrosoftOptions{ClientID: "6731de76-14a6-49ae-97bc-6eba6914391e", Tenant: "contoso.com"})
	fmt.Println(c.Check())
	// Output:
	// <nil>
	// Tenant: is neither the ID of a tenant nor common, organizations or consumers
}

// The key is downloaded once from developer.apple.com.
func ExampleApple() {
	key, err := os.ReadFile("/etc/id/AuthKey_ABC123DEFG.p8")
	if err != nil {
		fmt.Println(err)
		return
	}
	var c upstream.Connector = openid.Apple(openid.AppleOptions{ClientID: "com.example.id", TeamID: "DEF123GHIJ", KeyID: "ABC123DEFG", Key: key})
	_ = c // is the Connector of a provider.Upstream
}
