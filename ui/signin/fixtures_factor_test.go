package signin

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// factor is a page that asks for a factor, with the others below.
func factor(p ui.Page, way Factor, problems ...ui.Problem) FactorView {
	v := FactorView{Page: p, Form: audiencetest.Form(problems...), Email: audiencetest.Ada.Email, Way: way, LostURL: "/recover"}
	for _, other := range []Factor{FactorPasskey, FactorApp, FactorCode} {
		if other != way {
			v.Others = append(v.Others, FactorLink{other, "/signin/factor?ticket=t1&way=" + string(other)})
		}
	}
	if way == FactorPasskey {
		v.Passkey = ui.PasskeyPrompt{Options: `{"challenge":"c1"}`, Challenge: "s1"}
	}
	return v
}

// creation has the browser create a passkey.
var creation = ui.PasskeyPrompt{Options: `{"challenge":"c1"}`, Challenge: "s1", Create: true}

var factorFixtures = []audiencetest.Fixture{
	{Name: "factor-passkey", Render: func(p ui.Page) templ.Component { return AskFactor(factor(fromClient(p), FactorPasskey)) }},
	{Name: "factor-passkey-wrong", Render: func(p ui.Page) templ.Component {
		return AskFactor(factor(p, FactorPasskey, ui.Problem{Code: ui.PasskeyWrong}))
	}},
	{Name: "factor-app", Render: func(p ui.Page) templ.Component {
		v := factor(fromClient(p), FactorApp)
		v.TrustFor = 30 * 24 * time.Hour
		return AskFactor(v)
	}},
	{Name: "factor-app-wrong", Render: func(p ui.Page) templ.Component {
		return AskFactor(factor(p, FactorApp, ui.Problem{Code: ui.AppCodeWrong}))
	}},
	{Name: "factor-codes", Render: func(p ui.Page) templ.Component {
		return AskFactor(factor(p, FactorCode, ui.Problem{Code: ui.RecoveryCodeWrong}))
	}},
	{Name: "factor-again", Render: func(p ui.Page) templ.Component {
		v := factor(fromClient(p), FactorPassword)
		v.Again, v.Others, v.LostURL = true, []FactorLink{{FactorPasskey, "/signin?way=passkey"}}, ""
		return AskFactor(v)
	}},
	{Name: "factor-again-passkey", Render: func(p ui.Page) templ.Component {
		v := factor(p, FactorPasskey)
		v.Again, v.Others = true, []FactorLink{{FactorPassword, "/signin?way=password"}}
		return AskFactor(v)
	}},
	{Name: "factor-none", Render: func(p ui.Page) templ.Component {
		return AskFactor(FactorView{Page: p, Form: audiencetest.Form(), Email: audiencetest.Ada.Email, LostURL: "/recover"})
	}},
	{Name: "factor-upstream", Render: func(p ui.Page) templ.Component {
		return AskFactor(FactorView{
			Page: fromClient(p), Form: audiencetest.Form(), Email: audiencetest.Ada.Email, Again: true,
			Upstreams: []ui.UpstreamButton{{Title: "Google", Mark: ui.MarkGoogle, URL: "/signin/with/google?flow=f1"}},
		})
	}},
	{Name: "offer", Render: func(p ui.Page) templ.Component {
		return OfferPasskey(OfferView{Page: fromClient(p), Form: audiencetest.Form(), Passkey: creation})
	}},
	{Name: "upgrade", Render: func(p ui.Page) templ.Component {
		prompt := creation
		prompt.Conditional = true
		return Upgrade(OfferView{Page: p, Form: audiencetest.Form(), Passkey: prompt})
	}},
	{Name: "first-passkey", Render: func(p ui.Page) templ.Component {
		return FirstPasskey(FirstPasskeyView{Page: fromClient(p), Form: audiencetest.Form(), Email: audiencetest.Ada.Email, Passkey: creation, MinLength: 15})
	}},
	{Name: "first-passkey-short", Render: func(p ui.Page) templ.Component {
		return FirstPasskey(FirstPasskeyView{
			Page: p, Form: audiencetest.Form(ui.Problem{Code: ui.PasswordTooShort, Count: 15}), Email: audiencetest.Ada.Email, Passkey: creation, MinLength: 15,
		})
	}},
}
