package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
)

// deskClient is the ID under which a desk at a host of its own is registered.
const deskClient = "bonafide-desk"

// The paths at which a desk at a host of its own signs the staff in.
const (
	deskSignIn   = "/sign-in"
	deskSignedIn = "/signed-in"
)

// deskSessionLife is how long a browser is known at the host of a desk: no less than a shift there.
const deskSessionLife = 8 * time.Hour

// deskHost is all of a desk's own host. The sessions of the provider are at another one, so the
// desk signs its staff in as applications do, by two factors.
type deskHost struct {
	provider *provider.Provider
	url      *url.URL
	account  string
	staff    map[string]desk.Staff
	client   oauth2.Config
	log      *slog.Logger
	desk     http.Handler
}

// deskSession is who has signed in there, when, how (RFC 8176), and in which session of the
// provider (sid).
type deskSession struct {
	User    string    `json:"user"`
	At      time.Time `json:"at"`
	Methods []string  `json:"methods"`
	SID     string    `json:"sid"`
}

// newDeskHost registers the desk as an application, and returns its host without the desk.
func newDeskHost(ctx context.Context, p opened, address, account string, staff map[string]desk.Staff, log *slog.Logger) (*deskHost, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	err = p.own(ctx, provider.Client{
		ID: deskClient, Name: "Desk", Dialect: provider.Standard, RedirectURIs: []string{address + deskSignedIn}, ResponseTypes: []string{"code"},
		Scopes: []string{"openid"}, RequirePKCE: true, SkipConsent: true, Requires: provider.Requirement{Assurance: provider.TwoFactors},
	})
	if err != nil {
		return nil, fmt.Errorf("desk.url: %w", err)
	}
	secret, err := p.Clients().Secret(ctx, deskClient)
	if err != nil {
		return nil, err
	}
	return &deskHost{provider: p.Provider, url: at, account: account, staff: staff, log: log, client: oauth2.Config{
		ClientID: deskClient, ClientSecret: secret, RedirectURL: address + deskSignedIn, Scopes: []string{"openid"},
	}}, nil
}

// deskURL is the address of the desk of an environment that has one.
func (e *environment) deskURL() string { return cmp.Or(e.Desk.URL, e.BaseURL) }

// atHost has a desk signed in to at its own host.
func (h *deskHost) atHost(c desk.Config) desk.Config {
	c.URL, c.Admit, c.SignInURL, c.AccountURL = h.url.String(), admitted, h.url.String()+deskSignIn, h.account
	return c
}

func (h *deskHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case h.url.Path + deskSignIn:
		h.signIn(w, r)
		return
	case h.url.Path + deskSignedIn:
		h.signedIn(w, r)
		return
	}
	staff, err := h.who(r)
	if err == nil && staff.ID == "" && h.isPage(r) {
		http.Redirect(w, r, h.url.String()+deskSignIn+"?"+url.Values{"return_to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
		return
	}
	h.desk.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, answered{staff, err})))
}

// isPage reports whether a request is for a page of the desk: neither for its API, which has
// tokens, nor for what pages load.
func (h *deskHost) isPage(r *http.Request) bool {
	path, below := strings.CutPrefix(r.URL.Path, h.url.Path+"/desk/")
	return r.Method == http.MethodGet && (below && !strings.HasPrefix(path, "api/") || r.URL.Path == h.url.Path+"/")
}

// answered is who sends a request, and what went wrong in finding out.
type answered struct {
	staff desk.Staff
	err   error
}

type whoKey struct{}

// admitted says who sends a request that ServeHTTP has passed on (desk.Config.Admit).
func admitted(r *http.Request) (desk.Staff, error) {
	who, _ := r.Context().Value(whoKey{}).(answered)
	return who.staff, who.err
}

// who returns the member of the staff who has signed in here, the zero one for nobody. The end of
// the session in which they did so, by whatever ends one, is the end here, too.
func (h *deskHost) who(r *http.Request) (desk.Staff, error) {
	var s deskSession
	if !h.kept(r, "session", &s) || time.Since(s.At) > deskSessionLife {
		return desk.Staff{}, nil
	}
	staff, works := h.staff[s.User]
	if !works {
		return desk.Staff{}, nil
	}
	if in, err := h.provider.People().SignedIn(r.Context(), s.User, deskClient, s.SID); err != nil || !in {
		return desk.Staff{}, err
	}
	staff.ID, staff.AuthenticatedAt, staff.Methods = cmp.Or(staff.ID, s.User), s.At, s.Methods
	return staff, nil
}

// keep has the browser keep a value that only this service reads, and an age of zero forget it.
func (h *deskHost) keep(w http.ResponseWriter, name string, value any, age time.Duration) error {
	c := h.cookie(name)
	c.MaxAge = -1
	if age > 0 {
		plain, err := json.Marshal(value)
		if err != nil {
			return err
		}
		c.Value, c.MaxAge = base64.RawURLEncoding.EncodeToString(h.provider.Keys().Seal(h.purpose(name), plain)), int(age.Seconds())
	}
	http.SetCookie(w, c)
	return nil
}

// kept reads what keep has had the browser keep.
func (h *deskHost) kept(r *http.Request, name string, value any) bool {
	c, err := r.Cookie(h.cookie(name).Name)
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return false
	}
	plain, err := h.provider.Keys().Open(h.purpose(name), sealed)
	return err == nil && json.Unmarshal(plain, value) == nil
}

// purpose is that of a cookie of this desk, and of none whose provider has the same secret.
func (h *deskHost) purpose(name string) string {
	return fmt.Sprintf("desk %s at %s of %s", name, h.url, h.provider.Issuer())
}

func (h *deskHost) cookie(name string) *http.Cookie {
	c := &http.Cookie{Name: "desk_" + name, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.url.Scheme == "https"}
	if c.Secure {
		c.Name = "__Host-" + c.Name
	}
	return c
}
