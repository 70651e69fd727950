package security

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

const backURL = "/account/security"

var form = audiencetest.Form()

// hostile is a name that somebody has chosen to break the page.
const hostile = `<script>alert(1)</script>"'&` + "\u202e"

// prompt asks for a passkey.
var prompt = ui.PasskeyPrompt{Options: `{"challenge":"AAEC","rp":{"id":"id.example","name":"</script>"}}`, Challenge: "sealed", Create: true}

var march = audiencetest.Day(2026, time.March, 1)

func laptop() Passkey {
	return Passkey{
		Name: "iCloud Keychain", Since: march, LastUsed: audiencetest.Now.Add(-3 * time.Hour),
		RenameURL: "/account/passkeys/name?credential=1", RemoveURL: "/account/passkeys/remove?credential=1",
	}
}

func key() Passkey {
	return Passkey{
		Name: hostile, Since: march, RenameURL: "/account/passkeys/name?credential=2", RemoveURL: "/account/passkeys/remove?credential=2",
	}
}

// whole is an account with everything.
func whole(p ui.Page) HomeView {
	return HomeView{
		Page: p, Form: form, Passkeys: []Passkey{laptop(), key()}, AddPasskeyURL: "/account/passkeys",
		HasPassword: true, PasswordChanged: march, PasswordURL: "/account/password",
		App: &App{Since: march, LastUsed: audiencetest.Now.Add(-26 * time.Hour)}, AppURL: "/account/totp", RemoveAppURL: "/account/totp/remove",
		CodesLeft: 7, CodesMade: march, CodesURL: "/account/codes", SecondStep: true,
		Devices: []Device{
			{ID: "d1", Browser: "Firefox", System: "Windows", Until: audiencetest.Day(2026, time.April, 1)},
			{ID: "d2", Kind: ui.DevicePhone, System: "iPhone", Until: audiencetest.Day(2026, time.April, 2)},
			{ID: "d3", Until: audiencetest.Day(2026, time.April, 3)},
		},
		Signals: `{"signalAllAcceptedCredentials":{"rpId":"id.example","userId":"AA","allAcceptedCredentialIds":["AQ"]}}`, AccountURL: "/account",
	}
}

// plain is an account with a password.
func plain(p ui.Page) HomeView {
	return HomeView{
		Page: p, Form: form, AddPasskeyURL: "/account/passkeys", HasPassword: true, PasswordURL: "/account/password",
		AppURL: "/account/totp", AccountURL: "/account",
	}
}

var fixtures = []audiencetest.Fixture{
	{Name: "home", Render: func(p ui.Page) templ.Component { return Home(whole(p)) }},
	{Name: "home-password", Render: func(p ui.Page) templ.Component {
		v := plain(p)
		v.Notice = PasswordChanged
		return Home(v)
	}},
	{Name: "home-passkeys", Render: func(p ui.Page) templ.Component {
		v := whole(p)
		v.App, v.RemoveAppURL, v.Devices, v.HasPassword, v.Passkeys = nil, "", nil, false, []Passkey{laptop()}
		v.CodesLeft, v.CodesMissing, v.CodesMade, v.SecondStep = 0, true, time.Time{}, false
		v.Notice = PasskeyAdded
		return Home(v)
	}},
	{Name: "home-step", Render: func(p ui.Page) templ.Component {
		v := whole(p)
		v.App, v.RemoveAppURL, v.StepURL = nil, "", "/account/second-step"
		return Home(v)
	}},
	{Name: "home-full", Render: func(p ui.Page) templ.Component {
		v := whole(p)
		v.AddPasskeyURL, v.MaxPasskeys, v.Devices, v.SecondStep, v.StepURL = "", 20, v.Devices[:1], false, "/account/second-step"
		v.Recovery = &ui.Recovery{ReadyAt: audiencetest.Now.Add(71 * time.Hour), Form: form}
		return Home(v)
	}},
	{Name: "passkey", Render: func(p ui.Page) templ.Component {
		return AddPasskey(PasskeyView{Page: p, Form: form, Prompt: prompt, BackURL: backURL})
	}},
	{Name: "passkey-refused", Render: func(p ui.Page) templ.Component {
		p.Client = audiencetest.Client
		return AddPasskey(PasskeyView{Page: p, Form: audiencetest.Form(Say(p.Locale, PasskeyRefused)), Prompt: prompt})
	}},
	{Name: "rename", Render: func(p ui.Page) templ.Component {
		return Rename(RenameView{Page: p, Form: form, ID: "1", Name: "iCloud Keychain", BackURL: backURL})
	}},
	{Name: "rename-wrong", Render: func(p ui.Page) templ.Component {
		return Rename(RenameView{Page: p, Form: audiencetest.Form(ui.Problem{Code: ui.NameMissing}), ID: "1", BackURL: backURL})
	}},
	{Name: "remove-passkey", Render: func(p ui.Page) templ.Component {
		return RemovePasskey(RemovePasskeyView{Page: p, Form: form, ID: "2", Name: hostile, BackURL: backURL})
	}},
	{Name: "remove-passkey-last", Render: func(p ui.Page) templ.Component {
		return RemovePasskey(RemovePasskeyView{
			Page: p, Form: audiencetest.Form(Say(p.Locale, LastWayIn)), ID: "1", Name: "iCloud Keychain", BackURL: backURL,
		})
	}},
	{Name: "app", Render: func(p ui.Page) templ.Component { return SetUpApp(appView(p)) }},
	{Name: "app-wrong", Render: func(p ui.Page) templ.Component {
		v := appView(p)
		v.Form, v.Replaces, v.Client, v.BackURL = audiencetest.Form(Say(p.Locale, CodeWrong)), true, audiencetest.Client, ""
		return SetUpApp(v)
	}},
	{Name: "remove-app", Render: func(p ui.Page) templ.Component {
		return RemoveApp(RemoveAppView{Page: p, Form: form, EndsStep: true, BackURL: backURL})
	}},
	{Name: "codes", Render: func(p ui.Page) templ.Component {
		return Codes(CodesView{Page: p, Form: form, Left: 2, BackURL: backURL})
	}},
	{Name: "codes-first", Render: func(p ui.Page) templ.Component {
		return Codes(CodesView{Page: p, Form: audiencetest.Form(Say(p.Locale, Meanwhile)), BackURL: backURL})
	}},
	{Name: "new-codes", Render: func(p ui.Page) templ.Component {
		return NewCodes(NewCodesView{
			Page: p, Form: form, Notice: AppAdded, Sealed: "sealed", ContinueURL: backURL,
			Codes: strings.Split(strings.Repeat("0ABC-DEFG-HJKMN ", 9)+"ZYXW-VTSR-QPNM9", " "),
		})
	}},
	{Name: "step-on", Render: func(p ui.Page) templ.Component {
		return Step(StepView{Page: p, Form: form, BackURL: backURL})
	}},
	{Name: "step-off", Render: func(p ui.Page) templ.Component {
		return Step(StepView{Page: p, Form: form, On: true, BackURL: backURL})
	}},
	{Name: "remove-password", Render: func(p ui.Page) templ.Component {
		return RemovePassword(RemovePasswordView{Page: p, Form: audiencetest.Form(Say(p.Locale, CodesFirst)), BackURL: backURL})
	}},
	{Name: "home-links", Render: func(p ui.Page) templ.Component {
		v := plain(p)
		v.HasPassword, v.Notice = false, LinkAdded
		v.Links = []Link{
			{Upstream: ui.UpstreamButton{Title: "Google", Mark: ui.MarkGoogle}, Name: "ada@gmail.com", Since: march, LastUsed: audiencetest.Now.Add(-3 * time.Hour), RemoveURL: "/account/connections?link=1"},
			{Upstream: ui.UpstreamButton{Title: hostile}, Name: hostile, Ended: true, Since: march, RemoveURL: "/account/connections?link=2"},
		}
		v.Upstreams = []ui.UpstreamButton{
			{Title: "GitHub", Mark: ui.MarkGitHub, URL: "/signin/with/github"}, {Title: "University of Somewhere", URL: "/signin/with/campus"},
		}
		return Home(v)
	}},
	{Name: "home-links-none", Render: func(p ui.Page) templ.Component {
		v := plain(p)
		v.Form.Problems = []ui.Problem{Say(p.Locale, LinkTaken)}
		v.Upstreams = []ui.UpstreamButton{{Title: "Apple", Mark: ui.MarkApple, URL: "/signin/with/apple"}}
		return Home(v)
	}},
	{Name: "remove-link", Render: func(p ui.Page) templ.Component {
		return RemoveLink(RemoveLinkView{
			Page: p, Form: form, ID: "1", Upstream: ui.UpstreamButton{Title: "Google", Mark: ui.MarkGoogle}, Name: "ada@gmail.com", BackURL: backURL,
		})
	}},
	{Name: "remove-link-last", Render: func(p ui.Page) templ.Component {
		return RemoveLink(RemoveLinkView{
			Page: p, Form: audiencetest.Form(Say(p.Locale, LastWayIn)), ID: "2", Upstream: ui.UpstreamButton{Title: hostile}, BackURL: backURL,
		})
	}},
	{Name: "enrol", Render: func(p ui.Page) templ.Component {
		p.Client = audiencetest.Client
		return Enrol(EnrolView{Page: p, PasskeyURL: "/signin/enrol/passkey?flow=f", AppURL: "/signin/enrol/app?flow=f", LeaveURL: "/leave"})
	}},
	{Name: "enrol-service", Render: func(p ui.Page) templ.Component {
		return Enrol(EnrolView{Page: p, PasskeyURL: "/signin/enrol/passkey?flow=f"})
	}},
	{Name: "enrol-too-new", Render: func(p ui.Page) templ.Component {
		p.Client = audiencetest.Client
		return Enrol(EnrolView{Page: p, PasskeyURL: "/signin/enrol/passkey?flow=f", TooNew: true, LeaveURL: "/leave"})
	}},
	{Name: "enrol-nothing", Render: func(p ui.Page) templ.Component {
		p.Client = audiencetest.Client
		return Enrol(EnrolView{Page: p, LeaveURL: "/leave"})
	}},
}

func appView(p ui.Page) AppView {
	return AppView{
		Page: p, Form: form, Symbol: "M4 4h7v1h-7zM13 4h1v1h-1zM4 5h1v1h-1z", Size: 33,
		URI:    "otpauth://totp/Bonafide:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bonafide",
		Secret: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", Sealed: "sealed", BackURL: backURL,
	}
}
