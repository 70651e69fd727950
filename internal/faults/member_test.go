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

// member is a user of the provider and of an application, and both their memory. One
// goroutine at a time uses it. Before a request that changes something is sent,
// what it would change becomes unknown; its answer settles that.
type member struct {
	*visitor
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

func memberEmail(n int) string { return fmt.Sprintf("member-%d@example.com", n) }

// newMembers returns those that populate has made. url picks a process for each
// request.
func newMembers(s setup, count int, url func() string) []*member {
	members := make([]*member, count)
	for n := range members {
		members[n] = &member{
			visitor: newVisitor(fmt.Sprintf("192.0.2.%d", n), url), email: memberEmail(n), grace: s.Grace > 0,
			signedIn: no, consented: no, passwords: []string{firstPassword},
		}
	}
	return members
}

// act takes one step. An error that is neither errCut nor errUnavailable says that
// an answer was wrong.
func (m *member) act() error {
	switch n := rand.IntN(100); {
	case m.signedIn != yes:
		return m.signIn()
	case m.tokens == nil:
		return m.authorize()
	case n < 55:
		return m.refresh()
	case n < 65:
		return m.authorize()
	case n < 80:
		return m.revoke()
	case n < 90 && m.consented == yes:
		return m.removeConsent()
	case n < 93:
		return m.signOut()
	case n < 96:
		return m.changePassword()
	default:
		return m.signUp(newLogin())
	}
}

// work acts until ctx ends or an answer is missing or wrong.
func (m *member) work(ctx context.Context) error {
	for ctx.Err() == nil {
		switch err := m.act(); {
		case err == nil:
			m.done++
		case errors.Is(err, errUnavailable):
			m.refused++
			pause := rand.N(20 * time.Millisecond)
			if m.signedIn != yes {
				pause = retryAfter // attempts to sign in are counted
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		default:
			return fmt.Errorf("%s: %w", m.email, err)
		}
	}
	return nil
}

func wrong(what string, p page) error { return fmt.Errorf("wrong answer to %s: %v", what, p) }

// signIn signs in from a new browser, somewhere else since attempts are counted by
// address, and so learns which password is right.
func (m *member) signIn() error {
	m.visitor, m.signedIn = newVisitor(anyAddress(), m.url), unknown
	p, err := m.open("/signin")
	for _, password := range m.passwords {
		if err == nil {
			p, err = m.submit(p, "email", m.email, "password", password)
		}
		switch {
		case err != nil:
			return err
		case p.Header.Get("Location") == "/account":
			m.signedIn, m.passwords = yes, []string{password}
			return nil
		case p.StatusCode != http.StatusUnauthorized:
			return wrong("sign-in", p)
		}
	}
	return wrong("sign-in with the password that is in force", p)
}

func (m *member) signOut() error {
	p, err := m.open("/signout")
	if err != nil {
		return err
	}
	session := m.session()
	m.signedIn = unknown
	p, err = m.submit(p)
	if err != nil {
		return err
	}
	if p.StatusCode != http.StatusOK {
		return wrong("sign-out", p)
	}
	m.signedIn, m.over = no, append(m.over, session)
	return nil
}

// changePassword ends all other sessions and every grant.
func (m *member) changePassword() error {
	p, err := m.open("/account/password")
	if err != nil {
		return err
	}
	old, next := m.passwords[0], newPassword()
	before := append(m.theTokens(), m.session(), m.password(old))
	m.signedIn, m.tokens, m.passwords = unknown, nil, []string{next, old}
	p, err = m.submit(p, "password", old, "new_password", next)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.Header.Get("Location"), "/account?") {
		return wrong("a change of password", p)
	}
	m.signedIn, m.passwords, m.over = yes, []string{next}, append(m.over, before...)
	return nil
}

// newPassword is one that nobody has thought of.
func newPassword() string { return fmt.Sprintf("marble-%x-canyon", rand.Uint64()) }

var authorizeURL = "/oauth/authorize?" + url.Values{
	"client_id": {clientID}, "redirect_uri": {callbackURI}, "response_type": {"code"},
	"scope": {"openid military"}, "state": {"xyz"},
}.Encode()

// authorize goes through a complete flow, with consent where it is asked for.
func (m *member) authorize() error {
	p, err := m.open(authorizeURL)
	if err != nil {
		return err
	}
	asked := p.StatusCode == http.StatusOK && p.Request.URL.Path == "/oauth/consent"
	switch {
	case asked && m.consented != yes:
		m.consented = unknown
		if p, err = m.submit(p, "action", "allow"); err != nil {
			return err
		}
		m.consented = yes
		if p, err = m.follow(p, nil); err != nil {
			return err
		}
	case !asked && m.consented != no:
		m.consented = yes
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
	return m.exchange(answer.Get("code"))
}

// code returns a code for a member who has consented.
func (m *member) code() (string, error) {
	p, err := m.open(authorizeURL)
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
func (m *member) exchange(code string) error {
	spent := m.grant("code", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI}})
	m.tokens, m.unsure = nil, append(m.unsure, spent)
	t, err := m.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callbackURI}})
	if err != nil {
		return err
	}
	if t == nil {
		return errors.New("a new code was refused")
	}
	m.tokens, m.unsure, m.over = t, m.unsure[:len(m.unsure)-1], append(m.over, spent)
	return m.userinfo()
}

// userinfo reads what must be there while the grant is in force.
func (m *member) userinfo() error {
	accepted, err := m.access(m.tokens.Access).present()
	if err == nil && !accepted {
		return errors.New("an access token in force was refused")
	}
	return err
}

// refresh rotates the refresh token. Within the grace an application whose answer
// was lost tries again; without it, it must not.
func (m *member) refresh() error {
	old := m.tokens
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}}
	spent := m.grant("refresh token", form)
	if !m.grace {
		m.tokens, m.unsure = nil, append(m.unsure, spent)
	}
	t, err := m.token(form)
	if err != nil {
		return err
	}
	if t == nil {
		return errors.New("a refresh token in force was refused")
	}
	m.tokens = t
	if !m.grace {
		m.unsure, m.over = m.unsure[:len(m.unsure)-1], append(m.over, spent)
	}
	return nil
}

// revoke ends the grant.
func (m *member) revoke() error {
	token, before := m.tokens.Refresh, m.theTokens()
	m.tokens = nil
	p, err := m.post("/oauth/revoke", url.Values{"client_id": {clientID}, "client_secret": {clientSecret}, "token": {token}})
	if err != nil {
		return err
	}
	if p.StatusCode != http.StatusOK {
		return wrong("a revocation", p)
	}
	m.over = append(m.over, before...)
	return nil
}

// removeConsent takes back what the application was allowed.
func (m *member) removeConsent() error {
	p, err := m.open("/account/apps/remove?client_id=" + clientID)
	if err != nil {
		return err
	}
	before := m.theTokens()
	m.consented, m.tokens = unknown, nil
	p, err = m.submit(p)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.Header.Get("Location"), "/account/apps?") {
		return wrong("the removal of a consent", p)
	}
	m.consented, m.over = no, append(m.over, before...)
	return nil
}
