package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/net/publicsuffix"
)

// webIdentity is where browsers look up the provider of a registrable domain (FedCM).
const webIdentity = "/.well-known/web-identity"

// separateFedCM refuses a second provider for which browsers would look in the same document.
func (c *config) separateFedCM() error {
	if s := c.Sandbox; s != nil && c.FedCM.On && s.FedCM.On && webIdentityOf(s.BaseURL) == webIdentityOf(c.BaseURL) {
		return fmt.Errorf("sandbox.fedcm: browsers know one provider of %s, which is production", webIdentityOf(c.BaseURL))
	}
	return nil
}

// webIdentityOf returns where browsers look for the document of the provider with a base URL.
func webIdentityOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: webIdentity}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil && !isOwnMachine(base) {
		at.Host = domain // at the port of the scheme
	}
	return at.String()
}

// tryWebIdentity warns if browsers would not find a provider, whose buttons then open a window as
// without FedCM.
func (s *service) tryWebIdentity(ctx context.Context, e *environment) {
	if !e.FedCM.On {
		return
	}
	at := webIdentityOf(e.BaseURL)
	if err := findWebIdentity(ctx, at, e.BaseURL); err != nil {
		s.log.WarnContext(ctx, "browsers will not find the provider of fedcm; serve Pages.WellKnown, or a copy of what it says, at this address",
			slog.String("address", at), slog.String("base_url", e.BaseURL), slog.Any("error", err))
	}
}

// findWebIdentity returns an error unless the document at an address names a provider.
func findWebIdentity(ctx context.Context, at, base string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Sec-Fetch-Dest", "webidentity")
	client := http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // as browsers do
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("is answered by %s", response.Status)
	}
	var document struct {
		Providers []string `json:"provider_urls"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&document); err != nil {
		return fmt.Errorf("is no such document: %w", err)
	}
	if !slices.Contains(document.Providers, base+"/fedcm/config.json") {
		return fmt.Errorf("names %q", document.Providers)
	}
	return nil
}
