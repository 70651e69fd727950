package federation

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// ErrStale means that an upstream was asked to authenticate somebody now, and says that it has
// done so before.
var ErrStale = errors.New("the authentication at the upstream is of before")

// Arrival is the return of somebody from an upstream provider.
type Arrival struct {
	Attempt  Attempt
	Upstream Upstream
	Who      upstream.Identity

	// At is the time of the authentication there, or that of the return if that is earlier, or
	// if it is not said: Undated.
	At      time.Time
	Undated bool
}

// Finish returns who has come back to the page of an upstream. An attempt that is none of this
// browser and this upstream, or was used, is a *web.PageError, and the upstream is not called
// for it. Whatever else fails is returned with the attempt: ErrStale, or an error of the
// connector.
func (u *Upstreams) Finish(w http.ResponseWriter, r *http.Request, one Upstream) (Arrival, error) {
	values, err := u.values(r)
	if err != nil {
		return Arrival{}, err
	}
	a, err := u.open(r, one, values.Get("state"))
	if err != nil {
		return Arrival{}, err
	}
	now := u.Clock()
	err = u.Store.UseID(r.Context(), a.Digest(), a.Until(), now)
	if errors.Is(err, storage.ErrConflict) {
		return Arrival{}, refused(ui.ErrorExpired, errors.New("second return from an upstream"))
	}
	if err != nil {
		return Arrival{}, fmt.Errorf("use attempt: %w", err)
	}
	u.Site.Cookies.Clear(w, slotCookie(a.Slot))
	back := Arrival{Attempt: a, Upstream: one, At: now}
	back.Who, err = one.Connector.Finish(r.Context(), upstream.Callback{Values: values, Keep: a.Keep, Address: u.callback(one), HTTP: u.HTTP, Now: now})
	switch {
	case err != nil:
		return back, err
	case back.Who.Issuer == "" || back.Who.Subject == "":
		return back, errors.New("the connector names nobody")
	}
	said := back.Who.AuthTime
	back.Undated = said.IsZero()
	if !back.Undated && said.Before(now) {
		if a.Afresh && said.Before(time.Unix(a.Made, 0).Add(-skew)) {
			return back, ErrStale
		}
		back.At = said
	}
	return back, nil
}

// maxPosted limits a posted response in bytes.
const maxPosted = 12 << 10

// Posted answers a response that an upstream has posted (OAuth 2.0 Form Post Response Mode), and
// reports whether that was all: nothing is known of it before the browser brings it again.
func (u *Upstreams) Posted(w http.ResponseWriter, r *http.Request) (answered bool, err error) {
	if err := input.ParseForm(r, maxPosted); err != nil {
		return false, refused(ui.ErrorRequest, err)
	}
	if err := web.CheckFields(r.PostForm); err != nil {
		return false, refused(ui.ErrorRequest, err)
	}
	s, err := u.read(r.PostForm.Get("state"))
	return u.Site.SendAgain(w, r, err == nil && s.Plain)
}

// values are the parameters of a response, in the address or as they were posted.
func (u *Upstreams) values(r *http.Request) (url.Values, error) {
	if r.Method == http.MethodPost {
		return r.PostForm, nil
	}
	query, err := web.QueryOf(r)
	if err != nil {
		return nil, refused(ui.ErrorRequest, err)
	}
	return query, nil
}
