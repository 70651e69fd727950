package ui

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
	"github.com/bonafide-id/bonafide/ui/theme"
)

func TestBrandPreviewOfOneSchemeHasNoSwitchForIt(t *testing.T) {
	t.Parallel()
	night, err := theme.New(theme.Config{Scheme: SchemeDark})
	ok(t, err)
	for made, want := range map[*theme.Theme]bool{nil: true, night: false} {
		page := samplePage(nil)
		page.Theme = made
		got := string(uitest.Render(t, BrandPreview(brandPreviewOf(page, SchemeLight))))
		if strings.Contains(got, "?scheme=dark") != want {
			t.Errorf("a theme for %q: %v", made.Scheme(), !want)
		}
		if !strings.Contains(got, "?width=desktop") {
			t.Errorf("a theme for %q has no switch for the width", made.Scheme())
		}
	}
}
