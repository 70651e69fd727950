// Package action has the one table of what can be done at the desk. Forms, the Admin API, its
// reference and the matrix of the tests are made of it: who may do what is written nowhere
// else.
package action

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// Kind is what an action is done to.
type Kind string

// The kinds of targets.
const (
	Person       Kind = storage.KindPerson
	Application  Kind = "application"
	Organization Kind = "organization"
	// Host is one of applications that nobody has registered, by its name.
	Host Kind = "host"
	// Receiver is told of changes: a webhook, or a stream of Shared Signals.
	Receiver Kind = "receiver"
	// Service is the provider itself, which has no ID.
	Service Kind = "service"
)

// Rule is one row of the table.
type Rule struct {
	// Name is that of the action in forms, addresses and the audit log.
	Name string

	// Target is what it is done to.
	Target Kind

	// Roles may do it.
	Roles []Role

	// Proof is what the caller must have proved, for a person.
	Proof storage.CallerProof

	// Eyes demands that another operator approves it (a plan).
	Eyes bool

	// Bulk allows it in a plan with many targets.
	Bulk bool

	// Wait is how long after its approval it is done: the person is told, and has that time
	// to say no. Nobody does it alone, since that is done at once.
	Wait time.Duration

	// Withheld keeps it from the Admin API.
	Withheld bool

	// Fields are the names of its values, in the order of the form. Any other is refused.
	Fields []Field
}

// Field is one value of an action.
type Field struct {
	Name string
	// Required refuses an empty value.
	Required bool
	// Sensitive keeps the value out of logs and of lists of plans.
	Sensitive bool
	// Many allows several values, with a space between them.
	Many bool
}

var (
	support  = []Role{Support, Operator}
	operator = []Role{Operator}
)

// The fields of actions.
const (
	FieldClient     = "client_id"
	FieldHandle     = "handle"
	FieldValue      = "value"
	FieldSession    = "session"
	FieldCredential = "credential"
	FieldGroup      = "group"
	FieldEmail      = "email"
	FieldUntil      = "until"
	FieldReason     = "reason"
	FieldScopes     = "scopes"
	FieldTo         = "organization"
	FieldBefore     = "before"
	FieldRoster     = "roster"
	FieldBatch      = "batch"
	FieldMessage    = "message"
)

// The names of the actions.
const (
	SendReset         = "send_reset"
	EndSession        = "end_session"
	EndSessions       = "end_sessions"
	RevokeApplication = "revoke_application"
	EndCredential     = "end_credential"
	Lock              = "lock"
	Unlock            = "unlock"
	ShowValue         = "show_value"
	ShowSensitive     = "show_sensitive"
	CorrectValue      = "correct_value"
	EndStatus         = "end_status"
	SetStatus         = "set_status"
	StartDeletion     = "start_deletion"
	StopDeletion      = "stop_deletion"
	SendExport        = "send_export"
	ResetFactors      = "reset_factors"
	ResetFactorsNow   = "reset_factors_now"
	ChangeEmail       = "change_email"

	StopApplication  = "stop_application"
	StartApplication = "start_application"
	MoveApplication  = "move_application"
	TakeScopes       = "take_scopes"

	DenyHost  = "deny_host"
	AllowHost = "allow_host"

	SendAgain = "send_again"
	SwitchOff = "switch_off"
	SwitchOn  = "switch_on"

	AppointOwner           = "appoint_owner"
	SuspendOrganization    = "suspend_organization"
	ReactivateOrganization = "reactivate_organization"

	RotateKeys   = "rotate_keys"
	RevokeKeys   = "revoke_keys"
	RevokeBefore = "revoke_before"

	// UseRoster and ReleaseCodes give many a status, as SetStatus does one, and UseRoster ends
	// that of many.
	UseRoster    = "use_roster"
	ReleaseCodes = "release_codes"
)

// Table returns every action.
func Table() []Rule {
	must := func(names ...string) (fields []Field) {
		for _, name := range names {
			fields = append(fields, Field{Name: name, Required: true, Sensitive: name == FieldValue || name == FieldEmail})
		}
		return fields
	}
	return []Rule{
		{Name: SendReset, Target: Person, Roles: support},
		{Name: EndSession, Target: Person, Roles: support, Fields: must(FieldSession)},
		{Name: EndSessions, Target: Person, Roles: support, Bulk: true},
		{Name: RevokeApplication, Target: Person, Roles: support, Bulk: true, Fields: must(FieldClient)},
		{Name: EndCredential, Target: Person, Roles: support, Fields: must(FieldCredential)},
		{Name: Lock, Target: Person, Roles: support, Bulk: true},
		{Name: Unlock, Target: Person, Roles: support, Proof: storage.MailboxProof},
		{Name: ShowValue, Target: Person, Roles: support, Proof: storage.MailboxProof, Withheld: true, Fields: must(FieldHandle)},
		{Name: ShowSensitive, Target: Person, Roles: operator, Proof: storage.MailboxProof, Withheld: true, Fields: must(FieldHandle)},
		{Name: CorrectValue, Target: Person, Roles: operator, Proof: storage.MailboxProof, Fields: append(must(FieldHandle), Field{Name: FieldValue, Sensitive: true})},
		{Name: EndStatus, Target: Person, Roles: operator, Proof: storage.MailboxProof, Bulk: true, Fields: must(FieldGroup)},
		{Name: SetStatus, Target: Person, Roles: operator, Eyes: true, Fields: must(FieldGroup, FieldUntil)},
		{Name: StartDeletion, Target: Person, Roles: operator, Proof: storage.MailboxProof},
		{Name: StopDeletion, Target: Person, Roles: operator, Proof: storage.MailboxProof},
		{Name: SendExport, Target: Person, Roles: operator, Proof: storage.MailboxProof},
		{Name: ResetFactors, Target: Person, Roles: support, Proof: storage.MailboxProof},
		{Name: ResetFactorsNow, Target: Person, Roles: operator, Proof: storage.SessionProof, Eyes: true},
		{Name: ChangeEmail, Target: Person, Roles: operator, Proof: storage.SessionProof, Eyes: true, Wait: 72 * time.Hour, Fields: must(FieldEmail)},

		{Name: StopApplication, Target: Application, Roles: operator, Bulk: true, Fields: must(FieldReason)},
		{Name: StartApplication, Target: Application, Roles: operator},
		{Name: MoveApplication, Target: Application, Roles: operator, Fields: must(FieldTo)},
		{Name: TakeScopes, Target: Application, Roles: operator, Fields: []Field{{Name: FieldScopes, Required: true, Many: true}}},

		{Name: DenyHost, Target: Host, Roles: operator, Fields: must(FieldReason)},
		{Name: AllowHost, Target: Host, Roles: operator},

		{Name: SendAgain, Target: Receiver, Roles: operator, Fields: []Field{{Name: FieldMessage}}},
		{Name: SwitchOff, Target: Receiver, Roles: operator},
		{Name: SwitchOn, Target: Receiver, Roles: operator},

		{Name: AppointOwner, Target: Organization, Roles: operator, Fields: must(FieldEmail)},
		{Name: SuspendOrganization, Target: Organization, Roles: operator, Fields: must(FieldReason)},
		{Name: ReactivateOrganization, Target: Organization, Roles: operator},

		{Name: RotateKeys, Target: Service, Roles: operator, Withheld: true},
		{Name: RevokeKeys, Target: Service, Roles: operator, Eyes: true, Withheld: true},
		{Name: RevokeBefore, Target: Service, Roles: operator, Eyes: true, Withheld: true, Fields: must(FieldBefore)},
		{Name: UseRoster, Target: Service, Roles: operator, Eyes: true, Withheld: true, Fields: must(FieldRoster)},
		{Name: ReleaseCodes, Target: Service, Roles: operator, Eyes: true, Withheld: true, Fields: must(FieldBatch, FieldUntil)},
	}
}

// Order is an action on one target with its values, by who may give it.
type Order struct {
	// Target is the ID of the target; empty for the service.
	Target string
	Values map[string]string
	// Locale is the BCP 47 tag of the language in which an Effect is told.
	Locale string

	// Staff is the ID of who gives it (for a plan, of who has proposed it), and As that of
	// the user as whom they are signed in; empty for who is no user. Nobody acts on an
	// organization that they are a member of, or on its applications.
	Staff, As string
}

// Effect is what an order would do to its target, as it is now.
type Effect struct {
	// Revision names the state of the target that was looked at: a change of it makes the
	// order void.
	Revision string

	// Facts say what would happen, by name from a fixed list with a number or a name:
	// "sessions": "3".
	Facts []Fact

	// Void is why there is nothing to do, a name from a fixed list, or empty.
	Void string
}

// Fact is one part of an effect.
type Fact struct{ Name, Value string }

// Action is a row of the table with what it does. Check and Do belong together: what Check
// has looked at is a condition of Do's write.
type Action struct {
	Rule

	// Check returns what an order would do. It changes nothing and records nothing. A value
	// that is wrong is a provider.FieldError with the name of the field; ErrNoTarget if
	// there is no such target.
	Check func(ctx context.Context, o Order) (Effect, error)

	// Offer returns what the values of the field with Many may be, as it is now: the form has
	// them to tick. Nil for any value.
	Offer func(ctx context.Context, o Order) ([]string, error)

	// InParts means that Do makes more than one write, or calls the host or sends a mail after
	// it, so that it can fail half-way: it is done again then, at the same revision.
	InParts bool

	// Do carries an order out, if the target still has the revision: provider.ErrChanged if
	// it has another. ctx carries who acts and what that rests on (provider.By). Whoever
	// has to be told by mail is told. The result is what only who gave the order sees, such
	// as a value that is shown; nil for most.
	Do func(ctx context.Context, o Order, revision string) (Result, error)
}

// Carry does the action as somebody. What is recorded with it (the target of a plan, a break, an
// answer) is done only once all of it is: an act in parts that fails half-way has begun.
func (a Action) Carry(ctx context.Context, deeds storage.Deeds, by storage.Actor, o Order, revision string) (Result, error) {
	by.InParts = a.InParts
	result, err := a.Do(provider.By(ctx, by), o, revision)
	if err != nil || !a.InParts {
		return result, err
	}
	err = deeds.FinishDeed(ctx, &storage.Deed{Target: by.Target, Break: by.Break, Answer: by.Answer})
	if errors.Is(err, storage.ErrSpent) { // there was nothing to write, or another process has done it
		err = nil
	}
	return result, err
}

// Result is what an order has brought.
type Result struct {
	// Shown is a value that was to be shown, in words.
	Shown string
}
