package service

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// maxReason bounds what is shown of a reason.
const maxReason = 2000

// maxNote bounds what is shown of the note of a matter.
const maxNote = 2000

// NumbersView shows what the audit log counts, by day.
type NumbersView struct {
	Page
	Days   []time.Time
	Series []Series
}

// SeriesName names what is counted.
type SeriesName string

// The series. SeriesRequests and SeriesErrors are those of an application.
const (
	SeriesSignIns  SeriesName = "sign_ins"
	SeriesFailures SeriesName = "failures"
	SeriesSignUps  SeriesName = "sign_ups"
	SeriesConsents SeriesName = "consents"
	SeriesDeleted  SeriesName = "deletions"
	SeriesLooks    SeriesName = "looks"

	SeriesRequests SeriesName = "requests"
	SeriesErrors   SeriesName = "errors"
)

// Series are counts by day.
type Series struct {
	Name   SeriesName
	Counts []int
}

// total is the sum of all days.
func (s Series) total() (n int) {
	for _, c := range s.Counts {
		n += c
	}
	return n
}

// chart is the picture of a series.
func chart(l *ui.Locale, title string, s Series, days []time.Time) ui.Chart {
	t := textOf(l).Numbers
	return ui.Chart{
		Name: string(s.Name), Title: title, Days: days, Counts: s.Counts,
		Words: ui.ChartWords{Total: t.Total, Label: t.Chart, Most: t.Most, Sum: t.Sum, Bar: t.Bar},
	}
}
