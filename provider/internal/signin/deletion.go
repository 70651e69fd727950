package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// decisionLife is how long the decision may take.
const decisionLife = 15 * time.Minute

// askToKeep redirects the owner of an account that is to be deleted, who has presented all
// factors and cannot have a session, to the decision.
func (p *frame) askToKeep(w http.ResponseWriter, r *http.Request, e entry) error {
	sealed, err := p.seal(w, r, forDeletion, web.Parameter(r, web.FlowParameter), state{
		AccountID: e.account.ID, Epoch: e.account.Epoch, Version: e.account.FactorsVersion, Factors: e.presented, Proof: e.on,
	})
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, "/signin/deletion", web.CodeParameter, sealed))
	return nil
}

// openDecision returns the account to decide about, unless it is gone, locked, or has been
// decided about since.
func (p *frame) openDecision(r *http.Request) (storage.Account, state, error) {
	s, err := p.open(r, forDeletion, decisionLife)
	if err != nil {
		return storage.Account{}, s, err
	}
	account, err := p.Store.Account(r.Context(), s.AccountID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Account{}, s, fmt.Errorf("read account: %w", err)
	}
	if err != nil || !s.holds(account) || account.DeleteAt.IsZero() {
		return storage.Account{}, s, expired(err)
	}
	return account, s, nil
}

// showDeletion shows the date of the deletion, and asks whether to keep the account.
func (p *frame) showDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	account, _, err := p.openDecision(r)
	if err != nil {
		return err
	}
	p.RenderDeletion(w, r, page, account, false)
	return nil
}

// decideDeletion keeps the account and signs its owner in, or confirms the deletion. Each
// uses up the proof, so that nobody can go back and decide in a shared browser.
func (p *frame) decideDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	account, s, err := p.openDecision(r)
	if err != nil {
		return err
	}
	keeps, deleteAt := r.PostForm.Get(ui.FieldAction) == ui.ActionKeep, account.DeleteAt
	if keeps {
		deleteAt = time.Time{}
	}
	var events []storage.Event
	if keeps {
		events = append(events, storage.Event{Name: event.DeletionWithdrawn, Subject: account.ID})
	}
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error {
		return p.Store.SetDeletion(ctx, account.ID, s.Proof, deleteAt, p.Clock())
	}, events...)
	if isRefused(err) || errors.Is(err, storage.ErrNotFound) {
		return expired(err)
	}
	if err != nil {
		return fmt.Errorf("decide about deletion: %w", err)
	}
	if !keeps {
		p.RenderDeletion(w, r, page, account, true)
		return nil
	}
	account.DeleteAt = time.Time{}
	account.Epoch++ // which the decision has begun
	e := entry{account: account, on: account.Proof(), factors: s.Factors, presented: s.Factors}
	if page.Flow != nil || page.Return != nil {
		return orExpired(p.enter(w, r, page, e))
	}
	if err := p.startSession(w, r, page, e); err != nil {
		return orExpired(err)
	}
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeAccountKept)))
	return nil
}
