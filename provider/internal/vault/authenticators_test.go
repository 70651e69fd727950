package vault_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// openSealed returns a store with personal data in clear, the one behind it, and the vault.
func openSealed(t testing.TB) (clear, behind storage.Store, v *vault.Vault) {
	t.Helper()
	behind = testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db")))(t)
	t.Cleanup(func() { _ = behind.Close() })
	clear, v = openVault(t, behind, secret)
	return clear, behind, v
}

var secret = random.Bytes(32)

// openVault opens a store under some secrets as one more process does.
func openVault(t testing.TB, behind storage.Store, current []byte, former ...[]byte) (storage.Store, *vault.Vault) {
	t.Helper()
	clear, v, err := vault.OpenStore(t.Context(), vault.Options{
		Store: behind, Secrets: newSecrets(t, current, former...), Issuer: "https://login.example", Logger: slog.New(slog.DiscardHandler),
	})
	testkit.OK(t, err)
	return clear, v
}

func newSecrets(t testing.TB, current []byte, former ...[]byte) *keyring.Secrets {
	t.Helper()
	secrets := testkit.Must(keyring.NewSecrets(current, former...))(t)
	return secrets
}

// atNoon is when these tests take place.
var atNoon = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

func passkeyOf(account, name string) storage.Passkey {
	return storage.Passkey{
		ID: []byte("id of " + name), AccountID: account, UserHandle: []byte("handle of " + account), RPID: "login.example",
		Name: "name of " + name, PublicKey: []byte("key of " + name), CreatedAt: atNoon,
	}
}

var recoveryCodes = storage.RecoveryCodes{Salt: []byte("salt of a set"), Digests: []storage.Digest{{1}, {2}}, CreatedAt: atNoon}

// TestAuthenticatorsAreSealed writes by every way there is, and reads before and behind the
// vault.
func TestAuthenticatorsAreSealed(t *testing.T) {
	clear, behind, _ := openSealed(t)
	first, second := passkeyOf("ann", "first"), passkeyOf("ann", "second")
	account := storage.Account{ID: "ann", Email: "ann@example.com", EmailKey: "ann@example.com", CreatedAt: atNoon}
	on := storage.Proof{At: atNoon}
	for _, err := range []error{
		clear.CreateAccount(t.Context(), account, storage.FirstFactors{Passkey: first, Recovery: recoveryCodes}),
		clear.AddPasskey(t.Context(), second, 2, on),
		clear.RenamePasskey(t.Context(), "ann", second.ID, "new name"),
		clear.SetTOTP(t.Context(), "ann", storage.TOTP{Secret: []byte("secret of an app"), CreatedAt: atNoon}, recoveryCodes, storage.Proof{FactorsVersion: 1}),
		clear.SetRecoveryCodes(t.Context(), "ann", recoveryCodes, storage.Proof{FactorsVersion: 2}),
	} {
		testkit.OK(t, err)
	}
	second.Name = "new name"
	account.UserHandle, account.SecondStep, account.FactorsVersion = first.UserHandle, true, 3
	want := storage.AuthenticatorSet{
		Account: account, Passkeys: []storage.Passkey{first, second}, Recovery: recoveryCodes,
		TOTP: storage.TOTP{Secret: []byte("secret of an app"), CreatedAt: atNoon},
	}
	got, err := clear.Authenticators(t.Context(), "ann")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	one, of, err := clear.Passkey(t.Context(), second.ID)
	if diff := cmp.Diff([]any{second, account}, []any{one, of}); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	sealed := testkit.Must(behind.Authenticators(t.Context(), "ann"))(t)
	secrets := map[string]string{"secret": string(sealed.TOTP.Secret), "salt": string(sealed.Recovery.Salt)}
	for _, p := range sealed.Passkeys {
		secrets["name of "+string(p.ID)], secrets["key of "+string(p.ID)] = p.Name, string(p.PublicKey)
	}
	if len(secrets) != 6 {
		t.Fatalf("behind the vault is %v", secrets)
	}
	for name, value := range secrets {
		if !vault.IsSealed(value) || strings.Contains(value, "of ") {
			t.Errorf("the %s is stored as %q", name, value)
		}
	}
}

// TestAPasskeyOpensInItsPlaceOnly moves sealed values as somebody may who can write to the
// database.
func TestAPasskeyOpensInItsPlaceOnly(t *testing.T) {
	for name, move := range map[string]func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes){
		"KeyOfAnother": func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			p := own.Passkeys[0]
			p.PublicKey = others.Passkeys[0].PublicKey
			return p, own.TOTP, own.Recovery
		},
		"NameOfAnother": func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			p := own.Passkeys[0]
			p.Name = others.Passkeys[0].Name
			return p, own.TOTP, own.Recovery
		},
		"PasskeyOfAnother": func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			return others.Passkeys[0], own.TOTP, own.Recovery
		},
		"AppOfAnother": func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			return own.Passkeys[0], others.TOTP, own.Recovery
		},
		"CodesOfAnother": func(own, others storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			return own.Passkeys[0], own.TOTP, others.Recovery
		},
		"PlainKey": func(own, _ storage.AuthenticatorSet) (storage.Passkey, storage.TOTP, storage.RecoveryCodes) {
			p := own.Passkeys[0]
			p.PublicKey = []byte("key")
			return p, own.TOTP, own.Recovery
		},
	} {
		t.Run(name, func(t *testing.T) {
			clear, behind, _ := openSealed(t)
			sets := map[string]storage.AuthenticatorSet{}
			for _, who := range []string{"ann", "bob"} {
				first := storage.FirstFactors{Passkey: passkeyOf(who, who), Recovery: recoveryCodes}
				testkit.OK(t, clear.CreateAccount(t.Context(), storage.Account{ID: who, CreatedAt: atNoon}, first))
				app := storage.TOTP{Secret: []byte("secret"), CreatedAt: atNoon}
				testkit.OK(t, clear.SetTOTP(t.Context(), who, app, storage.RecoveryCodes{}, storage.Proof{}))
				set := testkit.Must(behind.Authenticators(t.Context(), who))(t)
				sets[who] = set
			}
			p, app, codes := move(sets["ann"], sets["bob"])
			for _, who := range []string{"ann", "bob"} {
				testkit.Must(behind.DeleteAccount(t.Context(), who, "someone", nil))(t)
				if left, err := behind.RemoveDeparted(t.Context(), storage.Departed{Subject: who}, nil); left || err != nil {
					t.Fatal(left, err)
				}
			}
			p.AccountID = "ann"
			testkit.OK(t, behind.CreateAccount(t.Context(), storage.Account{ID: "ann", CreatedAt: atNoon}, storage.FirstFactors{Passkey: p}))
			testkit.OK(t, behind.SetTOTP(t.Context(), "ann", app, codes, storage.Proof{}))
			if _, err := clear.Authenticators(t.Context(), "ann"); !errors.Is(err, vault.ErrOpen) {
				t.Errorf("the set is read: %v", err)
			}
			_, _, err := clear.Passkey(t.Context(), p.ID)
			if moved := strings.HasPrefix(name, "App") || strings.HasPrefix(name, "Codes"); errors.Is(err, vault.ErrOpen) == moved {
				t.Errorf("the passkey is read: %v", err)
			}
		})
	}
}
