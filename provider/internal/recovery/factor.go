package recovery

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// showChoice asks which way it is.
func (p *Pages) showChoice(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	_, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if to := p.next(set); to != choosePath {
		p.Site.Redirect(w, p.link(r, to, web.CodeParameter, web.Parameter(r, web.CodeParameter)))
		return nil
	}
	v := screens.RecoverChoiceView{Page: p.Site.PageView(r, page.Request()), Ways: p.others(r, set, "")}
	p.Site.RenderFor(w, r, page.Request(), http.StatusOK, screens.RecoverChoice(v))
	return nil
}

// showWay asks for the proof of a way.
func (p *Pages) showWay(of way) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		_, set, err := p.openReader(r)
		if err != nil {
			return err
		}
		if p.leads(w, r, set, of) {
			return nil
		}
		return p.renderWay(w, r, page, set, of, http.StatusOK)
	}
}

// leads sends a reader away from a way that the account does not have, or no longer needs. It
// reports whether it has.
func (p *Pages) leads(w http.ResponseWriter, r *http.Request, set standing, of way) bool {
	if needsMore(set) && slices.Contains(p.waysOf(set), of) {
		return false
	}
	p.Site.Redirect(w, p.link(r, p.next(set), web.CodeParameter, web.Parameter(r, web.CodeParameter)))
	return true
}

func (p *Pages) renderWay(
	w http.ResponseWriter, r *http.Request, page *authflow.Page, set standing, of way, status int, problems ...ui.Problem,
) error {
	v := screens.RecoverProofView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: set.Account.Email,
		Way: of, Wait: p.wait(of), Others: p.others(r, set, of),
	}
	if of == passkeyWay {
		prompt, err := p.Factors.Prompt(w, r, set.AuthenticatorSet, false)
		if err != nil {
			return err
		}
		v.Passkey = prompt
	}
	p.Site.RenderFor(w, r, page.Request(), status, screens.RecoverProof(v))
	return nil
}

// others are the links to the ways beside one.
func (p *Pages) others(r *http.Request, set standing, beside way) []screens.WayLink {
	var links []screens.WayLink
	for _, w := range p.waysOf(set) {
		if w != beside {
			links = append(links, screens.WayLink{
				Way: w, URL: p.link(r, path(w), web.CodeParameter, web.Parameter(r, web.CodeParameter)), Wait: p.wait(w),
			})
		}
	}
	return links
}

// takeFactor checks a factor, and asks for the new password: the factor stays, and a recovery
// code removes what is lost. A password that was chosen before is set at once.
func (p *Pages) takeFactor(of way) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		read, set, err := p.openReader(r)
		if err != nil {
			return err
		}
		if p.leads(w, r, set, of) {
			return nil
		}
		presented, rejected, err := p.Factors.Check(r, set.AuthenticatorSet, methodOf(of))
		if err != nil {
			return err
		}
		if rejected != nil {
			return p.renderWay(w, r, page, set, of, rejected.Status(w), rejected.Problem)
		}
		read.Way, read.On = of, presented.Join(set.Account.Proof())
		if read.Hash == "" {
			presented.Kept(r.Context())
			return p.toFinish(w, r, read)
		}
		r, done := account.Outlasting(r)
		defer done()
		err = p.rest(w, r, set, read, read.Hash)
		presented.Ended(r.Context(), err)
		if isSpent(err) {
			again := factor.Wrong(methodOf(of))
			return p.renderWay(w, r, page, set, of, again.Status(w), again.Problem)
		}
		return lapsed(err)
	}
}

// toFinish leads to the page of the new password. The proof stays as old as that of the mailbox.
func (p *Pages) toFinish(w http.ResponseWriter, r *http.Request, read reader) error {
	sealed, err := p.seal(read)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, finishPath, web.CodeParameter, sealed))
	return nil
}

// rest sets the password by a factor that was right.
func (p *Pages) rest(w http.ResponseWriter, r *http.Request, set standing, read reader, hash string) error {
	if read.Way == codeWay {
		return p.finishRecovery(w, r, set, read.On, hash, "by a recovery code")
	}
	return p.setPassword(w, r, set, read.On, hash, byCode+" and "+factorNames[read.Way])
}

var factorNames = map[way]string{passkeyWay: "a passkey", appWay: "a code of an app"}

// hashOf returns the hash of the new password: that which was chosen before, or else of what
// is chosen now.
func (p *Pages) hashOf(r *http.Request, read reader, chosen string) (string, error) {
	if read.Hash != "" {
		return read.Hash, nil
	}
	hash, err := p.Accounts.Hasher.Hash(r.Context(), password.Known, chosen)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}
