package clients

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

type zitadelTokens = oidc.Tokens[*oidc.IDTokenClaims]

// zitadelSite is an application with the handlers of zitadel/oidc.
type zitadelSite struct {
	rp.RelyingParty
	afterwards string
	sessions   sync.Map // *zitadelTokens by cookie
}

// tokensOf returns those of a visitor who has signed in.
func (z *zitadelSite) tokensOf(r *http.Request) (session string, tokens *zitadelTokens) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return "", nil
	}
	found, _ := z.sessions.Load(cookie.Value)
	tokens, _ = found.(*zitadelTokens)
	return cookie.Value, tokens
}

// TestZitadelOIDC signs in with the client library of zitadel/oidc.
func TestZitadelOIDC(t *testing.T) {
	t.Parallel()
	i, z := newInstallation(t), &zitadelSite{}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s := site{
		installation: i, start: server.URL + "/", redirectURI: server.URL + "/callback",
		signOut: server.URL + "/sign-out", afterwards: server.URL + "/bye",
	}
	i.register(t, s.redirectURI, s.afterwards)
	z.afterwards = s.afterwards
	cookies := httphelper.NewCookieHandler([]byte("n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU"), nil, httphelper.WithUnsecure())
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	var err error
	z.RelyingParty, err = rp.NewRelyingPartyOIDC(t.Context(), i.Issuer(), clientID, clientSecret, s.redirectURI,
		[]string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail, oidc.ScopeOfflineAccess},
		rp.WithHTTPClient(&http.Client{Transport: transport}), rp.WithCookieHandler(cookies), rp.WithPKCE(cookies))
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("/{$}", z.home)
	mux.Handle("/sign-in", rp.AuthURLHandler(func() string { return "st ate" }, z))
	mux.Handle("/callback", rp.CodeExchangeHandler(z.signedIn, z))
	mux.HandleFunc("/sign-out", z.signOut)
	mux.HandleFunc("/bye", func(http.ResponseWriter, *http.Request) {})
	s.test(t)
}

func (z *zitadelSite) signedIn(w http.ResponseWriter, r *http.Request, tokens *zitadelTokens, _ string, _ rp.RelyingParty) {
	session := rand.Text()
	z.sessions.Store(session, tokens)
	http.SetCookie(w, &http.Cookie{Name: "session", Value: session, Path: "/", HttpOnly: true})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// home refreshes and shows what userinfo says.
func (z *zitadelSite) home(w http.ResponseWriter, r *http.Request) {
	session, tokens := z.tokensOf(r)
	if tokens == nil {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return
	}
	next, err := rp.RefreshTokens[*oidc.IDTokenClaims](r.Context(), z, tokens.RefreshToken, "", "")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	z.sessions.Store(session, next)
	info, err := rp.Userinfo[*oidc.UserInfo](r.Context(), next.AccessToken, next.TokenType, next.IDTokenClaims.Subject, z)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = fmt.Fprintln(w, info.Name, info.Email)
}

func (z *zitadelSite) signOut(w http.ResponseWriter, r *http.Request) {
	session, tokens := z.tokensOf(r)
	next, err := rp.EndSession(r.Context(), z, tokens.IDToken, z.afterwards, "", "", nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	z.sessions.Delete(session)
	http.Redirect(w, r, next.String(), http.StatusSeeOther)
}
