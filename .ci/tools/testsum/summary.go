package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // in seconds, when something ends
}

// summary counts tests and passes on what is worth reading.
type summary struct {
	w                       io.Writer
	passed, failed, skipped int

	// broken is set when a package failed: a panic or a failed build is not
	// always blamed on a test.
	broken bool

	// took says how long the tests of each package took, in the order in which they ended.
	took []duration

	// held is the output of the tests that have not ended, by package and test,
	// in the order in which they began.
	held []*output
}

type duration struct {
	pkg     string
	seconds float64
}

// slowest is how many packages are named at the end.
const slowest = 10

type output struct {
	pkg, test string
	text      strings.Builder
}

func newSummary(w io.Writer) *summary { return &summary{w: w} }

// read takes lines until the end of r. Lines that are not events, as of a build,
// are passed on.
func (s *summary) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				s.take(e)
			} else {
				s.print(string(line))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *summary) take(e event) {
	if e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
		s.took = append(s.took, duration{e.Package, e.Elapsed})
	}
	switch e.Action {
	case "output":
		if e.Test == "" {
			s.packageOutput(e)
		} else {
			s.hold(e)
		}
	case "build-output":
		s.print(e.Output)
	case "build-fail":
		s.broken = true
	case "pass":
		if e.Test != "" {
			s.passed++
			s.release(e, false)
		}
	case "skip":
		if e.Test != "" {
			s.skipped++
			s.release(e, true)
		}
	case "fail":
		if e.Test != "" {
			s.failed++
			s.release(e, true)
			return
		}
		s.broken = true
		s.releaseAll(e.Package)
	}
}

// packageOutput passes on what a package says of itself, but for the lines that
// say no more than the closing line of the package.
func (s *summary) packageOutput(e event) {
	switch strings.TrimSpace(e.Output) {
	case "PASS", "FAIL", "testing: warning: no tests to run":
		return
	}
	if strings.Contains(e.Output, "[no test files]") {
		return
	}
	s.print(e.Output)
}

func (s *summary) hold(e event) {
	for _, o := range s.held {
		if o.pkg == e.Package && o.test == e.Test {
			o.text.WriteString(e.Output)
			return
		}
	}
	o := &output{pkg: e.Package, test: e.Test}
	o.text.WriteString(e.Output)
	s.held = append(s.held, o)
}

// release forgets what a test that ended has said, after showing it if asked.
func (s *summary) release(e event, show bool) {
	s.held = slices.DeleteFunc(s.held, func(o *output) bool {
		if o.pkg != e.Package || o.test != e.Test {
			return false
		}
		if show {
			s.print(withoutProgress(o.text.String()))
		}
		return true
	})
}

// releaseAll shows what the tests of a package said that never ended: the panic
// or the timeout is among it.
func (s *summary) releaseAll(pkg string) {
	s.held = slices.DeleteFunc(s.held, func(o *output) bool {
		if o.pkg == pkg {
			s.print(withoutProgress(o.text.String()))
		}
		return o.pkg == pkg
	})
}

// withoutProgress drops the lines that announce a test.
func withoutProgress(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "=== ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// close writes the slowest packages and the counts, and reports whether all went well.
func (s *summary) close() bool {
	s.tellSlowest()
	ran := s.passed+s.failed > 0
	if s.broken && s.failed == 0 {
		s.print("a package failed outside its tests\n")
	}
	if !ran {
		s.print("no test ran\n")
	}
	s.print(fmt.Sprintf("%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped))
	return ran && s.failed == 0 && !s.broken
}

// tellSlowest names the packages that took longest, whatever ran beside them.
func (s *summary) tellSlowest() {
	slices.SortStableFunc(s.took, func(a, b duration) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, d := range s.took[:min(slowest, len(s.took))] {
		s.print(fmt.Sprintf("%7.1f s  %s\n", d.seconds, d.pkg))
	}
}

// print passes text on. That nobody reads it any more is no reason to stop: the
// exit status tells the result too.
func (s *summary) print(text string) { _, _ = io.WriteString(s.w, text) }
