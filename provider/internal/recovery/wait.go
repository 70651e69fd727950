package recovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// takePassword checks the password and begins the wait, or a shorter one in place of one that
// is running.
func (p *Pages) takePassword(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	_, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if p.leads(w, r, set, passwordWay) {
		return nil
	}
	presented, rejected, err := p.Factors.Check(r, set.AuthenticatorSet, storage.Password)
	if err != nil {
		return err
	}
	if rejected != nil {
		return p.renderWay(w, r, page, set, passwordWay, rejected.Status(w), rejected.Problem)
	}
	presented.Ended(r.Context(), nil)
	return p.begin(w, r, page, set, passwordWay, "with the password")
}

// showWait explains the wait, or says how long it still is.
func (p *Pages) showWait(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	_, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if needsMore(set) && set.isRunning() && !set.isReady() {
		p.Site.RenderFor(w, r, page.Request(), http.StatusOK, screens.RecoverWaiting(screens.RecoverWaitingView{
			Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, nil), Email: set.Account.Email,
			ReadyAt: set.Running.ReadyAt, EndAt: set.Running.EndsAt, Others: p.others(r, set, waitWay),
		}))
		return nil
	}
	if p.leads(w, r, set, waitWay) {
		return nil
	}
	return p.renderWay(w, r, page, set, waitWay, http.StatusOK)
}

// takeWait begins the wait, or stops the one that is running.
func (p *Pages) takeWait(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	_, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == screens.ActionStop {
		if _, err := p.StopRecovery(r, set.Account, "by a reader of the mailbox"); err != nil {
			return err
		}
		p.Site.Redirect(w, p.link(r, "/recover", web.CodeParameter, p.SealGiven(w, r, set.Account.Email)))
		return nil
	}
	if !needsMore(set) || !slices.Contains(p.waysOf(set), waitWay) {
		p.Site.Redirect(w, p.link(r, p.next(set), web.CodeParameter, web.Parameter(r, web.CodeParameter)))
		return nil
	}
	return p.begin(w, r, page, set, waitWay, "with the mailbox alone")
}

// begin begins the recovery of an account, in place of one that is running, tells its owner, and
// leads on. One that another request has begun just now is as good.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request, page *authflow.Page, set standing, of way, how string) error {
	by := ratelimit.Key{Account: set.Account.ID}
	tooEarly, err := p.Limits.Allow(r.Context(), ratelimit.BeginRecovery, by)
	if err != nil {
		return err
	}
	if tooEarly > 0 {
		return p.renderWay(w, r, page, set, of, web.TooMany(w, tooEarly), account.Throttled(tooEarly))
	}
	run := begun(set.Account, p.Clock(), p.wait(of))
	if set.isRunning() {
		_, err = p.Store.CancelRecovery(r.Context(), set.Account.ID)
	}
	if err == nil {
		err = p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.BeginRecovery(ctx, run, set.Account.Epoch) },
			storage.Event{Name: event.RecoveryStarted, Subject: set.Account.ID, Detail: how})
	}
	if err != nil {
		p.Limits.GiveBack(r.Context(), ratelimit.BeginRecovery, by)
	}
	switch {
	case err == nil:
		p.TellRecovery(r.Context(), set.Account, ui.MailView{
			Kind: ui.MailRecoveryStarted, Locale: p.LocaleOf(r, set.Account), On: run.ReadyAt,
		}, run)
		set.Running = run
	case !errors.Is(err, storage.ErrConflict):
		return lapsed(fmt.Errorf("begin recovery: %w", err))
	}
	to := path(waitWay)
	if set.isReady() {
		to = finishPath
	}
	p.Site.Redirect(w, p.link(r, to, web.CodeParameter, web.Parameter(r, web.CodeParameter)))
	return nil
}

// Begin returns the recovery of an account that begins now for somebody who has nothing but the
// mailbox.
func (p *Pages) Begin(of storage.Account, now time.Time) storage.Recovery {
	return begun(of, now, p.Wait)
}

func begun(of storage.Account, now time.Time, wait time.Duration) storage.Recovery {
	return storage.Recovery{AccountID: of.ID, StartedAt: now, ReadyAt: now.Add(wait), EndsAt: now.Add(wait + finishWithin)}
}
