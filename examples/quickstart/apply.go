package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
)

// apply creates the users and clients of the file, or brings them up to date. It
// deletes nothing: who is no longer in the file stays.
func (e *environment) apply(ctx context.Context, p *provider.Provider) error {
	for i, u := range e.Users {
		if err := u.apply(ctx, p); err != nil {
			return fmt.Errorf("users[%d]%w", i, err)
		}
	}
	for i, c := range e.Clients {
		if err := c.apply(ctx, p); err != nil {
			return fmt.Errorf("clients[%d]%w", i, err)
		}
	}
	return nil
}

func (u user) apply(ctx context.Context, p *provider.Provider) error {
	id, err := p.SaveAccount(ctx, provider.Account{
		ID: u.UUID, Email: u.Email, Password: u.Password,
		EmailVerified: u.EmailVerified == nil || *u.EmailVerified,
	})
	if err != nil {
		return fmt.Errorf(": %w", inKeys(err))
	}
	if err := p.SetAttributes(ctx, id, u.Attributes); err != nil {
		return fmt.Errorf(".attributes: %w", err)
	}
	for i, s := range u.Status {
		if err := p.SetStatus(ctx, id, provider.Status(s)); err != nil {
			return fmt.Errorf(".status[%d]: %w", i, err)
		}
	}
	return nil
}

func (c client) apply(ctx context.Context, p *provider.Provider) error {
	logo, err := readImage(c.Logo)
	if err != nil {
		return fmt.Errorf(".logo: %w", err)
	}
	if alg := c.UserinfoSignedResponseAlg; alg != "" && alg != "RS256" {
		return fmt.Errorf(".userinfo_signed_response_alg: %q is not RS256", alg)
	}
	err = p.SaveClient(ctx, provider.Client{
		ID: c.ID, Secret: c.Secret, Name: c.Name, Dialect: c.Dialect, Public: c.Public,
		TokenEndpointAuthMethod: c.TokenEndpointAuthMethod,
		RedirectURIs:            c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, Origins: c.Origins,
		UserinfoSigned: c.UserinfoSignedResponseAlg != "", RequireVerified: c.RequireVerified,
		SkipConsent: c.SkipConsent, Disabled: c.Disabled,
		Logo: logo, ButtonColor: c.ButtonColor, PolicyURL: c.PolicyURI, TermsURL: c.TermsURI,
	})
	if err != nil {
		return fmt.Errorf(": %w", inKeys(err))
	}
	return nil
}

// keyError is an error of the library that names keys of the file.
type keyError struct {
	text string
	err  error
}

func (e *keyError) Error() string { return e.text }

func (e *keyError) Unwrap() error { return e.err }

// inKeys puts the key of the file in the place of the field that an error of the
// library names.
func inKeys(err error) error { return &keyError{keyOfField.Replace(err.Error()), err} }

var keyOfField = strings.NewReplacer(
	"provider: Config.Secret:", "data/secret:",
	"provider: Config.", "",
	"account: Email:", "email:",
	"account: ID:", "uuid:",
	"BaseURL:", "base_url:",
	"Brand.Name:", "brand.name:",
	"Brand.Logo:", "brand.logo:",
	"Brand.ButtonColor:", "brand.button_color:",
	"Scopes[", "scopes[",
	"Attributes[", "attributes[",
	"Groups[", "groups[",
	"].Name:", "].name:",
	"].Attributes:", "].attributes:",
	"].Groups:", "].groups:",
	"ID:", "client_id:",
	"Secret:", "client_secret:",
	"Name:", "name:",
	"Dialect:", "dialect:",
	"TokenEndpointAuthMethod:", "token_endpoint_auth_method:",
	"PostLogoutRedirectURIs[", "post_logout_redirect_uris[",
	"RedirectURIs:", "redirect_uris:",
	"RedirectURIs[", "redirect_uris[",
	"ResponseTypes[", "response_types[",
	"GrantTypes[", "grant_types[",
	"Origins[", "origins[",
	"ButtonColor:", "button_color:",
	"Logo:", "logo:",
	"PolicyURL:", "policy_uri:",
	"TermsURL:", "tos_uri:",
)
