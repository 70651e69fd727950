package theme

import (
	"fmt"
	"strings"
)

// addBackground keeps a picture and returns its rules. It is for screens on which there is
// room around the card; there the bars get a ground of their own, for nobody knows whether
// text can be read on a picture. By night it is dimmed.
func (t *Theme) addBackground(picture Asset) string {
	if len(picture.Bytes) == 0 {
		return ""
	}
	_, ext, _ := strings.Cut(picture.MediaType, "/")
	name := t.add("background", ext, picture.MediaType, picture.Bytes)
	return fmt.Sprintf(`@layer modes {
@media (min-width: 30.01rem) and (forced-colors: none) and (not (prefers-contrast: more)) {
html:not(:has(.popup, .dashboard)) {
  background: linear-gradient(light-dark(transparent, rgb(0 0 0 / 0.5)) 0 0), var(--page) url(%s) center / cover fixed;
}
body:not(.popup, .dashboard) :is(header .bar, .foot) {
  inline-size: auto;
  min-inline-size: min(26rem, 100%%);
  margin-block: 1rem;
  padding: 0.25rem 1rem;
  background: var(--surface);
  border-radius: var(--radius);
}
}
}
`, name)
}
