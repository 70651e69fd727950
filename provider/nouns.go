package provider

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Each noun is a pointer to the internals of its provider. It costs no allocation, may be
// kept and copied, and lives as long as the provider.

// Accounts are the embedded accounts: Save, Get, GetByEmail, List, SetDisabled and Delete.
// Authenticators returns what one has beside its password, ResetAuthenticators removes it, and
// ApproveRecovery ends the wait of an owner who has lost it.
type Accounts struct{ *rooms }

// Accounts returns the embedded accounts. A host with its own users has none, and uses
// Accounts.Delete to remove a user's data.
func (p *Provider) Accounts() Accounts { return Accounts{&p.rooms} }

// Clients are the registered applications: Save, Get, List, SetDisabled and Delete.
// Secret, ListSecrets, RotateSecret and EndSecret are for their secrets.
type Clients struct{ *rooms }

// Clients returns the registered applications.
func (p *Provider) Clients() Clients { return Clients{&p.rooms} }

// Events are the audit log: List and Record, and Config.OnEvent as it grows.
type Events struct{ *rooms }

// Events returns the audit log.
func (p *Provider) Events() Events { return Events{&p.rooms} }

// Keys are the signing keys (Rotate and Revoke), the data keys (RotateData) and Config.Secret,
// with which Seal and Open protect the host's own values.
type Keys struct{ *rooms }

// Keys returns the signing keys, the data keys and the secret.
func (p *Provider) Keys() Keys { return Keys{&p.rooms} }

// Pages are helpers for the host's own pages. Screen serves a page in the provider's frame,
// Upload one that receives files. IsReturnTo is for the host's sign-in page and that of a Verifier,
// BrandPreview for its operators, and WellKnown for the root of the host.
type Pages struct {
	*rooms
	elsewhere *web.Server // of ScreensAt; nil at the base URL
	patience  time.Duration
}

// Pages returns helpers for the host's own pages.
func (p *Provider) Pages() Pages { return Pages{rooms: &p.rooms} }

// People are the users, with embedded accounts or of the host. Get reads a user's data, and
// Statuses what is released of it about groups; SetAttributes, SetStatus and DeleteStatus
// change it. SignedIn asks for a session, EndSessions, Revoke and RevokeIssuedBefore end sessions
// and tokens.
type People struct{ *rooms }

// People returns the users.
func (p *Provider) People() People { return People{&p.rooms} }

// Trail is the audit log as it is sealed: in blocks whose lines nobody can change unseen.
// Checkpoint is the signed head of them all, Open reads one, VerifierKey is its public key, and
// AnchorWith takes it elsewhere. Verify compares the log with what was sealed.
type Trail struct{ *rooms }

// Trail returns the seals of the audit log.
func (p *Provider) Trail() Trail { return Trail{&p.rooms} }

// Rooms are what the desk, the dashboard, verification and the tests of this module do with a
// provider beyond what hosts do. They are no part of the API: a host that uses them builds on what may
// change with each version.
func (p *Provider) Rooms() roomsOf { //nolint:revive // so that go doc shows none of it
	return roomsOf{
		rooms: &p.rooms, Accounts: accountsRoom{p.Accounts()}, Clients: clientsRoom{p.Clients()}, Events: eventsRoom{p.Events()},
		Hosts: hostsRoom{&p.rooms}, Keys: keysRoom{p.Keys()}, Pages: pagesRoom{p.Pages()}, People: peopleRoom{p.People()},
		Sandbox: sandboxRoom{&p.rooms}, Trail: trailRoom{p.Trail()},
	}
}

// roomsOf has for each noun the methods that are for the rooms of this module.
type roomsOf struct {
	*rooms
	Accounts accountsRoom
	Clients  clientsRoom
	Events   eventsRoom
	Hosts    hostsRoom
	Keys     keysRoom
	Pages    pagesRoom
	People   peopleRoom
	Sandbox  sandboxRoom
	Trail    trailRoom
}

type (
	accountsRoom struct{ Accounts }
	clientsRoom  struct{ Clients }
	eventsRoom   struct{ Events }
	keysRoom     struct{ Keys }
	pagesRoom    struct{ Pages }
	peopleRoom   struct{ People }
	trailRoom    struct{ Trail }

	// hostsRoom are the hosts of applications that nobody has registered (Config.UnknownClients).
	hostsRoom struct{ *rooms }

	// sandboxRoom is for a provider with Config.Sandbox.
	sandboxRoom struct{ *rooms }
)

// Room is to Pages what Provider.Rooms is to a Provider.
func (p Pages) Room() pagesRoom { return pagesRoom{p} } //nolint:revive // as Rooms

// screenRoom has what the screens of this module show beyond those of hosts.
type screenRoom struct{ *Screen }

// Room is to a Screen what Provider.Rooms is to a Provider.
func (s *Screen) Room() screenRoom { return screenRoom{s} } //nolint:revive // as Rooms
