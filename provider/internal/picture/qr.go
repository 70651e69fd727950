package picture

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// margin is the light border that readers want around a symbol, in modules (ISO/IEC 18004).
const margin = 4

// QR returns a QR code of a text as a drawing: the width and height of its square, and the
// dark modules in it as the path of an SVG. The error is that the text is too long.
func QR(text string) (size int, path string, err error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return 0, "", fmt.Errorf("draw QR code: %w", err)
	}
	var drawn strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&drawn, "M%d %dh%dv1h-%dz", from+margin, y+margin, x-from, x-from)
			}
		}
	}
	return code.Size + 2*margin, drawn.String(), nil
}
