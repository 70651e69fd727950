package developer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// announcement is the minimum interval between mails to operators about pending reviews.
const announcement = time.Hour

// announcer records that operators are to be mailed.
type announcer struct {
	mu    sync.Mutex
	last  time.Time
	waits bool // there is something to say
}

// announce schedules a mail to operators about a pending review.
func (d *frame) announce() {
	d.announcer.mu.Lock()
	defer d.announcer.mu.Unlock()
	d.announcer.waits = true
}

// due returns whether a mail is due, and marks it as sent.
func (a *announcer) due(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.waits || now.Before(a.last.Add(announcement)) {
		return false
	}
	a.waits, a.last = false, now
	return true
}

// tellOperators mails operators about pending reviews, if a mail is due: one for all since
// the last.
func (d *frame) tellOperators(ctx context.Context) {
	if d.Mailer == nil || d.Operators == nil || !d.announcer.due(d.Clock()) {
		return
	}
	operators, err := d.Operators(ctx)
	for _, userID := range operators {
		err = errors.Join(err, d.tell(ctx, userID, ui.MailView{Kind: ui.MailReviewWaiting, ReviewsURL: d.absolute(d.path("review"))}))
	}
	if err != nil {
		d.Logger.WarnContext(ctx, "some operators could not be mailed about a pending review", slog.Any("error", err))
	}
}
