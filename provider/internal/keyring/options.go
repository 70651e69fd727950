package keyring

import (
	"crypto"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Options are the algorithms, the times of a key and its signer. The zero value is ready to
// use.
type Options struct {
	// Purpose sets the keys apart from those of other sets in the same store: they sign nothing
	// else, and live by the times of their own set. Defaults to none, that of the provider's tokens.
	Purpose string

	// Types are the types of what the keys sign. Default to those of the provider's tokens.
	Types []string

	// Algorithms are those that sign; each has keys of its own. Defaults to RS256.
	Algorithms []string

	// RotateEvery is how long one key signs. Defaults to 90 days.
	RotateEvery time.Duration

	// PublishAhead is how long a new key is published before it signs. It must
	// exceed the time between two calls of [KeySet.RotateIfDue], the time for which
	// clients cache the key set, and the difference between clocks. Defaults to 24
	// hours.
	PublishAhead time.Duration

	// KeepFor is how long a key stays published after its last signature: the longest
	// life of its tokens and the difference between clocks. Defaults to 24 hours.
	KeepFor time.Duration

	// VerifyFor is how long after its last signature [KeySet.Verify] accepts the tokens of
	// a key, expired or not. Defaults to KeepFor, and is never less.
	VerifyFor time.Duration

	// Wrap returns the signer that replaces a key, stored or new. It is tried like that of
	// [Static], and must have the key's public key. Defaults to the key itself.
	Wrap func(alg string, key crypto.Signer) (crypto.Signer, error)

	// Clock returns the current time. Defaults to time.Now.
	Clock func() time.Time
}

func (o Options) withDefaults() Options {
	const day = 24 * time.Hour
	if o.Algorithms == nil {
		o.Algorithms = []string{RS256}
	}
	if o.Types == nil {
		o.Types = types
	}
	if o.RotateEvery == 0 {
		o.RotateEvery = 90 * day
	}
	if o.PublishAhead == 0 {
		o.PublishAhead = day
	}
	if o.KeepFor == 0 {
		o.KeepFor = day
	}
	o.VerifyFor = max(o.VerifyFor, o.KeepFor)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func (o Options) validate() error {
	if o.PublishAhead < 0 || o.KeepFor < 0 {
		return errors.New("PublishAhead and KeepFor must not be negative")
	}
	if o.RotateEvery <= o.PublishAhead {
		return fmt.Errorf("RotateEvery (%v) must be longer than PublishAhead (%v)", o.RotateEvery, o.PublishAhead)
	}
	for _, alg := range o.Algorithms {
		if algorithms[alg] == nil {
			return fmt.Errorf("Algorithms: %q is none of %v", alg, Algorithms())
		}
	}
	return nil
}

// inStore returns the algorithm of a key as its row has it. Sets of another purpose do not know it.
func (o Options) inStore(alg string) string {
	if o.Purpose == "" {
		return alg
	}
	return alg + "/" + o.Purpose
}

// algorithmOf returns the algorithm of keys whose rows have this one, of whatever purpose.
func algorithmOf(inStore string) string {
	alg, _, _ := strings.Cut(inStore, "/")
	return alg
}
