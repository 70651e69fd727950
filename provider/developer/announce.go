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

// announcement is how often operators are mailed that something waits, however much comes.
const announcement = time.Hour

// announcer remembers that operators have to hear of something.
type announcer struct {
	mu   sync.Mutex
	last time.Time
	page *ui.Page // in the looks of which they are mailed; nil when there is nothing to say
}

// announce has operators told that something waits for them.
func (d *Dashboard) announce(r *request) {
	page := r.Page()
	d.announcer.mu.Lock()
	defer d.announcer.mu.Unlock()
	d.announcer.page = &page
}

// due returns whether there is something to say by now, and takes it as said.
func (a *announcer) due(now time.Time) (page ui.Page, due bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.page == nil || now.Before(a.last.Add(announcement)) {
		return ui.Page{}, false
	}
	page, a.page, a.last = *a.page, nil, now
	return page, true
}

// tellOperators mails operators that something waits, if it does: all that has come since the
// last mail is in one.
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
