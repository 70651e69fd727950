package main

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/gin-contrib/sessions"
	"github.com/gin-contrib/sessions/cookie"
	"github.com/gin-gonic/gin"

	"github.com/bonafide-id/bonafide/provider"
)

// ginSite keeps sessions with gin-contrib/sessions, in the context of gin.
func ginSite(p *provider.Provider) http.Handler {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: the program stops when there is no randomness
	store := cookie.NewStore(key[:])
	store.Options(sessions.Options{Path: "/", HttpOnly: true, Secure: strings.HasPrefix(p.Issuer(), "https:"), SameSite: http.SameSiteLaxMode})
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(sessions.Sessions("host", store))

	guard := http.NewCrossOriginProtection()
	own := r.Group("/", func(c *gin.Context) { // what the host posts itself
		if guard.Check(c.Request) != nil {
			c.AbortWithStatus(http.StatusForbidden)
		}
	})
	own.GET("/login", func(c *gin.Context) {
		_ = login.Execute(c.Writer, loginPage{ReturnTo: c.Query("return_to")})
	})
	own.POST("/login", func(c *gin.Context) {
		id, ok := authenticate(c.PostForm("email"), c.PostForm("password"))
		if !ok {
			c.String(http.StatusUnauthorized, "The email address or the password is not right.")
			return
		}
		session := sessions.Default(c)
		session.Clear()
		session.Set(keyMember, id)
		session.Set(keySince, time.Now().Unix())
		if err := session.Save(); err != nil {
			c.AbortWithStatus(http.StatusInternalServerError)
			return
		}
		c.Redirect(http.StatusSeeOther, destination(p, c.PostForm("return_to")))
	})
	r.Any("/id/*path", func(c *gin.Context) {
		session := sessions.Default(c)
		id, _ := session.Get(keyMember).(string)
		since, _ := session.Get(keySince).(int64)
		p.ServeHTTP(c.Writer, withMember(c.Request, id, since))
	})
	return r
}
