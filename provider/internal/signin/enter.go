package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// entry is a sign-in in which nothing more is asked.
type entry struct {
	// account is as it was when the factors were checked, on is what the session rests on.
	account storage.Account
	on      storage.Proof

	// factors are those of the session, presented those of this sign-in.
	factors, presented []storage.Factor

	// upstream is the ID of the upstream provider of a factor among presented; empty for none.
	upstream string

	// codesLeft is the number of recovery codes that are left after one is among presented.
	codesLeft int

	// trusts reports that the second step can be left out in this browser from now on.
	trusts bool

	// signUp are the factors with which the account is created, in the step that starts the session;
	// nil for an account that there is.
	signUp *storage.FirstFactors
}

// enter starts a session and continues to what the page was opened for. An account that is due
// for deletion is asked to confirm or cancel it. storage.ErrChanged or ErrProof if what the
// sign-in rests on does not hold any more.
func (p *frame) enter(w http.ResponseWriter, r *http.Request, page *authflow.Page, e entry) error {
	if !e.account.DeleteAt.IsZero() {
		return p.askToKeep(w, r, e)
	}
	if err := p.startSession(w, r, page, e); err != nil {
		return err
	}
	return p.entered(w, r, page, e)
}

// entered continues to what the page was opened for, or to the offer of a passkey.
func (p *frame) entered(w http.ResponseWriter, r *http.Request, page *authflow.Page, e entry) error {
	if offers, err := p.offers(r, e); err != nil {
		return err
	} else if offers {
		return p.goToOffer(w, r, page, e)
	}
	return p.Flows.Continue(w, r, page)
}

// startSession starts a session, of an account that it creates after a sign-up. storage.ErrConflict
// if its address, or its identity, has got an account meanwhile.
func (p *frame) startSession(w http.ResponseWriter, r *http.Request, page *authflow.Page, e entry) error {
	authentication := authflow.Authentication(r, e.account, e.factors...)
	authentication.On = e.on
	if authentication.On.At.IsZero() {
		authentication.On.At = p.Clock()
	}
	ends, err := p.endsRecovery(r, e)
	if err != nil {
		return err
	}
	var events []storage.Event
	if ends {
		events = append(events, storage.Event{Name: event.RecoveryStopped, Subject: e.account.ID, Detail: "by a sign-in"})
	}
	if e.signUp != nil {
		authentication.Create = func(ctx context.Context, s storage.Session, replaced storage.Digest) error {
			first := *e.signUp
			first.On, first.Begin, first.Replaced = authentication.On, s, replaced
			return p.Store.CreateAccount(ctx, e.account, first)
		}
		signedUp := storage.Event{Name: event.SignedUp, Subject: e.account.ID}
		if e.upstream != "" {
			signedUp.Detail = "upstream " + e.upstream
		}
		events = append(events, signedUp)
	}
	events = append(events, storage.Event{Name: event.SignedIn, Subject: e.account.ID, Detail: detail(e)})
	err = p.Flows.BeginSession(w, r, page, authentication, events...)
	if errors.Is(err, storage.ErrNotFound) { // disabled or deleted since the factors were checked
		return storage.ErrChanged
	}
	if err != nil {
		return err
	}
	if ends {
		p.TellStopped(r, e.account)
	}
	p.tell(r, e)
	if e.trusts {
		p.trustDevice(w, r, page, e.account)
	}
	p.MarkDevice(w, r, e.account)
	// Nothing was chosen here, and no flow changes its language on the way.
	if e.account.Language != "" && p.Site.Cookies.Get(r, session.Language) == "" && web.Spoken(r) == "" {
		p.Site.Cookies.Set(w, session.Language, e.account.Language, web.DeviceLife)
	}
	return nil
}

// orExpired returns the error of an entry on a page that asks for no factor: there the sign-in
// has to begin again when its account has changed.
func orExpired(err error) error {
	if isRefused(err) {
		return expired(err)
	}
	return err
}

// endsRecovery reports whether a recovery of the account is running that the session will
// stop: whoever has such a factor has not lost them all.
func (p *frame) endsRecovery(r *http.Request, e entry) (bool, error) {
	if len(e.on.Passkey.ID) == 0 && e.on.TOTPStep == 0 && e.on.RecoveryCode.IsZero() {
		return false, nil
	}
	set, err := p.Store.Authenticators(r.Context(), e.account.ID)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil // and there will be no session
	}
	if err != nil {
		return false, fmt.Errorf("read recovery: %w", err)
	}
	return set.Running.AccountID != "" && p.Clock().Before(set.Running.EndsAt), nil
}

// names are the methods in the audit log.
var names = map[storage.Method]string{
	storage.Password: "password", storage.PasskeyVerified: "passkey", storage.PasskeyPresent: "security key",
	storage.TOTPCode: "app code", storage.RecoveryCode: "recovery code", storage.Upstream: "upstream",
}

// detail names the factors of a sign-in for the audit log, and where one of them was presented.
func detail(e entry) string {
	words := make([]string, len(e.presented))
	for i, f := range e.presented {
		if words[i] = names[f.Method]; f.Method == storage.Upstream {
			words[i] += " " + e.upstream
		}
	}
	return strings.Join(words, ", ")
}
