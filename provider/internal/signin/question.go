package signin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// question is what a page asks of the owner of an account: to present one more factor.
type question struct {
	set storage.AuthenticatorSet

	// requirement is what the factors are to meet. Given are those that count already; fresh
	// are those among them that have been presented in this sign-in.
	requirement  assurance.Requirement
	given, fresh []storage.Factor

	// user is signed in with this account, and presents a factor again or another one; nil
	// before there is a session.
	user *authflow.User

	// on is what the sign-in rests on so far.
	on storage.Proof

	// ways are the methods that lead on, the best first. An upstream provider, to which no form
	// of these leads, is not among them.
	ways     []storage.Method
	upstream bool
}

// has returns what an account can present.
func (p *frame) has(set storage.AuthenticatorSet) assurance.Has {
	set.Passkeys, set.Links = p.Factors.Party.Usable(set.Passkeys), p.Upstreams.Usable(set.Links)
	return assurance.Of(set)
}

// ask returns what a page asks of an account. It is what is asked there, as far as the account
// can meet it: the page on which a factor is added comes after. The second step of the account
// itself is always part of it. Fresh are the factors that have been presented in this sign-in.
func (p *frame) ask(asked authflow.Asked, set storage.AuthenticatorSet, fresh []storage.Factor) question {
	now, has := p.Clock(), p.has(set)
	requirement := asked.Requirement
	if asked.User == nil {
		requirement = asked.Demand.For(has, now).AtAnyAge()
	}
	if !has.CanMeet(requirement, now) {
		requirement = assurance.Requirement{Level: min(requirement.Level, has.Highest()), MaxAge: requirement.MaxAge}
	}
	if set.Account.SecondStep {
		requirement.Level = max(requirement.Level, storage.TwoFactors)
	}
	given := asked.Given
	for _, f := range fresh { // as old as they may be: the page has taken them
		f.At = now
		given = assurance.With(given, f)
	}
	ways := has.Ways(requirement, given, now)
	byLink := slices.Contains(ways, storage.Upstream)
	ways = slices.DeleteFunc(ways, func(m storage.Method) bool { return m == storage.Upstream })
	return question{
		set: set, requirement: requirement, given: given, fresh: fresh, user: asked.User, on: onLink(set.Account.Proof(), fresh),
		ways: ways, upstream: byLink && asked.User != nil && (len(ways) == 0 || !isVain(asked.Demand.Afresh, requirement, given)),
	}
}

// isVain reports whether it would change nothing to go to an upstream provider again, which does
// not say when the user was present.
func isVain(afresh bool, r assurance.Requirement, given []storage.Factor) bool {
	return (afresh || r.MaxAge > 0) && r.Level <= storage.OneFactor && slices.ContainsFunc(given, func(f storage.Factor) bool { return f.Undated })
}

// onLink returns a proof that rests on the link, too, by which one of the factors was presented.
func onLink(on storage.Proof, factors []storage.Factor) storage.Proof {
	for _, f := range factors {
		if f.Method == storage.Upstream {
			copy(on.Link[:], f.Credential)
		}
	}
	return on
}

// askAgain returns what the page asks of the user who is signed in.
func (p *frame) askAgain(r *http.Request, asked authflow.Asked) (question, error) {
	set, err := p.Store.Authenticators(r.Context(), asked.User.UserID)
	if err != nil {
		return question{}, fmt.Errorf("read authenticators: %w", err)
	}
	return p.ask(asked, set, nil), nil
}

// passwordOnly reports whether the password is the only way of a form.
func (q question) passwordOnly() bool {
	return len(q.ways) == 1 && q.ways[0] == storage.Password
}

// upstreamOf returns the ID of the upstream provider of one of the factors.
func (q question) upstreamOf(factors []storage.Factor) string {
	for _, l := range q.set.Links {
		if onLink(storage.Proof{}, factors).Link == l.Digest {
			return l.Upstream
		}
	}
	return ""
}

// links are those by which the user can authenticate at an upstream provider, if that is a way.
func (q question) links() []storage.Link {
	if q.upstream {
		return q.set.Links
	}
	return nil
}

// isBarred reports whether the app would be a way, and too many wrong codes have been entered.
func (q question) isBarred() bool {
	return q.set.TOTP.IsBarred() && q.requirement.Level == storage.TwoFactors && !slices.Contains(q.ways, storage.Password)
}

// The names of the methods in a form.
var methods = map[screens.Factor]storage.Method{
	screens.FactorPasskey: storage.PasskeyVerified, screens.FactorApp: storage.TOTPCode,
	screens.FactorCode: storage.RecoveryCode, screens.FactorPassword: storage.Password,
}

func nameOf(m storage.Method) screens.Factor {
	for name, method := range methods {
		if method == m {
			return name
		}
	}
	return ""
}

// way returns the method that a page is about: the one that was chosen, or else the best; empty
// for none.
func (q question) way(r *http.Request) storage.Method {
	chosen := r.PostForm.Get(screens.FieldWay)
	if chosen == "" {
		chosen = r.URL.Query().Get(screens.FieldWay)
	}
	if m, ok := methods[screens.Factor(chosen)]; ok && slices.Contains(q.ways, m) {
		return m
	}
	if len(q.ways) == 0 {
		return ""
	}
	return q.ways[0]
}

// render shows the question, by the screen of the password if a signed-in user can present
// nothing else.
func (p *frame) render(w http.ResponseWriter, r *http.Request, page *authflow.Page, q question, path string, status int, problems ...ui.Problem) error {
	if q.user != nil && q.passwordOnly() {
		return p.renderPassword(w, r, page, q, status, problems...)
	}
	if q.isBarred() {
		problems = append(problems, ui.Problem{Code: ui.AppBarred})
	}
	view := screens.FactorView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems),
		Email: q.set.Account.Email, Again: q.user != nil, Way: nameOf(q.way(r)),
		Upstreams: p.linked(r, q.links()),
	}
	for _, m := range q.ways {
		if name := nameOf(m); name != view.Way {
			view.Others = append(view.Others, screens.FactorLink{Way: name, URL: p.onward(r, path, screens.FieldWay, string(name))})
		}
	}
	var err error
	if view.Way == screens.FactorPasskey {
		if view.Passkey, err = p.Factors.Prompt(w, r, q.set, q.requirement.Level > storage.TwoFactors); err != nil {
			return err
		}
	}
	if q.canTrust(view.Way) {
		view.TrustFor = p.TrustDevices
	}
	if p.SendsMail() {
		view.LostURL = p.link(r, "/recover", web.CodeParameter, p.SealGiven(w, r, q.set.Account.Email))
	}
	p.Site.RenderFor(w, r, page.Request(), status, screens.AskFactor(view))
	return nil
}

// canTrust reports whether the second step can be left out from now on in the browser that
// presents this factor: not for a recovery code, which may be a found one.
func (q question) canTrust(way screens.Factor) bool {
	return q.user == nil && q.set.Account.SecondStep && q.requirement.Level == storage.TwoFactors && way != screens.FactorCode
}

// answer takes the factor of a form. Either the user is signed in with it, or it was not enough
// and the page for the next one is shown.
func (p *frame) answer(w http.ResponseWriter, r *http.Request, page *authflow.Page, q question, path string) error {
	way := q.way(r)
	if way == "" || q.isBarred() && r.PostForm.Get(screens.FieldWay) == string(screens.FactorApp) {
		return p.render(w, r, page, q, path, http.StatusUnauthorized)
	}
	presented, rejected, err := p.Factors.Check(r, q.set, way)
	if err != nil {
		return err
	}
	if rejected == nil {
		rejected, err = p.accept(w, r, page, q, way, presented)
	}
	if err != nil || rejected == nil {
		return err
	}
	return p.render(w, r, page, q, path, rejected.Status(w), rejected.Problem)
}

// accept goes on with a factor that was right, or says why it is none after all.
func (p *frame) accept(w http.ResponseWriter, r *http.Request, page *authflow.Page, q question, way storage.Method, presented factor.Presented) (*factor.Rejected, error) {
	fresh := assurance.With(q.fresh, presented.Factor)
	if !q.requirement.MetBy(assurance.With(q.given, presented.Factor), p.Clock()) {
		if way != storage.Password { // such as a passkey that has not verified the user where that is asked
			return factor.Wrong(way), nil
		}
		return nil, p.goOn(w, r, q.set.Account, fresh)
	}
	e := entry{account: q.set.Account, on: presented.Join(q.on), factors: fresh, presented: fresh, codesLeft: len(q.set.Recovery.Digests) - 1, upstream: q.upstreamOf(fresh)}
	if q.user != nil {
		e.on.Session = q.user.Session
		e.factors = assurance.With(q.user.Factors, fresh...)
	}
	e.trusts = q.canTrust(nameOf(way)) && r.PostForm.Get(screens.FieldTrust) != ""
	err := p.enter(w, r, page, e)
	if isRefused(err) {
		return factor.Wrong(way), nil
	}
	presented.Ended(r.Context(), err)
	return nil, err
}

// isRefused reports whether a write refused what a sign-in rests on: the account has changed, or
// another request has spent a code. It is answered like a factor that was wrong.
func isRefused(err error) bool {
	return errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrProof)
}
