package storage

import "time"

// Stored times lie between the years 1 and 9999: microseconds of others, such as a distant
// "never", would overflow and come back as a time long past. The remaining range lets a
// database add to them.
var (
	earliest = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(10000, 1, 1, 0, 0, 0, -1000, time.UTC)
)

// UnixMicro returns a time as stores keep it, in microseconds since 1970; times beyond the
// years 1 to 9999 become the earliest or the latest of these. The zero time has no such
// number: it is stored as an absent value.
func UnixMicro(t time.Time) int64 {
	if t.Before(earliest) {
		t = earliest
	}
	if t.After(latest) {
		t = latest
	}
	return t.UnixMicro()
}
