package provider

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/device"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Assurance says how sure it is who a user is. The levels are ordered: who has reached one
// has reached those below. In JSON it is a word: one_factor, two_factors or
// phishing_resistant.
type Assurance = storage.Assurance

// The levels of assurance.
const (
	// AnyAssurance is no requirement.
	AnyAssurance = storage.AnyAssurance

	// OneFactor is any one factor, such as a password.
	OneFactor = storage.OneFactor

	// TwoFactors is a password together with a code of an authenticator app, a recovery code
	// or a passkey.
	TwoFactors = storage.TwoFactors

	// PhishingResistant is a passkey whose authenticator has verified the user, by a
	// fingerprint or a PIN.
	PhishingResistant = storage.PhishingResistant
)

// DeviceAuthorization lets devices without a browser get tokens that a user allows elsewhere, by
// a code that the device shows (RFC 8628). Each application needs the grant
// urn:ietf:params:oauth:grant-type:device_code besides. Whoever makes a user enter a code gets
// into the account: leave it off unless there are such devices, and keep scopes that do harm out
// by Scope.NoDevice. See docs/clients.md.
type DeviceAuthorization struct {
	// On has the endpoint and the page /device.
	// Defaults to false.
	On bool `json:"on,omitempty"`

	// SameNetwork is what happens when the device is in another network than the user: "warn"
	// says so on the screen, "require" refuses. Networks are 24 bits of IPv4 and 48 of IPv6: a
	// telephone beside the device, on a mobile network, is in another.
	// Defaults to "warn".
	SameNetwork string `json:"same_network,omitempty"`

	// Complete gives devices an address with the code in it (verification_uri_complete), for a
	// symbol to scan. The user still compares the codes. A link with it can be mailed.
	// Defaults to false.
	Complete bool `json:"complete,omitempty"`
}

// The values of DeviceAuthorization.SameNetwork.
const (
	networkWarn    = "warn"
	networkRequire = "require"
)

// validate returns an error for the first invalid field.
func (d DeviceAuthorization) validate() error {
	if !slices.Contains([]string{"", networkWarn, networkRequire}, d.SameNetwork) {
		return wrongField("DeviceAuthorization.SameNetwork", "%q is not %s or %s", d.SameNetwork, networkWarn, networkRequire)
	}
	return nil
}

// devices returns how devices get tokens.
func (p *Provider) devices() engine.Devices {
	return engine.Devices{
		On: p.cfg.DeviceAuthorization.On, Store: p.store,
		Digest: func(kind, code string) storage.Digest {
			return p.secrets.MAC(kind+" "+p.issuer, []byte(code))
		},
		VerificationURI: p.cfg.BaseURL + device.Path, Complete: p.cfg.DeviceAuthorization.Complete,
		Refuses: func(scope string) bool {
			known := p.catalogue.Scope(scope)
			return known != nil && known.NoDevice
		},
		Life: p.cfg.Lifetimes.Device,
	}
}

// devicePages returns the routes of the pages about devices, if there are any.
func (p *Provider) devicePages() []web.Route {
	d := p.cfg.DeviceAuthorization
	if !d.On {
		return nil
	}
	pages := device.Pages{Pages: p.pages, SameNetwork: d.SameNetwork == networkRequire, Complete: d.Complete}
	return pages.Routes()
}

// SignIn is how users of the embedded accounts sign in. The zero SignIn has passwords,
// passkeys and authenticator apps, and requires none of them of anybody.
type SignIn struct {
	// Passkeys are WebAuthn credentials.
	Passkeys Passkeys `json:"passkeys,omitzero"`

	// TOTP are authenticator apps.
	TOTP TOTP `json:"totp,omitzero"`

	// TrustDevices is how long a user may have the second step left out in a browser, at most
	// 30 days. It is only left out, and proves nothing: such a session has one factor. Every
	// change of the password or of another factor ends it.
	// Defaults to none.
	TrustDevices time.Duration `json:"trust_devices,omitempty"`

	// Require is the lowest level at which anybody signs in: users who cannot reach it are
	// asked to add a passkey or an app.
	// Defaults to AnyAssurance.
	Require Assurance `json:"require,omitempty"`

	// Classes are further classes of authentication (acr) that applications may request, such as
	// http://idmanagement.gov/ns/assurance/aal/2, and what each stands for. They hold for the
	// host's own users, too. The names of the levels, which mean what they mean everywhere, are
	// https://refeds.org/profile/sfa, https://refeds.org/profile/mfa and phr, and the former ones
	// single_factor and multi_factor.
	// Defaults to none.
	Classes map[string]Requirement `json:"classes,omitempty"`

	// Recovery is the way back for users who have lost their passkeys and apps.
	Recovery Recovery `json:"recovery,omitzero"`
}

// Passkeys configures WebAuthn credentials.
type Passkeys struct {
	// Off switches passkeys off: none can be added, and none signs in.
	Off bool `json:"off,omitempty"`

	// RPID is the relying party ID (WebAuthn Level 3 section 4), which must not change: the
	// host of the BaseURL, or a domain above it. Its other hosts may then use the passkeys as
	// well. Passkeys of one RPID are useless with another, and New refuses a database of
	// another. A provider that has moved to another domain keeps the host of one of its
	// PreviousBaseURLs, which then has to serve Pages.WellKnown or the same list.
	// Defaults to the host.
	RPID string `json:"rp_id,omitempty"`

	// PreviousRPIDs are former values of RPID whose passkeys are given up. Their owners find
	// the way back as after a loss.
	// Defaults to none.
	PreviousRPIDs []string `json:"previous_rp_ids,omitempty"`

	// Origins are further origins, such as https://example.org, in which browsers accept
	// the passkeys (WebAuthn Level 3 section 5.11). The host of the RPID serves their list
	// with Pages.WellKnown.
	// Defaults to none.
	Origins []string `json:"origins,omitempty"`

	// Upgrade has a browser add a passkey, without asking, after a sign-in with a password that
	// it keeps. It does so at most once in 30 days; the user is told by mail.
	// Defaults to false.
	Upgrade bool `json:"upgrade,omitempty"`
}

// TOTP configures authenticator apps (RFC 6238).
type TOTP struct {
	// Off switches authenticator apps off: none can be added. Those that accounts have are
	// still asked for.
	Off bool `json:"off,omitempty"`
}

// Recovery configures the way back into an account with a passkey or an app whose owner has
// lost them, and the recovery codes. The owner gets a code by mail first, and is told by
// mail when it begins; anybody who is signed in can cancel it. In JSON the times are text
// such as "72h".
type Recovery struct {
	// Wait is how long the owner waits who knows no password either, at least an hour. It is time
	// to stop somebody else who reads the mailbox.
	// Defaults to 72 hours.
	Wait time.Duration `json:"wait,omitempty"`

	// WithPassword is how long the owner waits who knows the password; negative for not at
	// all.
	// Defaults to 24 hours, or Wait if that is shorter.
	WithPassword time.Duration `json:"with_password,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (s SignIn) MarshalJSON() ([]byte, error) { return field.MarshalDurations(s) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *SignIn) UnmarshalJSON(text []byte) error { return field.UnmarshalDurations(text, s) }

// MarshalJSON implements json.Marshaler.
func (r Recovery) MarshalJSON() ([]byte, error) { return field.MarshalDurations(r) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Recovery) UnmarshalJSON(text []byte) error { return field.UnmarshalDurations(text, r) }

// maxTrust is the longest time in which a browser is trusted, and minWait and maxWait limit
// the wait of a recovery.
const (
	maxTrust = 30 * 24 * time.Hour
	minWait  = time.Hour
	maxWait  = 30 * 24 * time.Hour
)

func (s SignIn) withDefaults(base string) SignIn {
	if u, err := url.Parse(base); err == nil && s.Passkeys.RPID == "" {
		s.Passkeys.RPID = u.Hostname()
	}
	if s.Recovery.Wait == 0 {
		s.Recovery.Wait = 72 * time.Hour
	}
	switch {
	case s.Recovery.WithPassword == 0:
		s.Recovery.WithPassword = min(24*time.Hour, s.Recovery.Wait)
	case s.Recovery.WithPassword < 0:
		s.Recovery.WithPassword = 0
	}
	return s
}

// validate returns an error for the first invalid field, after withDefaults.
func (s SignIn) validate(base string, former []string) error {
	u, err := url.Parse(base)
	if err != nil {
		return &FieldError{"BaseURL", err}
	}
	if !isDomainOf(s.Passkeys.RPID, append([]string{base}, former...)) {
		return wrongField("SignIn.Passkeys.RPID", "%q is neither the host %s or that of a previous base URL, nor a domain above one", s.Passkeys.RPID, u.Hostname())
	}
	if err := s.validateClasses(); err != nil {
		return err
	}
	for i, origin := range s.Passkeys.Origins {
		if o, err := url.Parse(origin); err != nil || o.Scheme != "https" || o.Host == "" || origin != "https://"+o.Host {
			return wrongField(fmt.Sprintf("SignIn.Passkeys.Origins[%d]", i), "%q is not an origin such as https://example.org", origin)
		}
	}
	switch {
	case s.TrustDevices < 0 || s.TrustDevices > maxTrust:
		return wrongField("SignIn.TrustDevices", "%v is not from 0 to %v", s.TrustDevices, maxTrust)
	case s.Require > PhishingResistant:
		return wrongField("SignIn.Require", "%d is no level", s.Require)
	case s.Require == PhishingResistant && s.Passkeys.Off:
		return wrongField("SignIn.Require", "needs passkeys, which are off")
	case s.Require == TwoFactors && s.Passkeys.Off && s.TOTP.Off:
		return wrongField("SignIn.Require", "needs passkeys or authenticator apps, which are off")
	case s.Recovery.Wait < minWait || s.Recovery.Wait > maxWait:
		return wrongField("SignIn.Recovery.Wait", "%v is not from %v to %v", s.Recovery.Wait, minWait, maxWait)
	case s.Recovery.WithPassword > s.Recovery.Wait:
		return wrongField("SignIn.Recovery.WithPassword", "%v is longer than Wait, %v", s.Recovery.WithPassword, s.Recovery.Wait)
	}
	return nil
}

// isDomainOf reports whether a domain is the host of one of these addresses, or above it.
func isDomainOf(domain string, addresses []string) bool {
	return slices.ContainsFunc(addresses, func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && (domain == u.Hostname() || isDomainAbove(domain, u.Hostname()))
	})
}

// isDomainAbove reports whether a domain is a suffix of the host with more than one label.
// That nobody else registers hosts below it is for browsers to check, which know the list.
func isDomainAbove(domain, host string) bool {
	return domain == strings.ToLower(domain) && strings.HasSuffix(host, "."+domain) && strings.Contains(domain, ".")
}

// rpID returns the relying party ID, or "" if there are no passkeys: they are off, or the host
// of the BaseURL is an address, for which browsers create none.
func (c Config) rpID() string {
	if c.SignIn.Passkeys.Off || !c.hasAccounts() || net.ParseIP(c.SignIn.Passkeys.RPID) != nil {
		return ""
	}
	return c.SignIn.Passkeys.RPID
}

// relyingParty returns the relying party of passkeys, or nil if there are none.
func (p *Provider) relyingParty() (*passkey.Party, error) {
	c := p.cfg
	if c.rpID() == "" {
		return nil, nil
	}
	party, err := passkey.New(p.vault.Digest("installation"), c.BaseURL, c.rpID(), c.Brand.name())
	if err != nil {
		return nil, &FieldError{"SignIn.Passkeys.RPID", err}
	}
	if c.Sandbox {
		party.Environment = "Sandbox"
	}
	return party, nil
}

// newChecker returns what checks the factors of accounts.
func (p *Provider) newChecker(site *web.Site) (*factor.Checker, error) {
	party, err := p.relyingParty()
	if err != nil {
		return nil, err
	}
	return &factor.Checker{Options: factor.Options{
		Party: party,
		Challenges: factor.Challenges{
			Secrets: p.secrets, Cookies: site.Cookies, Issuer: p.issuer, Clock: p.cfg.Clock, Browser: site.Browser,
		},
		Store: p.store, CheckPassword: p.pages.CheckPassword, Known: p.pages.KnownDevice, Tell: p.pages.TellOwner,
		Limits: p.limits, Audit: p.audit, Clock: p.cfg.Clock,
	}}, nil
}
