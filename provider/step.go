package provider

import (
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// step is what an authorization request needs next.
type step int

const (
	stepIssue step = iota
	stepSignIn
	stepReauthenticate
	stepSignUp
	stepChoose
	stepConsent
	stepRefuse
)

// situation is all that the next step depends on.
type situation struct {
	request *engine.AuthorizeRequest

	// user is who is signed in, or nil.
	user *SignedIn

	// consent is what the user has allowed the application so far, or nil.
	consent *storage.Consent

	// hinted is the subject of the id_token_hint, or empty.
	hinted string

	// firstSeen is when the request came; chosen reports that the visitor has
	// chosen the account since.
	firstSeen time.Time
	chosen    bool

	now time.Time
}

// decision is a step, and for stepRefuse the error code.
type decision struct {
	step step
	code string
}

// nextStep decides what an authorization request needs next (OpenID Connect Core
// section 3.1.2.3 and the prompt values of section 3.1.2.1). Every page does one
// thing and comes back here, so that no page can be left out.
func nextStep(s situation) decision {
	silent := s.request.HasPrompt(engine.PromptNone)
	if d, done := authenticate(s, silent); !done {
		if silent {
			return decision{stepRefuse, engine.LoginRequired}
		}
		return d
	}
	if s.request.HasPrompt(engine.PromptSelectAccount) && !s.chosen && !s.fresh() {
		return decision{step: stepChoose}
	}
	if !s.consented() {
		if silent {
			return decision{stepRefuse, engine.ConsentRequired}
		}
		return decision{step: stepConsent}
	}
	return decision{step: stepIssue}
}

// authenticate reports whether the user who is signed in will do, or else what has
// to be asked.
func authenticate(s situation, silent bool) (decision, bool) {
	wantsSignUp := s.request.Op == engine.OpSignUp || s.request.HasPrompt(engine.PromptCreate)
	switch {
	case s.user == nil && wantsSignUp:
		return decision{step: stepSignUp}, false
	case s.user == nil:
		return decision{step: stepSignIn}, false
	case s.hinted != "" && s.hinted != s.user.UserID && s.fresh():
		// Somebody else has signed in than the application asked for.
		return decision{stepRefuse, engine.LoginRequired}, false
	case s.hinted != "" && s.hinted != s.user.UserID:
		return decision{step: stepSignIn}, false
	case s.fresh():
		return decision{}, true
	case s.request.HasPrompt(engine.PromptLogin):
		return decision{step: stepReauthenticate}, false
	case s.request.MaxAge >= 0 && s.now.Sub(s.user.AuthTime) > s.request.MaxAge:
		return decision{step: stepReauthenticate}, false
	case silent:
		return decision{}, true
	case wantsSignUp:
		return decision{step: stepSignUp}, false
	case s.request.Op == engine.OpSignIn:
		return decision{step: stepSignIn}, false
	default:
		return decision{}, true
	}
}

// fresh reports whether the user has authenticated since the request came.
func (s situation) fresh() bool { return !s.user.AuthTime.Before(s.firstSeen) }

// consented reports whether the user has allowed exactly this.
func (s situation) consented() bool {
	client := s.request.Client
	if client.SkipConsent && !s.impersonable() && !s.request.HasPrompt(engine.PromptConsent) {
		return true
	}
	if s.consent == nil || !containsAll(s.consent.Scopes, s.request.Scopes) {
		return false
	}
	if s.impersonable() || s.request.HasPrompt(engine.PromptConsent) {
		return !s.consent.DecidedAt.Before(s.firstSeen)
	}
	return true
}

// impersonable reports whether another program on the user's device could take the
// application's place: then a decision is never remembered for it (RFC 8252 section
// 8.6).
func (s situation) impersonable() bool {
	return s.request.Client.Public && !strings.HasPrefix(s.request.RedirectURI, "https://")
}

func containsAll(set, subset []string) bool {
	return !slices.ContainsFunc(subset, func(v string) bool { return !slices.Contains(set, v) })
}
