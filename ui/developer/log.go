package developer

import (
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// filtered reports whether some lines may be left out.
func (v LogView) filtered() bool {
	return v.Event != "" || v.Outcome != "" || v.User != "" || v.RequestID != "" || !v.From.IsZero() || !v.To.IsZero()
}

// events are what the filter offers.
func (v LogView) events() []ui.Option {
	return offers(v.locale(), v.Events, v.Event, eventLabel)
}

func (v LogView) outcomes() []ui.Option {
	return offers(v.locale(), v.Outcomes, v.Outcome, outcomeLabel)
}

// LocalMinute is how a field of a moment is filled in: in UTC, which its label says. Browsers
// may send seconds behind it.
const LocalMinute = "2006-01-02T15:04"

// momentValue is the value of such a field.
func momentValue(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(LocalMinute)
}

// seconds returns a time in seconds, to the millisecond.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%.3f", d.Seconds())
}

// offers are all, and each of some values.
func offers(l *ui.Locale, values []string, chosen string, label func(*ui.Locale, string) string) []ui.Option {
	options := []ui.Option{{Label: l.Plain(textOf(l).Log.All), Chosen: chosen == ""}}
	for _, value := range values {
		options = append(options, ui.Option{Value: value, Label: label(l, value), Chosen: value == chosen})
	}
	return options
}

// eventLabel names what an application asked for.
func eventLabel(l *ui.Locale, event string) string {
	if m, ok := textOf(l).Log.Events[event]; ok {
		return l.Plain(m)
	}
	return ui.Clean(event, ui.MaxName)
}

// outcomeLabel says how a request ended.
func outcomeLabel(l *ui.Locale, outcome string) string {
	if m, ok := textOf(l).Log.Outcomes[outcome]; ok {
		return l.Plain(m)
	}
	return ui.Clean(outcome, ui.MaxName)
}
