package federation

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
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
	a, keep, err := u.open(r, one, values.Get("state"))
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
	back.Who, err = one.Connector.Finish(r.Context(), upstream.Callback{Values: values, Keep: keep, Address: u.callback(one), HTTP: u.HTTP, Now: now})
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

// responseParameter carries, sealed, what an upstream has posted.
const responseParameter = "response"

// postedLife is how long a posted response may take to come back from the browser.
const postedLife = 2 * time.Minute

// posted is what an upstream has posted (OAuth 2.0 Form Post Response Mode).
type posted struct {
	Values url.Values `json:"v"`
	Made   int64      `json:"t"`
}

// maxPosted limits a posted response in bytes: it goes into an address.
const maxPosted = 12 << 10

func (u *Upstreams) postedPurpose(path string) string {
	return "upstream response " + u.Site.Issuer + " " + path
}

// Posted answers a response that an upstream has posted. The browser sends no cookie with a form
// of another site, so that nothing is known of it here: it brings the response again, sealed, by
// a redirect to the same page.
func (u *Upstreams) Posted(w http.ResponseWriter, r *http.Request) error {
	if err := input.ParseForm(r, maxPosted); err != nil {
		return refused(ui.ErrorRequest, err)
	}
	if !web.IsText(r.PostForm) {
		return refused(ui.ErrorRequest, errors.New("a parameter is not text"))
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return refused(ui.ErrorRequest, errors.New("a parameter is given more than once"))
		}
	}
	plain, err := json.Marshal(posted{r.PostForm, u.Clock().Unix()})
	if err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	path := web.PathOf(r)
	u.Site.Redirect(w, u.Site.Link(path, responseParameter, u.Site.Secrets.SealString(u.postedPurpose(path), plain)))
	return nil
}

// values are the parameters of a response, in the address or as they were posted.
func (u *Upstreams) values(r *http.Request) (url.Values, error) {
	query, err := web.QueryOf(r)
	if err != nil {
		return nil, refused(ui.ErrorRequest, err)
	}
	sealed := query.Get(responseParameter)
	if sealed == "" {
		return query, nil
	}
	plain, err := u.Site.Secrets.OpenString(u.postedPurpose(web.PathOf(r)), sealed)
	if err != nil {
		return nil, refused(ui.ErrorRequest, err)
	}
	var p posted
	if err := json.Unmarshal(plain, &p); err != nil {
		return nil, fmt.Errorf("decode response: %w", err)
	}
	if !clock.Within(u.Clock(), time.Unix(p.Made, 0), postedLife) {
		return nil, refused(ui.ErrorExpired, errors.New("posted response was left"))
	}
	return p.Values, nil
}
