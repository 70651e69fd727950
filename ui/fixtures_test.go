package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// fixture is one screen in one state. Every fixture is a golden file and a page
// of the gallery.
type fixture struct {
	name string
	// render puts the state into a page, which brings language and surroundings.
	render func(p Page) templ.Component
}

var fixedNow = time.Date(2026, time.March, 12, 14, 5, 0, 0, time.UTC)

// samplePage is a screen opened from an application.
func samplePage(l *Locale) Page {
	p := accountPage(l)
	p.Client = Client{
		Name: "River Bikes", Logo: Picture{URL: "sample/client.svg"}, Host: "riverbikes.example",
		TermsURL: "https://riverbikes.example/terms", PolicyURL: "https://riverbikes.example/privacy",
	}
	return p
}

// accountPage is a screen that no application is part of.
func accountPage(l *Locale) Page {
	return Page{
		Locale: l,
		Brand: Brand{
			Name: "Bonafide", Logo: Picture{URL: "sample/brand.svg"}, HomeURL: "/",
			TermsURL: "/terms", PolicyURL: "/privacy", HelpURL: "/help",
		},
		AssetPath: "assets/",
		Languages: []Language{{"en", "?ui_locales=en", "English"}, {"de", "?ui_locales=de", "Deutsch"}, {"ar", "?ui_locales=ar", "العربية"}},
		Now:       fixedNow,
	}
}

var (
	sampleForm = Form{Action: "/here", Hidden: []Field{{"flow", "f1"}, {"csrf", "c1"}}}
	ada        = Account{Name: "Ada Lovelace", Email: "ada@example.com"}
)

func with(problems ...Problem) Form {
	f := sampleForm
	f.Problems = problems
	return f
}

// hostText is what the host's catalogue would say.
type hostText struct {
	military, militaryText, profile, profileText Label
	email, name, born, address, service, student Label
	veteran, reserves, university, teacher       Label
}

var hostTexts = map[string][14]string{
	"en": {
		"Military status", "Whether you serve or have served, for discounts and programmes.",
		"Profile", "Who you are and how to reach you.",
		"Email address", "Name", "Date of birth", "Address", "Armed forces", "Student", "Veteran", "Reserves", "University", "Teacher",
	},
	"de": {
		"Militärischer Status", "Ob Sie dienen oder gedient haben, für Rabatte und Programme.",
		"Profil", "Wer Sie sind und wie man Sie erreicht.",
		"E-Mail-Adresse", "Name", "Geburtsdatum", "Anschrift", "Streitkräfte", "Studierende", "Veteran", "Reserve", "Universität", "Lehrkraft",
	},
	"ar": {
		"الصفة العسكرية", "هل تخدم أو خدمت في الجيش، للحصول على الخصومات والبرامج.",
		"الملف الشخصي", "من أنت وكيف يمكن التواصل معك.",
		"عنوان البريد الإلكتروني", "الاسم", "تاريخ الميلاد", "العنوان", "القوات المسلحة", "طالب", "محارب قديم", "قوات الاحتياط", "جامعة", "معلّم",
	},
}

// hostTextOf returns it in the language of a page, or else in English and saying so.
func hostTextOf(p Page) hostText {
	lang := ""
	t, ok := hostTexts[p.locale().Lang]
	if !ok {
		lang, t = "en", hostTexts["en"]
	}
	at := func(i int) Label { return Label{t[i], lang} }
	return hostText{
		at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), at(12), at(13),
	}
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func consentOf(p Page) ConsentView {
	t, l := hostTextOf(p), p.locale()
	return ConsentView{
		Page: p, Form: sampleForm, Account: ada, AppsURL: "/account/apps",
		Attributes: []ConsentAttribute{
			{Handle: "name", Label: l.Word("Full name"), Phrase: l.Phrase("Full name"), Values: []string{"Ada Lovelace"}},
			{Handle: "email", Label: l.Word("Email"), Phrase: l.Phrase("Email"), Values: []string{"ada@example.com"}},
			{Handle: "zip", Label: l.Word("Postal code"), Phrase: l.Phrase("Postal code")},
			{Handle: "uuid", Label: l.Word("Unique identifier"), Phrase: l.Phrase("Unique identifier"), Values: []string{l.StandsForYou()}},
		},
		Groups: []ConsentGroup{{
			Name: "military", Label: t.service, Phrase: l.Phrase("Military"), State: GroupVerified, Subgroups: []Label{t.veteran, t.reserves},
			Since: date(2024, time.May, 2), Expires: date(2027, time.May, 1),
		}},
	}
}

// unknownOf is a request of an application that nobody has registered.
func unknownOf(p Page) ConsentView {
	p.Client = Client{Name: "assistant.example", Calls: "Code Helper", Host: "assistant.example", Unreviewed: true, Unknown: true}
	v := consentOf(p)
	v.Attributes, v.Groups, v.Offline = nil, nil, true
	v.Resources = []ConsentResource{{Name: "Calendar tools", Host: "mcp.example.com"}}
	return v
}

// everythingOf is a request for all that there is, sensitive and long.
func everythingOf(p Page) ConsentView {
	l, yes, no := p.locale(), true, false
	v := consentOf(p)
	row := func(name string, values ...string) ConsentAttribute {
		return ConsentAttribute{Handle: name, Label: l.Word(name), Phrase: l.Phrase(name), Values: values}
	}
	v.Attributes = []ConsentAttribute{
		row("Full name", "Ada Lovelace"), row("Email", "ada@example.com"), row("Phone", "+44 20 7946 0000"),
		row("Address", "12 St James’s Square, London SW1Y 4JH, United Kingdom"), row("Date of birth", l.Date(date(1815, time.December, 10))),
		row("Age", l.Number(210)), row("Nickname", "Ada"), row("User name", "enchantress-of-numbers"),
		row("Profile page", "https://people.example/ada/a-rather-long-address-without-any-space"), row("Picture", "https://people.example/ada.png"),
		row("Website", "https://ada.example"), row("Gender", "female"), row("Time zone", "Europe/London"), row("Language", "en-GB"),
		row("Last change", l.Date(date(2026, time.March, 1))), row("Club number", l.Number(1234567)), row("Middle name"),
		{Handle: "member", Label: Label{"Club member", Undetermined}, Truth: &yes}, {Handle: "board", Label: Label{"On the board", Undetermined}, Truth: &no},
		{Handle: "covid_vaccine_records", Sensitive: true, Label: l.Word("COVID vaccine records"), Phrase: l.Phrase("COVID vaccine records"),
			Records: []ConsentRecord{
				{{l.Word("Vaccine"), "Comirnaty"}, {l.Word("Date"), l.DateTime(time.Date(2021, time.May, 14, 10, 30, 0, 0, time.FixedZone("", -4*3600)))}, {l.Word("Dose"), "first dose"}},
				{{l.Word("Vaccine"), "Comirnaty"}, {l.Word("Date"), l.Date(date(2021, time.June, 4))}, {l.Word("Dose"), "second dose"}},
			}},
		{Handle: "previous_addresses", Sensitive: true, Label: l.Word("Previous addresses"), Phrase: l.Phrase("Previous addresses"),
			Values: []string{"Ockham Park, Ockham, Surrey", "6 Great Cumberland Place, London"}},
		row("Unique identifier", l.StandsForYou()),
	}
	v.Offline = true
	return v
}

// optionalOf is a request of which parts can be left out.
func optionalOf(p Page) ConsentView {
	t, l := hostTextOf(p), p.locale()
	v := consentOf(p)
	group := v.Groups[0]
	v.Groups = nil
	v.Optional = []ConsentOption{
		{Scope: "military", Title: t.military, Groups: []ConsentGroup{group}},
		{Scope: "phone", Title: l.Word("Your phone number"), New: true, Attributes: []ConsentAttribute{
			{Handle: "phone", Label: l.Word("Phone"), Phrase: l.Phrase("Phone"), Values: []string{"+44 20 7946 0000"}},
		}},
		{Scope: "records", Title: Label{"Records", "en"}, Attributes: []ConsentAttribute{
			{Handle: "covid_vaccine_records", Sensitive: true, Label: l.Word("COVID vaccine records"), Phrase: l.Phrase("COVID vaccine records")},
		}},
		{Scope: "calendar", Title: Label{"Your calendar", "en"}, Text: Label{"Write entries into it.", "en"}},
		{Scope: "offline_access", Offline: true},
	}
	return v
}

// lapsedOf is a group whose verification has expired, and can be renewed.
func lapsedOf(p Page) ConsentGroup {
	return ConsentGroup{
		Name: "military", Label: hostTextOf(p).service, Phrase: p.locale().Phrase("Military"),
		State: GroupExpired, Expires: date(2025, time.September, 30), CanVerify: true,
	}
}

// requiredOf is a request of an application that takes verified members of these groups
// only.
func requiredOf(p Page, groups ...ConsentGroup) ConsentView {
	v := consentOf(p)
	v.Client.Name, v.Required = "Strict Perks", groups
	return v
}

// hostileName is what somebody might call an application to fool people or to
// break the page.
const hostileName = "\u202egnoW\u202c</title><script>alert(1)</script>\"' onload=x\n" +
	"Bank of Somewhere, the one and only, please do trust it with everything that you have"

var fixtures = slices.Concat(screenFixtures, upstreamFixtures, deviceFixtures, accountFixtures, previewFixtures, brandPreviewFixtures, kitFixtures)

var screenFixtures = []fixture{
	{"signin", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-passkey", func(p Page) templ.Component {
		return SignIn(SignInView{
			Page: p, Form: with(Problem{Code: PasskeyWrong}), ResetURL: "/reset", SignUpURL: "/signup",
			Passkey: PasskeyPrompt{Options: `{"challenge":"c1"}`, Challenge: "s1", Conditional: true},
			Signals: `{"signalUnknownCredential":{"rpId":"localhost","credentialId":"k1"}}`,
		})
	}},
	{"signin-hint", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: sampleForm, Email: ada.Email, Notice: NoticePasswordChanged, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-wrong", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: with(Problem{Code: CredentialsWrong}), Email: ada.Email, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-throttled", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: with(Problem{Code: TooManyAttempts, Count: 5}), Email: ada.Email, ResetURL: "/reset"})
	}},
	{"signin-bare", func(p Page) templ.Component {
		bare := Page{Locale: p.Locale, AssetPath: p.AssetPath, Brand: Brand{Name: "Bonafide"}}
		return SignIn(SignInView{Page: bare, Form: sampleForm})
	}},
	{"signin-sandbox", func(p Page) templ.Component {
		p.Sandbox = true
		return SignIn(SignInView{Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-personas", func(p Page) templ.Component {
		p.Sandbox = true
		return SignIn(SignInView{Page: p, Form: sampleForm, Personas: personasOf(p), ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-unreviewed", func(p Page) templ.Component {
		p.Client.Unreviewed = true
		return SignIn(SignInView{Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-popup", func(p Page) templ.Component {
		p.Popup = true
		return SignIn(SignInView{Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"signin-branded", func(p Page) templ.Component {
		p.ButtonColor = "#ffd400"
		p.Client.Logo = Picture{}
		return SignIn(SignInView{Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup"})
	}},
	{"reauthenticate", func(p Page) templ.Component {
		return Reauthenticate(ReauthenticateView{Page: p, Form: sampleForm, Account: ada, ResetURL: "/reset"})
	}},
	{"reauthenticate-wrong", func(p Page) templ.Component {
		return Reauthenticate(ReauthenticateView{Page: p, Form: with(Problem{Code: PasswordWrong}), Account: Account{Email: ada.Email}})
	}},
	{"signup", func(p Page) templ.Component {
		return SignUp(SignUpView{Page: p, Form: sampleForm, MinLength: 15, SignInURL: "/signin"})
	}},
	{"signup-passkey", func(p Page) templ.Component {
		return SignUp(SignUpView{Page: p, Form: sampleForm, MinLength: 15, Passkeys: true, SignInURL: "/signin"})
	}},
	{"signup-problems", func(p Page) templ.Component {
		return SignUp(SignUpView{
			Page: p, Form: with(Problem{Code: EmailInvalid}, Problem{Code: PasswordTooShort, Count: 15}),
			Email: "ada@", MinLength: 15, SignInURL: "/signin",
		})
	}},
	{"signup-terms-only", func(p Page) templ.Component {
		p.Brand.PolicyURL = ""
		return SignUp(SignUpView{Page: p, Form: with(Problem{Code: PasswordCommon}), Email: ada.Email, MinLength: 15})
	}},
	{"signup-policy-only", func(p Page) templ.Component {
		p.Brand.TermsURL = ""
		return SignUp(SignUpView{Page: p, Form: with(Problem{Code: EmailMissing}), MinLength: 15})
	}},
	{"code-signup", func(p Page) templ.Component {
		return Code(CodeView{Page: p, Form: sampleForm, Able: "able", Purpose: CodeSignUp, Email: ada.Email, ValidFor: 10 * time.Minute, BackURL: "/signup"})
	}},
	{"code-signup-wrong", func(p Page) templ.Component {
		return Code(CodeView{Page: p, Form: with(Problem{Code: CodeWrong}), Purpose: CodeSignUp, Email: ada.Email, ValidFor: 10 * time.Minute, BackURL: "/signup"})
	}},
	{"code-verify-resent", func(p Page) templ.Component {
		return Code(CodeView{Page: accountPage(p.Locale), Form: sampleForm, Purpose: CodeVerifyEmail, Email: ada.Email, Notice: NoticeCodeSent, ValidFor: 10 * time.Minute, BackURL: "/account"})
	}},
	{"reset-start", func(p Page) templ.Component {
		return ResetStart(ResetStartView{Page: p, Form: sampleForm, Email: ada.Email, SignInURL: "/signin"})
	}},
	{"reset-finish", func(p Page) templ.Component {
		return ResetFinish(ResetFinishView{Page: p, Form: sampleForm, Email: ada.Email, ValidFor: 10 * time.Minute, MinLength: 15, RestartURL: "/reset"})
	}},
	{"reset-finish-problems", func(p Page) templ.Component {
		return ResetFinish(ResetFinishView{
			Page: p, Form: with(Problem{Code: CodeMissing}, Problem{Code: PasswordContainsContext}),
			Email: ada.Email, ValidFor: 10 * time.Minute, MinLength: 15, RestartURL: "/reset",
		})
	}},
	{"select_account", func(p Page) templ.Component {
		return SelectAccount(SelectAccountView{Page: p, Form: sampleForm, Account: ada})
	}},
	{"select_scope", func(p Page) templ.Component {
		t := hostTextOf(p)
		return SelectScope(SelectScopeView{Page: p, Form: sampleForm, Scopes: []ScopeChoice{
			{"military", t.military, t.militaryText}, {"student", t.student, Label{}}, {"profile", t.profile, t.profileText},
		}})
	}},
	{"select_scope-hostile", func(p Page) templ.Component {
		p.Client.Unreviewed = true
		address := "http://idmanagement.example/ns/assurance/ial/2/aal/2?" + strings.Repeat("x", 120)
		return SelectScope(SelectScopeView{Page: p, Form: sampleForm, Scopes: []ScopeChoice{
			{address, Label{address, Undetermined}, Label{}}, {"<b>", Label{Text: "<b>bold</b>"}, Label{Text: "<script>alert(1)</script>"}},
		}})
	}},
	{"consent", func(p Page) templ.Component { return Consent(consentOf(p)) }},
	{"consent-everything", func(p Page) templ.Component { return Consent(everythingOf(p)) }},
	{"consent-popup", func(p Page) templ.Component {
		p.Popup = true
		return Consent(everythingOf(p))
	}},
	{"consent-optional", func(p Page) templ.Component { return Consent(optionalOf(p)) }},
	{"consent-optional-again", func(p Page) templ.Component {
		v := optionalOf(p)
		v.Optional[0].Chosen, v.Optional[4].Chosen = true, true
		return Consent(v)
	}},
	{"consent-permissions", func(p Page) templ.Component {
		v := consentOf(p)
		v.Permissions = []ConsentPermission{
			{Title: Label{"Your calendar", "en"}, Text: Label{"Write entries into it.", "en"}}, {Title: Label{"https://api.example/x", Undetermined}, New: true},
		}
		return Consent(v)
	}},
	{"consent-incremental", func(p Page) templ.Component {
		t := hostTextOf(p)
		v := consentOf(p)
		v.Incremental, v.Offline = true, true
		v.Attributes = append(v.Attributes,
			ConsentAttribute{Handle: "born", New: true, Label: t.born, Values: []string{v.locale().Date(date(1815, time.December, 10))}},
			ConsentAttribute{Handle: "address", New: true, Label: t.address})
		v.Groups = append(v.Groups, ConsentGroup{Name: "student", New: true, Label: t.student, State: GroupUnverified})
		return Consent(v)
	}},
	{"consent-later", func(p Page) templ.Component {
		v := consentOf(p)
		for i := range v.Attributes {
			v.Attributes[i].Values = nil
		}
		v.Groups = nil
		return Consent(v)
	}},
	{"consent-groups", func(p Page) templ.Component {
		t := hostTextOf(p)
		v := consentOf(p)
		v.Attributes, v.Groups[0].HowVerified, v.Groups[0].InWallet = nil, true, true
		v.Groups = []ConsentGroup{
			v.Groups[0],
			{Label: t.student, State: GroupExpired, Subgroups: []Label{t.university}, Expires: date(2025, time.September, 30)},
			{Label: t.teacher, State: GroupUnverified},
			{Label: t.service, State: GroupPending},
		}
		return Consent(v)
	}},
	{"consent-verify", func(p Page) templ.Component {
		t := hostTextOf(p)
		v := consentOf(p)
		v.Groups = []ConsentGroup{{Name: "student", Label: t.student, State: GroupUnverified, CanVerify: true}}
		for _, name := range []string{"Middle name", "Nickname", "Website", "Gender"} {
			v.Attributes = append(v.Attributes, ConsentAttribute{Handle: name, Label: v.locale().Word(name), Phrase: v.locale().Phrase(name)})
		}
		return Consent(v)
	}},
	{"consent-expired", func(p Page) templ.Component {
		v := consentOf(p)
		v.Groups = []ConsentGroup{lapsedOf(p)}
		return Consent(v)
	}},
	{"consent-two", func(p Page) templ.Component {
		v := consentOf(p)
		v.Groups = []ConsentGroup{lapsedOf(p), {Name: "student", Label: hostTextOf(p).student, Phrase: v.locale().Phrase("Student"), State: GroupUnverified, CanVerify: true}}
		return Consent(v)
	}},
	{"consent-required", func(p Page) templ.Component {
		return Consent(requiredOf(p, ConsentGroup{Name: "military", Label: hostTextOf(p).service, State: GroupUnverified, CanVerify: true}))
	}},
	{"consent-required-any", func(p Page) templ.Component {
		t := hostTextOf(p)
		return Consent(requiredOf(p,
			lapsedOf(p),
			ConsentGroup{Name: "student", Label: t.student, State: GroupUnverified, CanVerify: true}))
	}},
	{"consent-required-one", func(p Page) templ.Component {
		t := hostTextOf(p)
		return Consent(requiredOf(p,
			ConsentGroup{Name: "military", Label: t.service, State: GroupUnverified, Reason: "unreadable"},
			ConsentGroup{Name: "student", Label: t.student, State: GroupUnverified, CanVerify: true}))
	}},
	{"consent-required-pending", func(p Page) templ.Component {
		return Consent(requiredOf(p, ConsentGroup{Name: "military", Label: hostTextOf(p).service, State: GroupPending, CanVerify: true}))
	}},
	{"consent-signin-only", func(p Page) templ.Component {
		v := consentOf(p)
		v.Attributes, v.Groups, v.AppsURL = nil, nil, ""
		return Consent(v)
	}},
	{"consent-resources", func(p Page) templ.Component {
		v := consentOf(p)
		v.Incremental, v.Offline = true, true
		v.Resources = []ConsentResource{{Name: "Calendar tools", Host: "mcp.example.com"}, {Name: "Payments", Host: "pay.example.org", New: true}}
		return Consent(v)
	}},
	{"consent-resources-only", func(p Page) templ.Component {
		v := consentOf(p)
		v.Attributes, v.Groups, v.Resources = nil, nil, []ConsentResource{{Name: "mcp.example.com", Host: "mcp.example.com"}}
		return Consent(v)
	}},
	{"consent-resources-hostile", func(p Page) templ.Component {
		v := consentOf(p)
		v.Attributes, v.Groups, v.Resources = nil, nil, []ConsentResource{{Name: hostileName, Host: "a\"><svg/onload=alert(1)>.test"}}
		return Consent(v)
	}},
	{"consent-sandbox", func(p Page) templ.Component {
		v := consentOf(p)
		v.Client.Logo, v.Sandbox = Picture{}, true
		v.Client.TermsURL = ""
		return Consent(v)
	}},
	{"consent-unreviewed", func(p Page) templ.Component {
		p.Client.Unreviewed = true
		return Consent(consentOf(p))
	}},
	{"consent-unknown", func(p Page) templ.Component { return Consent(unknownOf(p)) }},
	{"consent-unknown-program", func(p Page) templ.Component {
		v := unknownOf(p)
		v.Client.Host, v.Client.Program = "localhost:49152", true
		return Consent(v)
	}},
	{"consent-unknown-unnamed", func(p Page) templ.Component {
		v := unknownOf(p)
		v.Client.Calls, v.Client.Host, v.Client.Program = "", "ai.example.assistant", true
		return Consent(v)
	}},
	{"consent-hostile", func(p Page) templ.Component {
		v := consentOf(p)
		v.Client.Name, v.Client.Logo = hostileName, Picture{}
		v.Account = Account{Name: "\u202e" + hostileName, Email: "a\"><svg/onload=alert(1)>@example.com"}
		v.Attributes[0].Values = []string{"<img src=x onerror=alert(1)>", "\u2067\u200f\u0000"}
		return Consent(v)
	}},
	{"signin-personas-hostile", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: with(Problem{Code: CredentialsWrong}), Personas: []Persona{{Name: "x", Title: Label{Text: hostileName, Lang: Undetermined}}}})
	}},
	{"signout", func(p Page) templ.Component {
		return SignOut(SignOutView{Page: accountPage(p.Locale), Form: sampleForm, Account: ada, CancelURL: "/account"})
	}},
	{"signed-out", func(p Page) templ.Component {
		return SignedOut(SignedOutView{Page: p, SignInURL: "/signin"})
	}},
	{"frame", func(p Page) templ.Component {
		return Frame(accountPage(p.Locale), "Your <desk>", templ.Raw(`<p class="lead">Of the host.</p>`))
	}},
	{"signed-out-stale", func(p Page) templ.Component {
		return SignedOut(SignedOutView{Page: accountPage(p.Locale), SignInURL: "/desk", Stale: true})
	}},
	{"error-on-a-screen", func(p Page) templ.Component {
		return Error(ErrorView{Page: p, Code: ErrorNotFound, HomeURL: "/developer/"})
	}},
	{"error-for-a-developer", func(p Page) templ.Component {
		return Error(ErrorView{Page: p, Code: ErrorRedirect, RequestID: "01JP5V9Q7M3K", Time: fixedNow, LogURL: "/developer/o/1/sandbox/c1/log?request_id=01JP5V9Q7M3K"})
	}},
	{"error-expired", func(p Page) templ.Component {
		return Error(ErrorView{Page: p, Code: ErrorExpired, RequestID: "01JP5V9Q7M3K", Time: fixedNow, BackURL: "https://riverbikes.example/cb?error=access_denied"})
	}},
	{"error-spent", func(p Page) templ.Component {
		return Error(ErrorView{Page: p, Code: ErrorSpent, RequestID: "01JP5V9Q7M3K", Time: fixedNow, BackURL: "https://riverbikes.example/"})
	}},
	{"error-unsigned", func(p Page) templ.Component {
		return Error(ErrorView{Page: p, Code: ErrorUnsigned, RequestID: "01JP5V9Q7M3K", Time: fixedNow, BackURL: "https://riverbikes.example/"})
	}},
	{"error-return", func(p Page) templ.Component {
		return Error(ErrorView{Page: accountPage(p.Locale), Code: ErrorReturn, RequestID: "01JP5V9Q7M3K", Time: fixedNow, AccountURL: "/account"})
	}},
	{"error-return-taken", func(p Page) templ.Component {
		return Error(ErrorView{Page: accountPage(p.Locale), Code: ErrorReturnTaken, RequestID: "01JP5V9Q7M3K", Time: fixedNow, AccountURL: "/account"})
	}},
	{"error-redirect-details", func(p Page) templ.Component {
		return Error(ErrorView{
			Page: p, Code: ErrorRedirect, RequestID: "01JP5V9Q7M3K", Time: fixedNow, AccountURL: "/account",
			Details: []Detail{
				{"redirect_uri", "https://riverbikes.example/", "C", "allback"},
				{"registered", "https://riverbikes.example/", "c", "allback"},
				{Name: "difference", Value: `has "C" after "/riverbikes.example/", where registered has "c"`},
			},
		})
	}},
	{"error-redirect", func(p Page) templ.Component {
		return Error(ErrorView{Page: accountPage(p.Locale), Code: ErrorRedirect, RequestID: "01JP5V9Q7M3K", Time: fixedNow})
	}},
	{"error-popup", func(p Page) templ.Component {
		p.Popup = true
		return Error(ErrorView{Page: p, Code: ErrorExpired, RequestID: "01JP5V9Q7M3K", Time: fixedNow, BackURL: "https://riverbikes.example/"})
	}},
	{"error-internal", func(p Page) templ.Component {
		return Error(ErrorView{Page: accountPage(p.Locale), Code: ErrorInternal, RequestID: "01JP5V9Q7M3K", Time: fixedNow})
	}},
	{"denied", func(p Page) templ.Component {
		return Denied(DeniedView{Page: p, Message: "Your subscription ended on 1 March. <b>Renew it</b> to go on.", URL: "https://riverbikes.example/cb?error=access_denied&state=s"})
	}},
	{"denied-no-account", func(p Page) templ.Component {
		return Denied(DeniedView{Page: p, URL: "https://riverbikes.example/cb", Fields: []Field{{"error", "access_denied"}, {"state", `"><script>`}}})
	}},
	{"error-user", func(p Page) templ.Component {
		return Error(ErrorView{Page: accountPage(p.Locale), Code: ErrorUser, RequestID: "01JP5V9Q7M3K", Time: fixedNow})
	}},
	{"finished", func(p Page) templ.Component {
		return Finished(FinishedView{Page: p, BackURL: "https://riverbikes.example/"})
	}},
	{"continue", func(p Page) templ.Component {
		p.Client.Host = "example.riverbikes"
		return Continue(ContinueView{Page: p, URL: "example.riverbikes:/cb?code=c&state=s"})
	}},
	{"denied-fedcm", func(p Page) templ.Component {
		p.Popup = true
		return Denied(DeniedView{Page: p, FedCM: true, URL: "https://riverbikes.example/cb?error=access_denied&state=s"})
	}},
	{"fedcm", func(p Page) templ.Component {
		p.Popup = true
		return FedCM(FedCMView{Page: p, Answer: "https://riverbikes.example/cb?code=c&state=s", AccountID: "5f0c"})
	}},
	{"fedcm-signed-in", func(p Page) templ.Component {
		p.Popup = true
		return FedCM(FedCMView{Page: accountPage(p.Locale)})
	}},
	{"form-post", func(p Page) templ.Component {
		return FormPost(FormPostView{Page: p, URL: "https://riverbikes.example/cb?x=1", Fields: []Field{{"code", "c"}, {"state", `"><script>alert(1)</script>`}}})
	}},
	{"preview-consent-scopes", func(p Page) templ.Component {
		return Preview(PreviewView{Page: p, Screen: PreviewConsent, Attributes: consentOf(p).Attributes, Groups: consentOf(p).Groups})
	}},
	{"account", func(p Page) templ.Component {
		return AccountHome(AccountView{
			Page: accountPage(p.Locale), Form: sampleForm, Account: ada, EmailVerified: true, Notice: NoticeEmailVerified,
			AppsURL: "/account/apps", GroupsURL: "/account/groups", SessionsURL: "/account/sessions", PasswordURL: "/account/password", SignOutURL: "/signout",
		})
	}},
	{"account-unverified", func(p Page) templ.Component {
		return AccountHome(AccountView{
			Page: accountPage(p.Locale), Form: sampleForm, Account: Account{Email: ada.Email},
			AppsURL: "/account/apps", GroupsURL: "/account/groups", SessionsURL: "/account/sessions", PasswordURL: "/account/password", SignOutURL: "/signout",
		})
	}},
	{"apps", func(p Page) templ.Component {
		return Apps(AppsView{Page: accountPage(p.Locale), Notice: NoticeAppRemoved, Apps: sampleApps(p), AccountURL: "/account"})
	}},
	{"apps-unknown", func(p Page) templ.Component {
		a := sampleApps(p)[:1]
		a[0].Client = unknownOf(p).Client
		return Apps(AppsView{Page: accountPage(p.Locale), Apps: a, AccountURL: "/account"})
	}},
	{"app-remove-unknown", func(p Page) templ.Component {
		a := sampleApps(p)[0]
		a.Client = unknownOf(p).Client
		return RemoveApp(RemoveAppView{Page: accountPage(p.Locale), Form: sampleForm, App: a, CancelURL: "/account/apps"})
	}},
	{"apps-empty", func(p Page) templ.Component {
		return Apps(AppsView{Page: accountPage(p.Locale), AccountURL: "/account"})
	}},
	{"app-remove", func(p Page) templ.Component {
		return RemoveApp(RemoveAppView{Page: accountPage(p.Locale), Form: sampleForm, App: sampleApps(p)[0], CancelURL: "/account/apps"})
	}},
	{"groups", func(p Page) templ.Component {
		t := hostTextOf(p)
		return Groups(GroupsView{
			Page: accountPage(p.Locale), Form: sampleForm, Notice: NoticePending, AccountURL: "/account",
			Groups: []Membership{
				{
					ConsentGroup: ConsentGroup{
						Name: "military", Label: t.service, State: GroupVerified, Subgroups: []Label{t.veteran, t.reserves},
						Since: date(2025, time.March, 2), Expires: date(2027, time.March, 2),
					},
					VerifiedBy: "Veterans Office", Source: "Service records", Method: "record",
				},
				{ConsentGroup: ConsentGroup{
					Name: "student", Label: t.student, State: GroupExpired, Expires: date(2025, time.September, 30), CanVerify: true,
				}, VerifiedBy: "مكتب التسجيل", Method: "by post"},
				{ConsentGroup: ConsentGroup{Name: "teacher", Label: t.teacher, State: GroupPending}, Method: "document"},
				{ConsentGroup: ConsentGroup{Name: "nurse", Label: t.military, State: GroupUnverified, CanVerify: true, Reason: "unreadable"}},
				{ConsentGroup: ConsentGroup{Name: "other", Label: t.profile, State: GroupVerified}, Method: "code"},
				{ConsentGroup: ConsentGroup{Name: "fourth", Label: t.name, State: GroupVerified}, Method: "email_domain"},
				{ConsentGroup: ConsentGroup{Name: "fifth", Label: t.university, State: GroupVerified}, Method: "roster"},
			},
		})
	}},
	{"groups-hostile", func(p Page) templ.Component {
		return Groups(GroupsView{Page: accountPage(p.Locale), Form: sampleForm, Groups: []Membership{{
			ConsentGroup: ConsentGroup{Name: `"><script>`, Label: Label{Text: "<script>alert(1)</script>"}, State: GroupUnverified, Subgroups: []Label{{Text: "<b>"}}, CanVerify: true, Reason: "</bdi><script>alert(1)</script>"},
			VerifiedBy:   hostileName, Source: hostileName, Method: hostileName,
		}}})
	}},
	{"groups-refused", func(p Page) templ.Component {
		v := GroupsView{Page: accountPage(p.Locale), Form: sampleForm, Notice: NoticeUnverified, AccountURL: "/account"}
		for _, reason := range []string{"expired", "mismatch", "not_found", "not_eligible", "Your card is of 2019. Please send that of this year."} {
			v.Groups = append(v.Groups, Membership{
				ConsentGroup: ConsentGroup{Name: reason, Label: hostTextOf(p).student, State: GroupUnverified, CanVerify: true, Reason: reason},
			})
		}
		return Groups(v)
	}},
	{"groups-empty", func(p Page) templ.Component {
		return Groups(GroupsView{Page: accountPage(p.Locale), AccountURL: "/account"})
	}},
	{"sessions", func(p Page) templ.Component {
		return Sessions(SessionsView{
			Page: accountPage(p.Locale), Form: sampleForm, Notice: NoticeSessionEnded, AccountURL: "/account",
			Sessions: []Session{
				{ID: "s1", Browser: "Firefox", System: "Linux", Current: true, Since: date(2026, time.March, 1), LastUsed: fixedNow},
				{ID: "s2", Browser: "Safari", System: "iPhone", Since: date(2026, time.February, 20), LastUsed: fixedNow.Add(-3 * time.Hour)},
				{ID: "s3", Since: date(2026, time.January, 7), LastUsed: date(2026, time.January, 9)},
			},
		})
	}},
	{"sessions-one", func(p Page) templ.Component {
		return Sessions(SessionsView{
			Page: accountPage(p.Locale), Form: sampleForm, AccountURL: "/account",
			Sessions: []Session{{ID: "s1", Browser: "Firefox", System: "Linux", Current: true, Since: date(2026, time.March, 1)}},
		})
	}},
	{"password", func(p Page) templ.Component {
		return Password(PasswordView{Page: accountPage(p.Locale), Form: sampleForm, Email: ada.Email, MinLength: 15, AccountURL: "/account"})
	}},
	{"password-problems", func(p Page) templ.Component {
		return Password(PasswordView{
			Page: accountPage(p.Locale), Form: with(Problem{Code: PasswordMissing}, Problem{Code: PasswordUnchanged}, Problem{Code: PasswordTooLong, Count: 1000}),
			Email: ada.Email, MinLength: 15, AccountURL: "/account",
		})
	}},
}

func personasOf(p Page) []Persona {
	t := hostTextOf(p)
	return []Persona{
		{Name: "new-user", Title: p.locale().Word("Nora – new, belongs to no group")},
		{Name: "veteran", Title: p.locale().Word("Maria – verified veteran"), Groups: []PersonaGroup{{Label: t.service, Subgroups: []Label{t.veteran, t.reserves}, State: GroupVerified}}},
		{Name: "student", Title: Label{Text: "ليلى بنت عبد الرحمن", Lang: Undetermined}, Groups: []PersonaGroup{
			{Label: t.student, Subgroups: []Label{t.university}, State: GroupExpired}, {Label: t.teacher, State: GroupUnverified},
		}},
		{Name: "locked", Locked: true, EmailUnverified: true},
	}
}

func sampleApps(p Page) []App {
	t := hostTextOf(p)
	return []App{
		{
			Client: samplePage(p.Locale).Client,
			Since:  date(2025, time.November, 3), LastUsed: fixedNow.Add(-26 * time.Hour),
			Scopes: []Label{t.military, t.profile}, Facts: []Label{t.name, t.email, t.veteran}, OpenURL: "https://riverbikes.example/start?iss=https%3A%2F%2Fid.example%2Foidc", RemoveURL: "/account/apps/1",
		},
		{
			Client:    Client{Name: "Ünïcode & Söhne", Host: "xn--ncode-4ya.example"},
			Since:     date(2023, time.January, 31),
			Resources: []string{"Calendar tools", "Payments"},
			RemoveURL: "/account/apps/2",
		},
	}
}
