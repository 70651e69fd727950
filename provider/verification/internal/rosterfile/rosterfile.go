// Package rosterfile reads lists of members as CSV (RFC 4180) in UTF-8, with a line of headers.
package rosterfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of a file.
const (
	maxBytes = 256 << 20
	maxRows  = 2_000_000
	maxLine  = 64 << 10
	maxCells = 256
)

// Format says how to read a file.
type Format struct {
	// Columns are the columns of which a member is made. A file without one of them is
	// another file.
	Columns []Column

	// Comma separates cells.
	// Defaults to what the first line has most of: comma, semicolon or tab.
	Comma rune

	// Subgroup is the header of the column with the subgroup of a member, and Until of that
	// with the last day of the membership.
	// Defaults to none.
	Subgroup, Until string

	// DateLayout is the layout of dates, in the terms of package time.
	// Defaults to 2006-01-02 and 2.1.2006.
	DateLayout string

	// Value returns what matches a member, from the cell of each column, or the column that is
	// missing or cannot be read, and false: then the row is skipped.
	Value func(cell func(column string) string) (string, bool)

	// HasSubgroup reports whether there is such a subgroup.
	HasSubgroup func(name string) bool
}

// Column is a column of a file.
type Column struct {
	Name, Header string

	// IsDate is true for a date, which the cell has in DateLayout and Value gets as
	// 2006-01-02.
	IsDate bool
}

// Member is a row of a file.
type Member struct {
	Value    string // what matches
	Subgroup string
	Until    time.Time // the end of the last day; zero for none
}

// Error says why a file is no list of members. It repeats no cell.
type Error struct {
	Line int // from 1; zero for the file as a whole
	Err  error
}

// Error names the line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// ColumnsError means that a file lacks a column. Found is the first line of the file, which may
// be somebody's data: it is for who sends the file, and in no log.
type ColumnsError struct{ Wanted, Found []string }

// Error says what the file lacks.
func (e *ColumnsError) Error() string {
	return fmt.Sprintf("there are not all of the columns %q", e.Wanted)
}

// Skip is a row that was skipped, and the column that is missing or cannot be read.
type Skip struct {
	Line   int
	Column string
}

// maxSkips is how many rows that were skipped are told singly.
const maxSkips = 10

// Reader reads the rows of a file one after the other.
type Reader struct {
	format          Format
	cells           *csv.Reader
	bounded         *boundedReader
	columns         map[string]int // by the name of the column
	subgroup, until int            // -1 for none
	rows            int
	skipped         int
	skips           []Skip
}

// NewReader reads the headers of a file. It does not read the file as a whole into memory.
// What is wrong with the file is an Error.
func NewReader(content io.Reader, f Format) (*Reader, error) {
	bounded := &boundedReader{from: content, limit: maxBytes}
	buffered := bufio.NewReaderSize(bounded, maxLine)
	first, err := buffered.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) && len(first) == 0 {
		return nil, readError(1, err)
	}
	if bytes.HasPrefix(first, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3)
		first = first[3:]
	}
	line, _, _ := bytes.Cut(first, []byte("\n"))
	if f.Comma == 0 {
		f.Comma = ','
		for _, r := range ";\t" {
			if bytes.Count(line, []byte(string(r))) > bytes.Count(line, []byte(string(f.Comma))) {
				f.Comma = r
			}
		}
	}
	cells := csv.NewReader(buffered)
	cells.Comma, cells.ReuseRecord = f.Comma, true
	reader := &Reader{format: f, cells: cells, bounded: bounded, columns: map[string]int{}}
	headers, err := reader.read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{0, errors.New("is empty")}
	}
	if err != nil {
		return nil, err
	}
	err = reader.mapColumns(headers)
	return reader, err
}

// mapColumns finds the columns. A file without one of them is another file.
func (r *Reader) mapColumns(headers []string) error {
	find := func(header string) (int, error) {
		at := -1
		for i, h := range headers {
			if strings.EqualFold(strings.TrimSpace(h), header) {
				if at >= 0 {
					return 0, &Error{1, fmt.Errorf("there are two columns %q", header)}
				}
				at = i
			}
		}
		if at < 0 {
			return 0, &Error{1, &ColumnsError{r.wanted(), slices.Clone(headers)}}
		}
		return at, nil
	}
	var err error
	for _, c := range r.format.Columns {
		if r.columns[c.Name], err = find(c.Header); err != nil {
			return err
		}
	}
	r.subgroup, r.until = -1, -1
	if r.format.Subgroup != "" {
		if r.subgroup, err = find(r.format.Subgroup); err != nil {
			return err
		}
	}
	if r.format.Until != "" {
		r.until, err = find(r.format.Until)
	}
	return err
}

// wanted are the headers that a file must have.
func (r *Reader) wanted() (headers []string) {
	for _, c := range r.format.Columns {
		headers = append(headers, c.Header)
	}
	for _, header := range []string{r.format.Subgroup, r.format.Until} {
		if header != "" {
			headers = append(headers, header)
		}
	}
	return headers
}

// Next returns the next member, or io.EOF. A row in which something of a member is missing
// is skipped and counted. What is wrong with the file is an Error.
func (r *Reader) Next() (Member, error) {
	for {
		cells, err := r.read()
		if err != nil {
			return Member{}, err
		}
		if r.rows++; r.rows > maxRows {
			return Member{}, &Error{r.line(), fmt.Errorf("the file has more than %d rows", maxRows)}
		}
		m, ok, err := r.member(cells)
		if err != nil {
			return Member{}, err
		}
		if ok {
			return m, nil
		}
		if r.skipped++; len(r.skips) < maxSkips {
			r.skips = append(r.skips, Skip{r.line(), m.Value})
		}
	}
}

// Skips are the first rows that Next has skipped.
func (r *Reader) Skips() []Skip { return r.skips }

// Skipped returns the number of rows that Next has skipped.
func (r *Reader) Skipped() int { return r.skipped }

func (r *Reader) member(cells []string) (m Member, ok bool, err error) {
	m.Value, ok = r.format.Value(func(column string) string {
		cell := cells[r.columns[column]]
		if r.format.DateLayout != "" && r.isDate(column) {
			t, err := time.Parse(r.format.DateLayout, strings.TrimSpace(cell))
			if err != nil {
				return ""
			}
			return t.Format(time.DateOnly)
		}
		return cell
	})
	if !ok {
		return m, false, nil
	}
	if r.subgroup >= 0 {
		m.Subgroup = strings.Clone(strings.TrimSpace(cells[r.subgroup]))
		if m.Subgroup != "" && !r.format.HasSubgroup(m.Subgroup) {
			return Member{}, false, &Error{r.line(), errors.New("the subgroup is not one of the group")}
		}
	}
	if r.until >= 0 {
		last, err := r.lastDay(strings.TrimSpace(cells[r.until]))
		if err != nil {
			return Member{}, false, err
		}
		m.Until = last
	}
	return m, true, nil
}

func (r *Reader) isDate(column string) bool {
	return slices.ContainsFunc(r.format.Columns, func(c Column) bool { return c.Name == column && c.IsDate })
}

// lastDay returns the end of a day; zero for an empty cell.
func (r *Reader) lastDay(cell string) (time.Time, error) {
	if cell == "" {
		return time.Time{}, nil
	}
	layouts := []string{time.DateOnly, "2.1.2006"}
	if r.format.DateLayout != "" {
		layouts = []string{r.format.DateLayout}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, cell); err == nil {
			return t.AddDate(0, 0, 1), nil
		}
	}
	return time.Time{}, &Error{r.line(), errors.New("the last day is not a date")}
}

func (r *Reader) line() int {
	line, _ := r.cells.FieldPos(0)
	return line
}

// read returns the cells of the next line.
func (r *Reader) read() ([]string, error) {
	r.bounded.begin(r.cells.InputOffset())
	cells, err := r.cells.Read()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil, err
	case errors.As(err, &wrong):
		return nil, readError(wrong.Line, wrong.Err)
	case err != nil:
		return nil, readError(r.rows+2, err)
	case len(cells) > maxCells:
		return nil, &Error{r.line(), fmt.Errorf("there are more than %d cells", maxCells)}
	case r.cells.InputOffset()-r.bounded.began > maxLine:
		return nil, readError(r.line(), errLongLine)
	case slices.ContainsFunc(cells, func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) }):
		return nil, &Error{r.line(), errors.New("the text is not in UTF-8")}
	}
	return cells, nil
}

// readError hides what is not about the file as text.
func readError(line int, err error) error {
	switch {
	case errors.Is(err, errLongLine), errors.Is(err, errLongFile), errors.Is(err, csv.ErrFieldCount), errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return &Error{line, err}
	default:
		return fmt.Errorf("verification: read roster: %w", err)
	}
}

var (
	errLongLine = fmt.Errorf("the line has more than %d bytes; a quotation mark may be missing", maxLine)
	errLongFile = fmt.Errorf("the file has more than %d bytes", maxBytes)
)

// boundedReader ends a file that is too long, and a line: a quotation mark that nobody
// closes would otherwise take the rest of the file into memory.
type boundedReader struct {
	from  io.Reader
	read  int64
	limit int64
	began int64 // where the line begins that is being read
}

func (b *boundedReader) begin(offset int64) { b.began = offset }

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	switch {
	case b.read > b.limit:
		return 0, errLongFile
	case b.read-b.began > 3*maxLine: // what is buffered counts as well
		return 0, errLongLine
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}
