package ui

import (
	"strings"
	"time"

	"github.com/a-h/templ"
)

var accountFixtures = []fixture{
	{"account-everything", func(p Page) templ.Component {
		return AccountHome(AccountView{
			Page: accountPage(p.Locale), Form: sampleForm, Account: ada, EmailVerified: true, Notice: NoticeAccountKept,
			DataURL: "/account/data", GroupsURL: "/verification/", WalletURL: "/vci/", EmailURL: "/account/email", LanguageURL: "/account/language", ExportURL: "/account/export", DeleteURL: "/account/delete",
			PasswordURL: "/account/password", SessionsURL: "/account/sessions", HistoryURL: "/account/history", AppsURL: "/account/apps", SignOutURL: "/signout", CallURL: "/account/help",
		})
	}},
	{"sessions-places", func(p Page) templ.Component {
		return Sessions(SessionsView{
			Page: accountPage(p.Locale), Form: sampleForm, AccountURL: "/account",
			Sessions: []Session{
				{ID: "s1", Kind: DevicePhone, Browser: "Safari", System: "iPhone", Current: true, How: SessionByTwoSteps, Trusted: true, Place: Place{Network: "192.0.2.0/24", Here: true}, Since: date(2026, time.March, 1), LastUsed: fixedNow},
				{ID: "s2", Kind: DeviceTablet, Browser: "Chrome", System: "Android", How: SessionByPasskey, Place: Place{Network: "203.0.113.0/24"}, Since: date(2026, time.February, 20), LastUsed: fixedNow.Add(-3 * time.Hour)},
				{ID: "s3", Kind: DeviceComputer, Browser: "Firefox", System: "Linux", How: SessionByUpstream, Upstream: "Google", Place: Place{Network: "2001:db8:1::/48"}, Since: fixedNow.Add(-50 * time.Hour), LastUsed: fixedNow.Add(-49 * time.Hour)},
			},
		})
	}},
	{"data", func(p Page) templ.Component {
		t, yes := hostTextOf(p), true
		apps := sampleApps(p)
		for i := range apps {
			apps[i].Scopes, apps[i].Facts = nil, []Label{t.name, t.email, t.service, {Text: p.locale().HowVerified(t.service)}, {Text: p.locale().InWallet(t.service)}}
		}
		apps[1].Until, apps[1].PolicyURL = date(2026, time.February, 27), "https://xn--ncode-4ya.example/privacy"
		return Data(DataView{
			Page: accountPage(p.Locale), Form: sampleForm, Notice: NoticeNameSaved, CanName: true, FirstName: "Ada", LastName: "Lovelace",
			Facts: []ConsentAttribute{
				{Label: t.name, Values: []string{"Ada Lovelace"}}, {Label: t.email, Values: []string{"ada@example.com"}},
				{Label: t.address, Values: []string{"12 St James’s Square, London SW1Y 4JH", "Ockham Park, Ockham, Surrey"}}, {Label: t.veteran, Truth: &yes},
			},
			Received: apps, ExportURL: "/account/export", AccountURL: "/account",
		})
	}},
	{"data-empty", func(p Page) templ.Component {
		return Data(DataView{Page: accountPage(p.Locale), Form: sampleForm, AccountURL: "/account"})
	}},
	{"data-checked", func(p Page) templ.Component {
		t := hostTextOf(p)
		return Data(DataView{
			Page: accountPage(p.Locale), Form: sampleForm, NameChecked: true, AccountURL: "/account",
			Facts: []ConsentAttribute{{Label: t.name, Values: []string{"Ada Lovelace"}}},
		})
	}},
	{"data-problems", func(p Page) templ.Component {
		return Data(DataView{
			Page: accountPage(p.Locale), Form: with(Problem{Code: NameInvalid, Field: FieldFirstName}, Problem{Code: NameInvalid, Field: FieldLastName}),
			CanName: true, FirstName: strings.Repeat("Ada ", 40), LastName: strings.Repeat("Lovelace ", 40), AccountURL: "/account",
		})
	}},
	{"account-recovery", func(p Page) templ.Component {
		p = accountPage(p.Locale)
		p.Recovery = &Recovery{ReadyAt: fixedNow.Add(71 * time.Hour), Form: sampleForm}
		return AccountHome(AccountView{
			Page: p, Form: sampleForm, Account: ada, EmailVerified: true, SecurityURL: "/account/security",
			PasswordURL: "/account/password", SessionsURL: "/account/sessions", HistoryURL: "/account/history", SignOutURL: "/signout",
		})
	}},
	{"account-recovery-ready", func(p Page) templ.Component {
		p = accountPage(p.Locale)
		p.Recovery = &Recovery{ReadyAt: fixedNow, Form: sampleForm}
		return AccountHome(AccountView{Page: p, Form: sampleForm, Account: ada, EmailVerified: true, SignOutURL: "/signout"})
	}},
	{"password-first", func(p Page) templ.Component {
		return Password(PasswordView{
			Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, MinLength: 15, First: true, Known: true, SecurityURL: "/account/security",
		})
	}},
	{"password-known", func(p Page) templ.Component {
		return Password(PasswordView{
			Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, MinLength: 15, Known: true,
			RemoveURL: "/account/password/remove", SecurityURL: "/account/security",
		})
	}},
	{"email", func(p Page) templ.Component {
		return Email(EmailView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, EmailVerified: true, AccountURL: "/account"})
	}},
	{"email-problems", func(p Page) templ.Component {
		return Email(EmailView{
			Page: accountPage(p.Locale), Form: with(Problem{Code: EmailNoDot}, Problem{Code: PasswordMissing}),
			Email: ada.Email, NewEmail: "ada@example", AccountURL: "/account",
		})
	}},
	{"email-codes", func(p Page) templ.Component {
		return EmailCodes(EmailCodesView{
			Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, NewEmail: "ada@example.com", ValidFor: 15 * time.Minute,
			RestartURL: "/account/email", AccountURL: "/account",
		})
	}},
	{"email-codes-wrong", func(p Page) templ.Component {
		return EmailCodes(EmailCodesView{
			Page: accountPage(p.Locale), Form: with(Problem{Code: CodesWrong}, Problem{Code: CodeMissing, Field: FieldOldCode}),
			Email: ada.Email, NewEmail: "ada@example.com", ValidFor: 15 * time.Minute, RestartURL: "/account/email", AccountURL: "/account",
		})
	}},
	{"email-return", func(p Page) templ.Component {
		return EmailReturn(EmailReturnView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, MinLength: 15})
	}},
	{"email-return-problem", func(p Page) templ.Component {
		return EmailReturn(EmailReturnView{
			Page: accountPage(p.Locale), Form: with(Problem{Code: PasswordTooShort, Count: 15}), Email: ada.Email, MinLength: 15,
		})
	}},
	{"email-code-one", func(p Page) templ.Component {
		return EmailCodes(EmailCodesView{
			Page: accountPage(p.Locale), Form: sampleForm, NewEmail: "ada@example.com", ValidFor: 15 * time.Minute,
			RestartURL: "/account/email", AccountURL: "/account",
		})
	}},
	{"delete", func(p Page) templ.Component {
		return Delete(DeleteView{
			Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, On: date(2026, time.March, 26),
			ExportURL: "/account/export", AccountURL: "/account",
		})
	}},
	{"delete-duties", func(p Page) templ.Component {
		return Delete(DeleteView{
			Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, On: date(2026, time.March, 26),
			Duties: []Duty{{"River Bikes", "/developer/o/river/members"}}, AccountURL: "/account",
		})
	}},
	{"delete-wrong", func(p Page) templ.Component {
		return Delete(DeleteView{Page: accountPage(p.Locale), Form: with(Problem{Code: PasswordWrong}), Email: ada.Email, On: date(2026, time.March, 26), AccountURL: "/account"})
	}},
	{"deletion", func(p Page) templ.Component {
		return Deletion(DeletionView{Page: p, Form: sampleForm, Email: ada.Email, On: date(2026, time.March, 26)})
	}},
	{"deletion-decided", func(p Page) templ.Component {
		return Deletion(DeletionView{Page: accountPage(p.Locale), Email: ada.Email, On: date(2026, time.March, 26), Decided: true})
	}},
	{"export", func(p Page) templ.Component {
		return Export(ExportView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, AccountURL: "/account"})
	}},
	{"export-wrong", func(p Page) templ.Component {
		return Export(ExportView{Page: accountPage(p.Locale), Form: with(Problem{Code: PasswordWrong}), Email: ada.Email, AccountURL: "/account"})
	}},
	{"email-known", func(p Page) templ.Component {
		return Email(EmailView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, EmailVerified: true, Known: true, AccountURL: "/account"})
	}},
	{"delete-known", func(p Page) templ.Component {
		return Delete(DeleteView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, On: date(2026, time.March, 26), Known: true, AccountURL: "/account"})
	}},
	{"export-known", func(p Page) templ.Component {
		return Export(ExportView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, Known: true, AccountURL: "/account"})
	}},
	{"language", func(p Page) templ.Component {
		return ChooseLanguage(LanguageView{Page: accountPage(p.Locale), Form: sampleForm, Notice: NoticeLanguageSaved, ByMail: true, AccountURL: "/account"})
	}},
	{"language-host", func(p Page) templ.Component {
		return ChooseLanguage(LanguageView{Page: accountPage(p.Locale), Form: sampleForm, AccountURL: "/account"})
	}},
	{"history", func(p Page) templ.Component {
		v := HistoryView{Page: accountPage(p.Locale), OlderURL: "/account/history?after=x", AccountURL: "/account"}
		for i, act := range historyActs {
			v.Entries = append(v.Entries, HistoryEntry{
				Act: act, At: fixedNow.Add(time.Duration(-i) * 7 * time.Hour), Client: "River Bikes", Place: Place{Network: "203.0.113.0/24", Here: i%3 == 0},
			})
		}
		v.Entries[0].How, v.Entries[1].How = SessionByPasskey, SessionByPassword
		return History(v)
	}},
	{"history-staff", func(p Page) templ.Component {
		var entries []HistoryEntry
		for _, reason := range []string{"caller", "report", "application", "data_request", "authority", "incident", "quality", hostileName} {
			entries = append(entries, HistoryEntry{Act: HistoryLooked, At: fixedNow, By: &HistoryActor{Role: "support", Reason: reason}})
		}
		return History(HistoryView{Page: accountPage(p.Locale), AccountURL: "/account", Entries: append(entries,
			HistoryEntry{Act: HistoryLocked, At: fixedNow, By: &HistoryActor{Role: "operator", Reason: "incident"}},
			HistoryEntry{Act: HistoryUnlocked, At: fixedNow, By: &HistoryActor{}})})
	}},
	{"call", func(p Page) templ.Component {
		return Call(CallView{Page: accountPage(p.Locale), Form: sampleForm, AccountURL: "/account"})
	}},
	{"call-code", func(p Page) templ.Component {
		return Call(CallView{Page: accountPage(p.Locale), Form: sampleForm, Code: "0123 4567", ValidFor: 5 * time.Minute, AccountURL: "/account"})
	}},
	{"call-wait", func(p Page) templ.Component {
		return Call(CallView{Page: accountPage(p.Locale), Form: with(Problem{Code: TooManyAttempts, Count: 5}), AccountURL: "/account"})
	}},
	{"history-empty", func(p Page) templ.Component {
		return History(HistoryView{Page: accountPage(p.Locale), AccountURL: "/account"})
	}},
	{"history-hostile", func(p Page) templ.Component {
		return History(HistoryView{Page: accountPage(p.Locale), Entries: []HistoryEntry{{Act: HistoryAppAllowed, At: fixedNow, Client: hostileName}}, AccountURL: "/account"})
	}},
}

var historyActs = []HistoryAct{
	HistorySignedIn, HistorySignInFailed, HistorySignedOut, HistorySignedUp, HistoryPasswordChanged, HistoryPasswordRemoved, HistoryPasskeyAdded, HistoryPasskeyRemoved,
	HistoryTOTPAdded, HistoryTOTPRemoved, HistoryDeviceAllowed, HistoryDeviceReported, HistoryLinkAdded, HistoryLinkRemoved, HistoryCodesMade, HistoryStepOn, HistoryStepOff, HistoryForgotten, HistoryEmailChanged, HistoryEmailReturned, HistoryEmailVerified,
	HistoryRecoveryStarted, HistoryRecoveryStopped, HistoryRecoveryApproved, HistoryRecovered, HistoryAuthenticatorsReset,
	HistoryAppAllowed, HistoryAppDenied, HistoryAppRemoved, HistoryExchanged, HistoryReuse, HistoryLocked, HistoryUnlocked, HistoryDeletionBegun, HistoryDeletionEnded, HistoryExported,
	HistoryLooked, HistoryPartLooked, HistoryValueShown, HistoryCallerProved, HistoryCallerCode, HistoryResetSent, HistoryExportSent, HistoryValueCorrected,
	HistoryStatusSet, HistoryStatusEnded, HistorySessionEnded, HistoryAppEnded,
	HistoryVerificationStarted, HistoryVerified, HistoryNotApproved, HistoryVerificationEnded, HistoryProofAdded, HistoryProofEnded,
}
