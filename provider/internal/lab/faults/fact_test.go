package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// token asks the token endpoint; nil when it says that what was presented is no
// good.
func (u *user) token(form url.Values) (*tokens, error) {
	form.Set("client_id", clientID)
	form.Set("client_secret", clientSecret)
	p, err := u.post("/oauth/token", form)
	if err != nil {
		return nil, err
	}
	var body struct {
		tokens
		Error string `json:"error"`
	}
	switch err := json.Unmarshal([]byte(p.body), &body); {
	case err == nil && p.StatusCode == http.StatusOK && body.Access != "" && body.Refresh != "":
		return &body.tokens, nil
	case err == nil && p.StatusCode == http.StatusBadRequest && body.Error == "invalid_grant":
		return nil, nil
	default:
		return nil, wrong("a token request", p)
	}
}

// grant is a code or a refresh token.
func (u *user) grant(what string, form url.Values) fact {
	return fact{what, func() (bool, error) {
		t, err := u.token(form)
		return t != nil, err
	}}
}

func (u *user) access(token string) fact {
	return fact{"access token", func() (bool, error) {
		r, err := http.NewRequest(http.MethodGet, u.url()+"/api/public/v3/userinfo", nil)
		if err != nil {
			return false, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		p, err := u.do(r)
		switch {
		case err != nil:
			return false, err
		case p.StatusCode == http.StatusOK:
			return true, nil
		case p.StatusCode == http.StatusUnauthorized && strings.Contains(p.body, "invalid_token"):
			return false, nil
		default:
			return false, wrong("an access token", p)
		}
	}}
}

// theTokens are those that end with the grant.
func (u *user) theTokens() []fact {
	if u.tokens == nil {
		return nil
	}
	return []fact{
		u.access(u.tokens.Access),
		u.grant("refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {u.tokens.Refresh}}),
	}
}

// session is the one that the browser has now, in the hands of somebody else.
func (u *user) session() fact {
	return fact{"session", u.copy().hasSession}
}

func (v *browser) hasSession() (bool, error) {
	p, err := v.get("/account")
	switch {
	case err != nil:
		return false, err
	case p.StatusCode == http.StatusOK:
		return true, nil
	case p.Header.Get("Location") == "/signin":
		return false, nil
	default:
		return false, wrong("a session", p)
	}
}

func (u *user) password(password string) fact {
	return fact{"password", func() (bool, error) { return login{u.email, password}.works(u.url) }}
}

// works reports whether somebody can sign in.
func (l login) works(url func() string) (bool, error) {
	v := newBrowser(anyAddress(), url)
	p, err := v.open("/signin")
	if err == nil {
		p, err = v.submit(p, "email", l.email, "password", l.password)
	}
	switch {
	case err != nil:
		return false, err
	case p.Header.Get("Location") == "/account":
		return true, nil
	case p.StatusCode == http.StatusUnauthorized:
		return false, nil
	default:
		return false, wrong("sign-in", p)
	}
}

// anyAddress is one from which few attempts have been made.
func anyAddress() string {
	n := rand.Uint32()
	return fmt.Sprintf("198.%d.%d.%d", 18+n>>16&1, byte(n>>8), byte(n))
}

var mailedCode = regexp.MustCompile(`\b\d{8}\b`)

// newLogin is that of an account which is yet to be made.
func newLogin() login {
	return login{fmt.Sprintf("joined-%x@example.com", rand.Uint64()), newPassword()}
}

// signUp makes another account, with the code that is sent by mail.
func (u *user) signUp(l login) error {
	at := u.url() // where the mail will be
	v := newBrowser(anyAddress(), func() string { return at })
	p, err := v.open("/signup")
	if err == nil {
		p, err = v.submit(p, "email", l.email, "new_password", l.password)
	}
	if p, err = v.follow(p, err); err != nil {
		return err
	}
	mail, err := v.get("/outbox?to=" + l.email)
	if err != nil {
		return err
	}
	digits := mailedCode.FindString(mail.body)
	if digits == "" {
		return wrong("sign-up", p)
	}
	v.url = u.url
	code := fact{"sign-up code", func() (bool, error) { return v.copy().enter(p, digits) }}
	u.unsure = append(u.unsure, code)
	accepted, err := v.enter(p, digits)
	if err != nil {
		return err
	}
	if !accepted {
		return errors.New("a new sign-up code was refused")
	}
	u.unsure, u.over, u.joined = u.unsure[:len(u.unsure)-1], append(u.over, code), append(u.joined, l)
	return nil
}

// enter fills in the code of a sign-up.
func (v *browser) enter(p page, digits string) (accepted bool, err error) {
	p, err = v.submit(p, "code", digits)
	switch {
	case err != nil:
		return false, err
	case p.Header.Get("Location") == "/account":
		return true, nil
	case p.StatusCode == http.StatusUnprocessableEntity, p.Header.Get("Location") == "/signin": // the account is there already
		return false, nil
	default:
		return false, wrong("a sign-up code", p)
	}
}

// retryAfter is when a 503 says to come back.
const retryAfter = 2 * time.Second

// patient tries again while the provider cannot answer.
func patient(try func() (bool, error)) (accepted bool, err error) {
	for deadline := time.Now().Add(patience); ; <-time.After(retryAfter) {
		accepted, err = try()
		if !errors.Is(err, errUnavailable) || time.Now().After(deadline) {
			return accepted, err
		}
	}
}

// must presents something that has to be accepted, or refused.
func must(what string, want bool, present func() (bool, error)) error {
	accepted, err := patient(present)
	if err == nil && accepted != want {
		err = fmt.Errorf("accepted: %t, want %t", accepted, want)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// check demands all that was acknowledged. It is called when nothing is wrong with
// the processes, and leaves the user without tokens.
func (u *user) check() error {
	errs := []error{u.checkSession()}
	if u.consented != unknown {
		errs = append(errs, must("a consent that was given or removed", u.consented == yes, u.hasConsent))
	}
	if u.tokens != nil {
		errs = append(errs,
			must("an access token that was issued", true, u.access(u.tokens.Access).present),
			must("a refresh token that was issued", true, u.theTokens()[1].present))
	}
	for _, l := range u.joined {
		errs = append(errs, must("an account that was made", true, func() (bool, error) { return l.works(u.url) }))
	}
	passwords := 0
	for _, f := range slices.Backward(u.over) {
		if f.what == "password" {
			if passwords++; passwords > fewPasswords {
				continue
			}
		}
		errs = append(errs, must("a "+f.what+" that is over", false, f.present))
	}
	if passwords > 0 && len(u.passwords) == 1 { // who signs in is free of the attempts before
		errs = append(errs, must("the password in force", true, u.password(u.passwords[0]).present))
	}
	for _, f := range u.unsure {
		if once, err := patient(f.present); err != nil || once {
			errs = append(errs, err, must("a "+f.what+" that was accepted just now", false, f.present))
		}
	}
	u.joined, u.over, u.unsure, u.tokens = nil, nil, nil, nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", u.email, err)
	}
	return nil
}

// fewPasswords is how many that are over are tried, the latest of them: attempts are
// counted, and after ten within a few minutes the account is out of bounds.
const fewPasswords = 4

// checkSession demands the session, or signs in.
func (u *user) checkSession() error {
	if u.signedIn == yes {
		return must("a session", true, u.hasSession)
	}
	return must("sign-in", true, func() (bool, error) {
		err := u.signIn()
		return err == nil, err
	})
}

// hasConsent reports whether the application is let through without a question.
func (v *browser) hasConsent() (bool, error) {
	p, err := v.open(authorizeURL + "&prompt=none")
	if err != nil {
		return false, err
	}
	answer, err := p.response()
	switch {
	case err != nil:
		return false, err
	case answer.Get("code") != "":
		return true, nil
	case answer.Get("error") == "consent_required":
		return false, nil
	default:
		return false, wrong("prompt=none", p)
	}
}
