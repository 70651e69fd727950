package provider

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
)

// Verifier verifies users who are not, or no longer, verified members of a group.
// Config.Verifiers has one for each group in which membership can be verified here.
//
// It returns the address at which the user is verified: an absolute https address, a path of the
// host, or an http address if the provider itself is http, for development. It is called when a
// user presses the button on the consent screen or the account page, and the response redirects
// to the address. It only prepares; slow work is for the page at the address, which finally
// sends the user to Verification.ReturnTo.
//
// People.SetStatus records the result, before the user is sent back or, with Status.Pending in
// the meantime, days later. An error, any other address, or a call longer than five seconds
// gets 503.
type Verifier func(ctx context.Context, v Verification) (address string, err error)

// Verification is a user's request to be verified, for a Verifier.
type Verification struct {
	// UserID is the user, and Group the name of the group.
	UserID, Group string

	// Email is the user's address, if known to be theirs, and Name the user's name; empty
	// if unknown. Neither proves anything about the group.
	Email, Name string

	// ClientID names the application whose flow the user is in. It is empty on the account
	// page.
	ClientID string

	// Language is the BCP 47 tag of the screen's language.
	Language string

	// ReturnTo is the address to which the user finally returns, unchanged: an absolute
	// address of the provider, with encrypted content that is bound to the browser and the
	// user. If it travels through a browser, check it with Pages.IsReturnTo. It grants
	// nothing: the provider reads the status when the user comes back, and continues
	// accordingly. In an application's flow it is valid for Lifetimes.Flow.
	ReturnTo string
}

// VerificationReturn returns what a Verification.ReturnTo says, if it was made for this user
// in this browser, and else reports false. ClientID is that of the Verification. Until is
// the end of an application's flow; zero on the account page. The screen of the request comes in
// the language of the flow.
func (p pagesRoom) VerificationReturn(r *http.Request, userID, address string) (clientID string, until time.Time, ok bool) {
	return p.flows.VerifierReturn(r, userID, address)
}

// checkVerifiers refuses a nil verifier, and one or verified_claims of an unknown group.
func (c Config) checkVerifiers(known *claims.Catalogue) error {
	for _, group := range slices.Sorted(maps.Keys(c.Verifiers)) {
		name := fmt.Sprintf("Verifiers[%q]", group)
		if _, ok := known.Group(group); !ok {
			return wrongField(name, "%q is not a group of the catalogue", group)
		}
		if c.Verifiers[group] == nil {
			return wrongField(name, "is nil")
		}
	}
	if c.VerifiedClaims == nil {
		return nil
	}
	for _, group := range c.VerifiedClaims.Groups() {
		if _, ok := known.Group(group); !ok {
			return wrongField("VerifiedClaims", "%q is not a group of the catalogue", group)
		}
	}
	return nil
}

// verifiers returns the verifiers in internal form.
func (c Config) verifiers() map[string]authflow.Verifier {
	all := make(map[string]authflow.Verifier, len(c.Verifiers))
	for group, verifier := range c.Verifiers {
		all[group] = func(ctx context.Context, v authflow.Verification) (string, error) {
			return verifier(ctx, Verification(v))
		}
	}
	return all
}

// caseNames returns what names a case of a verification to an application, always alike: two
// applications cannot tell by it that they know the same person.
func (p *Provider) caseNames() (func(clientID, caseID string) string, error) {
	if p.cfg.VerifiedClaims == nil {
		return nil, nil
	}
	key, err := p.vault.Derive("verification process")
	return func(clientID, caseID string) string {
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%d %s %s", len(clientID), clientID, caseID)
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
	}, err
}
