package claims

import (
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// TestSingleClaimRequiresTheLeast: of the scopes that release an attribute the least demanding
// counts, in whatever order they are configured.
func TestSingleClaimRequiresTheLeast(t *testing.T) {
	demanding := []storage.Requirement{
		{Assurance: storage.TwoFactors},
		{Assurance: storage.TwoFactors, MaxAge: 2 * time.Hour},
		{Assurance: storage.TwoFactors, MaxAge: time.Hour},
		{Assurance: storage.TwoFactors, Enrolled: time.Hour},
		{Assurance: storage.PhishingResistant},
	}
	for i := range demanding {
		var scopes []catalogue.Scope
		for j, r := range demanding[i:] {
			scopes = append(scopes, catalogue.Scope{Name: string(rune('a' + j)), Title: "A", Attributes: []string{"fname"}, Requires: r})
		}
		for range 2 {
			c := testkit.Must(NewCatalogue(scopes, nil, nil))(t)
			if got, want := c.Requires(nil, []string{"fname"}), assurance.Required(demanding[i]); got != want {
				t.Errorf("of %v: %v, want %v", scopes, got, want)
			}
			slices.Reverse(scopes)
		}
	}
}
