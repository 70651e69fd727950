package event

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestNamesAreThoseOfAllEvents(t *testing.T) {
	source, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\t\w+\s+= "(\w+)"`).FindAllSubmatch(source, -1) {
		want = append(want, string(m[1]))
	}
	slices.Sort(want)
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
