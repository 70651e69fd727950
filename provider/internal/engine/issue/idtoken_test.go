package issue

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func TestAuthTime(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		at   time.Time
		want int64
	}{
		"Past":            {now.Add(-time.Hour), now.Unix() - 3600},
		"FutureCountsNow": {now.Add(time.Hour), now.Unix()},
		"Missing":         {time.Time{}, 0},
		"Before1970":      {time.Unix(-1, 0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := authTime(storage.Grant{AuthTime: c.at}, now); got != c.want {
				t.Errorf("auth_time %d, want %d", got, c.want)
			}
		})
	}
}
