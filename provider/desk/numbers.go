package desk

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// period is the number of days that are counted.
const period = 30

// shredPatience is how late evidence may be shredded before it is said to be overdue: the
// background work of any process does it.
const shredPatience = time.Hour

func (d *Desk) showNumbers(r *request) error {
	page, err := d.page(r, screens.SectionNumbers)
	if err != nil {
		return err
	}
	ctx, now := r.Request.Context(), d.now()
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
			title, _ := d.provider.Pages().GroupWords(page.Locale, n.Group)
			v.Rows = append(v.Rows, screens.Number{Group: title, Method: n.Method, State: screens.State(n.State), Count: n.Count, Late: n.Late})
		}
	}
	if v.Overdue, err = d.Verification.Store.OverdueEvidence(ctx, now.Add(-shredPatience)); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Numbers(v))
	return nil
}
