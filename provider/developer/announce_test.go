package developer_test

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/ui"
)

func TestOperatorsAreMailedOnceAnHourThatSomethingWaits(t *testing.T) {
	t.Parallel()
	mails := &mailbox{}
	w := newApprovedFixture(t, func(c *developer.Config) {
		c.Mailer = mails
		c.Operators = func(context.Context) ([]string, error) { return []string{operator, "gone"}, nil }
	})
	w.ok(w.store.SetLanguage(t.Context(), operator, "de"))
	told := func() (n int) {
		t.Helper()
		w.TellOperators(t.Context())
		for _, m := range mails.all() {
			if m.Kind == ui.MailReviewWaiting {
				if n++; m.To != "operator@example.com" || m.Language != "de" {
					t.Errorf("%+v", m)
				}
			}
		}
		return n
	}
	if got := told(); got != 1 { // of what was asked for in the first place
		t.Fatalf("%d mails", got)
	}
	b := w.as(dev)
	for _, name := range []string{"One", "Two", "Three"} {
		b.submitForm(livePath+"/settings", "action", "save", "name", name)
		if got := told(); got != 1 {
			t.Fatalf("%d mails within an hour", got)
		}
	}
	w.advance(time.Hour)
	if got := told(); got != 2 { // one for all three
		t.Errorf("%d mails after an hour", got)
	}
	w.advance(time.Hour)
	if got := told(); got != 2 { // and none for nothing
		t.Errorf("%d mails of nothing", got)
	}
}
