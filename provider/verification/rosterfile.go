package verification

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/bonafide-id/bonafide/provider/verification/internal/rosterfile"
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
	// from elsewhere. It is not accepted, and recorded as roster_canary. They may be in the
	// file as well.
	// Defaults to none.
	Canaries []map[string]string
}

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

// RosterColumnsError is a RosterFileError.Err: the file lacks a column. Found is its first line,
// which may be somebody's data: show it to who sends the file, and log it nowhere.
type RosterColumnsError struct{ Wanted, Found []string }

// Error says what the file lacks, and repeats no cell.
func (e *RosterColumnsError) Error() string { return (*rosterfile.ColumnsError)(e).Error() }

// RosterSkip is a row that was skipped: its line, and the column of which the cell is missing or
// cannot be read.
type RosterSkip rosterfile.Skip

// fileError returns an error of package rosterfile as hosts know it.
func fileError(err error) error {
	var wrong *rosterfile.Error
	if errors.As(err, &wrong) {
		if lacks := (*rosterfile.ColumnsError)(nil); errors.As(wrong.Err, &lacks) {
			return &RosterFileError{wrong.Line, (*RosterColumnsError)(lacks)}
		}
		return (*RosterFileError)(wrong)
	}
	return err
}

// sampleRows is how many rows of a file are shown as they were read.
const sampleRows = 3

// newReader reads the headers of a file of this roster. It puts the first rows, as they are
// understood, into sample.
func (r *roster) newReader(f RosterFile, subgroups func(name string) bool, sample *[][]string) (*rosterfile.Reader, error) {
	format := rosterfile.Format{
		Comma: f.Comma, Subgroup: f.Subgroup, Until: f.Until, DateLayout: f.DateLayout, HasSubgroup: subgroups,
		Value: func(cell func(column string) string) (string, bool) {
			value, ok := r.value(func(c RosterColumn) string { return cell(c.Name) })
			if ok && len(*sample) < sampleRows {
				var row []string
				for _, c := range r.Columns {
					row = append(row, c.normalize(cell(c.Name)))
				}
				*sample = append(*sample, row)
			}
			return value, ok
		},
	}
	for _, c := range r.Columns {
		header := cmp.Or(f.Headers[c.Name], c.Header, c.Name)
		format.Columns = append(format.Columns, rosterfile.Column{Name: c.Name, Header: header, IsDate: c.Kind == "date"})
	}
	reader, err := rosterfile.NewReader(f.Content, format)
	return reader, fileError(err)
}
