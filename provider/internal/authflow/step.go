package authflow

import (
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/storage"
)

// step is the next step of an authorization request.
type step int

const (
	stepIssue step = iota
	stepSignIn
	stepReauthenticate
	stepSignUp
	stepSelectScope
	stepSelectAccount
	stepConsent
	stepVerify
	stepEnrol
	stepRefuse
)

// authState is everything that decides the next step. It is a value: a step that knows more
// returns another one.
type authState struct {
	request *engine.AuthorizeRequest

	// flow names the flow of it.
	flow storage.Digest

	// user is the signed-in user, or nil.
	user *User

	// candidates are what the user has reached, and since the request arrived; has is what
	// the account can present, if it isOurs.
	candidates []assurance.Candidate
	isOurs     bool
	has        assurance.Has

	// policy is what provider, application and scopes require, classes what can be reached.
	policy  assurance.Requirement
	classes authorization.Classes

	// hostRaises reports that the host's page can raise an authentication.
	hostRaises bool

	// consent is what the user has allowed the application so far, or nil; requested is
	// what the request would release.
	consent   *storage.Consent
	requested terms

	// remembered reports that the consent is cached.
	remembered bool

	// takesBack reports that the request would release something that the user has
	// declined.
	takesBack bool

	// unverified reports that the application requires verified users, and this one is not.
	unverified bool

	// sandbox reports that no real data is at stake.
	sandbox bool

	// hintSubject is the subject of the id_token_hint, or empty.
	hintSubject string

	// chosen is the user who has selected this account since the request arrived, allowed
	// the one who has given consent.
	chosen, allowed string

	// hostVisits counts visits of the host's sign-in page since.
	hostVisits int

	now time.Time
}

// maxVisits is how often a request sends the browser to the host's sign-in page. A host
// that is satisfied with its session sends it straight back.
const maxVisits = 2

// decision is a step, and for stepRefuse the error code.
type decision struct {
	step step
	code string
}

// nextStep decides the next step of an authorization request (OpenID Connect Core section
// 3.1.2.3 and the prompt values of section 3.1.2.1). Every page does one thing and returns
// here, so that none can be skipped.
func nextStep(s authState) decision {
	silent := s.request.HasPrompt(authorization.PromptNone)
	if s.request.MustPick() { // first, because a user with nothing to pick need not sign in
		if silent {
			return decision{stepRefuse, protocol.InteractionRequired}
		}
		return decision{step: stepSelectScope}
	}
	if d, done := authenticate(s, silent); !done {
		switch {
		case d.step == stepRefuse:
			return d
		case silent:
			return decision{stepRefuse, protocol.LoginRequired}
		case s.hostVisits >= maxVisits:
			return decision{stepRefuse, s.unhelped()}
		}
		return d
	}
	if s.request.HasPrompt(authorization.PromptSelectAccount) && s.chosen != s.user.UserID && !s.standing().fresh() {
		return decision{step: stepSelectAccount}
	}
	consented := s.consented()
	switch {
	case silent && !consented:
		return decision{stepRefuse, s.unasked()}
	case silent && s.unverified:
		return decision{stepRefuse, protocol.AccessDenied}
	case s.unverified: // before consent: there is nothing yet that could be allowed
		return decision{step: stepVerify}
	case !consented:
		return decision{step: stepConsent}
	}
	return decision{step: stepIssue}
}

// unhelped is the reason to refuse a request after maxVisits visits of the host's sign-in
// page.
func (s authState) unhelped() string {
	if s.user != nil && !s.standing().meets(s.demand().For(s.has, s.now).AtAnyAge()) {
		return protocol.UnmetAuthentication
	}
	return protocol.LoginRequired
}

// unasked is the reason to refuse a request whose user cannot be asked for consent. An
// application that names users and has the consent of none must not find out which of them
// is signed in.
func (s authState) unasked() string {
	if s.request.Claims.NamesUsers() {
		return protocol.LoginRequired
	}
	return protocol.ConsentRequired
}

// refusal is the error of a request that nextStep refuses with a code.
func (s authState) refusal(code string) *protocol.Error {
	if code == protocol.UnmetAuthentication {
		return &protocol.Error{Code: code, Description: "The user cannot authenticate as the request demands.", Diagnosis: diagnosis.AuthenticationUnmet}
	}
	if code == protocol.AccessDenied {
		return notVerified()
	}
	return &protocol.Error{Code: code, Description: "The request cannot be answered without asking the user.", Diagnosis: s.whySilent(code)}
}

// whySilent is the diagnosis of a request that is refused with one of these codes.
func (s authState) whySilent(code string) diagnosis.Name {
	switch {
	case code == protocol.ConsentRequired && s.impersonable():
		return diagnosis.ConsentNeverRemembered
	case code == protocol.ConsentRequired:
		return diagnosis.ConsentRequired
	case code == protocol.InteractionRequired:
		return diagnosis.ScopeNotPicked
	case s.request.HasPrompt(authorization.PromptNone), s.hintSubject != "", s.request.Claims.NamesUsers():
		return diagnosis.LoginRequired
	default:
		return diagnosis.SignInUnstable // the host's page has sent the browser back as it was
	}
}

// authenticate reports whether the signed-in user suffices, or else the step to take.
func authenticate(s authState, silent bool) (decision, bool) {
	st := s.standing()
	fresh := st.fresh()
	wantsSignUp := s.request.Op == authorization.OpSignUp || s.request.HasPrompt(authorization.PromptCreate)
	switch {
	case st.demand.Essential && len(st.demand.AnyOf) == 0:
		return decision{stepRefuse, protocol.UnmetAuthentication}, false
	case s.user == nil && wantsSignUp:
		return decision{step: stepSignUp}, false
	case s.user == nil:
		return decision{step: stepSignIn}, false
	case s.isAnother() && fresh:
		// Another user has signed in than the application requested.
		return decision{stepRefuse, protocol.LoginRequired}, false
	case s.isAnother():
		return decision{step: stepSignIn}, false
	}
	switch what, _ := st.judge(); {
	case what == enrol:
		return decision{step: stepEnrol}, false
	case what == unmet:
		return decision{stepRefuse, protocol.UnmetAuthentication}, false
	case what == present && !(silent && st.onlyWishes()), s.hostGrants(st, silent):
		return decision{step: stepReauthenticate}, false
	case fresh:
		return decision{}, true
	case silent, s.hostVisits > 0:
		// The page that op and prompt=create ask for has been shown.
		return decision{}, true
	case wantsSignUp:
		return decision{step: stepSignUp}, false
	case s.request.Op == authorization.OpSignIn:
		return decision{step: stepSignIn}, false
	default:
		return decision{}, true
	}
}

// isAnother reports whether another user is signed in than the application requested.
func (s authState) isAnother() bool {
	return s.hintSubject != "" && s.hintSubject != s.user.UserID || s.request.Claims.Excludes(s.user.UserID)
}

// demand is what the request and the policy ask of the user's authentication.
func (s authState) demand() assurance.Demand {
	d := assurance.Demand{
		Must: s.policy, AnyOf: s.classes.Requirements(s.request.Claims), Essential: s.request.Claims.EssentialClasses(),
		Afresh: s.request.HasPrompt(authorization.PromptLogin) || s.request.MaxAge == 0,
	}
	if s.request.MaxAge > 0 {
		d.Must = d.Must.And(assurance.Requirement{MaxAge: s.request.MaxAge})
	}
	return d
}

// standing is what is asked of the user's authentication, and what has been reached.
func (s authState) standing() standing {
	return standing{demand: s.demand(), candidates: s.candidates, isOurs: s.isOurs, has: s.has, highest: s.classes.Highest, now: s.now}
}

// hostGrants reports whether the host's page is asked, once, to grant a wish.
func (s authState) hostGrants(st standing, silent bool) bool {
	_, _, granted := st.choose()
	return s.hostRaises && !granted && !silent && s.hostVisits == 0
}

// consented reports whether the user has allowed exactly this.
func (s authState) consented() bool {
	asked := s.impersonable() || s.request.HasPrompt(authorization.PromptConsent)
	if s.request.Client.SkipConsent && !asked && !s.takesBack {
		return true
	}
	// A decision about one request does not cover another.
	return s.requested.allowedBy(s.consent) && (!asked || s.allowed == s.user.UserID)
}

// impersonable reports whether another program on the user's device could pose as the
// application: then it never benefits from a recorded decision (RFC 8252 section 8.6). In a
// sandbox it does, so that a page under development on localhost can renew its tokens in an
// iframe; a program of a client that nobody has registered does not even there.
func (s authState) impersonable() bool {
	if s.request.Client.IsUnknown() && !strings.HasPrefix(s.request.RedirectURI, "https://") {
		return true
	}
	return !s.sandbox && s.request.Client.Public && !strings.HasPrefix(s.request.RedirectURI, "https://")
}
