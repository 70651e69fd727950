package main

import (
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/github"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

// upstreamProvider is a provider at which people have an account, with the path of its logo.
// One of the last five fields is set, and says how it is spoken to. But for OpenID, these know
// ID, Title and Look.
type upstreamProvider struct {
	// ID is its name in addresses: register there BaseURL + /signin/with/ + id + /callback.
	// Defaults to the key, such as google; required for openid.
	ID string `json:"id"`

	// Title is its name for people.
	// Defaults to that of the company; required for openid.
	Title string `json:"title"`

	// Logo is the path of its picture.
	// Defaults to the mark of the company; for openid the first letter of the title.
	Logo string `json:"logo"`

	// Domains are those whose users are sent to it.
	// Defaults to none.
	Domains []string `json:"domains"`

	// AuthoritativeFor are the domains whose mailboxes it gives out.
	// Defaults to those that are known, such as gmail.com of Google.
	AuthoritativeFor []string `json:"authoritative_for"`

	// Classes are what an acr of it is worth, as in {"https://refeds.org/profile/mfa": "two_factors"}.
	// Defaults to one factor.
	Classes map[string]provider.Assurance `json:"classes"`

	// LinkByEmail connects an account by its address alone, where nothing speaks against it.
	// Defaults to false.
	LinkByEmail bool `json:"link_by_email"`

	// NoSignUp lets in only users whose account is connected.
	// Defaults to false.
	NoSignUp bool `json:"no_sign_up"`

	// Clients are the client IDs for which it is offered.
	// Defaults to all.
	Clients []string `json:"clients"`

	// OpenID is any provider with discovery.
	OpenID *openidUpstream `json:"openid"`

	// Google has accounts of everybody and of Workspace.
	Google *googleUpstream `json:"google"`

	// Microsoft has accounts of people, companies and schools.
	Microsoft *microsoftUpstream `json:"microsoft"`

	// Apple needs a key.
	Apple *appleUpstream `json:"apple"`

	// GitHub needs an OAuth app.
	GitHub *githubUpstream `json:"github"`
}

// registration is that at an upstream provider.
type registration struct {
	// ClientID and ClientSecret are the registration there, as for google, microsoft and github; without a secret it is public.
	ClientID   string `json:"client_id"`
	Secret     string `json:"client_secret"`
	SecretFile string `json:"client_secret_file"`
}

type openidUpstream struct {
	registration
	// Issuer is as its ID tokens have it.
	Issuer string `json:"issuer"`

	// Scopes are those asked for beside openid.
	// Defaults to email and profile.
	Scopes []string `json:"scopes"`

	// Parameters are more parameters of the request.
	// Defaults to none.
	Parameters map[string]string `json:"parameters"`

	// UserInfo asks that endpoint always.
	// Defaults to when an address or a name is missing.
	UserInfo bool `json:"userinfo"`
}

type googleUpstream struct {
	registration
	// Domains are the only domains of Workspace whose accounts get in.
	// Defaults to everybody.
	Domains []string `json:"domains"`

	// Scopes are those asked for beside openid.
	Scopes []string `json:"scopes"`
}

type microsoftUpstream struct {
	registration
	// Tenant is an ID, common, organizations or consumers; tenants are the only ones whose accounts get in.
	Tenant  string   `json:"tenant"`
	Tenants []string `json:"tenants"`

	// Scopes are those asked for beside openid.
	Scopes []string `json:"scopes"`

	// Authority is the address of a national cloud.
	Authority string `json:"authority"`
}

// appleUpstream has the path of its key.
type appleUpstream struct {
	// ClientID, and what follows, are as Apple has them; key_file is the path of the key, AuthKey_….p8.
	ClientID string   `json:"client_id"`
	TeamID   string   `json:"team_id"`
	KeyID    string   `json:"key_id"`
	Key      string   `json:"key_file"`
	Scopes   []string `json:"scopes"`
}

type githubUpstream struct {
	registration
	// Enterprise is the address of a server of your own.
	Enterprise string `json:"enterprise"`
}

// registration returns that of the upstream and the key that has it; nil for Apple, which has
// no secret.
func (u *upstreamProvider) registration() (key string, r *registration) {
	switch {
	case u.OpenID != nil:
		return "openid", &u.OpenID.registration
	case u.Google != nil:
		return "google", &u.Google.registration
	case u.Microsoft != nil:
		return "microsoft", &u.Microsoft.registration
	case u.GitHub != nil:
		return "github", &u.GitHub.registration
	default:
		return "", nil
	}
}

// paths are those of the files of an upstream.
func (u *upstreamProvider) paths() []*string {
	paths := []*string{&u.Logo}
	if _, r := u.registration(); r != nil {
		paths = append(paths, &r.SecretFile)
	}
	if u.Apple != nil {
		paths = append(paths, &u.Apple.Key)
	}
	return paths
}

// way is how an upstream is spoken to.
type way struct {
	key       string // of the file
	title     string // that everybody knows
	connector upstream.Connector
	options   any // for the keys of their fields
}

// way returns the one that the file gives, at a place.
func (u *upstreamProvider) way(place string) (way, error) {
	var ways []way
	if o := u.OpenID; o != nil {
		ways = append(ways, way{"openid", "", openid.New(openid.Options{
			Issuer: o.Issuer, ClientID: o.ClientID, Secret: o.Secret, Scopes: o.Scopes, Parameters: o.Parameters, UserInfo: o.UserInfo,
		}), o})
	}
	if o := u.Google; o != nil {
		ways = append(ways, way{"google", "Google", openid.Google(openid.GoogleOptions{
			ClientID: o.ClientID, Secret: o.Secret, Domains: o.Domains, Scopes: o.Scopes,
		}), o})
	}
	if o := u.Microsoft; o != nil {
		ways = append(ways, way{"microsoft", "Microsoft", openid.Microsoft(openid.MicrosoftOptions{
			ClientID: o.ClientID, Secret: o.Secret, Tenant: o.Tenant, Tenants: o.Tenants, Scopes: o.Scopes, Authority: o.Authority,
		}), o})
	}
	if o := u.Apple; o != nil {
		key, err := readFile(o.Key, 64<<10)
		if err != nil {
			return way{}, fmt.Errorf("%s.apple.key_file: %w", place, err)
		}
		ways = append(ways, way{"apple", "Apple", openid.Apple(openid.AppleOptions{
			ClientID: o.ClientID, TeamID: o.TeamID, KeyID: o.KeyID, Key: key, Scopes: o.Scopes,
		}), o})
	}
	if o := u.GitHub; o != nil {
		ways = append(ways, way{"github", "GitHub", github.New(github.Options{
			ClientID: o.ClientID, Secret: o.Secret, Enterprise: o.Enterprise,
		}), o})
	}
	if len(ways) != 1 {
		return way{}, fmt.Errorf("%s: needs exactly one of openid, google, microsoft, apple and github", place)
	}
	return ways[0], nil
}

// read returns the upstream with the content of its files.
func (u *upstreamProvider) read(place string) (provider.Upstream, error) {
	way, err := u.way(place)
	if err != nil {
		return provider.Upstream{}, err
	}
	logo, err := readImage(u.Logo)
	if err != nil {
		return provider.Upstream{}, fmt.Errorf("%s.logo: %w", place, err)
	}
	read := provider.Upstream{
		ID: u.ID, Title: u.Title, Logo: logo, Connector: way.connector, Domains: u.Domains, AuthoritativeFor: u.AuthoritativeFor,
		Classes: u.Classes, LinkByEmail: u.LinkByEmail, NoSignUp: u.NoSignUp, Clients: u.Clients,
	}
	if way.title != "" {
		if read.ID == "" {
			read.ID = way.key
		}
		if read.Title == "" {
			read.Title = way.title
		}
		if len(logo) == 0 {
			read.Look = way.key
		}
	}
	return read, nil
}

// upstreams returns the upstream providers of the file.
func (e *environment) upstreams() ([]provider.Upstream, error) {
	var all []provider.Upstream
	for i := range e.Upstreams {
		one, err := e.Upstreams[i].read(fmt.Sprintf("upstreams[%d]", i))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// inKeys returns an error of provider.New with the keys of the environment.
func (e *environment) inKeys(err error) error {
	var wrong, of *provider.FieldError
	if errors.As(err, &wrong) && errors.As(wrong.Err, &of) {
		for i := range e.Upstreams {
			if wrong.Field != fmt.Sprintf("Upstreams[%d].Connector", i) {
				continue
			}
			place := fmt.Sprintf("upstreams[%d]", i)
			if way, err := e.Upstreams[i].way(place); err == nil {
				return inKeys(of, within(place, way.key), way.options)
			}
		}
	}
	return inKeys(err, "", e)
}
