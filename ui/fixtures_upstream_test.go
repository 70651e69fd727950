package ui

import (
	"strconv"

	"github.com/a-h/templ"
)

// upstreamButtons are those of providers with rules for them, and of one that the host knows.
func upstreamButtons() []UpstreamButton {
	return []UpstreamButton{
		{ID: "google", Title: "Google", Mark: MarkGoogle, URL: "/signin/with/google?flow=f1"},
		{ID: "microsoft", Title: "Microsoft", Mark: MarkMicrosoft, URL: "/signin/with/microsoft?flow=f1"},
		{ID: "apple", Title: "Apple", Mark: MarkApple, URL: "/signin/with/apple?flow=f1"},
		{ID: "github", Title: "GitHub", Mark: MarkGitHub, URL: "/signin/with/github?flow=f1"},
		{ID: "campus", Title: "University of Somewhere", Logo: Picture{URL: "sample/client.svg"}, URL: "/signin/with/campus?flow=f1", LastUsed: true},
	}
}

// tenUpstreams are as many as a list has to stay readable with.
func tenUpstreams() []UpstreamButton {
	all := upstreamButtons()
	for i := range 4 {
		all = append(all, UpstreamButton{ID: "club" + strconv.Itoa(i), Title: "Club " + strconv.Itoa(i), URL: "/signin/with/club"})
	}
	return append(all, UpstreamButton{ID: "long", Title: hostileName, URL: "/signin/with/long"})
}

var upstreamFixtures = []fixture{
	{"signin-upstreams", func(p Page) templ.Component {
		return SignIn(SignInView{
			Page: p, Form: sampleForm, ResetURL: "/reset", SignUpURL: "/signup", Upstreams: upstreamButtons(), HomeRealm: true,
			Passkey: PasskeyPrompt{Options: `{"challenge":"c1"}`, Challenge: "s1", Conditional: true},
		})
	}},
	{"signin-upstreams-ten", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: with(Problem{Code: UpstreamRefused}), ResetURL: "/reset", Upstreams: tenUpstreams()})
	}},
	{"signin-home-unknown", func(p Page) templ.Component {
		return SignIn(SignInView{Page: p, Form: with(Problem{Code: HomeUnknown}), Email: ada.Email, HomeRealm: true})
	}},
	{"signin-connecting", func(p Page) templ.Component {
		return SignIn(SignInView{
			Page: p, Form: sampleForm, Email: ada.Email, ResetURL: "/reset", Upstreams: upstreamButtons()[3:4],
			Connecting: Connecting{Upstream: "Google", CancelURL: "/signin?flow=f1"},
		})
	}},
	{"reauthenticate-upstreams", func(p Page) templ.Component {
		return Reauthenticate(ReauthenticateView{Page: p, Form: sampleForm, Account: ada, ResetURL: "/reset", Upstreams: upstreamButtons()[:1]})
	}},
	{"signup-upstreams", func(p Page) templ.Component {
		return SignUp(SignUpView{Page: p, Form: sampleForm, MinLength: 15, Passkeys: true, SignInURL: "/signin", Upstreams: upstreamButtons()[:4]})
	}},
}
