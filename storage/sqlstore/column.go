package sqlstore

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A type here reads a column into a field of a record: row.Scan((*instant)(&t)).
// The function beside it makes the argument that writes the field.

// instant is a time as microseconds since 1970, or NULL.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMicro(v).UTC())
	default:
		return fmt.Errorf("sqlstore: a time is stored as %T", column)
	}
	return nil
}

// skew is the maximum difference between the clocks of two machines. A time further in the
// future was recorded by a wrong clock.
const skew = time.Minute

func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return storage.UnixMicro(t)
}

// digest is 32 bytes.
type digest storage.Digest

// Scan implements sql.Scanner.
func (d *digest) Scan(column any) error { return scanBytes(d[:], column) }

// optionalDigest is 32 bytes, or NULL for the zero Digest.
type optionalDigest storage.Digest

// Scan implements sql.Scanner.
func (d *optionalDigest) Scan(column any) error {
	if column == nil {
		*d = optionalDigest{}
		return nil
	}
	return scanBytes(d[:], column)
}

func digestOrNull(d storage.Digest) any {
	if d.IsZero() {
		return nil
	}
	return d[:]
}

// grantID is 16 bytes.
type grantID storage.GrantID

// Scan implements sql.Scanner.
func (id *grantID) Scan(column any) error { return scanBytes(id[:], column) }

func scanBytes(dest []byte, column any) error {
	v, ok := column.([]byte)
	if !ok || len(v) != len(dest) {
		return fmt.Errorf("sqlstore: %d bytes are stored as %T of %d", len(dest), column, len(v))
	}
	copy(dest, v)
	return nil
}

// list is a JSON array of strings, or NULL for nil.
type list []string

// Scan implements sql.Scanner.
func (l *list) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*l = nil
		return nil
	case string:
		return l.parse(v)
	default:
		return fmt.Errorf("sqlstore: a list is stored as %T", column)
	}
}

// parse reads lists of plain words, as on every busy path, in a fifth of the time of
// encoding/json.
func (l *list) parse(text string) error {
	inner, ok := strings.CutPrefix(text, `["`)
	if ok {
		inner, ok = strings.CutSuffix(inner, `"]`)
	}
	if !ok || strings.ContainsRune(inner, '\\') {
		return json.Unmarshal([]byte(text), (*[]string)(l))
	}
	*l = strings.Split(inner, `","`)
	return nil
}

// listText writes lists of plain words as parse reads them.
func listText(l []string) any {
	if l == nil {
		return nil
	}
	if size := plainSize(l); size > 0 {
		var b strings.Builder
		b.Grow(size)
		b.WriteString(`["`)
		for i, word := range l {
			if i > 0 {
				b.WriteString(`","`)
			}
			b.WriteString(word)
		}
		b.WriteString(`"]`)
		return b.String()
	}
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return string(text)
}

// plainSize returns the length of a list as JSON, and 0 for an empty one or one with words
// that encoding/json writes differently.
func plainSize(l []string) int {
	size := len(`[]`)
	for _, word := range l {
		for i := range len(word) {
			switch c := word[i]; {
			case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
				return 0
			}
		}
		size += len(word) + len(`"",`)
	}
	if len(l) == 0 {
		return 0
	}
	return size
}

// flag is a boolean as 0 or 1, since not every database has a type for it.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// text is a string, or NULL when it is empty, so that many rows may lack a value
// that is unique.
type text string

// Scan implements sql.Scanner.
func (t *text) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*t = ""
	case string:
		*t = text(v)
	default:
		return fmt.Errorf("sqlstore: a text is stored as %T", column)
	}
	return nil
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// bytesOrNull are sealed bytes, or NULL for none.
func bytesOrNull(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// nonNil are bytes that are never NULL, also where there are none.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// scanBlob reads a row of bytes, nil for NULL.
func scanBlob(row scanner) (b []byte, err error) {
	err = row.Scan(&b)
	return b, err
}

// optionalInt is a number, or NULL for zero.
type optionalInt int64

// Scan implements sql.Scanner.
func (i *optionalInt) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*i = 0
	case int64:
		*i = optionalInt(v)
	default:
		return fmt.Errorf("sqlstore: a number is stored as %T", column)
	}
	return nil
}

// textOrNull is a caller's JSON document, or NULL for none.
func textOrNull(document []byte) any { return optional(string(document)) }

// jsonOrNull is the JSON of a value with some entries, or NULL for none.
func jsonOrNull(v any, entries int) (any, error) {
	if entries == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// newVersion names a state of a record. It is random, so that a record that was removed and
// recreated is not taken for the former one.
func newVersion() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: the program stops without randomness
	return int64(binary.BigEndian.Uint64(b[:])>>1) | 1
}

// page is the number of rows for a filter's limit.
func page(limit int) int {
	if limit == 0 {
		return defaultPage
	}
	return max(limit, 0)
}

// defaultPage is the maximum number of rows for a filter without a limit.
const defaultPage = 100

// where collects the conditions of a filter.
type where struct {
	conditions []string
	args       []any
}

// and adds a condition on one argument, which it names ?.
func (w *where) and(condition string, arg any) {
	w.args = append(w.args, arg)
	number := "?" + strconv.Itoa(len(w.args))
	w.conditions = append(w.conditions, strings.Replace(condition, "?", number, 1))
}

// param adds an argument and returns how the query names it.
func (w *where) param(arg any) string {
	w.args = append(w.args, arg)
	return "?" + strconv.Itoa(len(w.args))
}

// values adds rows of arguments, and returns how the query names them.
func (w *where) values(rows int, row func(i int) []any) string {
	all := make([]string, rows)
	for i := range all {
		var params []string
		for _, arg := range row(i) {
			params = append(params, w.param(arg))
		}
		all[i] = "(" + strings.Join(params, ", ") + ")"
	}
	return strings.Join(all, ", ")
}

// String returns the conditions as SQL; it is empty when there are none.
func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}
