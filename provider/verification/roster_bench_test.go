package verification

import (
	"fmt"
	"io"
	"testing"
)

// BenchmarkMillionRows imports a roster of a million rows and looks for one.
func BenchmarkMillionRows(b *testing.B) {
	const rows = 1_000_000
	o := newOffice(b)
	content, writer := io.Pipe()
	go func() {
		_, _ = io.WriteString(writer, "number,family,born\n")
		for i := range rows {
			_, _ = fmt.Fprintf(writer, "S%d,Name%d,1990-12-31\n", i, i)
		}
		_ = writer.Close()
	}()
	report, err := o.ImportRoster(b.Context(), RosterFile{Roster: "students", Content: content}, "registrar", false)
	if err != nil || report.Rows != rows {
		b.Fatal(report, err)
	}
	n := 0
	b.ResetTimer()
	for b.Loop() {
		n++
		value, _ := o.roster("students").value(func(c RosterColumn) string {
			return map[string]string{"number": fmt.Sprintf("S%d", n), "family": fmt.Sprintf("name%d", n), "born": "1990-12-31"}[c.Name]
		})
		_, found, err := o.matchRoster(b.Context(), &Case{Subject: fmt.Sprint("u", n)}, "students", value)
		if err != nil || !found {
			b.Fatal(found, err)
		}
	}
}
