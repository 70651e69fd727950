package ui

import (
	"slices"
	"strconv"
)

// days says how many days there are.
func (v DeveloperNumbersView) days() Arg { return With("days", len(v.Days)) }

// total is the sum of all days.
func (s DeveloperSeries) total() (n int) {
	for _, c := range s.Counts {
		n += c
	}
	return n
}

// summary says in a sentence what a chart shows: the sum, and the day with most.
func (v DeveloperNumbersView) summary(s DeveloperSeries) string {
	l := v.locale()
	if s.total() == 0 {
		return l.Plain(l.developer().Numbers.Sum, With("count", 0), v.days())
	}
	most := slices.Max(s.Counts)
	return l.Plain(l.developer().Numbers.Most, With("count", s.total()), v.days(),
		With("date", l.Date(v.Days[slices.Index(s.Counts, most)])), With("most", most))
}

func (v DeveloperNumbersView) barLabel(i int, s DeveloperSeries) string {
	l := v.locale()
	return l.Plain(l.developer().Numbers.Bar, With("date", l.Date(v.Days[i])), With("count", s.Counts[i]))
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
func (v DeveloperNumbersView) bars(s DeveloperSeries) []bar {
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
