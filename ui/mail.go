package ui

import (
	"strings"
	"time"
)

// MailKind names an e-mail.
type MailKind string

// The e-mails of the service.
const (
	// MailSignUp carries the code that finishes a new account.
	MailSignUp MailKind = "sign_up"
	// MailAccountExists goes out instead of a code when the address has an
	// account, so that the screens need not tell.
	MailAccountExists MailKind = "account_exists"
	// MailVerifyEmail carries the code that verifies the address.
	MailVerifyEmail MailKind = "verify_email"
	// MailResetPassword carries the code that allows a new password.
	MailResetPassword MailKind = "reset_password"
	// MailNoAccount goes out instead of a code when the address has no
	// account, so that the screens need not tell.
	MailNoAccount MailKind = "no_account"
	// MailPasswordChanged says that a password was changed.
	MailPasswordChanged MailKind = "password_changed"
	// MailVerificationDone and MailVerificationRefused say what has become of a
	// verification that took its time. Neither names the group in its subject, which
	// others may see.
	MailVerificationDone    MailKind = "verification_done"
	MailVerificationRefused MailKind = "verification_refused"
	// MailInvitation invites to an organization of the dashboard. It does not say which,
	// nor who invites: its sender could write to strangers in the name of the service.
	MailInvitation MailKind = "invitation"
	// MailApplicationApproved and those after it tell the owners of an organization what
	// an operator has decided about one of its applications.
	MailApplicationApproved MailKind = "application_approved"
	MailApplicationRefused  MailKind = "application_refused"
	MailApplicationStopped  MailKind = "application_stopped"
	MailApplicationStarted  MailKind = "application_started"
)

// MailView is what an e-mail says. It has no place for the name of an
// application: whoever registers one could write to strangers in the name of
// the service.
type MailView struct {
	Kind MailKind
	// Locale is the language of the e-mail. Nil is English.
	Locale *Locale
	// Brand is the name of the service.
	Brand string
	// Code and ValidFor are the code and how long it can be used, for
	// MailSignUp, MailVerifyEmail and MailResetPassword.
	Code     string
	ValidFor time.Duration
	// SignInURL, SignUpURL and ResetURL are absolute addresses:
	// MailAccountExists needs the first and the last, MailSignUp and
	// MailNoAccount the second, MailResetPassword and MailPasswordChanged
	// the last.
	SignInURL, SignUpURL, ResetURL string
	// Group is what the group is called, and GroupsURL the page of the user's groups, for
	// MailVerificationDone and MailVerificationRefused.
	Group, GroupsURL string
	// InvitationURL is what MailInvitation is about.
	InvitationURL string
	// ApplicationURL is the page of the application that MailApplicationApproved and
	// those after it are about.
	ApplicationURL string
	// Time is when the password was changed, for MailPasswordChanged.
	Time time.Time
}

// Mail is an e-mail without its addresses.
type Mail struct {
	// Subject has no line breaks and no control characters.
	Subject string
	// Body is plain text in UTF-8 with lines that end in "\n".
	Body string
}

// Compose writes an e-mail. An unknown kind returns an empty one.
func Compose(v MailView) Mail {
	l := v.Locale.orEnglish()
	t := l.text.Mails[v.Kind]
	args := []arg{
		{"brand", v.Brand},
		{"code", words(v.Code)},
		{"validity", words(l.plain(l.text.Common.CodeValidFor, minutes(v.ValidFor)))},
		{"signin", words(v.SignInURL)},
		{"signup", words(v.SignUpURL)},
		{"reset", words(v.ResetURL)},
		{"group", words(v.Group)},
		{"groups", words(v.GroupsURL)},
		{"invitation", words(v.InvitationURL)},
		{"application", words(v.ApplicationURL)},
		{"time", words(l.moment(v.Time))},
	}
	paragraphs := make([]string, len(t.Body))
	for i, p := range t.Body {
		paragraphs[i] = l.plain(p, args...) + "\n"
	}
	return Mail{Subject: l.plain(t.Subject, args...), Body: strings.Join(paragraphs, "\n")}
}
