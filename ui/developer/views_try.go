package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// ActionTry begins a trial.
const ActionTry = "try"

// TryView begins a trial of an application: a real sign-in, whose every step is
// shown. It posts [ui.FieldScope] with [ActionTry], and [ActionRemove] to take the redirect
// URI of a trial that nobody has finished out of the registration.
type TryView struct {
	Page
	Form ui.Form
	// Scope is what is asked for; Scopes are what there is to choose from.
	Scope  string
	Scopes []string
	// RedirectURI is registered for as long as a trial takes. Left says that it is
	// still there.
	RedirectURI string
	Left        bool
	// MayTry is false for those who may only look, Fits for an application that cannot
	// get a code.
	MayTry, Fits bool
	// Strict is for an application that has to sign, to prove a key, or to push its requests.
	Strict bool
	// Machine is an application at which nobody signs in: there is nothing to try.
	Machine bool
}

// TryReadyView shows the request that a trial begins with, and leads there.
type TryReadyView struct {
	Page
	// URL is the request, Text the same to be read.
	URL, Text string
}

// TryResultView shows each step of a trial.
type TryResultView struct {
	Page
	Steps []TryStep
	// AgainURL begins anew, LogURL leads to the log, which knows more of what failed.
	AgainURL, LogURL string
}

// TryStepName is what a step of a trial does.
type TryStepName string

// The steps of a trial.
const (
	TryRequest    TryStepName = "request"
	TryResponse   TryStepName = "response"
	TryToken      TryStepName = "token"
	TryIDToken    TryStepName = "id_token"
	TryUserinfo   TryStepName = "userinfo"
	TryAttributes TryStepName = "attributes"
	TryRevocation TryStepName = "revocation"
)

// TryStep is one step. Sent and Received are to be read; secrets and tokens in
// them have been shortened.
type TryStep struct {
	Name           TryStepName
	Failed         bool
	Sent, Received string
	Checks         []TryCheck
}

// TryCheckName is what a client checks.
type TryCheckName string

// The checks of a client.
const (
	CheckState     TryCheckName = "state"
	CheckIssuer    TryCheckName = "iss"
	CheckSignature TryCheckName = "signature"
	CheckAudience  TryCheckName = "aud"
	CheckExpiry    TryCheckName = "exp"
	CheckNonce     TryCheckName = "nonce"
	CheckTokenHash TryCheckName = "at_hash"
	CheckSubject   TryCheckName = "sub"
)

// TryCheck is whether something is as it has to be.
type TryCheck struct {
	Name   TryCheckName
	Failed bool
}

// ok reports whether no step has failed.
func (v TryResultView) ok() bool {
	return !slices.ContainsFunc(v.Steps, func(s TryStep) bool { return s.Failed })
}
