package accounts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
)

// What is done with passkeys is in the audit log; other deeds are in package operations.
func TestPasskeyDeedsAreInTheAuditTrail(t *testing.T) {
	t.Parallel()
	const trust = 30 * 24 * time.Hour
	for name, deed := range map[string]struct {
		do   func(w *lab.Fixture)
		want []string // names and details, by alice
	}{
		"AddedAndRemoved": {func(w *lab.Fixture) {
			b := w.Alice()
			addPasskey(b, authenticator.New())
			p := b.Open(linkTo(b.Open("/account/security"), "/account/passkeys/remove"))
			b.Submit(p)
			b.Submit(p) // there is none any more
		}, []string{"sign_in: password", "passkey_added: by the user", "passkey_removed: by the user"}},
		"SecondStep": {func(w *lab.Fixture) {
			b := w.Alice()
			addPasskey(b, authenticator.New())
			p := b.Open("/account/second-step")
			b.Submit(p)
			b.Submit(p) // it is on
			b.Submit(b.Open("/account/second-step"))
		}, []string{"sign_in: password", "passkey_added: by the user", "second_step_on: by the user", "second_step_off: by the user"}},
		"PasswordRemovedAndSet": {func(w *lab.Fixture) {
			b := w.Alice()
			addPasskey(b, authenticator.New())
			b.Submit(b.Open("/account/password/remove")) // refused: she has no codes
			b.Submit(b.Open("/account/codes"))
			addPasskey(b, authenticator.New())
			b.Submit(b.Open("/account/password/remove"))
			b.Submit(b.Open("/account/password"), "new_password", lab.NewPassword)
		}, []string{
			"sign_in: password", "passkey_added: by the user", "recovery_codes_made: by the user", "passkey_added: by the user",
			"password_removed: by the user", "password_changed: by the user",
		}},
		"SignIn": {func(w *lab.Fixture) {
			keys := withPasskey(w.T.(*testing.T), w)
			signIn := func() {
				b := w.NewBrowser()
				answer(b, b.Open("/signin"), "get", keys)
			}
			signIn()
			keys.Change = func(a *authenticator.Answer) {
				a.Spoil = func(signature []byte) []byte { return signature[:len(signature)-1] }
			}
			signIn()
		}, []string{"sign_in: password", "passkey_added: after a sign-in", "sign_in: passkey", "sign_in_failed: wrong passkey"}},
		"SignInWithACopy": {func(w *lab.Fixture) {
			keys := withPasskey(w.T.(*testing.T), w)
			for _, count := range []uint32{7, 2} {
				keys.Change = func(a *authenticator.Answer) { a.SignCount = count }
				b := w.NewBrowser()
				answer(b, b.Open("/signin"), "get", keys)
			}
		}, []string{"sign_in: password", "passkey_added: after a sign-in", "sign_in: passkey", "passkey_counter: ", "sign_in: passkey"}},
		"DevicesForgotten": {func(w *lab.Fixture) {
			keys := withSecondStep(w.T.(*testing.T), w)
			b := w.NewBrowser()
			p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
			answer(b, p, "get", keys, "trust", "on")
			_, form := b.Open("/account/security").Form(b.T)
			form.Set("action", "forget_all")
			b.Post("/account/security", form)
			b.Post("/account/security", form) // there is none any more
		}, []string{"sign_in: password", "passkey_added: after a sign-in", "sign_in: password, passkey", "devices_forgotten: by the user"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := atLocalhost(t, withUpgrade, func(c *provider.Config) { c.SignIn.TrustDevices = trust })
			before := len(w.Told())
			deed.do(w)
			var got []string
			for _, e := range w.Told()[before:] {
				if e.UserID != "alice" || e.Address != "127.0.0.0/24" {
					t.Errorf("%s of %q at %q", e.Name, e.UserID, e.Address)
				}
				got = append(got, string(e.Name)+": "+e.Detail)
			}
			if diff := cmp.Diff(deed.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
