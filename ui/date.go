package ui

import (
	"strconv"
	"time"
)

// date returns a day as its language writes it, in UTC, for the user's time
// zone is unknown. The first of a month may have a form of its own.
func (l *Locale) date(t time.Time) string {
	t = t.UTC()
	return l.plain(l.text.Date.Day,
		arg{"day", t.Day()},
		arg{"month", l.plain(l.text.Date.Months[t.Month()-1])},
		arg{"year", strconv.Itoa(t.Year())})
}

// Date returns a day as its language writes it, such as "14 May 2021".
func (l *Locale) Date(day time.Time) string { return l.orEnglish().date(day) }

// DateTime returns a day and the time of day in its time zone, such as "14 May 2021,
// 10:30", without the zone.
func (l *Locale) DateTime(t time.Time) string {
	l = l.orEnglish()
	local := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return l.plain(l.text.Date.Clock, arg{"date", words(l.date(local))}, arg{"time", t.Format("15:04")})
}

// moment returns a day and the time of day, in UTC and saying so.
func (l *Locale) moment(t time.Time) string {
	return l.plain(l.text.Date.Moment, arg{"date", l.date(t)}, arg{"time", t.UTC().Format("15:04")})
}

// ago returns how long before now t was, and the day when that is longer than
// a month or now is unknown.
func (l *Locale) ago(t, now time.Time) string {
	const day = 24 * time.Hour
	switch d := now.Sub(t); {
	case now.IsZero() || d > 30*day:
		return l.date(t)
	case d < time.Minute:
		return l.plain(l.text.Date.JustNow)
	case d < time.Hour:
		return l.plain(l.text.Date.MinutesAgo, count(int(d/time.Minute)))
	case d < day:
		return l.plain(l.text.Date.HoursAgo, count(int(d/time.Hour)))
	default:
		return l.plain(l.text.Date.DaysAgo, count(int(d/day)))
	}
}
