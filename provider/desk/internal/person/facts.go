package person

import (
	"strconv"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
)

// The facts of effects. The desk has words for each.
const (
	// FactSessions and FactApplications are numbers: of browsers that are signed out, of
	// applications that lose their access.
	FactSessions     = "sessions"
	FactApplications = "applications"
	// FactSession is a browser, FactApplication the name of an application, FactCredential the group
	// of what is in a wallet.
	FactSession     = "session"
	FactApplication = "application"
	FactCredential  = "credential"
	// FactHandle and FactGroup are of the catalogue.
	FactHandle = "handle"
	FactGroup  = "group"
	// FactUntil is a day (2006-01-02), FactWait a number of hours.
	FactUntil = "until"
	FactWait  = "wait"
	// FactPasskeys, FactLinks, FactApp and FactCodes are what is removed: numbers, and "1" for an app.
	FactPasskeys = "passkeys"
	FactLinks    = "links"
	FactApp      = "app"
	FactCodes    = "codes"
	// FactEmail is the new address.
	FactEmail = "email"
	// FactHost means that the host does it, by its own rules.
	FactHost = "host"
)

// Why there is nothing to do. The desk has words for each.
const (
	VoidLocked        = "locked"
	VoidNotLocked     = "not_locked"
	VoidNoMail        = "no_mail"
	VoidNoSession     = "no_session"
	VoidNoApplication = "no_application"
	VoidNoCredential  = "no_credential"
	VoidNoValue       = "no_value"
	VoidSameValue     = "same_value"
	VoidNoStatus      = "no_status"
	VoidDeletion      = "deletion"
	VoidNoDeletion    = "no_deletion"
	// VoidDuties means that the person alone answers for something.
	VoidDuties     = "duties"
	VoidRecovering = "recovering"
	VoidNoFactors  = "no_factors"
	VoidTaken      = "email_taken"
)

func count(name string, n int) action.Fact { return action.Fact{Name: name, Value: strconv.Itoa(n)} }
