package ui

import (
	"fmt"
	"time"
)

// filtered reports whether some lines may be left out.
func (v DeveloperLogView) filtered() bool {
	return v.Event != "" || v.Outcome != "" || v.User != "" || v.RequestID != "" || !v.From.IsZero() || !v.To.IsZero()
}

// events are what the filter offers.
func (v DeveloperLogView) events() []option {
	return v.locale().choices(v.Events, v.Event, eventLabel)
}

func (v DeveloperLogView) outcomes() []option {
	return v.locale().choices(v.Outcomes, v.Outcome, outcomeLabel)
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

// choices offers all, and each of some values.
func (l *Locale) choices(values []string, chosen string, label func(*Locale, string) string) []option {
	options := []option{{Label: l.Plain(l.developer().Log.All), Chosen: chosen == ""}}
	for _, value := range values {
		options = append(options, option{Value: value, Label: label(l, value), Chosen: value == chosen})
	}
	return options
}

// eventLabel names what an application asked for.
func eventLabel(l *Locale, event string) string {
	if m, ok := l.developer().Log.Events[event]; ok {
		return l.Plain(m)
	}
	return Clean(event, MaxName)
}

// outcomeLabel says how a request ended.
func outcomeLabel(l *Locale, outcome string) string {
	if m, ok := l.developer().Log.Outcomes[outcome]; ok {
		return l.Plain(m)
	}
	return Clean(outcome, MaxName)
}

// second returns a day and the time of day to the second, in UTC and saying so.
func (l *Locale) second(t time.Time) string {
	return l.Plain(l.text.Date.Moment, With("date", l.Date(t)), With("time", t.UTC().Format("15:04:05")))
}
