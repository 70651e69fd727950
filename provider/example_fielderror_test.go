package provider_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider"
)

// What cannot be accepted is named by the path of its field, so that a form can say it
// beside the input.
func ExampleFieldError() {
	idp, cleanUp := newExample(provider.Config{BaseURL: "https://id.example.com"})
	defer cleanUp()
	err := idp.Clients().Save(context.Background(), provider.Client{
		ID: "shop", Dialect: provider.V3,
		RedirectURIs: []string{"https://shop.example/callback", "http://shop.example/callback"},
	})
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Field)
	}
	// Output: RedirectURIs[1]
}
