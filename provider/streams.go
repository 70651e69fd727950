package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// newStreams returns the streams of Shared Signals; nil if there are none.
func (p *rooms) newStreams() oauth.Streams {
	if !p.cfg.Signals.SharedSignals {
		return nil
	}
	s := &hub.Streams{
		Hub: p.signals, Issuer: p.issuer, PollURL: p.cfg.BaseURL + oauth.PollPath, AllowPrivate: p.cfg.AllowPrivateNetworks,
		Sign: p.keys.SignAs, Refresh: p.keys.Refresh, Verified: p.isVerified,
	}
	p.signals.SET, p.signals.Push, p.signals.Stopping = s.SET, s.Push, s.Stopping
	return s
}

// isVerified reports whether a user is a verified member of a group; nobody is who is no user any
// more.
func (p *rooms) isVerified(ctx context.Context, userID, group string) (bool, error) {
	statuses, err := People{p}.Statuses(ctx, userID, group)
	if errors.Is(err, host.ErrNoUser) {
		return false, nil
	}
	return len(statuses) > 0 && statuses[0].Verified, err
}

// transmitter is the metadata of Shared Signals (SSF 1.0 section 7.1).
type transmitter struct {
	SpecVersion           string                `json:"spec_version"`
	Issuer                string                `json:"issuer"`
	JWKSURI               string                `json:"jwks_uri"`
	DeliveryMethods       []string              `json:"delivery_methods_supported"`
	ConfigurationEndpoint string                `json:"configuration_endpoint"`
	StatusEndpoint        string                `json:"status_endpoint"`
	VerificationEndpoint  string                `json:"verification_endpoint"`
	AuthorizationSchemes  []authorizationScheme `json:"authorization_schemes"`
	DefaultSubjects       string                `json:"default_subjects"`
}

// authorizationScheme is how a receiver proves who it is: by an access token of OAuth 2.0.
type authorizationScheme struct {
	Spec string `json:"spec_urn"`
}

// transmitterRoute serves it: the well-known part comes before the path of the issuer (section 7.2).
func (p *rooms) transmitterRoute() web.Route {
	at := func(path string) string { return p.cfg.BaseURL + path }
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p.issuer, "https://"), "http://"), "/")
	return web.Route{
		Method: http.MethodGet, Path: "/.well-known/ssf-configuration/" + path, Kind: web.Program,
		Handler: serveJSON(transmitter{
			SpecVersion: "1_0", Issuer: p.issuer, JWKSURI: at("/oidc/.well-known/jwks"), DeliveryMethods: hub.DeliveryMethods,
			ConfigurationEndpoint: at(oauth.StreamPath), StatusEndpoint: at(oauth.StatusPath), VerificationEndpoint: at(oauth.VerifyPath),
			AuthorizationSchemes: []authorizationScheme{{"urn:ietf:rfc:6749"}}, DefaultSubjects: "ALL",
		}),
	}
}
