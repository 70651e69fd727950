package session

import (
	"context"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// SecondCookie makes the cookies by which a browser's own requests (Federated Credential
// Management API) find a session. Browsers make them for the page of another site, and send
// them no cookie that is Lax. Each names a session, sealed, and until when: with it nobody is
// in the session.
type SecondCookie struct {
	Secrets *keyring.Secrets

	// Issuer is that of the provider: no other takes its cookies.
	Issuer string
}

func (c *SecondCookie) purpose() string { return "fedcm session " + c.Issuer }

// open returns the session of a cookie, and until when it counts; false for what is none.
func (c *SecondCookie) open(value string) (session storage.Digest, until time.Time, ok bool) {
	plain, err := c.Secrets.OpenString(c.purpose(), value)
	if err != nil || len(plain) != len(session)+8 { // planted, or of a secret that is gone
		return session, until, false
	}
	rest := plain[copy(session[:], plain):]
	return session, time.Unix(int64(binary.BigEndian.Uint64(rest)), 0), true
}

// OfBrowser reports whether a browser itself has made a request for its user. Neither a page
// nor a link or an image in one can have this value in its requests.
func OfBrowser(r *http.Request) bool {
	dest := r.Header["Sec-Fetch-Dest"]
	return len(dest) == 1 && dest[0] == "webidentity"
}

// SendSecond sends the second cookie of a session, and tells the browser that somebody is
// signed in (FedCM, login status). It does nothing where there is none.
func (m *Manager) SendSecond(w http.ResponseWriter, session storage.Digest) {
	if m.FedCM == nil {
		return
	}
	plain := binary.BigEndian.AppendUint64(session[:], uint64(m.Clock().Add(m.Life).Unix()))
	m.Cookies.Set(w, FedCM, m.FedCM.Secrets.SealString(m.FedCM.purpose(), plain), m.Life)
	w.Header().Set(loginStatus, "logged-in")
}

// loginStatus is the header by which a browser knows whether it is worth asking who is signed in.
const loginStatus = "Set-Login"

// SayLoggedOut tells the browser that nobody is signed in.
func SayLoggedOut(w http.ResponseWriter) { w.Header().Set(loginStatus, "logged-out") }

// OfFedCM is Current for a request of the browser's own, by the second cookie. Any page can
// cause one, so that the session is not in use by it.
func (m *Manager) OfFedCM(ctx context.Context, r *http.Request) (storage.Session, storage.Account, bool, error) {
	if m.FedCM == nil || !OfBrowser(r) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	digest, until, ok := m.FedCM.open(m.Cookies.Get(r, FedCM))
	if !ok || !m.Clock().Before(until) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	return m.find(ctx, digest, m.Store.Session)
}
