package picture

import (
	"fmt"
	"image"
	"strings"
	"testing"
)

// The drawing has the three finder patterns, a margin around them, and nothing twice.
func TestQR(t *testing.T) {
	size, path, err := QR("otpauth://totp/Bonafide:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bonafide")
	if err != nil {
		t.Fatal(err)
	}
	dark := map[image.Point]bool{}
	for run := range strings.SplitSeq(strings.TrimSuffix(path, "z"), "z") {
		var x, y, width, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &width, &back); err != nil || width != back {
			t.Fatalf("run %q: %v", run, err)
		}
		for at := x; at < x+width; at++ {
			if dark[image.Pt(at, y)] {
				t.Fatalf("module %d,%d is drawn twice", at, y)
			}
			dark[image.Pt(at, y)] = true
		}
	}
	for _, corner := range []image.Point{{margin, margin}, {size - margin - 7, margin}, {margin, size - margin - 7}} {
		for i := range 7 {
			if !dark[corner.Add(image.Pt(i, 0))] || !dark[corner.Add(image.Pt(0, i))] || dark[corner.Add(image.Pt(1, 1))] {
				t.Fatalf("no finder pattern at %v", corner)
			}
		}
	}
	for module := range dark {
		if !module.In(image.Rect(margin, margin, size-margin, size-margin)) {
			t.Errorf("module %v is in the margin", module)
		}
	}
	if _, _, err := QR(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text that no symbol holds is drawn")
	}
}
