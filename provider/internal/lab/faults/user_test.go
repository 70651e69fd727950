package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// user uses the provider and an application, and is the memory of both. One
// goroutine at a time uses it. Before a request that changes something is sent,
// what it would change becomes unknown; its answer settles that.
type user struct {
	*browser
	email string
	grace bool // used refresh tokens can be used again

	signedIn  knowledge
	consented knowledge
	passwords []string // one of them is right, the only one when signed in
	tokens    *tokens  // those that the application holds, or nil

	joined []login // accounts that were made
	over   []fact  // must be refused
	unsure []fact  // may be accepted, once

	done, refused int
}

// knowledge is what is known of something that is so or not.
type knowledge int

const (
	unknown knowledge = iota
	yes
	no
)

type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

type login struct{ email, password string }

// fact is something that can be presented to the provider, which accepts it or not.
type fact struct {
	what    string
	present func() (accepted bool, err error)
}

func userEmail(n int) string { return fmt.Sprintf("user-%d@example.com", n) }

// newUsers returns those that populate has made. url picks a process for each
// request.
func newUsers(s setup, count int, url func() string) []*user {
	users := make([]*user, count)
	for n := range users {
		users[n] = &user{
			browser: newBrowser(fmt.Sprintf("192.0.2.%d", n), url), email: userEmail(n), grace: s.Grace >= 0,
			signedIn: no, consented: no, passwords: []string{firstPassword},
		}
	}
	return users
}

// act takes one step. An error that is neither errCut nor errUnavailable says that
// an answer was wrong.
func (u *user) act() error {
	switch n := rand.IntN(100); {
	case u.signedIn != yes:
		return u.signIn()
	case u.tokens == nil:
		return u.authorize()
	case n < 55:
		return u.refresh()
	case n < 65:
		return u.authorize()
	case n < 80:
		return u.revoke()
	case n < 90 && u.consented == yes:
		return u.removeConsent()
	case n < 93:
		return u.signOut()
	case n < 96:
		return u.changePassword()
	default:
		return u.signUp(newLogin())
	}
}

// work acts until ctx ends or an answer is missing or wrong. It tells of every step
// whether it was refused.
func (u *user) work(ctx context.Context, tell func(refused bool)) error {
	for ctx.Err() == nil {
		switch err := u.act(); {
		case err == nil:
			u.done++
			tell(false)
		case errors.Is(err, errUnavailable):
			u.refused++
			tell(true)
			pause := rand.N(20 * time.Millisecond)
			if u.signedIn != yes {
				pause = retryAfter // attempts to sign in are counted
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		default:
			return fmt.Errorf("%s: %w", u.email, err)
		}
	}
	return nil
}

func wrong(what string, p page) error { return fmt.Errorf("wrong answer to %s: %v", what, p) }

// signIn signs in from a new browser, somewhere else since attempts are counted by
// address, and so learns which password is right.
func (u *user) signIn() error {
	u.browser, u.signedIn = newBrowser(anyAddress(), u.url), unknown
	p, err := u.open("/signin")
	for _, password := range u.passwords {
		if err == nil {
			p, err = u.submit(p, "email", u.email, "password", password)
		}
		switch {
		case err != nil:
			return err
		case p.Header.Get("Location") == "/account":
			u.signedIn, u.passwords = yes, []string{password}
			return nil
		case p.StatusCode != http.StatusUnauthorized:
			return wrong("sign-in", p)
		}
	}
	return wrong("sign-in with the password that is in force", p)
}

func (u *user) signOut() error {
	p, err := u.open("/signout")
	if err != nil {
		return err
	}
	session := u.session()
	u.signedIn = unknown
	p, err = u.submit(p)
	if err != nil {
		return err
	}
	if p.StatusCode != http.StatusOK {
		return wrong("sign-out", p)
	}
	u.signedIn, u.over = no, append(u.over, session)
	return nil
}

// changePassword ends all other sessions and every grant.
func (u *user) changePassword() error {
	p, err := u.open("/account/password")
	if err != nil {
		return err
	}
	old, next := u.passwords[0], newPassword()
	before := append(u.theTokens(), u.session(), u.password(old))
	u.signedIn, u.tokens, u.passwords = unknown, nil, []string{next, old}
	p, err = u.submit(p, "password", old, "new_password", next)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.Header.Get("Location"), "/account/security?") {
		return wrong("a change of password", p)
	}
	u.signedIn, u.passwords, u.over = yes, []string{next}, append(u.over, before...)
	return nil
}

// newPassword is one that nobody has thought of.
func newPassword() string { return fmt.Sprintf("marble-%x-canyon", rand.Uint64()) }

var authorizeURL = "/oauth/authorize?" + url.Values{
	"client_id": {clientID}, "redirect_uri": {callbackURI}, "response_type": {"code"},
	"scope": {"openid military"}, "state": {"xyz"},
}.Encode()

// authorize goes through a complete flow, with consent where it is asked for.
func (u *user) authorize() error {
	p, err := u.open(authorizeURL)
	if err != nil {
		return err
	}
	asked := p.StatusCode == http.StatusOK && p.Request.URL.Path == "/oauth/consent"
	switch {
	case asked && u.consented != yes:
		u.consented = unknown
		if p, err = u.submit(p, "action", "allow"); err != nil {
			return err
		}
		u.consented = yes
		if p, err = u.follow(p, nil); err != nil {
			return err
		}
	case !asked && u.consented != no:
		u.consented = yes
	default:
		return wrong("an authorization request", p)
	}
	answer, err := p.response()
	if err != nil {
		return err
	}
	if answer.Get("code") == "" {
		return wrong("an authorization request", p)
	}
	return u.exchange(answer.Get("code"))
}

// code returns a code for a user who has consented.
func (u *user) code() (string, error) {
	p, err := u.open(authorizeURL)
	if err != nil {
		return "", err
	}
	answer, err := p.response()
	return answer.Get("code"), err
}

// response returns the parameters of an answer to the application.
func (p page) response() (url.Values, error) {
	u, err := url.Parse(p.Header.Get("Location"))
	if err != nil || u.Host == "" {
		return nil, wrong("an authorization request", p)
	}
	answer := u.Query()
	if answer.Get("error") == "temporarily_unavailable" {
		return nil, errUnavailable
	}
	return answer, nil
}

// exchange exchanges a code and reads who its user is.
func (u *user) exchange(code string) error {
	spent := u.grant("code", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI}})
	u.tokens, u.unsure = nil, append(u.unsure, spent)
	t, err := u.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI}})
	if err != nil {
		return err
	}
	if t == nil {
		return errors.New("a new code was refused")
	}
	u.tokens, u.unsure, u.over = t, u.unsure[:len(u.unsure)-1], append(u.over, spent)
	return u.userinfo()
}

// userinfo reads what must be there while the grant is in force.
func (u *user) userinfo() error {
	accepted, err := u.access(u.tokens.Access).present()
	if err == nil && !accepted {
		return errors.New("an access token in force was refused")
	}
	return err
}

// refresh rotates the refresh token. Within the grace an application whose answer
// was lost tries again; without it, it must not.
func (u *user) refresh() error {
	old := u.tokens
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}}
	spent := u.grant("refresh token", form)
	if !u.grace {
		u.tokens, u.unsure = nil, append(u.unsure, spent)
	}
	t, err := u.token(form)
	if err != nil {
		return err
	}
	if t == nil {
		return errors.New("a refresh token in force was refused")
	}
	u.tokens = t
	if !u.grace {
		u.unsure, u.over = u.unsure[:len(u.unsure)-1], append(u.over, spent)
	}
	return nil
}

// revoke ends the grant.
func (u *user) revoke() error {
	token, before := u.tokens.Refresh, u.theTokens()
	u.tokens = nil
	p, err := u.post("/oauth/revoke", url.Values{"client_id": {clientID}, "client_secret": {clientSecret}, "token": {token}})
	if err != nil {
		return err
	}
	if p.StatusCode != http.StatusOK {
		return wrong("a revocation", p)
	}
	u.over = append(u.over, before...)
	return nil
}

// begin makes sure that there is a session, and an access token to read with.
func (u *user) begin() error {
	if u.signedIn != yes {
		if err := u.signIn(); err != nil {
			return err
		}
	}
	if u.tokens != nil {
		return nil
	}
	return u.authorize()
}

// checkReads demands what needs no write.
func (u *user) checkReads() error {
	if _, err := u.get("/oidc/.well-known/jwks"); err != nil {
		return err
	}
	if u.signedIn == yes {
		if err := u.checkSession(); err != nil {
			return err
		}
	}
	if u.tokens == nil {
		return nil
	}
	return u.userinfo()
}

// removeConsent takes back what the application was allowed.
func (u *user) removeConsent() error {
	p, err := u.open("/account/apps/remove?client_id=" + clientID)
	if err != nil {
		return err
	}
	before := u.theTokens()
	u.consented, u.tokens = unknown, nil
	p, err = u.submit(p)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.Header.Get("Location"), "/account/apps?") {
		return wrong("the removal of a consent", p)
	}
	u.consented, u.over = no, append(u.over, before...)
	return nil
}
