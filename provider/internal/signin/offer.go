package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// offerEvery is how often a browser is offered a passkey, offerLife how long an offer stands:
// only whoever has just presented the password may add one (a session alone is no authority).
const (
	offerEvery = 30 * 24 * time.Hour
	offerLife  = 5 * time.Minute
)

// offers reports whether a sign-in ends with the offer of a passkey: after a sign-up with a
// password where the browser can create one, and after a sign-in with a password where it can do
// so unasked, if the host has upgrades; at most once in offerEvery in one browser, and never to
// whom has one.
func (p *frame) offers(r *http.Request, e entry) (bool, error) {
	able := e.signUp != nil && r.PostForm.Get(screens.FieldAble) == "1" || p.Upgrade && r.PostForm.Get(ui.FieldUpgrade) == "1"
	if !p.hasPasskeys() || !able || len(e.presented) != 1 || e.presented[0].Method != storage.Password ||
		p.Site.Cookies.Get(r, session.Offered) != "" {
		return false, nil
	}
	if e.signUp != nil {
		return true, nil
	}
	set, err := p.Store.Authenticators(r.Context(), e.account.ID)
	if err != nil {
		return false, fmt.Errorf("read authenticators: %w", err)
	}
	return len(set.Passkeys) == 0, nil
}

// goToOffer redirects the user, who has just signed in, to the offer.
func (p *frame) goToOffer(w http.ResponseWriter, r *http.Request, page *authflow.Page, e entry) error {
	p.Site.Cookies.Set(w, session.Offered, "1", offerEvery)
	carried, err := p.Flows.Carry(w, r, page)
	if err != nil {
		return err
	}
	sealed, err := p.seal(w, r, forOffer, carried, state{
		AccountID: e.account.ID, Epoch: e.account.Epoch, Version: e.account.FactorsVersion, SignUp: e.signUp != nil,
	})
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/signin/passkey", web.FlowParameter, carried, web.CodeParameter, sealed))
	return nil
}

// openOffer returns the user to whom a passkey is offered, and whether the offer is that of a
// sign-up; nil if the offer does not stand any more.
func (p *frame) openOffer(r *http.Request, page *authflow.Page) (*authflow.User, bool, error) {
	s, err := p.open(r, forOffer, offerLife)
	var refused *web.PageError
	if errors.As(err, &refused) && refused.Code == ui.ErrorExpired {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	user, err := page.User()
	if err != nil || user == nil || !s.holds(user.Account) {
		return nil, false, err
	}
	return user, s.SignUp, nil
}

// showOffer offers a passkey after a sign-up, or has the browser create one without asking.
func (p *frame) showOffer(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	user, signUp, err := p.openOffer(r, page)
	if err != nil {
		return err
	}
	if user == nil {
		return p.Flows.Continue(w, r, page)
	}
	prompt, err := p.promptCreation(w, r, factor.ToCreate, user.Account)
	if err != nil {
		return err
	}
	prompt.Conditional = !signUp
	view := screens.OfferView{Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, nil), Passkey: prompt}
	if signUp {
		p.Site.RenderFor(w, r, page.Request(), http.StatusOK, screens.OfferPasskey(view))
		return nil
	}
	p.Site.RenderFor(w, r, page.Request(), http.StatusOK, screens.Upgrade(view))
	return nil
}

// promptCreation returns what a page needs to have a passkey created for an account.
func (p *frame) promptCreation(w http.ResponseWriter, r *http.Request, purpose factor.Purpose, account storage.Account) (ui.PasskeyPrompt, error) {
	handle := account.UserHandle
	if len(handle) == 0 {
		handle = p.Factors.Party.NewHandle()
	}
	subject := account.ID
	if purpose == factor.ToSignUp {
		subject = account.EmailKey
	}
	asked, sealed, err := p.Factors.Challenges.New(w, r, purpose, subject, handle)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	options, err := p.Factors.Party.CreateOptions(asked.Bytes, passkey.User{Handle: handle, Name: account.Email}, nil)
	if err != nil {
		return ui.PasskeyPrompt{}, err
	}
	return ui.PasskeyPrompt{Options: string(options), Challenge: sealed, Create: true}, nil
}

// created returns the passkey of a form for an account; false if there is none that can be
// accepted.
func (p *frame) created(r *http.Request, purpose factor.Purpose, subject string) (storage.Passkey, factor.Challenge, bool) {
	asked, err := p.Factors.Challenges.Open(r, purpose, subject)
	if err != nil {
		return storage.Passkey{}, asked, false
	}
	key, err := p.Factors.Party.Created(asked.Bytes, asked.Handle, r.PostForm.Get(ui.FieldPasskey), p.Clock())
	if err != nil {
		return storage.Passkey{}, asked, false
	}
	key.Name = passkey.Label(key.AAGUID, r.UserAgent())
	return key, asked, true
}

// addOffered adds the passkey of the form and continues. Without one, after "Not now", a
// cancelled dialog or an upgrade that the browser has not made, it only continues: nothing of
// it is the user's problem.
func (p *frame) addOffered(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	user, signUp, err := p.openOffer(r, page)
	if err != nil {
		return err
	}
	if user == nil || r.PostForm.Get(ui.FieldPasskey) == "" {
		return p.Flows.Continue(w, r, page)
	}
	key, asked, ok := p.created(r, factor.ToCreate, user.UserID)
	if !ok {
		return p.Flows.Continue(w, r, page)
	}
	on := asked.Spend(user.Account.Proof())
	on.Session, on.At, key.AccountID = user.Session, p.Clock(), user.UserID
	how := "after a sign-in"
	if signUp {
		how = "after the sign-up"
	}
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.AddPasskey(ctx, key, passkey.Limit, on) },
		storage.Event{Name: event.PasskeyAdded, Subject: user.UserID, Detail: how})
	switch {
	case isRefused(err), errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrLimit), errors.Is(err, storage.ErrNotFound):
		return p.Flows.Continue(w, r, page)
	case err != nil:
		return fmt.Errorf("add passkey: %w", err)
	}
	p.TellPasskey(r, user.Account)
	return p.Flows.Continue(w, r, page)
}
