package scale

import (
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// ending are the tables of what has an end within a day on the campus.
const ending = " sessions grants tokens tickets attempts client_sessions used_ids pushed_requests events event_blocks event_log "

// heading is that of glances.
const heading = "       at   ending rows   all rows   MB of database   of its log   lines of the log   KB   heap MB   goroutines"

// A glance is what there is at a moment.
type glance struct {
	at            time.Duration
	ending, rows  int
	database, wal int64
	lines, bytes  int64 // of the log so far
	heap          uint64
	goroutines    int
}

func (g glance) String() string {
	return fmt.Sprintf("%9v  %11d  %9d  %15.1f  %11.1f  %17d  %3d  %8.1f  %11d",
		g.at, g.ending, g.rows, float64(g.database)/1e6, float64(g.wal)/1e6, g.lines, g.bytes/1000, float64(g.heap)/1e6, g.goroutines)
}

// glances looks at everything that could grow.
func (c *campus) glances(at time.Duration) glance {
	c.t.Helper()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	g := glance{at: at, lines: c.log.lines.Load(), bytes: c.log.bytes.Load(), heap: memory.HeapAlloc, goroutines: runtime.NumGoroutine()}
	tables := testkit.Must(sqlstore.SQLite().Tables())(c.T)
	db := testkit.Must(sql.Open("sqlite3", "file:"+c.Path+"?mode=ro"))(c.T)
	defer func() { c.OK(db.Close()) }()
	for _, table := range tables {
		var n int
		c.OK(db.QueryRowContext(c.t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		if g.rows += n; strings.Contains(ending, " "+table+" ") {
			g.ending += n
		}
	}
	for path, size := range map[string]*int64{c.Path: &g.database, c.Path + "-wal": &g.wal} {
		if info, err := os.Stat(path); err == nil {
			*size = info.Size()
		}
	}
	return g
}

// steady fails when something still grows in the last quarter of a day that is long enough.
func (c *campus) steady(glances []glance) {
	c.t.Helper()
	if *day < 4*remembered {
		return
	}
	quarter := len(glances) / 4
	for name, of := range map[string]func(glance) float64{
		"rows of what ends": func(g glance) float64 { return float64(g.ending) },
		"the database":      func(g glance) float64 { return float64(g.database) },
		"its log":           func(g glance) float64 { return float64(g.wal) },
		"the heap":          func(g glance) float64 { return float64(g.heap) },
		"goroutines":        func(g glance) float64 { return float64(max(g.goroutines, connections)) }, // fewer are those of connections
	} {
		before, after := largest(glances[2*quarter:3*quarter], of), largest(glances[3*quarter:], of)
		c.t.Logf("%s: the most in the last quarter is %.2f times that of the third", name, after/before)
		if after > 1.15*before {
			c.t.Errorf("%s: grows from %.0f to %.0f", name, before, after)
		}
	}
}

func largest(glances []glance, of func(glance) float64) (most float64) {
	for _, g := range glances {
		most = max(most, of(g))
	}
	return most
}
