package plans

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// announcement is the time between mails to approvers, at least.
const announcement = time.Hour

// announcer knows whether approvers are to be mailed.
type announcer struct {
	mu      sync.Mutex
	waiting bool
	last    time.Time
}

// announce notes that a plan waits.
func (a *announcer) announce() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = true
}

// due reports whether a mail is due, and takes it as sent.
func (a *announcer) due(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.waiting || now.Before(a.last.Add(announcement)) {
		return false
	}
	a.waiting, a.last = false, now
	return true
}

// tellApprovers mails those who may approve that plans wait, once for all since the last mail.
func (s *Service) tellApprovers(ctx context.Context) {
	if s.Mailer == nil || s.Approvers == nil || !s.announcer.due(s.Frame.Now()) {
		return
	}
	waiting, err := s.store.Plans(ctx, storage.PlanFilter{State: storage.PlanProposed, Limit: 1})
	if err == nil && len(waiting) == 0 {
		return
	}
	approvers, failed := host.Call(ctx, s.Approvers)
	err = errors.Join(err, failed)
	for _, userID := range approvers {
		err = errors.Join(err, s.tellApprover(ctx, userID))
	}
	if err != nil {
		s.Frame.Logger.WarnContext(ctx, "some approvers could not be mailed about a plan", slog.Any("error", err))
	}
}

func (s *Service) tellApprover(ctx context.Context, userID string) error {
	account, err := s.provider.Rooms().People.View(ctx, userID)
	if err != nil || account.Email == "" {
		return err
	}
	locale, err := s.provider.Rooms().People.Locale(ctx, userID)
	if err != nil {
		return err
	}
	mail := s.provider.Rooms().Pages.ComposeMail(account.Email, ui.MailView{
		Kind: ui.MailPlanWaiting, Locale: locale, ReviewsURL: s.url(), Time: s.Frame.Now(),
	})
	_, err = host.Call(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Mailer.Send(ctx, mail) })
	return err
}

// url is the absolute address of the list of plans.
func (s *Service) url() string {
	base := s.Frame.BaseURL
	if at, err := url.Parse(base); err == nil {
		base = at.Scheme + "://" + at.Host
	}
	return base + s.Frame.Path("plans")
}

// tellPerson tells the owner of an account that its address will change. It is approved already,
// so a failure is only logged.
func (s *Service) tellPerson(ctx context.Context, o Opened) {
	if o.Action != action.ChangeEmail || len(o.Targets) != 1 {
		return
	}
	if err := s.provider.Rooms().Accounts.AnnounceEmail(ctx, o.Targets[0].ID, o.NotBefore); err != nil {
		s.Frame.Logger.ErrorContext(ctx, "the owner of an account could not be told that its address will change", slog.String("plan", o.ID), slog.Any("error", err))
	}
}
