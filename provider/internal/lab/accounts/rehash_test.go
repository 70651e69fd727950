package accounts

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// outdated returns a hash as an older version, or another program, would have made it.
func outdated(password string) string {
	salt := []byte("somesalt")
	tag := argon2.IDKey([]byte(password), salt, 1, 8*1024, 1, 32)
	return fmt.Sprintf("$argon2id$v=19$m=8192,t=1,p=1$%s$%s",
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(tag))
}

// parameters returns what a hash begins with, before its salt.
func parameters(hash string) string {
	return strings.Join(strings.Split(hash, "$")[:4], "$")
}

func TestOutdatedHashIsReplacedAndEndsNothing(t *testing.T) {
	t.Parallel()
	for name, present := range map[string]func(t *testing.T, w *lab.Fixture){
		"BySignIn": func(t *testing.T, w *lab.Fixture) { w.Alice() },
		"ByTheHost": func(t *testing.T, w *lab.Fixture) {
			testkit.Must(w.Accounts().Save(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.AlicePass}))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithUsers()
			before := w.Alice()
			bob := testkit.Must(w.Store.Account(t.Context(), "bob"))(t)
			current := parameters(bob.PasswordHash)
			hash := func() string {
				t.Helper()
				account := testkit.Must(w.Store.Account(t.Context(), "alice"))(t)
				return account.PasswordHash
			}
			old := outdated(lab.AlicePass)
			testkit.OK(t, w.Store.Rehash(t.Context(), "alice", hash(), old))
			if p := w.NewBrowser().Attempt("alice@example.com", lab.BobPass); p.StatusCode != http.StatusUnauthorized || hash() != old {
				t.Errorf("a wrong password: %s, and the hash is %s", p.Status, hash())
			}
			present(t, w)
			if got := hash(); parameters(got) != current || current == parameters(old) {
				t.Errorf("the hash is still %s", got)
			}
			if !before.IsSignedIn() {
				t.Error("another session of the account has ended")
			}
			if got := hash(); !w.Alice().IsSignedIn() || hash() != got {
				t.Error("the new hash does not fit, or was replaced again")
			}
		})
	}
}
