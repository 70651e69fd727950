// Package unknown has the clients that nobody registered. Such a client names itself by the
// address of a document with its metadata (draft-ietf-oauth-client-id-metadata-document): the
// address proves the host, and nothing else. A client becomes a row of the database when a user
// decides about it, or when it has signed a pushed request, and never because somebody has
// named it. Others register themselves (RFC 7591), which proves nothing.
package unknown

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/storage"
)

// Policy is what the host allows clients that nobody registered.
type Policy struct {
	// Documents switches clients with a metadata document on.
	Documents bool

	// Register says who may register a client (RFC 7591): nobody, or anybody for RegisterOpen.
	Register string

	// Scopes are those that they may ask for; never empty.
	Scopes []string

	// Allow and Deny are patterns of hosts. With Allow, no other host has clients.
	Allow, Deny []string

	// Trusted are patterns of hosts whose clients are shown by the name that they have given
	// themselves.
	Trusted []string

	// AllowPrivate allows hosts of private networks, any port, and http to loopback hosts.
	AllowPrivate bool

	// Own is the host of the provider, with its port if it has one. It has no clients.
	Own string

	// Resources are the URIs of APIs, which are no clients: an access token for one would have
	// the audience of the ID tokens of the other.
	Resources []string

	// Algorithms are those that the provider signs with.
	Algorithms []string

	// Addresses decides which redirect URIs are accepted at all.
	Addresses registry.Addresses

	// Denial returns the denial of the staff that holds for one of some hosts.
	// storage.ErrNotFound if none does.
	Denial func(ctx context.Context, hosts ...string) (storage.HostDenial, error)
}

// RegisterOpen lets anybody register a client.
const RegisterOpen = "open"

// Admit lets in a client that is read from the database, and gives it what the policy allows
// now. Other clients pass as they are. registry.ErrDisabled if one of its hosts may have no clients.
func (p *Policy) Admit(ctx context.Context, c *registry.Client) error {
	switch {
	case c.Origin == "":
		return nil
	case c.Origin == storage.OriginRegistered:
		if err := p.admitRegistered(c); err != nil {
			return err
		}
	case !p.Documents || slices.Contains(p.Resources, c.ID) || !p.admitsHost(hostOf(c.ID)):
		return registry.ErrDisabled
	default:
		c.Scopes = p.Scopes
		c.Trusted = c.Document.Name != "" && registration.MatchesHost(p.Trusted, hostOf(c.ID))
	}
	return p.refuseDenied(ctx, c.Hosts()...)
}

// refuseDenied returns registry.ErrDisabled if the staff has denied one of some hosts.
func (p *Policy) refuseDenied(ctx context.Context, of ...string) error {
	_, err := p.Denial(ctx, of...)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err == nil:
		return registry.ErrDisabled
	}
	return err
}

// admitsHost reports whether clients of a host may ask at all.
func (p *Policy) admitsHost(host string) bool {
	return !registration.MatchesHost(p.Deny, host) && (len(p.Allow) == 0 || registration.MatchesHost(p.Allow, host))
}

// hostOf returns the host of an address without a port, or "".
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// nameOf returns the host of an address as people read it, with a port that the scheme does
// not have.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if registry.IsDefaultPort(u) {
		return u.Hostname()
	}
	return u.Host
}

// isLiteral reports whether a host is an address of a network.
func isLiteral(host string) bool { return net.ParseIP(host) != nil }
