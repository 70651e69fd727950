package developer

import (
	"slices"
	"strconv"

	"github.com/bonafide-id/bonafide/ui"
)

// days says how many days there are.
func (v NumbersView) days() ui.Arg { return ui.With("days", len(v.Days)) }

// total is the sum of all days.
func (s Series) total() (n int) {
	for _, c := range s.Counts {
		n += c
	}
	return n
}

// summary says in a sentence what a chart shows: the sum, and the day with most.
func (v NumbersView) summary(s Series) string {
	l := v.locale()
	if s.total() == 0 {
		return l.Plain(textOf(l).Numbers.Sum, ui.With("count", 0), v.days())
	}
	most := slices.Max(s.Counts)
	return l.Plain(textOf(l).Numbers.Most, ui.With("count", s.total()), v.days(),
		ui.With("date", l.Date(v.Days[slices.Index(s.Counts, most)])), ui.With("most", most))
}

func (v NumbersView) barLabel(i int, s Series) string {
	l := v.locale()
	return l.Plain(textOf(l).Numbers.Bar, ui.With("date", l.Date(v.Days[i])), ui.With("count", s.Counts[i]))
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
func (v NumbersView) bars(s Series) []bar {
	if s.total() == 0 {
		return nil
	}
	most, step := float64(slices.Max(s.Counts)), chartWidth/float64(len(s.Counts))
	var bars []bar
	for i, n := range s.Counts {
		if n == 0 {
			continue
		}
		height := max(2, chartHeight*float64(n)/most)
		x := step * float64(i)
		if v.locale().Dir == "rtl" {
			x = chartWidth - x - step
		}
		bars = append(bars, bar{
			X: units(x + step*0.1), Width: units(step * 0.8), Y: units(chartFoot - height), Height: units(height), Label: v.barLabel(i, s),
		})
	}
	return bars
}

func units(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
