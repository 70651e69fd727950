package vault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// TestLinksAreSealed writes links by both ways there are, reads them before and behind the
// vault, and gives one to another account, as somebody may who can write to the database.
func TestLinksAreSealed(t *testing.T) {
	clear, behind, _ := openSealed(t)
	link := func(n byte) storage.Link {
		return storage.Link{
			Digest: storage.Digest{n}, AccountID: "ann", Upstream: "campus", Issuer: "https://campus.example", Subject: "subject", Name: "ann@campus.example",
			CreatedAt: atNoon,
		}
	}
	ann := storage.Account{ID: "ann", Email: "ann@example.com", EmailKey: "ann@example.com", CreatedAt: atNoon}
	for _, err := range []error{
		clear.CreateAccount(t.Context(), ann, storage.FirstFactors{Link: link(1)}),
		clear.AddLink(t.Context(), link(2), 2, storage.Proof{At: atNoon}),
		clear.CreateAccount(t.Context(), storage.Account{ID: "bob", CreatedAt: atNoon}),
	} {
		testkit.OK(t, err)
	}
	set, err := clear.Authenticators(t.Context(), "ann")
	if diff := cmp.Diff([]storage.Link{link(1), link(2)}, set.Links); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	one, of, err := clear.LinkedAccount(t.Context(), storage.Digest{2})
	if diff := cmp.Diff(link(2), one); err != nil || diff != "" || of.Email != ann.Email {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	sealed, err := behind.Authenticators(t.Context(), "ann")
	if err != nil || len(sealed.Links) != 2 {
		t.Fatalf("%v %+v", err, sealed)
	}
	for _, l := range sealed.Links {
		if !vault.IsSealed(l.Subject) || !vault.IsSealed(l.Name) {
			t.Errorf("stored as %+v", l)
		}
	}
	moved := sealed.Links[1]
	moved.AccountID = "bob"
	testkit.OK(t, behind.RemoveLink(t.Context(), "ann", moved.Digest, sealed.Account.Proof(), atNoon))
	testkit.OK(t, behind.AddLink(t.Context(), moved, 1, storage.Proof{At: atNoon}))
	if _, _, err := clear.LinkedAccount(t.Context(), moved.Digest); err == nil {
		t.Error("the identity of ann signs in to the account of bob")
	}
}
