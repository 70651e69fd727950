package account

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The owner of an account is told by mail of each step of a recovery, which somebody else may
// have begun who reads the mailbox. The mail that it has begun has a link that stops it. Like
// any link of a mail it opens a page and changes nothing, because mail scanners open links,
// and it is not bound to a browser.

// recoveryLink is the sealed content of a link that stops a recovery.
type recoveryLink struct {
	AccountID string `json:"i"`
	StartedAt int64  `json:"t"`
}

func (p *Pages) sealStopPurpose() string { return "recovery stop " + p.Site.Issuer }

// stopURL returns the absolute address of the link that stops a recovery.
func (p *Pages) stopURL(run storage.Recovery) (string, error) {
	plain, err := json.Marshal(recoveryLink{run.AccountID, run.StartedAt.UnixMicro()})
	if err != nil {
		return "", fmt.Errorf("encode recovery: %w", err)
	}
	return p.Site.BaseURL + "/recover/stop?" + web.CodeParameter + "=" + p.Site.Secrets.SealString(p.sealStopPurpose(), plain), nil
}

// OpenStop returns the account of a link that stops a recovery, and when that has begun.
func (p *Pages) OpenStop(r *http.Request) (accountID string, startedAt time.Time, err error) {
	var link recoveryLink
	plain, err := p.Site.Secrets.OpenString(p.sealStopPurpose(), web.Parameter(r, web.CodeParameter))
	if err == nil {
		err = json.Unmarshal(plain, &link)
	}
	if err != nil {
		return "", time.Time{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	return link.AccountID, time.UnixMicro(link.StartedAt), nil
}

// StopRecovery stops the recovery of an account, if one is running, and tells the owner. by
// is how, for the audit log.
func (p *Pages) StopRecovery(r *http.Request, account storage.Account, by string) (stopped bool, err error) {
	stopped, err = audit.StepIf(r.Context(), p.Audit, func(ctx context.Context) (bool, error) {
		return p.Store.CancelRecovery(ctx, account.ID)
	}, storage.Event{Name: event.RecoveryStopped, Subject: account.ID, Detail: by})
	if err != nil {
		return false, fmt.Errorf("stop recovery: %w", err)
	}
	if stopped {
		p.TellStopped(r, account)
	}
	return stopped, nil
}

// TellStopped tells the owner of an account that a recovery has been stopped.
func (p *Pages) TellStopped(r *http.Request, account storage.Account) {
	p.TellRecovery(r.Context(), account, ui.MailView{Kind: ui.MailRecoveryStopped, Locale: p.LocaleOf(r, account)}, storage.Recovery{})
}

// TellRecovery sends a notice about a recovery, with the link that stops it if it is running,
// in the language of the view, or else of the account. What has happened cannot be undone, so a failure is only
// logged.
func (p *Pages) TellRecovery(ctx context.Context, account storage.Account, v ui.MailView, run storage.Recovery) {
	if p.SendMail == nil || account.Email == "" {
		return
	}
	var err error
	if run.AccountID != "" {
		v.StopURL, err = p.stopURL(run)
	}
	if err == nil {
		if v.Locale == nil {
			v.Locale = p.Site.Remembered(account.Language)
		}
		err = p.MailTo(context.WithoutCancel(ctx), account.Email, v)
	}
	if err != nil {
		p.Site.Logger.WarnContext(ctx, "user could not be told about a recovery", slog.Any("error", err))
	}
}
