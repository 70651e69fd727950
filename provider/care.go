package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/selfservice"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// mailable returns an account whose owner can be written to about what only an open one has.
func (p Accounts) mailable(ctx context.Context, id string) (storage.Account, error) {
	a, err := p.reachable(ctx, id)
	if err == nil && (a.Disabled || !a.DeleteAt.IsZero()) {
		return storage.Account{}, room.ErrLocked
	}
	return a, err
}

// reachable returns an account whose owner can be written to.
func (p Accounts) reachable(ctx context.Context, id string) (storage.Account, error) {
	a, err := p.account(ctx, id)
	if err == nil && (!p.pages.SendsMail() || a.Email == "") {
		err = room.ErrNoMail
	}
	return a, err
}

func (p Accounts) account(ctx context.Context, id string) (storage.Account, error) {
	a, err := p.store.Account(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Account{}, ErrNoUser
	}
	if err != nil {
		return storage.Account{}, fmt.Errorf("provider: read account: %w", err)
	}
	return a, nil
}

// sendOffer records that an owner gets a mail, and sends it to the recorded address. The event
// is first: what is sent is never unrecorded.
func (p Accounts) sendOffer(ctx context.Context, id, event string, v ui.MailView) error {
	a, err := p.mailable(ctx, id)
	if err != nil {
		return err
	}
	by := ratelimit.Key{Account: id, At: p.cfg.Clock()}
	wait, err := p.limits.Allow(ctx, ratelimit.StaffMail, by)
	if err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	if wait > 0 {
		return room.ErrTooMany
	}
	if err = p.audit.Write(ctx, storage.Event{Name: event, Subject: id}); err == nil {
		err = p.pages.MailOwner(ctx, a, v)
	}
	if err == nil {
		return nil
	}
	if !account.MayBeSent(err) {
		p.limits.GiveBack(ctx, ratelimit.StaffMail, by)
	}
	return fmt.Errorf("provider: %w", orNoMail(err))
}

// orNoMail is ErrNoMail for an address that no mail can be delivered to, or any other error.
func orNoMail(err error) error {
	if errors.Is(err, ErrRecipientRefused) {
		return fmt.Errorf("%w: %w", room.ErrNoMail, err)
	}
	return err
}

// SendReset mails the owner of an account the way to a new password, as if the owner had asked
// for it: to the recorded address, and to no other. The mail has no code. It leads to the page
// that sends one, so that the code belongs to the browser in which it is entered. An account
// with more than a password asks for one more proof there, as always. ErrNoUser, ErrNoMail,
// ErrLocked, or ErrTooMany after four within two hours.
func (p accountsRoom) SendReset(ctx context.Context, id string) error {
	return p.sendOffer(ctx, id, event.ResetSent, ui.MailView{Kind: ui.MailResetOffered})
}

// SendExport mails the owner of an account that a copy of all data can be downloaded, behind
// the sign-in. Nobody else gets the copy. Errors are those of Accounts.SendReset.
func (p peopleRoom) SendExport(ctx context.Context, userID string) error {
	return Accounts{p.rooms}.sendOffer(ctx, userID, event.ExportSent, ui.MailView{
		Kind: ui.MailExportOffered, ExportURL: p.cfg.BaseURL + "/account/export",
	})
}

// SendCallerCode mails the owner of an account a code to read out on the telephone
// (People.ProveCaller). It signs nobody in, and goes to who is locked or waits for deletion, too:
// to undo that takes it. ErrNoUser, ErrNoMail, or ErrTooMany.
func (p accountsRoom) SendCallerCode(ctx context.Context, id string) error {
	a, err := p.reachable(ctx, id)
	if err != nil {
		return err
	}
	code, wait, err := p.callers.New(ctx, id, storage.MailboxProof)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return ErrNoUser
	case err != nil:
		return fmt.Errorf("provider: send caller code: %w", err)
	case wait > 0:
		return room.ErrTooMany
	}
	err = p.pages.MailOwner(ctx, a, ui.MailView{Kind: ui.MailCallerCode, Code: code, ValidFor: account.CallerCodeLife})
	if err != nil {
		return fmt.Errorf("provider: send caller code: %w", orNoMail(err))
	}
	return nil
}

// ProveCaller takes the code that a caller has read out to a member of the staff, in a
// storage.Matter of theirs about this user, and returns what it proves, and until when. Codes
// are shown to users who are signed in, below /account/help, and mailed by
// Accounts.SendCallerCode. They are valid for five minutes, for one use and five tries, and for
// this user only. No session comes of one. ErrProof if it is wrong, late or used up, ErrMatter
// if there is no such matter, ErrTooMany if this staff has guessed.
func (p peopleRoom) ProveCaller(ctx context.Context, matter, staff, userID, code string) (storage.CallerProof, time.Time, error) {
	proof, until, err := p.callers.Prove(ctx, matter, staff, userID, account.Digits(code))
	switch {
	case errors.Is(err, storage.ErrProof):
		return storage.NoProof, time.Time{}, audit.ErrProof
	case errors.Is(err, storage.ErrEnded):
		return storage.NoProof, time.Time{}, audit.ErrMatter
	case err != nil:
		return storage.NoProof, time.Time{}, fmt.Errorf("provider: prove caller: %w", err)
	}
	return proof, until, nil
}

// Duties are what the owner of an account alone answers for, such as an organization of the
// dashboard: with any, ScheduleDeletion is ErrDuties.
func (p accountsRoom) Duties(ctx context.Context, id string) ([]ui.Duty, error) {
	duties, err := p.companions.Duties(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	return duties, nil
}

// ScheduleDeletion has an account deleted after Lifetimes.DeletionGrace, as its owner can. It
// ends the sessions and grants. The owner is told by mail, and can sign in and keep it until
// then. ErrDuties if the owner alone answers for something, ErrLocked if it is to be deleted
// already, ErrChanged if it has changed meanwhile, ErrNoUser if there is none.
func (p accountsRoom) ScheduleDeletion(ctx context.Context, id string) error {
	a, err := p.account(ctx, id)
	if err != nil {
		return err
	}
	if !a.DeleteAt.IsZero() {
		return room.ErrLocked
	}
	duties, err := p.Duties(ctx, id)
	if err != nil {
		return err
	}
	if len(duties) > 0 {
		return room.ErrDuties
	}
	at := p.cfg.Clock()
	a.DeleteAt = at.Add(p.cfg.Lifetimes.DeletionGrace)
	if err := p.setDeletion(ctx, a, at, event.DeletionRequested); err != nil {
		return err
	}
	p.pages.TellOwner(ctx, a, ui.MailView{Kind: ui.MailDeletion, On: a.DeleteAt})
	return nil
}

// KeepAccount stops the deletion of an account that is to come. It does nothing if none is.
// ErrChanged if the account has changed meanwhile, ErrNoUser if there is none.
func (p accountsRoom) KeepAccount(ctx context.Context, id string) error {
	a, err := p.account(ctx, id)
	if err != nil || a.DeleteAt.IsZero() {
		return err
	}
	a.DeleteAt = time.Time{}
	return p.setDeletion(ctx, a, p.cfg.Clock(), event.DeletionWithdrawn)
}

func (p Accounts) setDeletion(ctx context.Context, a storage.Account, at time.Time, event string) error {
	err := p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.SetDeletion(ctx, a.ID, a.Proof(), a.DeleteAt, at)
	}, storage.Event{Name: event, Subject: a.ID, Detail: "by the host"})
	return orChanged(err, "set deletion")
}

// orChanged turns the error of a write on an account that has been read into one of this
// package.
func orChanged(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storage.ErrChanged):
		return ErrChanged
	case errors.Is(err, storage.ErrNotFound):
		return ErrNoUser
	default:
		return fmt.Errorf("provider: %s: %w", doing, err)
	}
}

// StartRecovery begins the way back into an account whose owner has lost its passkeys or app:
// the wait of SignIn.Recovery, which the owner is told by mail and can stop, at whose end
// whoever reads the mailbox can choose a new password. It gives nobody more than the owner has
// who asks for it below /recover. ErrRecovering if one is running, ErrNoMail, ErrLocked,
// ErrChanged, or ErrNoUser.
func (p accountsRoom) StartRecovery(ctx context.Context, id string) error {
	a, err := p.mailable(ctx, id)
	if err != nil {
		return err
	}
	now := p.cfg.Clock()
	run := p.ways.Begin(a, now)
	err = p.audit.Step(ctx, func(ctx context.Context) error { return p.store.BeginRecovery(ctx, run, a.Epoch) },
		storage.Event{Name: event.RecoveryStarted, Subject: id, Detail: "by the host"})
	if errors.Is(err, storage.ErrConflict) {
		return room.ErrRecovering
	}
	if err := orChanged(err, "start recovery"); err != nil {
		return err
	}
	p.pages.TellRecovery(ctx, a, ui.MailView{Kind: ui.MailRecoveryStarted, On: run.ReadyAt}, run)
	return nil
}

// ChangeEmail gives an account another address, which is not verified until its owner has
// proved it, and ends its sessions, grants and trusted devices. The old address is told, and
// gets the way back for a week, as with a change of the owner's own; a running recovery ends.
// Whoever asks for it must have proved to the host who they are: it gives the account to the
// reader of the new mailbox. ErrConflict if another account has the address, ErrChanged, or
// ErrNoUser; an invalid address is a FieldError.
func (p accountsRoom) ChangeEmail(ctx context.Context, id, address string) error {
	key, err := mailbox.EmailKey(address)
	if err != nil || !mailbox.HasDot(address) {
		return wrongField("Email", "is not an e-mail address")
	}
	before, err := p.account(ctx, id)
	if err != nil {
		return err
	}
	if before.Email == address {
		return wrongField("Email", "is the address of the account")
	}
	at := p.cfg.Clock()
	change := storage.EmailChange{AccountID: id, On: before.Proof(), Email: address, EmailKey: key, Unverified: true, At: at}
	told := ui.MailView{Kind: ui.MailEmailChanged}
	if before.EmailVerified && p.pages.SendsMail() {
		change.ReturnUntil = at.Add(account.ReturnLife)
		told = ui.MailView{Kind: ui.MailEmailReturn, On: change.ReturnUntil}
		if told.ReturnURL, err = p.pages.ReturnURL(before, at); err != nil {
			return fmt.Errorf("provider: change e-mail address: %w", err)
		}
	}
	err = p.audit.Step(ctx, func(ctx context.Context) error { return p.store.ChangeEmail(ctx, change) },
		storage.Event{Name: event.EmailChanged, Subject: id, Detail: "and all was ended, by the host"})
	if errors.Is(err, storage.ErrConflict) {
		return ErrConflict
	}
	if err := orChanged(err, "change e-mail address"); err != nil {
		return err
	}
	p.pages.TellOwner(ctx, before, told)
	return nil
}

// EndSession ends one session of an account (RecordedSession.Handle). It returns nil if there
// is none.
func (p peopleRoom) EndSession(ctx context.Context, userID, handle string) error {
	if _, err := p.pages.EndSession(ctx, userID, handle, storage.Event{Name: event.SessionEnded, Detail: "by the host"}); err != nil {
		return fmt.Errorf("provider: end session: %w", err)
	}
	return nil
}

// RevokeConsent removes what a user allows an application, as the user can, and ends its grants
// and tokens. It returns nil if there is nothing.
func (p peopleRoom) RevokeConsent(ctx context.Context, userID, clientID string) error {
	if _, err := p.pages.EndConsent(ctx, userID, clientID, "by the host"); err != nil {
		return fmt.Errorf("provider: revoke consent: %w", err)
	}
	return nil
}

// Tell mails the owner of an account what the staff has done about it, by the name of its
// event: an act that the user's history shows. A failure is logged, because the act cannot be
// undone. It does nothing for events that no history shows, and without an account, an address
// or a mailer.
func (p peopleRoom) Tell(ctx context.Context, userID, done string) {
	act := selfservice.ActOf(storage.Event{Name: done})
	if done == event.Revoked { // of one application, which the mail does not name
		act = ui.HistoryAppEnded
	}
	a, err := p.store.Account(ctx, userID)
	if act == "" || err != nil || !p.pages.SendsMail() {
		return
	}
	kind := ui.MailStaffActed
	if a.Disabled {
		kind = ui.MailStaffLocked
	}
	p.pages.TellOwner(ctx, a, ui.MailView{Kind: kind, Act: act})
}

// Revision names the state of an account in which an act was decided about, for AtRevision: it
// changes with its address, password, locks and other ways to sign in. A user of the host has
// none, which is "-".
func (p peopleRoom) Revision(ctx context.Context, userID string) (string, error) {
	a, err := p.store.Account(ctx, userID)
	if errors.Is(err, storage.ErrNotFound) && !p.cfg.hasAccounts() {
		return noRevision, nil
	}
	if errors.Is(err, storage.ErrNotFound) {
		return "", ErrNoUser
	}
	if err != nil {
		return "", fmt.Errorf("provider: read account: %w", err)
	}
	return strconv.FormatInt(a.Epoch, 10) + "." + strconv.FormatInt(a.FactorsVersion, 10), nil
}

const noRevision = "-"

// AtRevision returns a context in which a verb changes a user only in this Revision, compared
// in the step of its write: ErrChanged if the account has another. A text that is none is
// ErrChanged as well.
func (p peopleRoom) AtRevision(ctx context.Context, userID, revision string) (context.Context, error) {
	if revision == noRevision && !p.cfg.hasAccounts() {
		return ctx, nil
	}
	epoch, version, _ := strings.Cut(revision, ".")
	a := storage.Account{ID: userID}
	var err error
	if a.Epoch, err = strconv.ParseInt(epoch, 10, 64); err == nil {
		a.FactorsVersion, err = strconv.ParseInt(version, 10, 64)
	}
	if err != nil {
		return nil, ErrChanged
	}
	return audit.OnAccount(ctx, a), nil
}
