package signin

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// factorLife is how long the next factor may take.
const factorLife = 10 * time.Minute

// goOn redirects the owner of an account, who has presented some factors, to the page that asks
// for the next.
func (p *frame) goOn(w http.ResponseWriter, r *http.Request, account storage.Account, factors []storage.Factor) error {
	sealed, err := p.seal(w, r, forFactor, web.Parameter(r, web.FlowParameter), state{
		AccountID: account.ID, Epoch: account.Epoch, Version: account.FactorsVersion, Factors: factors,
	})
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, "/signin/factor", web.CodeParameter, sealed))
	return nil
}

// onward returns the address of a page about the same sign-in.
func (p *frame) onward(r *http.Request, path string, more ...string) string {
	return p.link(r, path, append([]string{web.CodeParameter, web.Parameter(r, web.CodeParameter)}, more...)...)
}

// openFactor returns what the page asks of the owner of an account who has presented some
// factors.
func (p *frame) openFactor(r *http.Request, page *authflow.Page) (question, error) {
	s, err := p.open(r, forFactor, factorLife)
	if err != nil {
		return question{}, err
	}
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return question{}, err
	}
	if asked.User != nil && asked.User.UserID != s.AccountID {
		return question{}, expired(errors.New("another user is signed in"))
	}
	set, err := p.Store.Authenticators(r.Context(), s.AccountID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return question{}, fmt.Errorf("read authenticators: %w", err)
	}
	if err != nil || !s.holds(set.Account) {
		return question{}, expired(err)
	}
	return p.ask(asked, set, s.Factors), nil
}

// showFactor asks for the next factor.
func (p *frame) showFactor(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	q, err := p.openFactor(r, page)
	if err != nil {
		return err
	}
	return p.render(w, r, page, q, "/signin/factor", http.StatusOK)
}

// factor takes the next factor.
func (p *frame) factor(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	q, err := p.openFactor(r, page)
	if err != nil {
		return err
	}
	return p.answer(w, r, page, q, "/signin/factor")
}
