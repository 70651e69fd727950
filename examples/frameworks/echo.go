package main

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/bonafide-id/bonafide/provider"
)

// echoSite keeps sessions with gorilla/sessions, and has echo's own protection against
// forged requests in front of everything but the provider.
func echoSite(p *provider.Provider) http.Handler {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: the program stops when there is no randomness
	secure := strings.HasPrefix(p.Issuer(), "https:")
	store := sessions.NewCookieStore(key[:])
	store.Options = &sessions.Options{Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
	e := echo.New()
	e.Use(middleware.CSRFWithConfig(middleware.CSRFConfig{
		Skipper:     func(c echo.Context) bool { return strings.HasPrefix(c.Request().URL.Path, "/id/") },
		TokenLookup: "form:_csrf", CookiePath: "/", CookieHTTPOnly: true, CookieSecure: secure, CookieSameSite: http.SameSiteLaxMode,
	}))

	e.GET("/login", func(c echo.Context) error {
		token, _ := c.Get(middleware.DefaultCSRFConfig.ContextKey).(string)
		return login.Execute(c.Response(), loginPage{ReturnTo: c.QueryParam("return_to"), CSRF: token})
	})
	e.POST("/login", func(c echo.Context) error {
		id, ok := authenticate(c.FormValue("email"), c.FormValue("password"))
		if !ok {
			return echo.NewHTTPError(http.StatusUnauthorized, "The email address or the password is not right.")
		}
		session, err := store.New(c.Request(), "host")
		if session == nil {
			return err
		}
		session.Values = map[any]any{keyMember: id, keySince: time.Now().Unix()}
		if err := session.Save(c.Request(), c.Response()); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, destination(p, c.FormValue("return_to")))
	})
	e.Any("/id/*", func(c echo.Context) error {
		session, _ := store.Get(c.Request(), "host") // one that cannot be read is a new one
		id, _ := session.Values[keyMember].(string)
		since, _ := session.Values[keySince].(int64)
		p.ServeHTTP(c.Response(), withMember(c.Request(), id, since))
		return nil
	})
	return e
}
