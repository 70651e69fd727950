package rosterfile

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// endless repeats a line, and counts what was read.
type endless struct {
	line []byte
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.line[(e.read+int64(i))%int64(len(e.line))]
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestAttackEndlessFile reads files that never end: in rows, in one line, in one quotation.
func TestAttackEndlessFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		begin string
		line  string
		want  string
	}{
		"Rows":  {"", "S12345,O'Brien,1990-12-31\n", "the file has more than 2000000 rows"},
		"Bytes": {"", "S12345,O'Brien,1990-12-31" + strings.Repeat(" ", 60<<10) + "\n", "the file has more than 268435456 bytes"},
		"Line":  {"", "a", "a quotation mark may be missing"},
		"Quote": {`"`, "a\n", "a quotation mark may be missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := &endless{line: []byte(test.line)}
			r, err := NewReader(io.MultiReader(strings.NewReader("number,family,born\n"+test.begin), content), Format{
				Columns: []Column{{Name: "number", Header: "number"}},
				Value:   func(cell func(string) string) (string, bool) { return cell("number"), true },
			})
			if err != nil {
				t.Fatal(err)
			}
			// Near the end of what is allowed.
			r.rows, r.bounded.limit = maxRows-20_000, r.bounded.read+8<<20
			for err == nil {
				_, err = r.Next()
			}
			var wrong *Error
			if !errors.As(err, &wrong) || !strings.HasSuffix(err.Error(), test.want) || content.read > 9<<20 {
				t.Errorf("%v after %d bytes", err, content.read)
			}
		})
	}
}
