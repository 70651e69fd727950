package sqlitefile

import (
	"errors"
	"net/url"

	"github.com/mattn/go-sqlite3"
)

// mattn is the driver of package sqlite, which imports this one.
var mattn = Driver{
	SQL:    &sqlite3.SQLiteDriver{},
	Params: url.Values{"_stmt_cache_size": {"128"}},
	Code: func(err error) int {
		var failed sqlite3.Error
		if !errors.As(err, &failed) {
			return 0
		}
		return max(int(failed.Code), int(failed.ExtendedCode))
	},
}
