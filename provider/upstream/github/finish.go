package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// Finish implements [upstream.Connector].
func (c *Connector) Finish(ctx context.Context, b upstream.Callback) (upstream.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, maxFinish)
	defer cancel()
	code, err := c.code(b.Values)
	switch {
	case err != nil:
		return upstream.Identity{}, err
	case len(b.Keep) == 0:
		return upstream.Identity{}, errors.New("github: what was kept of the attempt is missing")
	}
	token, err := c.redeem(ctx, b, code)
	if err != nil {
		return upstream.Identity{}, err
	}
	var user map[string]any
	if err := c.read(ctx, b.HTTP, token, "/user", &user); err != nil {
		return upstream.Identity{}, err
	}
	var emails []email
	// A GitHub App that may not read addresses is told 403 or 404: the person has none here.
	if err := c.read(ctx, b.HTTP, token, "/user/emails?per_page=100", &emails); err != nil && !errors.Is(err, reply.ErrStatus) {
		return upstream.Identity{}, err
	}
	return c.identity(user, emails)
}

// code returns the code of a response. GitHub does not name itself in responses (RFC 9207): one
// that names an issuer is another's.
func (c *Connector) code(values url.Values) (string, error) {
	for _, name := range []string{"code", "error", "iss", "state"} {
		if len(values[name]) > 1 {
			return "", errors.New("github: the response has a parameter twice")
		}
	}
	switch code := values.Get("code"); {
	case values.Has("iss") && values.Get("iss") != c.site && values.Get("iss") != c.site+"/login/oauth":
		return "", errors.New("github: the response is of another issuer")
	case values.Get("error") == "access_denied":
		return "", upstream.ErrDenied
	case values.Has("error"):
		return "", errors.New("github: the request is refused: the callback URL or the client is not as it is registered")
	case code == "" || len(code) > 1024:
		return "", errors.New("github: the response has no code")
	default:
		return code, nil
	}
}

// redeem exchanges a code for an access token. GitHub says what is wrong with status 200.
func (c *Connector) redeem(ctx context.Context, b upstream.Callback, code string) (string, error) {
	form := url.Values{
		"client_id": {c.options.ClientID}, "client_secret": {c.options.Secret}, "code": {code}, "redirect_uri": {b.Address},
		"code_verifier": {string(b.Keep)},
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.site+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", errors.New("github: the address is none")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var answer struct {
		AccessToken string `json:"access_token"`
		Error       string `json:"error"`
	}
	if err := reply.JSON(b.HTTP, r, &answer); err != nil {
		return "", fmt.Errorf("github: exchange code: %w", err)
	}
	switch {
	case slices.Contains([]string{"bad_verification_code", "incorrect_client_credentials", "redirect_uri_mismatch", "unverified_user_email"}, answer.Error):
		return "", fmt.Errorf("github: the code is refused: %s", answer.Error)
	case answer.Error != "" || answer.AccessToken == "":
		return "", errors.New("github: the code is refused")
	}
	return answer.AccessToken, nil
}

// read reads a resource of the API.
func (c *Connector) read(ctx context.Context, client *http.Client, token, path string, v any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.api+path, http.NoBody)
	if err != nil {
		return errors.New("github: the address is none")
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if err := reply.JSON(client, r, v); err != nil {
		return fmt.Errorf("github: read %s: %w", strings.SplitN(path, "?", 2)[0], err)
	}
	return nil
}

// email is an address of a user.
type email struct {
	Address  string `json:"email"`
	Primary  bool   `json:"primary"`
	Verified bool   `json:"verified"`
}

// identity is who the API has spoken of.
func (c *Connector) identity(user map[string]any, emails []email) (upstream.Identity, error) {
	id, ok := user["id"].(float64)
	// Above 2^53 two numbers would be one.
	if !ok || id < 1 || id > 1<<53 || id != float64(int64(id)) {
		return upstream.Identity{}, errors.New("github: the user has no numeric ID")
	}
	if kind, ok := user["type"].(string); ok && kind != "User" {
		return upstream.Identity{}, errors.New("github: the account is not a person's")
	}
	login, _ := user["login"].(string)
	name, _ := user["name"].(string)
	who := upstream.Identity{Issuer: c.site, Subject: strconv.FormatInt(int64(id), 10), Name: reply.Name(name), Claims: user}
	if who.Name == "" {
		who.Name = reply.Name(login)
	}
	for _, e := range emails {
		if address := reply.Email(e.Address); e.Primary && e.Verified && address != "" && !isNoReply(address) {
			who.Email, who.EmailVerified = address, true
		}
	}
	return who, nil
}

// isNoReply reports whether an address is one of those that GitHub gives for commits.
func isNoReply(address string) bool {
	domain := reply.Domain(address)
	return domain == "noreply.github.com" || strings.HasPrefix(domain, "users.noreply.")
}
