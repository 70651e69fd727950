package signin

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
)

// trustDevice records this browser as a trusted device of an account whose session has just
// begun. The user is signed in all the same if that fails, and is asked again next time.
func (p *frame) trustDevice(w http.ResponseWriter, r *http.Request, page *authflow.Page, account storage.Account) {
	if p.TrustDevices <= 0 {
		return
	}
	value := p.Site.Cookies.Get(r, session.Trusted)
	if value == "" {
		value = random.Text(32)
	}
	now, as := p.Clock(), authflow.Authentication(r, account)
	on := account.Proof()
	on.At = now
	if user, err := page.User(); err == nil && user != nil {
		on.Session = user.Session
	}
	err := p.Store.TrustDevice(r.Context(), storage.TrustedDevice{
		Digest: p.TrustedDigest(value, account.ID), AccountID: account.ID, UserAgent: as.UserAgent, Address: as.Address,
		CreatedAt: now, ExpiresAt: now.Add(p.TrustDevices),
	}, on)
	if err != nil {
		p.Site.Logger.WarnContext(r.Context(), "device could not be trusted", slog.Any("error", err))
		return
	}
	p.Site.Cookies.Set(w, session.Trusted, value, trustedLife)
}

// trustedLife is how long the cookie lasts. What it names ends earlier.
const trustedLife = 30 * 24 * time.Hour
