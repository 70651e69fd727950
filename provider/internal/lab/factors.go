package lab

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// App is an authenticator app with a secret of an account.
type App struct {
	of     *Fixture
	secret []byte
	last   int64
}

// Sealed returns the store as the provider sees it, with personal data in clear.
func (w *Fixture) Sealed() storage.Store {
	w.T.Helper()
	secrets := testkit.Must(keyring.NewSecrets(configSecret))(w.T)
	opened, _, err := vault.OpenStore(w.T.Context(), vault.Options{
		Store: w.Store, Secrets: secrets, Issuer: w.Issuer(), Logger: slog.New(slog.DiscardHandler),
	})
	w.OK(err)
	return opened
}

// AddApp gives an account an authenticator app and recovery codes.
func (w *Fixture) AddApp(accountID string) (app *App, codes []string) {
	w.T.Helper()
	account := testkit.Must(w.Store.Account(w.T.Context(), accountID))(w.T)
	codes = factor.NewRecoveryCodes()
	set := testkit.Must(factor.RecoverySet(codes))(w.T)
	now := w.Now()
	set.CreatedAt = now
	app = &App{of: w, secret: factor.NewTOTPSecret()}
	w.OK(w.Sealed().SetTOTP(w.T.Context(), accountID, storage.TOTP{Secret: app.secret, CreatedAt: now}, set, account.Proof()))
	return app, codes
}

// Code returns a code that the app has not shown yet: time passes until there is one.
func (a *App) Code() string {
	for {
		if step := a.of.Now().Unix() / 30; step > a.last {
			a.last = step
			return CodeAt(a.secret, step)
		}
		a.of.Advance(10 * time.Second)
	}
}

// CodeAt returns the code of a time step, as an app computes it (RFC 4226 section 5.3).
func CodeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&(1<<31-1)%1_000_000)
}

// AddLink connects an identity at an upstream with an account; name is what it is called there.
func (w *Fixture) AddLink(accountID, upstream, name string) {
	w.T.Helper()
	account := testkit.Must(w.Store.Account(w.T.Context(), accountID))(w.T)
	w.OK(w.Sealed().AddLink(w.T.Context(), storage.Link{
		Digest: sha256.Sum256([]byte(upstream + " " + name)), AccountID: accountID, Upstream: upstream,
		Issuer: "https://" + upstream + ".example", Subject: name, Name: name, CreatedAt: w.Now(),
	}, 20, account.Proof()))
}
