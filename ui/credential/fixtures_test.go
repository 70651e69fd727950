package credential

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

const homeURL = "/vci/"

// home is the page of somebody who has put something into wallets.
func home(p ui.Page) HomeView {
	word := p.Locale.Word
	return HomeView{
		Page: p, AccountURL: "/account",
		Groups: []Group{
			{Label: word("Student status"), Subgroups: []ui.Label{word("University")}, State: StateReady, Until: audiencetest.Day(2027, time.March, 31), URL: "/vci/add/student"},
			{Label: word("Military status"), State: StateEnding, Until: audiencetest.Day(2026, time.March, 13), URL: "/account/groups"},
			{Label: word("Teacher status"), State: StatePending},
			{Label: word("Nurse status"), State: StateExpired, Until: audiencetest.Day(2026, time.January, 31), URL: "/account/groups"},
			{Label: word("Government employee status"), State: StateUnverified, URL: "/account/groups"},
		},
		Proofs: []Proof{
			active(p),
			{Label: word("Student status"), Since: audiencetest.Day(2026, time.January, 5), Until: audiencetest.Day(2026, time.February, 3), State: ProofExpired},
			ended(p, EndedByOwner), ended(p, EndedByWallet), ended(p, EndedByStatus), ended(p, EndedByGrant), ended(p, EndedByAccount), ended(p, EndedByStaff),
		},
	}
}

// active is a proof that can be shown.
func active(p ui.Page) Proof {
	return Proof{
		Label: p.Locale.Word("Student status"), Wallet: audiencetest.Client, State: ProofActive,
		Since: audiencetest.Day(2026, time.March, 12), Until: audiencetest.Day(2026, time.April, 10), WithdrawURL: "/vci/withdraw/1",
	}
}

// ended is a proof that has ended before its time.
func ended(p ui.Page, why Ending) Proof {
	proof := active(p)
	proof.State, proof.Ended, proof.Why, proof.WithdrawURL = ProofEnded, audiencetest.Day(2026, time.March, 12), why, ""
	return proof
}

// add is the page of somebody who stands so with a group.
func add(p ui.Page, s State) AddView {
	v := AddView{Page: p, Group: p.Locale.Word("Student status"), State: s, HomeURL: homeURL}
	if s != StateReady && s != StatePending {
		v.VerifyURL = "/account/groups"
	}
	return v
}

// offer is the page that offers a group.
func offer(p ui.Page) AddView {
	v := add(p, StateReady)
	v.Subgroups = []ui.Label{p.Locale.Word("University")}
	v.Size, v.Symbol = 33, "M4 4h7v1h-7zM13 4h1v1h-1zM4 5h1v1h-1z"
	v.OfferURI = "openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fid.example%2Fvci%2Foffers%2Fstudent"
	v.Until = audiencetest.Day(2026, time.April, 10)
	return v
}

// code is the page that offers a group to the app that scans it first.
func code(p ui.Page) CodeView {
	v := offer(p)
	return CodeView{
		Page: p, Form: audiencetest.Form(), Group: v.Group, Size: v.Size, Symbol: v.Symbol, AgainURL: "/vci/add/student", HomeURL: homeURL,
		OfferURI: "openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fid.example%2Fvci%2Foffers%2Fq0m3K1xWc9vRz7Yt2dLh8s",
	}
}

var fixtures = []audiencetest.Fixture{
	{Name: "home", Render: func(p ui.Page) templ.Component { return Home(home(p)) }},
	{Name: "home-withdrawn", Render: func(p ui.Page) templ.Component {
		v := home(p)
		v.Notice, v.Groups, v.Proofs = NoticeWithdrawn, v.Groups[:1], []Proof{ended(p, EndedByOwner)}
		return Home(v)
	}},
	{Name: "home-first", Render: func(p ui.Page) templ.Component {
		v := home(p)
		v.Groups, v.Proofs = v.Groups[4:], nil
		return Home(v)
	}},
	{Name: "home-empty", Render: func(p ui.Page) templ.Component { return Home(HomeView{Page: p, AccountURL: "/account"}) }},
	{Name: "home-hostile", Render: func(p ui.Page) templ.Component {
		v := home(p)
		v.Groups, v.Proofs = v.Groups[:1], []Proof{active(p), active(p)}
		v.Proofs[0].Wallet = ui.Client{Name: audiencetest.Hostile}
		v.Proofs[1].Wallet = ui.Client{Name: audiencetest.Endless}
		return Home(v)
	}},
	{Name: "add", Render: func(p ui.Page) templ.Component { return Add(offer(p)) }},
	{Name: "add-how", Render: func(p ui.Page) templ.Component {
		v := offer(p)
		v.TellsHow = true
		return Add(v)
	}},
	{Name: "add-ending", Render: func(p ui.Page) templ.Component { return Add(add(p, StateEnding)) }},
	{Name: "add-pending", Render: func(p ui.Page) templ.Component { return Add(add(p, StatePending)) }},
	{Name: "add-expired", Render: func(p ui.Page) templ.Component { return Add(add(p, StateExpired)) }},
	{Name: "add-unverified", Render: func(p ui.Page) templ.Component { return Add(add(p, StateUnverified)) }},
	{Name: "add-any", Render: func(p ui.Page) templ.Component {
		v := offer(p)
		v.Notice, v.Form = NoticeOfferOver, audiencetest.Form()
		return Add(v)
	}},
	{Name: "code", Render: func(p ui.Page) templ.Component { return Code(code(p)) }},
	{Name: "code-early", Render: func(p ui.Page) templ.Component {
		v := code(p)
		v.Early = true
		return Code(v)
	}},
	{Name: "digits", Render: func(p ui.Page) templ.Component {
		return Digits(DigitsView{Page: p, Digits: "048151", HomeURL: homeURL})
	}},
	{Name: "withdraw", Render: func(p ui.Page) templ.Component {
		return Withdraw(WithdrawView{Page: p, Form: audiencetest.Form(), Proof: active(p), HomeURL: homeURL})
	}},
}
