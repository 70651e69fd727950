package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

func TestUpstreamsAreFoldedAfterTheFirstFew(t *testing.T) {
	ids := func(buttons []UpstreamButton) (all []string) {
		for _, b := range buttons {
			all = append(all, b.ID)
		}
		return all
	}
	all := tenUpstreams()
	shown, more := folded(all)
	if diff := cmp.Diff([][]string{{"campus", "google", "microsoft", "apple"}, {"github", "club0", "club1", "club2", "club3", "long"}}, [][]string{ids(shown), ids(more)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all[0].ID != "google" {
		t.Error("the caller's buttons have been put in order")
	}
	if shown, more := folded(all[:5]); len(shown) != 5 || more != nil {
		t.Errorf("of five, %d are shown and %d folded away", len(shown), len(more))
	}
}

// What a host or an upstream calls itself is text, and loads nothing.
func TestUpstreamButtonsLoadNothingFromElsewhere(t *testing.T) {
	page := samplePage(MatchLocale("en", ""))
	got := string(uitest.Render(t, SignIn(SignInView{Page: page, Form: sampleForm, Upstreams: tenUpstreams()})))
	for _, markup := range []string{"<script>", "http://", "https://accounts", "xlink", "url("} {
		if strings.Contains(got, markup) {
			t.Errorf("the page has %s", markup)
		}
	}
	if n := strings.Count(got, "<details"); n != 2 { // one is of the languages
		t.Errorf("%d parts are folded away", n)
	}
}
