package room

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/storage"
)

// Installation describes a provider, for documentation and for pages about it. L is
// provider.Lifetimes, R provider.Resource.
type Installation[L, R any] struct {
	// Version is that of this module in the program. Nothing tells it to strangers.
	Version string

	// BaseURL and Sandbox are those of the Config.
	BaseURL string
	Sandbox bool

	// Name and Code are those of the Brand.
	Name, Code string

	// Issuer is the issuer identifier.
	Issuer string

	// HasAccounts reports whether users sign in with embedded accounts, SignsUp whether
	// they can create one.
	HasAccounts bool
	SignsUp     bool

	// Assurance is the highest level that a sign-in can reach.
	Assurance storage.Assurance

	// Scopes, Attributes and Groups are those in force, in the host's order; Attributes
	// begin with the default catalogue.
	Scopes     []catalogue.Scope
	Attributes []catalogue.Attribute
	Groups     []catalogue.Group

	// Resources are the APIs for which applications can request access tokens.
	Resources []R

	// SigningAlgorithms are those with which tokens can be signed, Profiles those for which
	// applications can be registered (Client.Profile).
	SigningAlgorithms []string
	Profiles          []string

	// Devices reports whether there is device authorization (Config.DeviceAuthorization),
	// Documents whether an https address can be a client_id, Registers whether anybody can
	// register a client, and RegistersByToken whether a program with a token can
	// (Config.UnknownClients).
	Devices, Documents, Registers, RegistersByToken bool

	// Credentials are the scopes by which wallets ask for credentials (Config.Credentials).
	Credentials []string

	// Webhooks reports whether applications can have webhooks, Streams whether they can have streams
	// of Shared Signals, Signals whether anybody can be told of changes (Config.Signals), and
	// VerifiedClaims whether applications are told how a group was verified (Config.VerifiedClaims).
	Webhooks, Streams, Signals, VerifiedClaims bool

	// Lifetimes are those in force.
	Lifetimes L

	// RecoveryWait is how long an owner waits who has nothing but the mailbox
	// (SignIn.Recovery).
	RecoveryWait time.Duration
}
