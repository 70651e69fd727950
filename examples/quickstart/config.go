package main

import (
	_ "embed"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"
)

// config is what the process runs. Every field has a default.
type config struct {
	// Listen is the address of the provider and its sandbox; 127.0.0.1:8080
	// when empty. Port 0 takes a free one.
	Listen string `json:"listen"`

	environment

	// SampleClient runs the sample client site, and Sandbox a second provider,
	// when they are there.
	SampleClient *sampleClient `json:"sample_client"`
	Sandbox      *environment  `json:"sandbox"`
}

// environment is one provider. What a sandbox leaves out of Brand, Scopes,
// Attributes and Groups is as in production; its users and clients are its own.
type environment struct {
	// BaseURL is http://localhost with the port of Listen when empty; for the
	// sandbox, that of production followed by /sandbox.
	BaseURL string `json:"base_url"`

	// Data is the folder for the secret and the database; data when empty, and
	// sandbox in the folder of production for the sandbox.
	Data string `json:"data"`

	// Database is the address of a PostgreSQL database to use instead of a
	// file in Data.
	Database string `json:"database"`

	Brand          brand          `json:"brand"`
	Scopes         []scope        `json:"scopes"`
	Attributes     []attribute    `json:"attributes"`
	Groups         []group        `json:"groups"`
	TrustedProxies []netip.Prefix `json:"trusted_proxies"`
	Users          []user         `json:"users"`
	Clients        []client       `json:"clients"`
}

type sampleClient struct {
	Listen  string `json:"listen"`
	BaseURL string `json:"base_url"`
}

type brand struct {
	Name        string `json:"name"`
	Logo        string `json:"logo"`
	ButtonColor string `json:"button_color"`
}

type scope struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Attributes  []string `json:"attributes"`
	Groups      []string `json:"groups"`
}

type attribute struct {
	Handle  string   `json:"handle"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Members []string `json:"members"`
}

type group struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Subgroups []string `json:"subgroups"`
}

type user struct {
	UUID          string         `json:"uuid"`
	Email         string         `json:"email"`
	EmailVerified *bool          `json:"email_verified"`
	Password      string         `json:"password"`
	Attributes    map[string]any `json:"attributes"`
	Status        []status       `json:"status"`
}

type status struct {
	Group      string    `json:"group"`
	Subgroups  []string  `json:"subgroups"`
	Verified   bool      `json:"verified"`
	VerifiedBy string    `json:"verified_by"`
	VerifiedAt time.Time `json:"verified_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// client is a registration in the terms of RFC 7591 section 2, where it has one.
type client struct {
	ID                        string   `json:"client_id"`
	Secret                    string   `json:"client_secret"`
	Name                      string   `json:"name"`
	Dialect                   string   `json:"dialect"`
	Public                    bool     `json:"public"`
	TokenEndpointAuthMethod   string   `json:"token_endpoint_auth_method"`
	RedirectURIs              []string `json:"redirect_uris"`
	PostLogoutRedirectURIs    []string `json:"post_logout_redirect_uris"`
	ResponseTypes             []string `json:"response_types"`
	GrantTypes                []string `json:"grant_types"`
	Scopes                    []string `json:"scopes"`
	Origins                   []string `json:"origins"`
	UserinfoSignedResponseAlg string   `json:"userinfo_signed_response_alg"`
	RequireVerified           bool     `json:"require_verified"`
	SkipConsent               bool     `json:"skip_consent"`
	Disabled                  bool     `json:"disabled"`
	Logo                      string   `json:"logo"`
	ButtonColor               string   `json:"button_color"`
	PolicyURI                 string   `json:"policy_uri"`
	TermsURI                  string   `json:"tos_uri"`
}

// quickstart is what runs when no file is named.
//
//go:embed quickstart.json
var quickstart []byte

// loadConfig reads a file, or what the quickstart runs when path is empty. Relative
// paths in a file start from the folder of the file; without a file, from the
// working directory.
func loadConfig(path string) (config, error) {
	if path == "" {
		return parseConfig(quickstart, ".")
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return config{}, fmt.Errorf("read config: %w", err)
	}
	cfg, err := parseConfig(text, filepath.Dir(path))
	if err != nil {
		return config{}, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

// parseConfig reads a config and fills in what does not depend on the port.
func parseConfig(text []byte, folder string) (config, error) {
	var cfg config
	if err := decodeStrict(text, &cfg); err != nil {
		return config{}, err
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:8080"
	}
	if cfg.Data == "" {
		cfg.Data = "data"
	}
	if cfg.SampleClient != nil && cfg.SampleClient.Listen == "" {
		cfg.SampleClient.Listen = "127.0.0.1:8081"
	}
	if s := cfg.Sandbox; s != nil {
		s.inherit(cfg.environment)
		s.resolve(folder)
	}
	cfg.resolve(folder)
	return cfg, nil
}

// inherit gives a sandbox what it leaves out.
func (e *environment) inherit(production environment) {
	if e.Data == "" {
		e.Data = filepath.Join(production.Data, "sandbox")
	}
	if e.Brand == (brand{}) {
		e.Brand = production.Brand
	}
	if e.Scopes == nil {
		e.Scopes = production.Scopes
	}
	if e.Attributes == nil {
		e.Attributes = production.Attributes
	}
	if e.Groups == nil {
		e.Groups = production.Groups
	}
	if e.TrustedProxies == nil {
		e.TrustedProxies = production.TrustedProxies
	}
}

// resolve makes the paths of an environment start from a folder.
func (e *environment) resolve(folder string) {
	in := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	in(&e.Data)
	in(&e.Brand.Logo)
	for i := range e.Clients {
		in(&e.Clients[i].Logo)
	}
}
