package provider

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
)

// Activity is the outcome of one request of an application, for its developers. It never
// holds a secret, a code, a token, a state or a nonce.
type Activity struct {
	At       time.Time
	ClientID string
	Event    ActivityEvent
	Outcome  Outcome

	// Error is the error code of the response, such as invalid_grant; empty for none.
	Error string

	// Diagnosis names the mistake; empty for none.
	Diagnosis Diagnosis

	// Details add facts by name, such as the redirect_uri received and those registered.
	// Applications and strangers choose some of them: each is text of at most some 400
	// bytes, without control characters.
	Details map[string]string

	// RequestID is the request's ID on error pages and in log records.
	RequestID string

	// Flow is a random name of the sign-in that the request belongs to: the same from the
	// authorization request, pushed or not, to the last use of its tokens. Empty for
	// requests outside of one, such as an authorization request that was refused at once.
	Flow string

	// UserID is the user, if known.
	UserID string

	// Address is the network of the caller, as in an Event.
	Address string

	// Requests is the number of requests of one event, outcome and error that the activity
	// sums up (WatchActivity); zero for a single request.
	Requests int
}

// ActivityEvent is the type of request.
type ActivityEvent string

// The types of requests.
const (
	// ActivityAuthorize is the response of the authorization endpoint, or an error page in
	// its place.
	ActivityAuthorize ActivityEvent = activity.Authorize
	// ActivityConsent is a user's approval on the consent screen.
	ActivityConsent ActivityEvent = activity.Consent
	// ActivityToken is a token request other than a refresh, such as the exchange of a
	// code.
	ActivityToken      ActivityEvent = activity.Token
	ActivityRefresh    ActivityEvent = activity.Refresh
	ActivityUserinfo   ActivityEvent = activity.Userinfo
	ActivityAttributes ActivityEvent = activity.Attributes
	ActivityRevoke     ActivityEvent = activity.Revoke
	ActivityIntrospect ActivityEvent = activity.Introspect
	// ActivityPush is a pushed authorization request.
	ActivityPush ActivityEvent = activity.Push
	// ActivitySignOut is a sign-out that an application requested.
	ActivitySignOut ActivityEvent = activity.SignOut
	// ActivityBackchannelLogout is an attempt to tell the application that a session has
	// ended (OpenID Connect Back-Channel Logout 1.0); the provider makes it, not the
	// application.
	ActivityBackchannelLogout ActivityEvent = activity.BackchannelLogout
)

// Outcome is the result of a request.
type Outcome string

// The outcomes of requests.
const (
	// OutcomeOK is a success. With a Diagnosis, the application may be unable to read the
	// response.
	OutcomeOK Outcome = activity.OK
	// OutcomeDenied is a refusal by the user or the operator.
	OutcomeDenied Outcome = activity.Denied
	// OutcomeError is any other error.
	OutcomeError Outcome = activity.Failed
)

// Diagnosis names the mistake in a request of an application.
type Diagnosis string

// Cause returns the cause in plain English; "" for an unknown name.
func (d Diagnosis) Cause() string { return diagnosis.Name(d).Cause() }

// Remedy returns the remedy in plain English; "" for an unknown name.
func (d Diagnosis) Remedy() string { return diagnosis.Name(d).Remedy() }

// IsMistake reports whether the application must change. It need not when a user declines
// or a token expires.
func (d Diagnosis) IsMistake() bool { return diagnosis.Name(d).IsMistake() }

// Diagnoses returns all diagnoses, in the order of a request.
func Diagnoses() []Diagnosis {
	names := diagnosis.Names()
	all := make([]Diagnosis, len(names))
	for i, name := range names {
		all[i] = Diagnosis(name)
	}
	return all
}

// WatchActivity calls f with each new activity of applications, one after the other and
// outside of the requests, until stop is called or the provider is closed. Applications
// take turns. A slow function gets only the number of activities of an application with
// more than 64 waiting. Of successes at userinfo, attributes and introspection, f gets
// twenty of one application and event, and within a minute the number of further ones. A
// function that panics or hangs harms no request. stop waits until f has received earlier
// activities, for five seconds at most.
func (p eventsRoom) WatchActivity(f func(Activity)) (stop func()) {
	return p.activity.Watch(func(a activity.Activity) {
		f(Activity{
			At: a.At, ClientID: a.ClientID, Event: ActivityEvent(a.Event), Outcome: Outcome(a.Outcome),
			Error: a.Error, Diagnosis: Diagnosis(a.Diagnosis), Details: a.Details,
			RequestID: a.RequestID, Flow: a.Flow, UserID: a.UserID, Address: a.Address, Requests: a.Requests,
		})
	})
}
