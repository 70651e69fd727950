package inbox

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// period is the number of days that are counted.
const period = 30

// shredPatience is how late evidence may be shredded before it is said to be overdue: the
// background work of any process does it.
const shredPatience = time.Hour

func (d *Inbox) showNumbers(r *request) error {
	page, err := r.Page(screens.SectionCaseNumbers)
	if err != nil {
		return err
	}
	ctx, now := r.Context(), d.frame.Now()
	counted, err := d.Verification.Store.CaseNumbers(ctx, now.AddDate(0, 0, -period), now)
	if err != nil {
		return err
	}
	v := screens.NumbersView{Page: page, Days: period}
	for _, n := range counted {
		v.Waiting += n.Waiting
		if !n.Oldest.IsZero() && (v.Oldest.IsZero() || n.Oldest.Before(v.Oldest)) {
			v.Oldest = n.Oldest
		}
		if n.State == storage.CaseApproved || n.State == storage.CaseDeclined {
			v.Decided, v.Kept = v.Decided+n.Count, v.Kept+n.Count-n.Late
		}
		if n.Count > 0 {
			title, _ := d.provider.Rooms().Pages.GroupWords(page.Locale, n.Group)
			v.Rows = append(v.Rows, screens.Number{Group: title, Method: d.methodTitle(page.Locale, n), State: states[n.State], Count: n.Count, Late: n.Late})
		}
	}
	if v.Overdue, err = d.Verification.Store.CountEvidence(ctx, storage.EvidenceFilter{OverdueAt: now.Add(-shredPatience)}); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Numbers(v))
	return nil
}

// states are the words for the states of cases.
var states = map[storage.CaseState]screens.State{
	storage.CaseOpen: screens.StateOpen, storage.CasePending: screens.StatePending, storage.CaseReview: screens.StateReview,
	storage.CaseApproved: screens.StateApproved, storage.CaseDeclined: screens.StateDeclined,
	storage.CaseWithdrawn: screens.StateWithdrawn, storage.CaseExpired: screens.StateExpired,
}

// methodTitle names the method of counted cases; empty before people have chosen one.
func (d *Inbox) methodTitle(l *ui.Locale, n storage.CaseNumber) ui.Label {
	if n.Method == "" {
		return ui.Label{}
	}
	return d.Verification.MethodTitle(l, n.Group, n.Method)
}
