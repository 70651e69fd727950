package main

import (
	"fmt"
	"strings"
	"testing"
)

// run gives lines of go test -json to a summary and returns what it wrote.
func run(t *testing.T, lines ...string) (string, bool) {
	t.Helper()
	var out strings.Builder
	s := newSummary(&out)
	if err := s.read(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	ok := s.close()
	return out.String(), ok
}

func TestSummaryCountsTestsAndSubtests(t *testing.T) {
	got, ok := run(t,
		`{"Action":"start","Package":"a"}`,
		`{"Action":"run","Package":"a","Test":"TestX"}`,
		`{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}`,
		`{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:1: chatter\n"}`,
		`{"Action":"pass","Package":"a","Test":"TestX/one"}`,
		`{"Action":"skip","Package":"a","Test":"TestX/two"}`,
		`{"Action":"pass","Package":"a","Test":"TestX"}`,
		`{"Action":"output","Package":"a","Output":"PASS\n"}`,
		`{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}`,
		`{"Action":"pass","Package":"a","Elapsed":0.1}`,
	)
	if want := "ok  \ta\t0.1s\n    0.1 s  a\n2 passed, 0 failed, 1 skipped\n"; got != want || !ok {
		t.Errorf("got %q, %v; want %q, true", got, ok, want)
	}
}

func TestSummaryShowsWhatFailedAndWhySkipped(t *testing.T) {
	got, ok := run(t,
		`{"Action":"output","Package":"a","Test":"TestBad","Output":"=== RUN   TestBad\n"}`,
		`{"Action":"output","Package":"a","Test":"TestBad","Output":"    x_test.go:9: got 1, want 2\n"}`,
		`{"Action":"fail","Package":"a","Test":"TestBad"}`,
		`{"Action":"output","Package":"a","Test":"TestLater","Output":"    x_test.go:12: no database\n"}`,
		`{"Action":"skip","Package":"a","Test":"TestLater"}`,
		`{"Action":"fail","Package":"a"}`,
	)
	want := "    x_test.go:9: got 1, want 2\n    x_test.go:12: no database\n    0.0 s  a\n0 passed, 1 failed, 1 skipped\n"
	if got != want || ok {
		t.Errorf("got %q, %v; want %q, false", got, ok, want)
	}
}

func TestSummaryEndsWithTheSlowestPackages(t *testing.T) {
	lines := []string{`{"Action":"pass","Package":"quick","Test":"TestX","Elapsed":900}`}
	for i := range slowest {
		lines = append(lines, fmt.Sprintf(`{"Action":"pass","Package":"p%d","Elapsed":%d.26}`, i, 100+i))
	}
	got, _ := run(t, append(lines, `{"Action":"pass","Package":"quick","Elapsed":99}`, `{"Action":"fail","Package":"slow","Elapsed":200.04}`)...)
	if !strings.Contains(got, "  200.0 s  slow\n  109.3 s  p9\n") || !strings.Contains(got, "  101.3 s  p1\n") ||
		strings.Contains(got, "p0") || strings.Contains(got, "quick") {
		t.Errorf("it says\n%s", got)
	}
}

func TestSummaryFails(t *testing.T) {
	passed := `{"Action":"pass","Package":"a","Test":"TestX"}`
	for name, tt := range map[string]struct {
		lines []string
		says  string
	}{
		"WhenABuildFails": {
			[]string{passed, `{"ImportPath":"b","Action":"build-output","Output":"b.go:3: undefined: c\n"}`, `{"ImportPath":"b","Action":"build-fail"}`},
			"undefined: c",
		},
		"WhenATestPanics": {
			[]string{passed, `{"Action":"output","Package":"a","Test":"TestY","Output":"panic: boom\n"}`, `{"Action":"fail","Package":"a"}`},
			"panic: boom",
		},
		"WhenAPackageFailsOnItsOwn": {
			[]string{passed, `{"Action":"output","Package":"a","Output":"exit status 2\n"}`, `{"Action":"fail","Package":"a"}`},
			"outside its tests",
		},
		"WhenNoTestRan": {
			[]string{`{"Action":"output","Package":"a","Output":"?   \ta\t[no test files]\n"}`, `{"Action":"skip","Package":"a"}`},
			"no test ran\n0 passed, 0 failed, 0 skipped\n",
		},
		"WhenAllTestsWereSkipped": {
			[]string{`{"Action":"skip","Package":"a","Test":"TestX"}`},
			"no test ran",
		},
		"WhenGoItselfFailed": {
			[]string{"go: cannot find main module"},
			"cannot find main module",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := run(t, tt.lines...)
			if ok || !strings.Contains(got, tt.says) {
				t.Errorf("got %q, %v; want %q in it, false", got, ok, tt.says)
			}
		})
	}
}
