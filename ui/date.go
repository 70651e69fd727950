package ui

import (
	"strconv"
	"time"
)

// Date returns a day as its language writes it, such as "14 May 2021", in UTC, for the user's
// time zone is unknown. The first of a month may have a form of its own.
func (l *Locale) Date(t time.Time) string {
	l, t = l.OrEnglish(), t.UTC()
	return l.Plain(l.text.Date.Day,
		With("day", t.Day()),
		With("month", l.Plain(l.text.Date.Months[t.Month()-1])),
		With("year", strconv.Itoa(t.Year())))
}

// DateTime returns a day and the time of day in its time zone, such as "14 May 2021,
// 10:30", without the zone.
func (l *Locale) DateTime(t time.Time) string {
	l = l.OrEnglish()
	local := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return l.Plain(l.text.Date.Clock, With("date", Words(l.Date(local))), With("time", t.Format("15:04")))
}

// Moment returns a day and the time of day, in UTC and saying so.
func (l *Locale) Moment(t time.Time) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Date.Moment, With("date", l.Date(t)), With("time", t.UTC().Format("15:04")))
}

// Second returns a day and the time of day to the second, in UTC and saying so.
func (l *Locale) Second(t time.Time) string {
	l = l.OrEnglish()
	return l.Plain(l.text.Date.Moment, With("date", l.Date(t)), With("time", t.UTC().Format(time.TimeOnly)))
}

// ago returns how long before now t was, and the day when that is longer than
// a month or now is unknown.
func (l *Locale) ago(t, now time.Time) string {
	const day = 24 * time.Hour
	switch d := now.Sub(t); {
	case now.IsZero() || d > 30*day:
		return l.Date(t)
	case d < time.Minute:
		return l.Plain(l.text.Date.JustNow)
	case d < time.Hour:
		return l.Plain(l.text.Date.MinutesAgo, Count(int(d/time.Minute)))
	case d < day:
		return l.Plain(l.text.Date.HoursAgo, Count(int(d/time.Hour)))
	default:
		return l.Plain(l.text.Date.DaysAgo, Count(int(d/day)))
	}
}
