package main

import (
	"bytes"
	"crypto/rand"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

// site is the club's web site: a sign-in page, a page for members, and what is
// mounted beside them.
type site struct {
	members *members
	mux     *http.ServeMux
	secure  bool

	// isReturnTo tells addresses of the identity provider from those that
	// somebody made up to send visitors elsewhere (open redirect).
	isReturnTo func(string) bool

	mu       sync.Mutex
	sessions map[string]session
}

// session is a member who is signed in.
type session struct {
	memberID string
	authTime time.Time
}

const sessionLife = 8 * time.Hour

func newSite(ms *members, base string) *site {
	s := &site{
		members: ms, mux: http.NewServeMux(), secure: strings.HasPrefix(base, "https:"),
		isReturnTo: func(string) bool { return false }, sessions: map[string]session{},
	}
	// No other site can post the forms of this one. Those of the provider are
	// its own business: applications post to some of its paths.
	own := http.NewServeMux()
	own.HandleFunc("GET /{$}", s.home)
	own.HandleFunc("GET /login", s.showLogin)
	own.HandleFunc("POST /login", s.login)
	own.HandleFunc("GET /logout", s.showLogout)
	own.HandleFunc("POST /logout", s.logout)
	own.HandleFunc("POST /membership", s.changeMembership)
	own.Handle("GET /club.css", http.FileServerFS(files))
	s.mux.Handle("/", http.NewCrossOriginProtection().Handler(own))
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// session returns the session of a request.
func (s *site) session(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return session{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.sessions[cookie.Value]
	return found, ok && time.Since(found.authTime) < sessionLife
}

// cookieName returns the name of the session cookie; the prefix that keeps sibling
// domains from planting one needs https.
func (s *site) cookieName() string {
	if s.secure {
		return "__Host-club"
	}
	return "club"
}

func (s *site) setCookie(w http.ResponseWriter, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// endSession forgets the session of a request.
func (s *site) endSession(r *http.Request) {
	if cookie, err := r.Cookie(s.cookieName()); err == nil {
		s.mu.Lock()
		delete(s.sessions, cookie.Value)
		s.mu.Unlock()
	}
}

type loginPage struct {
	ReturnTo, Email string
	Again, Wrong    bool
}

// showLogin asks for the password, unless the visitor is signed in and nobody
// demands to be sure of it.
func (s *site) showLogin(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := loginPage{ReturnTo: q.Get("return_to"), Email: q.Get("login_hint"), Again: q.Get("prompt") == "login"}
	if _, ok := s.session(r); ok && !p.Again {
		http.Redirect(w, r, s.destination(p.ReturnTo), http.StatusSeeOther)
		return
	}
	render(w, http.StatusOK, "login.html", p)
}

// login checks the password, and begins a session with a new id: the old one may
// have been planted by somebody else (session fixation).
func (s *site) login(w http.ResponseWriter, r *http.Request) {
	returnTo, email := r.PostFormValue("return_to"), r.PostFormValue("email")
	m, ok := s.members.authenticate(email, r.PostFormValue("password"))
	if !ok {
		render(w, http.StatusUnauthorized, "login.html", loginPage{ReturnTo: returnTo, Email: email, Wrong: true})
		return
	}
	s.endSession(r)
	id := rand.Text()
	s.mu.Lock()
	s.sessions[id] = session{m.ID, time.Now()}
	s.mu.Unlock()
	s.setCookie(w, id, sessionLife)
	http.Redirect(w, r, s.destination(returnTo), http.StatusSeeOther)
}

// destination returns where to go after signing in or out.
func (s *site) destination(returnTo string) string {
	if s.isReturnTo(returnTo) {
		return returnTo
	}
	return "/"
}

// showLogout asks first: any page can send a visitor here.
func (s *site) showLogout(w http.ResponseWriter, r *http.Request) {
	render(w, http.StatusOK, "logout.html", r.URL.Query().Get("return_to"))
}

func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	s.endSession(r)
	s.setCookie(w, "", -time.Second)
	http.Redirect(w, r, s.destination(r.PostFormValue("return_to")), http.StatusSeeOther)
}

// home shows a member what the club knows about them.
func (s *site) home(w http.ResponseWriter, r *http.Request) {
	found, ok := s.session(r)
	if !ok {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	m, _ := s.members.find(found.memberID)
	render(w, http.StatusOK, "home.html", m)
}

// changeMembership ends or renews the membership of the member who asks.
func (s *site) changeMembership(w http.ResponseWriter, r *http.Request) {
	found, ok := s.session(r)
	level := r.PostFormValue("level")
	if !ok || level != "" && level != "Gold" && level != "Silver" {
		http.Error(w, "Bad Request", http.StatusBadRequest)
		return
	}
	s.members.setLevel(found.memberID, level)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

//go:embed club.css *.html
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.html"))

func render(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, view); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	// No form-action: Chromium holds it against every redirect that follows the
	// sign-in form, which ends at the application that asked.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // under no-referrer a browser sends its own forms with the origin null
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
