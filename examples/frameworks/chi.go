package main

import (
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"

	"github.com/bonafide-id/bonafide/provider"
)

// chiSite keeps sessions with scs, in the context of the request.
func chiSite(p *provider.Provider) http.Handler {
	sessions := scs.New()
	sessions.Cookie.Secure = strings.HasPrefix(p.Issuer(), "https:")
	r := chi.NewRouter()
	r.Use(sessions.LoadAndSave)

	r.Group(func(own chi.Router) {
		own.Use(http.NewCrossOriginProtection().Handler) // what the host posts itself
		own.Get("/login", func(w http.ResponseWriter, r *http.Request) {
			_ = login.Execute(w, loginPage{ReturnTo: r.URL.Query().Get("return_to")})
		})
		own.Post("/login", func(w http.ResponseWriter, r *http.Request) {
			id, ok := authenticate(r.PostFormValue("email"), r.PostFormValue("password"))
			if !ok || sessions.RenewToken(r.Context()) != nil { // a new token, against session fixation
				http.Error(w, "The email address or the password is not right.", http.StatusUnauthorized)
				return
			}
			sessions.Put(r.Context(), keyMember, id)
			sessions.Put(r.Context(), keySince, time.Now().Unix())
			http.Redirect(w, r, destination(p, r.PostFormValue("return_to")), http.StatusSeeOther)
		})
	})
	r.HandleFunc("/id/*", func(w http.ResponseWriter, r *http.Request) {
		p.ServeHTTP(w, withMember(r, sessions.GetString(r.Context(), keyMember), sessions.GetInt64(r.Context(), keySince)))
	})
	return r
}
