package verification

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// RosterFile is a list of members as CSV (RFC 4180) in UTF-8, with a line of headers.
type RosterFile struct {
	// Roster is the name of the list: that of a RosterConfig.
	Roster string

	// Content is the file. It is read once, and not as a whole into memory.
	Content io.Reader

	// Comma separates cells.
	// Defaults to what the first line has most of: comma, semicolon or tab.
	Comma rune

	// Headers are the headers of the file for the names of columns, where they differ from
	// RosterColumn.Header.
	Headers map[string]string

	// Subgroup is the header of the column with the subgroup of a member, and Until of that
	// with the last day of the membership, as 2027-09-30.
	// Defaults to none.
	Subgroup, Until string

	// DateLayout is the layout of dates in the file, in the terms of package time.
	// Defaults to 2006-01-02, and 2.1.2006.
	DateLayout string

	// Canaries are rows of nobody, by the names of columns: whoever enters one has the list
	// from elsewhere. It is not accepted and recorded as EventRosterCanary. They may be in
	// the file as well.
	// Defaults to none.
	Canaries []map[string]string
}

// The limits of a file.
const (
	maxRosterBytes = 256 << 20
	maxRosterRows  = 2_000_000
	maxRosterLine  = 64 << 10
	maxRosterCells = 256
)

// RosterFileError says why a file is no list of members, and where. It repeats no cell: a
// cell is somebody's data, or a formula.
type RosterFileError struct {
	// Line is the line of the file, from 1; zero for the file as a whole.
	Line int
	Err  error
}

// Error names the line.
func (e *RosterFileError) Error() string {
	if e.Line == 0 {
		return "verification: roster: " + e.Err.Error()
	}
	return fmt.Sprintf("verification: roster: line %d: %v", e.Line, e.Err)
}

// Unwrap returns Err.
func (e *RosterFileError) Unwrap() error { return e.Err }

// member is a row of a file.
type member struct {
	value string // what matches
	row   rosterRow
}

// rosterReader reads the rows of a file one after the other.
type rosterReader struct {
	roster          *roster
	file            RosterFile
	subgroups       func(name string) bool
	cells           *csv.Reader
	bounded         *boundedReader
	columns         map[string]int // by the name of the column
	subgroup, until int            // -1 for none
	rows            int
	skipped         int
}

// newRosterReader reads the headers.
func newRosterReader(r *roster, f RosterFile, subgroups func(name string) bool) (*rosterReader, error) {
	bounded := &boundedReader{from: f.Content, limit: maxRosterBytes}
	buffered := bufio.NewReaderSize(bounded, maxRosterLine)
	first, err := buffered.Peek(maxRosterLine)
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
	reader := &rosterReader{roster: r, file: f, subgroups: subgroups, cells: cells, bounded: bounded, columns: map[string]int{}}
	headers, err := reader.read()
	if errors.Is(err, io.EOF) {
		return nil, &RosterFileError{0, errors.New("is empty")}
	}
	if err != nil {
		return nil, err
	}
	err = reader.mapColumns(headers)
	return reader, err
}

// mapColumns finds the columns. A file without one of them is another file.
func (r *rosterReader) mapColumns(headers []string) error {
	find := func(header string) (int, error) {
		at := -1
		for i, h := range headers {
			if strings.EqualFold(strings.TrimSpace(h), header) {
				if at >= 0 {
					return 0, &RosterFileError{1, fmt.Errorf("there are two columns %q", header)}
				}
				at = i
			}
		}
		if at < 0 {
			return 0, &RosterFileError{1, fmt.Errorf("there is no column %q", header)}
		}
		return at, nil
	}
	var err error
	for _, c := range r.roster.Columns {
		header := cmp.Or(r.file.Headers[c.Name], c.Header, c.Name)
		if r.columns[c.Name], err = find(header); err != nil {
			return err
		}
	}
	r.subgroup, r.until = -1, -1
	if r.file.Subgroup != "" {
		if r.subgroup, err = find(r.file.Subgroup); err != nil {
			return err
		}
	}
	if r.file.Until != "" {
		r.until, err = find(r.file.Until)
	}
	return err
}

// next returns the next member, or io.EOF. A row in which something of a member is missing
// is skipped and counted.
func (r *rosterReader) next() (member, error) {
	for {
		cells, err := r.read()
		if err != nil {
			return member{}, err
		}
		if r.rows++; r.rows > maxRosterRows {
			return member{}, &RosterFileError{r.line(), fmt.Errorf("the file has more than %d rows", maxRosterRows)}
		}
		m, ok, err := r.member(cells)
		if err != nil {
			return member{}, err
		}
		if ok {
			return m, nil
		}
		r.skipped++
	}
}

func (r *rosterReader) member(cells []string) (m member, ok bool, err error) {
	m.value, ok = r.roster.value(func(c RosterColumn) string {
		cell := cells[r.columns[c.Name]]
		if c.Kind == "date" && r.file.DateLayout != "" {
			t, err := time.Parse(r.file.DateLayout, strings.TrimSpace(cell))
			if err != nil {
				return ""
			}
			return t.Format(time.DateOnly)
		}
		return cell
	})
	if !ok {
		return member{}, false, nil
	}
	if r.subgroup >= 0 {
		m.row.Subgroup = strings.Clone(strings.TrimSpace(cells[r.subgroup]))
		if m.row.Subgroup != "" && !r.subgroups(m.row.Subgroup) {
			return member{}, false, &RosterFileError{r.line(), errors.New("the subgroup is not one of the group")}
		}
	}
	if r.until >= 0 {
		last, err := r.lastDay(strings.TrimSpace(cells[r.until]))
		if err != nil {
			return member{}, false, err
		}
		m.row.Until = last
	}
	return m, true, nil
}

// lastDay returns the end of a day; zero for an empty cell.
func (r *rosterReader) lastDay(cell string) (time.Time, error) {
	if cell == "" {
		return time.Time{}, nil
	}
	layouts := []string{time.DateOnly, "2.1.2006"}
	if r.file.DateLayout != "" {
		layouts = []string{r.file.DateLayout}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, cell); err == nil {
			return t.AddDate(0, 0, 1), nil
		}
	}
	return time.Time{}, &RosterFileError{r.line(), errors.New("the last day is not a date")}
}

func (r *rosterReader) line() int {
	line, _ := r.cells.FieldPos(0)
	return line
}

// read returns the cells of the next line.
func (r *rosterReader) read() ([]string, error) {
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
	case len(cells) > maxRosterCells:
		return nil, &RosterFileError{r.line(), fmt.Errorf("there are more than %d cells", maxRosterCells)}
	case r.cells.InputOffset()-r.bounded.began > maxRosterLine:
		return nil, readError(r.line(), errLongLine)
	case slices.ContainsFunc(cells, func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) }):
		return nil, &RosterFileError{r.line(), errors.New("the text is not in UTF-8")}
	}
	return cells, nil
}

// readError hides what is not about the file as text.
func readError(line int, err error) error {
	switch {
	case errors.Is(err, errLongLine), errors.Is(err, errLongFile), errors.Is(err, csv.ErrFieldCount), errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return &RosterFileError{line, err}
	default:
		return fmt.Errorf("verification: read roster: %w", err)
	}
}

var (
	errLongLine = fmt.Errorf("the line has more than %d bytes; a quotation mark may be missing", maxRosterLine)
	errLongFile = fmt.Errorf("the file has more than %d bytes", maxRosterBytes)
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
	case b.read-b.began > 3*maxRosterLine: // what is buffered counts as well
		return 0, errLongLine
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}
