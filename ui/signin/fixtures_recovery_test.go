package signin

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// fromClient is a page of a flow.
func fromClient(p ui.Page) ui.Page {
	p.Client = audiencetest.Client
	return p
}

// proof is a page that asks for a way, with the others below.
func proof(p ui.Page, way RecoveryWay, problems ...ui.Problem) RecoverProofView {
	v := RecoverProofView{Page: p, Form: audiencetest.Form(problems...), Email: audiencetest.Ada.Email, Way: way}
	wait := map[RecoveryWay]time.Duration{WayPassword: 24 * time.Hour, WayWait: 72 * time.Hour}
	v.Wait = wait[way]
	for _, other := range []RecoveryWay{WayPasskey, WayApp, WayCode, WayPassword, WayWait} {
		if other != way {
			v.Others = append(v.Others, WayLink{other, "/recover/" + string(other) + "?ticket=t1", wait[other]})
		}
	}
	return v
}

var recoveryFixtures = []audiencetest.Fixture{
	{Name: "recover", Render: func(p ui.Page) templ.Component {
		return RecoverStart(RecoverStartView{Page: fromClient(p), Form: audiencetest.Form(), SignInURL: "/signin"})
	}},
	{Name: "recover-wrong", Render: func(p ui.Page) templ.Component {
		return RecoverStart(RecoverStartView{Page: p, Form: audiencetest.Form(ui.Problem{Code: ui.EmailInvalid}), Email: "ada"})
	}},
	{Name: "recover-code", Render: func(p ui.Page) templ.Component {
		return RecoverCode(RecoverCodeView{Page: p, Form: audiencetest.Form(), Email: audiencetest.Ada.Email, ValidFor: 15 * time.Minute, RestartURL: "/recover"})
	}},
	{Name: "recover-given", Render: func(p ui.Page) templ.Component {
		return RecoverStart(RecoverStartView{Page: fromClient(p), Form: audiencetest.Form(), Email: audiencetest.Ada.Email, OtherURL: "/recover", SignInURL: "/signin"})
	}},
	{Name: "recover-choice", Render: func(p ui.Page) templ.Component {
		return RecoverChoice(RecoverChoiceView{Page: p, Ways: proof(p, "").Others})
	}},
	{Name: "recover-passkey", Render: func(p ui.Page) templ.Component {
		v := proof(p, WayPasskey)
		v.Passkey = ui.PasskeyPrompt{Options: `{"publicKey":{}}`, Challenge: "c1"}
		return RecoverProof(v)
	}},
	{Name: "recover-app", Render: func(p ui.Page) templ.Component { return RecoverProof(proof(p, WayApp)) }},
	{Name: "recover-app-chosen", Render: func(p ui.Page) templ.Component {
		return RecoverProof(proof(fromClient(p), WayApp, ui.Problem{Code: ui.CodeMissing}))
	}},
	{Name: "recover-codes", Render: func(p ui.Page) templ.Component { return RecoverProof(proof(p, WayCode)) }},
	{Name: "recover-password", Render: func(p ui.Page) templ.Component { return RecoverProof(proof(p, WayPassword)) }},
	{Name: "recover-wait", Render: func(p ui.Page) templ.Component { return RecoverProof(proof(p, WayWait)) }},
	{Name: "recover-now", Render: func(p ui.Page) templ.Component {
		v := proof(p, WayPassword)
		v.Wait, v.Others = 0, []WayLink{{Way: WayWait, URL: "/recover/wait?ticket=t1"}}
		return RecoverProof(v)
	}},
	{Name: "recover-wait-now", Render: func(p ui.Page) templ.Component {
		v := proof(p, WayWait)
		v.Wait, v.Others = 0, nil
		return RecoverProof(v)
	}},
	{Name: "recover-waiting", Render: func(p ui.Page) templ.Component {
		return RecoverWaiting(RecoverWaitingView{
			Page: p, Form: audiencetest.Form(), Email: audiencetest.Ada.Email,
			ReadyAt: audiencetest.Now.Add(72 * time.Hour), EndAt: audiencetest.Now.Add(240 * time.Hour),
			Others: []WayLink{{Way: WayCode, URL: "/recover/codes?ticket=t1"}},
		})
	}},
	{Name: "recover-finish", Render: func(p ui.Page) templ.Component {
		return RecoverFinish(RecoverFinishView{Page: p, Form: audiencetest.Form(), Email: audiencetest.Ada.Email, MinLength: 15})
	}},
	{Name: "recover-finish-removes", Render: func(p ui.Page) templ.Component {
		return RecoverFinish(RecoverFinishView{
			Page: p, Form: audiencetest.Form(ui.Problem{Code: ui.PasswordTooShort, Count: 15}), Email: audiencetest.Ada.Email, MinLength: 15, Removes: true,
		})
	}},
	{Name: "recover-stop", Render: func(p ui.Page) templ.Component {
		return RecoverStop(RecoverStopView{Page: p, Form: audiencetest.Form(), State: StopAsked})
	}},
	{Name: "recover-stopped", Render: func(p ui.Page) templ.Component {
		return RecoverStop(RecoverStopView{Page: p, State: StopDone, SignInURL: "/signin"})
	}},
	{Name: "recover-gone", Render: func(p ui.Page) templ.Component {
		return RecoverStop(RecoverStopView{Page: p, State: StopGone, SignInURL: "/signin"})
	}},
}
