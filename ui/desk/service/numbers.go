package service

import (
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// maxReason bounds what is shown of a reason.
const maxReason = 2000

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

// summary says in a sentence what a chart shows: the sum, and the day with most.
func summary(l *ui.Locale, s Series, days []time.Time) string {
	t := textOf(l).Numbers
	if s.total() == 0 {
		return l.Plain(t.Sum, ui.With("count", 0), ui.With("days", len(days)))
	}
	most := slices.Max(s.Counts)
	return l.Plain(t.Most, ui.With("count", s.total()), ui.With("days", len(days)),
		ui.With("date", l.Date(days[slices.Index(s.Counts, most)])), ui.With("most", most))
}

// bar is a rectangle of a chart, in the units of its viewBox.
type bar struct{ X, Y, Width, Height, Label string }

// The size of a chart.
const (
	chartWidth  = 300.0
	chartHeight = 60.0
	chartFoot   = 63.0
)

// bars returns a bar for each day, in the direction of the language. A day with little is
// still seen beside one with much.
func bars(l *ui.Locale, s Series, days []time.Time) (all []bar) {
	if s.total() == 0 {
		return nil
	}
	most, step := float64(slices.Max(s.Counts)), chartWidth/float64(len(s.Counts))
	for i, n := range s.Counts {
		if n == 0 {
			continue
		}
		height, x := max(2, chartHeight*float64(n)/most), step*float64(i)
		if l.Dir == "rtl" {
			x = chartWidth - x - step
		}
		label := l.Plain(textOf(l).Numbers.Bar, ui.With("date", l.Date(days[i])), ui.With("count", n))
		all = append(all, bar{X: units(x + step*0.1), Width: units(step * 0.8), Y: units(chartFoot - height), Height: units(height), Label: label})
	}
	return all
}

func units(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
