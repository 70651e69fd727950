package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The application that every server knows.
const (
	clientID     = "benchmark"
	clientSecret = "vK7wq2Zr9TbXe4LmPc8sHd3nJf6uYa5g"
	redirectURI  = "https://app.example.com/callback"
)

// target tells how a server is used. Paths are relative to its address; an empty
// one says that the server has no such thing to measure.
type target struct {
	// Authorize is a path with a query, to which the code challenge is added.
	Authorize string
	Token     string

	Userinfo, Attributes, Discovery, Keys, Introspect string

	// Refresh reports that the token endpoint also exchanges refresh tokens.
	Refresh bool

	// Cookies are Cookie headers of browsers that are signed in and have
	// allowed the application before.
	Cookies []string

	// Begin is when the first status ends, at a server of which some do.
	Begin time.Time
}

// visitor is one user agent together with its application: what a worker plays.
type visitor struct {
	*conn
	target
	cookie, basic   string
	access, refresh string
	unused          []string // access tokens, see marathon.go
}

// basicAuth is the Authorization header of the application.
func basicAuth(secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(clientID+":"+secret))
}

// An operation is one thing that is measured.
type operation struct {
	name  string
	title string

	// path tells whether the server has it.
	path func(target) string
	do   func(*visitor) error
}

var (
	flows    = operation{"flow", "complete flows", func(t target) string { return t.Authorize }, (*visitor).flow}
	userinfo = operation{"userinfo", "userinfo", func(t target) string { return t.Userinfo }, func(u *visitor) error { return u.data(u.Userinfo) }}
)

var operations = []operation{
	flows,
	{"refresh", "refreshes", func(t target) string {
		if !t.Refresh {
			return ""
		}
		return t.Token
	}, (*visitor).renew},
	userinfo,
	{"attributes", "attributes", func(t target) string { return t.Attributes }, func(u *visitor) error { return u.data(u.Attributes) }},
	{"introspect", "introspection", func(t target) string { return t.Introspect }, (*visitor).introspect},
	{"discovery", "discovery", func(t target) string { return t.Discovery }, func(u *visitor) error { return u.document(u.Discovery) }},
	{"keys", "the key set", func(t target) string { return t.Keys }, func(u *visitor) error { return u.document(u.Keys) }},
}

// flow is what one sign-in asks of a provider when the user has a session and has
// allowed the application before: authorization, token, userinfo.
func (u *visitor) flow() error {
	verifier := rand.Text() + rand.Text()
	code, err := u.authorize(verifier)
	if err != nil {
		return err
	}
	err = u.token(url.Values{
		"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {redirectURI}, "code_verifier": {verifier},
	})
	if err != nil {
		return err
	}
	return u.data(u.Userinfo)
}

// authorize follows the redirects within the provider and returns the code that
// the last one carries to the application.
func (u *visitor) authorize(verifier string) (string, error) {
	challenge := sha256.Sum256([]byte(verifier))
	path := u.Authorize + "&code_challenge_method=S256&code_challenge=" + base64.RawURLEncoding.EncodeToString(challenge[:])
	for range 8 {
		a, err := u.do(request{method: "GET", path: path, cookie: u.cookie})
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(a.location, redirectURI) {
			return codeIn(a.location)
		}
		next, err := url.Parse(a.location)
		if err != nil || a.location == "" {
			return "", fmt.Errorf("authorize: status %d, no redirect: %.300s", a.status, a.body)
		}
		path = next.RequestURI()
	}
	return "", errors.New("authorize: redirects do not end")
}

func codeIn(location string) (string, error) {
	u, err := url.Parse(location)
	if err != nil {
		return "", err
	}
	code := u.Query().Get("code")
	if code == "" {
		return "", fmt.Errorf("authorize: no code in %s", location)
	}
	return code, nil
}

func (u *visitor) token(form url.Values) error {
	a, err := u.expect(request{method: "POST", path: u.Token, authorization: u.basic, form: form.Encode()})
	if err != nil {
		return err
	}
	var tokens struct {
		Access  string `json:"access_token"`
		ID      string `json:"id_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal(a.body, &tokens); err != nil {
		return fmt.Errorf("token: %w", err)
	}
	if tokens.Access == "" || !strings.HasPrefix(tokens.ID, "ey") {
		return fmt.Errorf("token: no access token or no ID token: %.300s", a.body)
	}
	u.access, u.refresh = tokens.Access, tokens.Refresh
	return nil
}

func (u *visitor) renew() error {
	return u.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {u.refresh}})
}

func (u *visitor) introspect() error {
	a, err := u.expect(request{method: "POST", path: u.Introspect, authorization: u.basic, form: url.Values{"token": {u.access}}.Encode()})
	if err == nil && !bytes.Contains(a.body, []byte(`"active":true`)) {
		err = fmt.Errorf("introspect: %.300s", a.body)
	}
	return err
}

func (u *visitor) data(path string) error {
	_, err := u.expect(request{method: "GET", path: path, authorization: "Bearer " + u.access})
	return err
}

func (u *visitor) document(path string) error {
	_, err := u.expect(request{method: "GET", path: path})
	return err
}

// expect does a request that has to be answered with 200.
func (u *visitor) expect(r request) (answer, error) {
	a, err := u.do(r)
	if err == nil && a.status != 200 {
		err = fmt.Errorf("%s %.40s: status %d: %.300s", r.method, r.path, a.status, a.body)
	}
	return a, err
}
