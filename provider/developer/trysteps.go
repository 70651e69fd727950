package developer

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// tryRun is a trial whose response has arrived.
type tryRun struct {
	d      *tryPages
	r      *request
	p      *provider.Provider
	t      trial
	client provider.Client

	steps  []screens.TryStep
	tokens struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		IDToken      string `json:"id_token"`
	}
	subject string // of the ID token
}

// all goes through the steps, until one fails that the next needs.
func (run *tryRun) all() error {
	run.request()
	if !run.response() {
		return nil
	}
	exchanged, err := run.exchange()
	if err != nil || !exchanged {
		return err
	}
	scopes := strings.Fields(run.t.Scope)
	if slices.Contains(scopes, scopeOpenID) {
		run.idToken()
		run.read(screens.TryUserinfo, "/api/public/v3/userinfo")
	}
	if slices.ContainsFunc(scopes, func(s string) bool { return s != scopeOpenID && s != scopeOffline }) {
		run.read(screens.TryAttributes, "/api/public/v3/attributes.json")
	}
	return run.revoke()
}

func (run *tryRun) add(s screens.TryStep) {
	s.Failed = s.Failed || slices.ContainsFunc(s.Checks, func(c screens.TryCheck) bool { return c.Failed })
	run.steps = append(run.steps, s)
}

func (run *tryRun) request() {
	query := run.t.request(run.d.tryCallback(), run.r.asked("state"))
	run.add(screens.TryStep{
		Name: screens.TryRequest, Sent: wire("GET "+run.p.Rooms().Installation().BaseURL+"/oauth/authorize", nil, query),
	})
}

// response shows the response at the redirect URI. It reports whether there is a code.
func (run *tryRun) response() bool {
	code := run.r.asked("code")
	run.add(screens.TryStep{
		Name: screens.TryResponse, Failed: code == "", Received: wire("GET "+run.d.tryCallback(), nil, run.r.Request.URL.Query()),
		Checks: []screens.TryCheck{
			{Name: screens.CheckState}, // it has opened, and is the user's
			{Name: screens.CheckIssuer, Failed: run.r.asked("iss") != run.p.Issuer()},
		},
	})
	return code != "" && run.r.asked("iss") == run.p.Issuer()
}

// authenticate adds the application's credentials to a request.
func (run *tryRun) authenticate(form url.Values, header http.Header) error {
	if run.client.Public {
		form.Set("client_id", run.client.ID)
		return nil
	}
	secret, err := run.p.Clients().Secret(run.r.Request.Context(), run.client.ID)
	if err != nil {
		return notFound(err)
	}
	if run.client.TokenEndpointAuthMethod == "client_secret_post" {
		form.Set("client_id", run.client.ID)
		form.Set("client_secret", secret)
		return nil
	}
	basic := &http.Request{Header: header}
	basic.SetBasicAuth(url.QueryEscape(run.client.ID), url.QueryEscape(secret))
	return nil
}

// exchange redeems the code. It reports whether there are tokens.
func (run *tryRun) exchange() (bool, error) {
	form, header := url.Values{
		"grant_type": {"authorization_code"}, "code": {run.r.asked("code")},
		"redirect_uri": {run.d.tryCallback()}, "code_verifier": {run.t.Verifier},
	}, http.Header{}
	if err := run.authenticate(form, header); err != nil {
		return false, err
	}
	a := run.ask(http.MethodPost, "/oauth/token", form, header)
	readable := json.Unmarshal(a.body.Bytes(), &run.tokens) == nil
	failed := a.status != http.StatusOK || !readable || run.tokens.AccessToken == ""
	run.add(screens.TryStep{Name: screens.TryToken, Failed: failed, Sent: a.sent, Received: a.text()})
	return !failed, nil
}

// read reads data with the access token.
func (run *tryRun) read(step screens.TryStepName, path string) {
	a := run.ask(http.MethodGet, path, nil, http.Header{"Authorization": {"Bearer " + run.tokens.AccessToken}})
	s := screens.TryStep{Name: step, Failed: a.status != http.StatusOK, Sent: a.sent, Received: a.text()}
	if step == screens.TryUserinfo && !s.Failed {
		subject := subjectOf(a.body.Bytes())
		s.Checks = []screens.TryCheck{{Name: screens.CheckSubject, Failed: subject == "" || subject != run.subject}}
	}
	run.add(s)
}

// revoke revokes what was issued: with the refresh token all of it.
func (run *tryRun) revoke() error {
	tokens := []string{run.tokens.AccessToken}
	if run.tokens.RefreshToken != "" {
		tokens = append(tokens, run.tokens.RefreshToken)
	}
	for _, token := range tokens {
		form, header := url.Values{"token": {token}}, http.Header{}
		if err := run.authenticate(form, header); err != nil {
			return err
		}
		a := run.ask(http.MethodPost, "/oauth/revoke", form, header)
		run.add(screens.TryStep{Name: screens.TryRevocation, Failed: a.status != http.StatusOK, Sent: a.sent, Received: a.text()})
	}
	return nil
}
