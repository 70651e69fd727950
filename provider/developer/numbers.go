package developer

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// daysOfNumbers is the number of days shown, including today.
const daysOfNumbers = 30

// maxKinds is the number of types of errors listed.
const maxKinds = 20

// showNumbers shows the counts of an application's requests.
func (d *logPages) showNumbers(r *request) error {
	today := d.Clock().UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-daysOfNumbers)
	counts, err := d.Store.LogDays(r.Request.Context(), r.app.Environment, r.app.ClientID, first)
	if err != nil {
		return err
	}
	p, err := d.applicationPage(r, screens.SectionNumbers)
	if err != nil {
		return err
	}
	view := screens.NumbersView{
		Page: p, LogURL: d.path("o", r.org.ID, r.env, r.app.ClientID, "log"), Series: seriesOf(counts, first),
	}
	for i := range daysOfNumbers {
		view.Days = append(view.Days, first.AddDate(0, 0, i))
	}
	view.Errors = errorsOf(counts, view.LogURL)
	r.Render(http.StatusOK, screens.Numbers(view))
	return nil
}

// seriesOf returns the chart series of counts since a day.
func seriesOf(counts []storage.LogDay, first time.Time) []screens.Series {
	series := []screens.Series{
		{Name: screens.SeriesSignIns}, {Name: screens.SeriesConsents}, {Name: screens.SeriesDenials}, {Name: screens.SeriesErrors},
	}
	for i := range series {
		series[i].Counts = make([]int, daysOfNumbers)
	}
	for _, c := range counts {
		day := int(c.Day.Sub(first) / (24 * time.Hour))
		if i := seriesFor(c); i >= 0 && day >= 0 && day < daysOfNumbers {
			series[i].Counts[day] += c.Count
		}
	}
	return series
}

// seriesFor returns the series of a count; -1 for none.
func seriesFor(c storage.LogDay) int {
	event := c.Event
	switch c.Outcome {
	case activity.Failed:
		return 3
	case activity.Denied:
		return 2
	case activity.OK:
		switch event {
		case activity.Authorize:
			return 0
		case activity.Consent:
			return 1
		}
	}
	return -1
}

// errorsOf returns the errors of all days by type, the most frequent first.
func errorsOf(counts []storage.LogDay, logURL string) []screens.ErrorCount {
	type kind struct{ event, code string }
	sums := map[kind]int{}
	for _, c := range counts {
		if c.Outcome == string(activity.Failed) {
			sums[kind{c.Event, c.Error}] += c.Count
		}
	}
	var kinds []screens.ErrorCount
	for k, n := range sums {
		q := url.Values{screens.FieldEvent: {k.event}, screens.FieldOutcome: {string(activity.Failed)}}
		kinds = append(kinds, screens.ErrorCount{Event: k.event, Error: k.code, Count: n, URL: logURL + "?" + q.Encode()})
	}
	slices.SortFunc(kinds, func(a, b screens.ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Error, b.Error))
	})
	return kinds[:min(len(kinds), maxKinds)]
}
