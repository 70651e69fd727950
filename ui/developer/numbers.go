package developer

import "github.com/bonafide-id/bonafide/ui"

// chart is the picture of a series.
func (v NumbersView) chart(s Series) ui.Chart {
	l := v.locale()
	t := textOf(l).Numbers
	return ui.Chart{
		Name: string(s.Name), Title: l.Plain(t.Series[s.Name]), Text: l.Plain(t.SeriesText[s.Name]), Days: v.Days, Counts: s.Counts,
		Words: ui.ChartWords{Total: t.Total, Label: t.Chart, Most: t.Most, Sum: t.Sum, Bar: t.Bar},
	}
}
