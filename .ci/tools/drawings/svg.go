package main

import (
	"fmt"
	"html"
	"strings"
)

// style is that of every drawing. Without a background of their own they stand on a light
// page and on a dark one; where a browser cannot tell which it is, colours are of the light one.
const style = `
text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;fill:#1b2430}
.name{font-weight:600}.small{font-size:12.5px;fill:#4b5768}.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12px}
.box{fill:#f3f6fa;stroke:#8a97a8}.own{fill:#e3f1ee;stroke:#0f766e}.sheet{fill:#fff}
.line{stroke:#4b5768;fill:none;stroke-width:1.4}.life{stroke:#8a97a8;stroke-dasharray:4 4}.back{stroke-dasharray:6 4}
.head{fill:#4b5768}
@media (prefers-color-scheme:dark){
text{fill:#e8edf4}.small{fill:#b3bdcb}.box{fill:#1d2632;stroke:#66758a}.own{fill:#12332f;stroke:#3fb8aa}
.sheet{fill:#0d1117}.line{stroke:#b3bdcb}.life{stroke:#66758a}.head{fill:#b3bdcb}
}`

// canvas collects the elements of a drawing.
type canvas struct{ strings.Builder }

func (c *canvas) add(format string, values ...any) {
	fmt.Fprintf(&c.Builder, format+"\n", values...)
}

// text adds a line of text with a class at a point; anchor is start, middle or end.
func (c *canvas) text(x, y int, anchor, class, text string) {
	c.add(`<text x="%d" y="%d" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, html.EscapeString(text))
}

// rect adds a box with round corners.
func (c *canvas) rect(x, y, width, height int, class string) {
	c.add(`<rect x="%d" y="%d" width="%d" height="%d" rx="8" class="%s"/>`, x, y, width, height, class)
}

// document returns the whole drawing.
func (c *canvas) document(a about, width, height int) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">
<title id="title">%s</title>
<desc id="desc">%s</desc>
<style>%s
</style>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>
<rect class="sheet" width="%d" height="%d" rx="12"/>
%s</svg>
`, width, height, width, height, html.EscapeString(a.title), html.EscapeString(a.desc), style, width, height, c.String())
}

// wrap breaks a text into lines of at most so many characters.
func wrap(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
