package provider

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
)

// Activity is what happened to one request of an application, for those who build it. It
// never holds a secret, a code, a token, a state or a nonce.
type Activity struct {
	At       time.Time
	ClientID string
	Event    ActivityEvent
	Outcome  Outcome

	// Error is the error code of the response, such as invalid_grant; empty for none.
	Error string

	// Diagnosis names what was wrong; empty where nothing was.
	Diagnosis Diagnosis

	// Details are what there is to know beside that, by name, such as the redirect_uri
	// that came and those that are registered. Applications and strangers choose some
	// of them: they are text of at most some 400 bytes, without control characters.
	Details map[string]string

	// RequestID is what an error page and the lines of the log show for the request.
	RequestID string

	// Flow names the sign-in that the request belongs to, at random: it is the same from the
	// authorization request, pushed or not, to the last use of the tokens that came of it.
	// Empty for what belongs to none, or has not become one, such as an authorization
	// request that was refused at once.
	Flow string

	// UserID is the user whom it concerns, where that is known.
	UserID string

	// Address is the network of the caller, as in an Event.
	Address string

	// Requests is how many requests of one event, outcome and error it stands for, where
	// nothing else is told of them (Watch); zero for one request.
	Requests int
}

// ActivityEvent is what an application asked for.
type ActivityEvent string

// What an application can ask for.
const (
	// ActivityAuthorize is the answer of the authorization endpoint, and an error page
	// in its place.
	ActivityAuthorize ActivityEvent = activity.Authorize
	// ActivityConsent says that a user has allowed something on the consent screen.
	ActivityConsent ActivityEvent = activity.Consent
	// ActivityToken is a code that was exchanged, or any other request to the token
	// endpoint that is no refresh.
	ActivityToken      ActivityEvent = activity.Token
	ActivityRefresh    ActivityEvent = activity.Refresh
	ActivityUserinfo   ActivityEvent = activity.Userinfo
	ActivityAttributes ActivityEvent = activity.Attributes
	ActivityRevoke     ActivityEvent = activity.Revoke
	ActivityIntrospect ActivityEvent = activity.Introspect
	// ActivityPush is a pushed authorization request.
	ActivityPush ActivityEvent = activity.Push
	// ActivitySignOut is a sign-out that an application has asked for.
	ActivitySignOut ActivityEvent = activity.SignOut
	// ActivityBackchannelLogout is an attempt to tell the application that a session has
	// ended (OpenID Connect Back-Channel Logout 1.0), which it has not asked for now.
	ActivityBackchannelLogout ActivityEvent = activity.BackchannelLogout
)

// Outcome is how a request ended.
type Outcome string

// The outcomes of requests.
const (
	// OutcomeOK is what the application wanted. With a Diagnosis it may not be able to
	// read the answer.
	OutcomeOK Outcome = activity.OK
	// OutcomeDenied is a user, or the operator, who said no.
	OutcomeDenied Outcome = activity.Denied
	// OutcomeError is any other error.
	OutcomeError Outcome = activity.Failed
)

// Diagnosis names what was wrong with a request of an application.
type Diagnosis string

// Cause says in plain English what was wrong; "" for a name that is unknown.
func (d Diagnosis) Cause() string { return diagnosis.Name(d).Cause() }

// Remedy says in plain English what to do about it; "" for a name that is unknown.
func (d Diagnosis) Remedy() string { return diagnosis.Name(d).Remedy() }

// IsMistake reports whether the application has to be changed: not when a user says no, or
// a token has lived its life.
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

// WatchActivity calls a function with what happens to the requests of applications from now on,
// one activity after the other and outside of the requests, until stop is called or the
// provider is closed. Applications take turns. A function that is slow is told only how many
// activities there were of an application that has more than 64 waiting. Of the successes at
// userinfo, attributes and introspection every function is told twenty of one application and
// event, and within a minute how many more there were. A function that panics or hangs harms
// no request. stop waits until the function has been called with what had happened before,
// for five seconds at most.
func (p Events) WatchActivity(f func(Activity)) (stop func()) {
	return p.activity.Watch(func(a activity.Activity) {
		f(Activity{
			At: a.At, ClientID: a.ClientID, Event: ActivityEvent(a.Event), Outcome: Outcome(a.Outcome),
			Error: a.Error, Diagnosis: Diagnosis(a.Diagnosis), Details: a.Details,
			RequestID: a.RequestID, Flow: a.Flow, UserID: a.UserID, Address: a.Address, Requests: a.Requests,
		})
	})
}
