package ui

// ActionTry begins a trial.
const ActionTry = "try"

// DeveloperTryView begins a trial of an application: a real sign-in, whose every step is
// shown. It posts [FieldScope] with [ActionTry], and [ActionRemove] to take the redirect
// URI of a trial that nobody has finished out of the registration.
type DeveloperTryView struct {
	DeveloperPage
	Form Form
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
	// Strict is for an application that has to sign, or to push its requests.
	Strict bool
	// Machine is an application at which nobody signs in: there is nothing to try.
	Machine bool
}

// DeveloperTryReadyView shows the request that a trial begins with, and leads there.
type DeveloperTryReadyView struct {
	DeveloperPage
	// URL is the request, Text the same to be read.
	URL, Text string
}

// DeveloperTryResultView shows each step of a trial.
type DeveloperTryResultView struct {
	DeveloperPage
	Steps []DeveloperTryStep
	// AgainURL begins anew, LogURL leads to the log, which knows more of what failed.
	AgainURL, LogURL string
}

// DeveloperTryStepName is what a step of a trial does.
type DeveloperTryStepName string

// The steps of a trial.
const (
	TryRequest    DeveloperTryStepName = "request"
	TryResponse   DeveloperTryStepName = "response"
	TryToken      DeveloperTryStepName = "token"
	TryIDToken    DeveloperTryStepName = "id_token"
	TryUserinfo   DeveloperTryStepName = "userinfo"
	TryAttributes DeveloperTryStepName = "attributes"
	TryRevocation DeveloperTryStepName = "revocation"
)

// DeveloperTryStep is one step. Sent and Received are to be read; secrets and tokens in
// them have been shortened.
type DeveloperTryStep struct {
	Name           DeveloperTryStepName
	Failed         bool
	Sent, Received string
	Checks         []DeveloperTryCheck
}

// DeveloperTryCheckName is what a client checks.
type DeveloperTryCheckName string

// The checks of a client.
const (
	CheckState     DeveloperTryCheckName = "state"
	CheckIssuer    DeveloperTryCheckName = "iss"
	CheckSignature DeveloperTryCheckName = "signature"
	CheckAudience  DeveloperTryCheckName = "aud"
	CheckExpiry    DeveloperTryCheckName = "exp"
	CheckNonce     DeveloperTryCheckName = "nonce"
	CheckTokenHash DeveloperTryCheckName = "at_hash"
	CheckSubject   DeveloperTryCheckName = "sub"
)

// DeveloperTryCheck is whether something is as it has to be.
type DeveloperTryCheck struct {
	Name   DeveloperTryCheckName
	Failed bool
}

// ok reports whether no step has failed.
func (v DeveloperTryResultView) OK() bool {
	for _, s := range v.Steps {
		if s.Failed {
			return false
		}
	}
	return true
}
