package registry

import (
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// Profile is a profile of FAPI 2.0 that an application is registered for. This table says what
// each demands; package provider pins it to the fields of a registration, when that is saved.
// The zero Profile demands nothing.
type Profile struct {
	Name string

	// Algorithms are those of everything that application and provider sign for each other
	// (FAPI 2.0 Security Profile section 5.4.1); nil for all.
	Algorithms []string

	// CodeLife is the longest life of a code; zero for any.
	CodeLife time.Duration

	// KeepsRefreshToken has a refresh token stay when it is used (FAPI 2.0 Security Profile
	// section 5.3.2.1).
	KeepsRefreshToken bool

	// RedirectURI demands that each request names its redirect URI (section 5.3.2.2).
	RedirectURI bool

	// SignedMessages demands request objects with exp and nbf, and responses that are JWTs
	// (FAPI 2.0 Message Signing sections 5.3 and 5.4).
	SignedMessages bool
}

// Names of the profiles.
const (
	ProfileFAPI2        = "fapi2"
	ProfileFAPI2Signing = "fapi2-signing"
)

// fapiAlgorithms are those of FAPI 2.0; EdDSA is Ed25519.
var fapiAlgorithms = []string{keyring.PS256, keyring.ES256, keyring.EdDSA, "Ed25519"}

var profiles = []Profile{
	{},
	{Name: ProfileFAPI2, Algorithms: fapiAlgorithms, CodeLife: time.Minute, KeepsRefreshToken: true, RedirectURI: true},
	{Name: ProfileFAPI2Signing, Algorithms: fapiAlgorithms, CodeLife: time.Minute, KeepsRefreshToken: true, RedirectURI: true, SignedMessages: true},
}

// ProfileNamed returns the profile with this name; the zero Profile for the empty one.
func ProfileNamed(name string) (Profile, bool) {
	i := slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return profiles[i], true
}

// Allows reports whether an algorithm may sign.
func (p Profile) Allows(alg string) bool {
	return p.Algorithms == nil || slices.Contains(p.Algorithms, alg)
}

// Code returns the life of a code that would otherwise live so long.
func (p Profile) Code(life time.Duration) time.Duration {
	if p.CodeLife > 0 {
		return min(life, p.CodeLife)
	}
	return life
}
