package selfservice

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// ownerHandler answers a page on which the owner of an account does what nobody else may do.
// known reports that the user has authenticated a moment ago, with more than a password;
// otherwise the page asks for the password, which is all that the account has.
type ownerHandler func(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error

// sure is owner for such a page. Owners of accounts with more than a password authenticate
// first, at the highest level that the account has.
func (p *frame) sure(h ownerHandler) authflow.PageHandler {
	return p.owner(func(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
		has, err := p.Flows.Has(r.Context(), user.Account)
		if err != nil {
			return err
		}
		if has.Password && has.Highest() <= storage.OneFactor {
			return h(w, r, user, false)
		}
		to := authflow.Return{
			Address: p.Site.Link(web.PathOf(r)), Requires: assurance.Requirement{MaxAge: authflow.EnrolAge}, Highest: true,
		}
		ok, err := p.Flows.Suffices(r.Context(), user, to)
		if err != nil {
			return err
		}
		if !ok {
			return p.Flows.SignIn(w, r, user, to)
		}
		return h(w, r, user, true)
	})
}

// warned shows the owner of an account, on every page, that a recovery of it is in progress.
func (p *frame) warned(h userHandler) userHandler {
	return func(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
		if !p.ownsAccount(user) {
			return h(w, r, user)
		}
		set, err := p.Store.Authenticators(r.Context(), user.UserID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) { // deleted since its session was read
			return fmt.Errorf("read authenticators: %w", err)
		}
		return h(w, p.Warned(w, r, set.Running), user)
	}
}
