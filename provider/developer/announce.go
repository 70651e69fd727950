package developer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// announcement is the minimum interval between mails to operators about pending reviews.
const announcement = time.Hour

// announcer records that operators are to be mailed.
type announcer struct {
	mu   sync.Mutex
	last time.Time
	page *ui.Page // the page whose look the mail has; nil if there is nothing to say
}

// announce schedules a mail to operators about a pending review.
func (d *Dashboard) announce(r *request) {
	page := r.Page()
	d.announcer.mu.Lock()
	defer d.announcer.mu.Unlock()
	d.announcer.page = &page
}

// due returns whether a mail is due, and marks it as sent.
func (a *announcer) due(now time.Time) (page ui.Page, due bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.page == nil || now.Before(a.last.Add(announcement)) {
		return ui.Page{}, false
	}
	page, a.page, a.last = *a.page, nil, now
	return page, true
}

// tellOperators mails operators about pending reviews, if a mail is due: one for all since
// the last.
func (d *Dashboard) tellOperators(ctx context.Context) {
	if d.Mailer == nil || d.Operators == nil {
		return
	}
	page, due := d.announcer.due(d.Clock())
	if !due {
		return
	}
	operators, err := d.Operators(ctx)
	for _, userID := range operators {
		err = errors.Join(err, d.tellOperator(ctx, page, userID))
	}
	if err != nil {
		d.Logger.WarnContext(ctx, "some operators could not be mailed about a pending review", slog.Any("error", err))
	}
}

func (d *Dashboard) tellOperator(ctx context.Context, page ui.Page, userID string) error {
	account, err := d.Provider.People().View(ctx, userID)
	if err != nil || account.Email == "" {
		return err
	}
	locale, err := d.Provider.People().Locale(ctx, userID)
	if err != nil {
		return err
	}
	return d.Mailer.Send(ctx, provider.ComposeMail(account.Email, ui.MailView{
		Kind: ui.MailReviewWaiting, Locale: locale, Brand: page.Brand, Theme: page.Theme,
		BaseURL: d.Provider.Installation().BaseURL, ReviewsURL: d.absolute(d.path("review")), Time: d.Clock(),
	}))
}
