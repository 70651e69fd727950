package ui

import (
	"slices"
	"strconv"
	"time"
)

// Chart is a picture of counts by day, for those who work with the service. A table beside it has
// the same.
type Chart struct {
	// Name tells it from the others of its page. Its color is that of .chart-NAME in wide.css.
	Name string

	// Title is what is counted; Text says more. An empty Text is not shown.
	Title, Text string

	// Days are in order, and Counts theirs.
	Days   []time.Time
	Counts []int

	Words ChartWords
}

// ChartWords are what a chart says in words.
type ChartWords struct {
	// Total says of the sum over how many {days} it is, and Label that the picture shows a
	// {series}.
	Total, Label Message

	// Most describes the picture by the sum ({count}) over {days}, and the {date} with the
	// {most}; Sum does where nothing is counted. Bar is a {date} with its {count}.
	Most, Sum, Bar Message
}

func (c Chart) total() (n int) {
	for _, count := range c.Counts {
		n += count
	}
	return n
}

// over says over how many days the chart goes.
func (c Chart) over() Arg { return With("days", len(c.Days)) }

// summary says in a sentence what the chart shows: the sum, and the day with most.
func (c Chart) summary(l *Locale) string {
	if c.total() == 0 {
		return l.Plain(c.Words.Sum, With("count", 0), c.over())
	}
	most := slices.Max(c.Counts)
	return l.Plain(c.Words.Most, With("count", c.total()), c.over(),
		With("date", l.Date(c.Days[slices.Index(c.Counts, most)])), With("most", most))
}

// bar is a rectangle of a chart, in the units of its viewBox.
type bar struct{ X, Y, Width, Height, Label string }

// The size of a chart.
const (
	chartWidth  = 300.0
	chartHeight = 60.0
	chartFoot   = 63.0
)

// bars returns a bar for each day with a count, in the direction of the language. A day with
// little is still seen beside one with much.
func (c Chart) bars(l *Locale) (all []bar) {
	if c.total() == 0 {
		return nil
	}
	most, step := float64(slices.Max(c.Counts)), chartWidth/float64(len(c.Counts))
	for i, n := range c.Counts {
		if n == 0 {
			continue
		}
		height, x := max(2, chartHeight*float64(n)/most), step*float64(i)
		if l.Dir == "rtl" {
			x = chartWidth - x - step
		}
		label := l.Plain(c.Words.Bar, With("date", l.Date(c.Days[i])), With("count", n))
		all = append(all, bar{X: units(x + step*0.1), Width: units(step * 0.8), Y: units(chartFoot - height), Height: units(height), Label: label})
	}
	return all
}

func units(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
