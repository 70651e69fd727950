package ui

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/feature/plural"

	"github.com/bonafide-id/bonafide/ui/theme"
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
	// MailAccountLocked goes out instead of a code to the owner of an account that is locked.
	MailAccountLocked MailKind = "account_locked"
	// MailPasswordChanged says that a password was changed.
	MailPasswordChanged MailKind = "password_changed"
	// MailPasskeyAdded and those after it say how else the account can be signed in to, or no
	// longer, since Time.
	MailPasskeyAdded      MailKind = "passkey_added"
	MailPasskeyRemoved    MailKind = "passkey_removed"
	MailTOTPAdded         MailKind = "totp_added"
	MailTOTPRemoved       MailKind = "totp_removed"
	MailLinkAdded         MailKind = "link_added"
	MailLinkRemoved       MailKind = "link_removed"
	MailRecoveryCodesMade MailKind = "recovery_codes_made"
	MailSecondStepOn      MailKind = "second_step_on"
	MailSecondStepOff     MailKind = "second_step_off"
	MailPasswordRemoved   MailKind = "password_removed"
	// MailDeviceAllowed says that the Application was allowed on a device, and where that is
	// taken back; MailDeviceReported that the user has refused and reported one.
	MailDeviceAllowed  MailKind = "device_allowed"
	MailDeviceReported MailKind = "device_reported"
	// MailVerificationDone and MailVerificationRefused say what has become of a
	// verification that took its time. Neither names the group in its subject, which
	// others may see.
	MailVerificationDone    MailKind = "verification_done"
	MailVerificationRefused MailKind = "verification_refused"
	// MailVerificationCode carries the code that proves an address at a domain. Those after
	// it are about a case of a verification: that one has started, that it has news, that
	// the user can finish it or renew what it proved until On. They name neither the group
	// nor the result: others read mailboxes, too, and the user signs in to read more.
	MailVerificationCode       MailKind = "verification_code"
	MailVerificationStarted    MailKind = "verification_started"
	MailVerificationNews       MailKind = "verification_news"
	MailVerificationUnfinished MailKind = "verification_unfinished"
	MailVerificationEnding     MailKind = "verification_ending"
	// MailNewEmail carries the code that a new address is proved by, MailOldEmail the one
	// by which whoever reads the old one agrees.
	MailNewEmail MailKind = "new_email"
	MailOldEmail MailKind = "old_email"
	// MailEmailTaken goes out instead of a code when another account has the new
	// address, so that the screens need not tell.
	MailEmailTaken MailKind = "email_taken"
	// MailEmailChanged tells the old address, which nobody had proved, that the account has
	// another. MailEmailReturn tells one that was verified, and how to take the account
	// back; MailEmailReturned tells both addresses that it was.
	MailEmailChanged  MailKind = "email_changed"
	MailEmailReturn   MailKind = "email_return"
	MailEmailReturned MailKind = "email_returned"
	// MailRecoveryCode carries the code with which the way back into an account begins.
	MailRecoveryCode MailKind = "recovery_code"
	// MailRecoveryStarted says that somebody waits to get in without passkeys and app, and how
	// to stop it; MailRecoveryStopped that it was stopped, MailRecoveryApproved that the wait
	// is over, because the service has said so, MailRecovered that they are in.
	MailRecoveryStarted  MailKind = "recovery_started"
	MailRecoveryStopped  MailKind = "recovery_stopped"
	MailRecoveryApproved MailKind = "recovery_approved"
	MailRecovered        MailKind = "recovered"
	// MailNewBrowser says that somebody has signed in in a browser that the account did not
	// know.
	MailNewBrowser MailKind = "new_browser"
	// MailRecoveryCodeUsed says that somebody has signed in with a recovery code.
	MailRecoveryCodeUsed MailKind = "recovery_code_used"
	// MailAppGuessed says that wrong codes of the app are entered one after the other, MailAppBarred
	// that it no longer signs in because there were too many.
	MailAppGuessed MailKind = "app_guessed"
	MailAppBarred  MailKind = "app_barred"
	// MailAuthenticatorsReset says that the service has removed passkeys, app and codes.
	MailAuthenticatorsReset MailKind = "authenticators_reset"
	// MailResetOffered leads to a new password because support was asked for help with it;
	// MailExportOffered to the download of the user's data. Neither carries anything else.
	MailResetOffered  MailKind = "reset_offered"
	MailExportOffered MailKind = "export_offered"
	// MailCallerCode carries the code that whoever calls support reads out.
	MailCallerCode MailKind = "caller_code"
	// MailStaffActed says what the staff has done about an account, its Act.
	MailStaffActed MailKind = "staff_acted"
	// MailStaffLocked is MailStaffActed about an account that nobody can sign in to any more.
	MailStaffLocked MailKind = "staff_locked"
	// MailDeletion says that the account will be deleted, MailDeleted that it is.
	MailDeletion MailKind = "deletion"
	MailDeleted  MailKind = "deleted"
	// MailInvitation invites to an organization of the dashboard. It does not say which,
	// nor who invites: its sender could write to strangers in the name of the service.
	MailInvitation MailKind = "invitation"
	// MailApplicationApproved and those after it tell the owners of an organization what
	// an operator has decided about one of its applications.
	MailApplicationApproved MailKind = "application_approved"
	MailApplicationRefused  MailKind = "application_refused"
	MailApplicationStopped  MailKind = "application_stopped"
	MailApplicationStarted  MailKind = "application_started"
	// MailOrganizationSuspended and the next name an organization as their application.
	MailOrganizationSuspended   MailKind = "organization_suspended"
	MailOrganizationReactivated MailKind = "organization_reactivated"

	MailChangesApproved MailKind = "changes_approved"
	MailChangesRefused  MailKind = "changes_refused"
	// MailReviewWaiting tells an operator that something waits for a decision.
	MailReviewWaiting MailKind = "review_waiting"
	// MailPlanWaiting tells an operator that what takes two waits for the other.
	MailPlanWaiting MailKind = "plan_waiting"
	// MailEmailWillChange tells the address of an account that the service gives the account
	// another, at the moment On.
	MailEmailWillChange MailKind = "email_will_change"
	// MailOwnerAdded and those after it tell the owners of an organization what a member
	// has done that decides who gets the data of people.
	MailOwnerAdded       MailKind = "owner_added"
	MailSecretShown      MailKind = "secret_shown"
	MailAddressesChanged MailKind = "addresses_changed"
	// MailWebhookFailing tells owners that a webhook of an application takes no messages,
	// MailWebhookStopped that an operator has switched one off.
	MailWebhookFailing MailKind = "application_webhook_failing"
	MailWebhookStopped MailKind = "application_webhook_stopped"
	// MailApplicationMoved and MailScopesTaken tell owners what an operator has decided about
	// an application: it has another organization, or may ask for less.
	MailApplicationMoved MailKind = "application_moved"
	MailScopesTaken      MailKind = "scopes_taken"
)

// MailView is what an e-mail says. Mail to somebody who signs in names no application:
// whoever registers one could write to strangers in the name of the service.
type MailView struct {
	Kind MailKind
	// Locale is the language of the e-mail. Nil is English.
	Locale *Locale
	// Brand is the service, and BaseURL where it is; empty shows no logo.
	Brand   Brand
	BaseURL string
	// Theme is the look of the service. Nil is the default.
	Theme *theme.Theme
	// Code and ValidFor are the code and how long it can be used, for MailCallerCode,
	// MailSignUp, MailVerifyEmail, MailResetPassword, MailRecoveryCode, MailVerificationCode,
	// MailNewEmail and MailOldEmail.
	Code     string
	ValidFor time.Duration
	// SignInURL, SignUpURL and ResetURL are absolute addresses:
	// MailAccountExists needs the first and the last, MailSignUp and
	// MailNoAccount the second, MailResetPassword, MailPasswordChanged and MailNewBrowser
	// the last, and so do MailOldEmail and MailResetOffered; MailEmailTaken, MailDeletion
	// and MailDeleted need the first or the second. MailVerificationStarted needs the last,
	// and the other mails about a case the first: the page that shows it.
	SignInURL, SignUpURL, ResetURL string
	// SecurityURL is the absolute address of the page of all ways to sign in, for
	// MailPasskeyAdded and those after it, and for MailEmailWillChange.
	SecurityURL string
	// ExportURL is the absolute address of the page to download the user's data, for
	// MailExportOffered.
	ExportURL string
	// AppsURL is the absolute address of the applications that a user has allowed, for
	// MailDeviceAllowed.
	AppsURL string
	// Upstream is the title of the upstream provider, for MailLinkAdded and MailLinkRemoved.
	Upstream string
	// Act is what was done, for MailStaffActed.
	Act HistoryAct
	// ReturnURL is the absolute address at which a change of the address of an account is
	// taken back, for MailEmailReturn.
	ReturnURL string
	// RecoverURL is the absolute address at which a recovery begins and is finished, StopURL
	// the one at which it is stopped, for the mails about recoveries.
	RecoverURL, StopURL string
	// Left is the number of recovery codes that are left, for MailRecoveryCodeUsed.
	Left int
	// Group is what the group is called, and GroupsURL the page of the user's groups, for
	// MailVerificationDone and MailVerificationRefused.
	Group, GroupsURL string
	// InvitationURL is what MailInvitation is about.
	InvitationURL string
	// Application is the name of the application that MailApplicationApproved and those
	// after it are about, and ApplicationURL its page. They go to those who answer for it.
	Application, ApplicationURL string
	// ReviewsURL is where MailReviewWaiting and MailPlanWaiting lead.
	ReviewsURL string
	// Time is when what the mail tells has happened, for MailPasswordChanged,
	// MailPasskeyAdded and those after it, MailVerificationStarted, MailEmailChanged,
	// MailEmailReturn, MailEmailReturned, MailNewBrowser, MailRecoveryCodeUsed, MailAppGuessed, MailAppBarred and the mails
	// about recoveries.
	Time time.Time
	// On is when the account will be gone, for MailDeletion, when ReturnURL ends, for
	// MailEmailReturn, and the end of a time for MailVerificationUnfinished and
	// MailVerificationEnding; for MailRecoveryStarted when the wait is over, and for
	// MailRecoveryApproved when it is too late, and the moment of MailEmailWillChange.
	On time.Time

	// inert and scheme are of a preview.
	inert  bool
	scheme Scheme
}

// Mail is an e-mail without its addresses.
type Mail struct {
	Kind MailKind
	// Lang is the BCP 47 tag of its language.
	Lang string
	// Code is the code that it carries, or empty.
	Code string
	// Subject has no line breaks and no control characters. It has no code: locked phones
	// and lists of mails show it to whoever stands beside.
	Subject string
	// Body is plain text in UTF-8 with lines that end in "\n".
	Body string
	// HTML says the same as Body, as a page in the looks of the service. It loads nothing
	// but the logo.
	HTML string
}

// Compose writes an e-mail. An unknown kind returns an empty one.
func Compose(v MailView) Mail {
	l := v.Locale.OrEnglish()
	t, ok := l.text.Mails[v.Kind]
	if !ok {
		return Mail{}
	}
	args := []Arg{
		With("brand", v.Brand.Name),
		With("code", Words(v.Code)),
		With("validity", Words(l.Plain(l.text.Common.CodeValidFor, minutes(v.ValidFor)))),
		With("signin", Words(v.SignInURL)),
		With("signup", Words(v.SignUpURL)),
		With("reset", Words(v.ResetURL)),
		With("return", Words(v.ReturnURL)),
		With("recover", Words(v.RecoverURL)),
		With("stop", Words(v.StopURL)),
		With("security", Words(v.SecurityURL)),
		With("export", Words(v.ExportURL)),
		With("apps", Words(v.AppsURL)),
		With("act", Words(l.Plain(l.text.History.Acts[v.Act]))),
		With("left", v.Left),
		With("upstream", v.Upstream),
		With("group", Words(v.Group)),
		With("groups", Words(v.GroupsURL)),
		With("invitation", Words(v.InvitationURL)),
		With("client", v.Application),
		With("application", Words(v.ApplicationURL)),
		With("reviews", Words(v.ReviewsURL)),
		With("time", Words(l.Moment(v.Time))),
		With("date", Words(l.Date(v.On))),
		With("moment", Words(l.Moment(v.On))),
	}
	body, help := t.Body, v.absolute(v.Brand.HelpURL)
	if v.Kind == MailStaffLocked && help != "" {
		body = append(slices.Clip(body), Message{forms: map[plural.Form]string{plural.Other: "{help}"}})
		args = append(args, With("help", Words(help)))
	}
	paragraphs := make([]string, len(body))
	for i, p := range body {
		paragraphs[i] = l.Plain(p, args...) + "\n"
	}
	m := Mail{
		Kind: v.Kind, Lang: l.Lang, Code: v.Code,
		Subject: l.Plain(t.Subject, args...), Body: strings.Join(paragraphs, "\n"),
	}
	m.HTML = v.html(l, m.Subject, body, args)
	return m
}

// html writes the same sentences as a page. The code stands out, or the first address that
// a sentence ends in is a button; other addresses are links.
func (v MailView) html(l *Locale, subject string, body []Message, args []Arg) string {
	look, lead := v.look(), v.Code == ""
	paragraphs := make([]templ.Component, len(body))
	for i, p := range body {
		filled := slices.Clone(args)
		for j, a := range filled {
			label, isAddress := l.text.Common.MailButtons[a.name]
			ends := strings.HasSuffix(l.form(p, args), "{"+a.name+"}")
			switch {
			case a.name == "code" && ends:
				filled[j].value = mailCode(look, v.Code)
			case a.name == "code":
				filled[j].value = mailInlineCode(v.Code)
			case isAddress && ends && lead:
				filled[j].value = mailButton(look, v.href(a), l.Plain(label))
				lead = false
			case isAddress:
				filled[j].value = mailLink(look, v.href(a), l.Plain(label))
			}
		}
		paragraphs[i] = l.Say(p, filled...)
	}
	var b strings.Builder
	if err := mailPage(l, v, look, subject, paragraphs).Render(context.Background(), &b); err != nil {
		return "" // the text says the same
	}
	return b.String()
}

// logo is the absolute address of the logo, or empty for one that programs for mail do not
// show.
func (v MailView) logo() string {
	if strings.HasSuffix(v.Brand.Logo.URL, ".svg") {
		return ""
	}
	return v.absolute(v.Brand.Logo.URL)
}

// absolute is an address of the brand as a mail needs it, or empty.
func (v MailView) absolute(address string) string {
	base, err := url.Parse(v.BaseURL)
	if err != nil || base.Host == "" || address == "" {
		return ""
	}
	to, err := base.Parse(address)
	if err != nil {
		return ""
	}
	return to.String()
}

// href is where a link leads.
func (v MailView) href(address Arg) string {
	if v.inert {
		return nowhere
	}
	return string(address.value.(Words))
}
