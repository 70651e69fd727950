package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// disc is a disc of one colour on nothing, with a core of another.
func disc(t *testing.T, edge, core color.Color, ground color.Color) []byte {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			switch d := (x-32)*(x-32) + (y-32)*(y-32); {
			case d < 15*15:
				p.Set(x, y, core)
			case d < 28*28:
				p.Set(x, y, edge)
			case ground != nil:
				p.Set(x, y, ground)
			}
		}
	}
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, p))
	return b.Bytes()
}

func TestSilhouetteTellsWherePicturesAreLost(t *testing.T) {
	t.Parallel()
	blue, yellow := color.RGBA{0x0b, 0x5c, 0xff, 0xff}, color.RGBA{0xff, 0xd4, 0, 0xff}
	const white, night = 1, 0.01
	for name, c := range map[string]struct {
		picture          []byte
		onWhite, onNight bool
	}{
		"white":             {disc(t, color.White, color.White, nil), true, false},
		"black":             {disc(t, color.Black, color.Black, nil), false, true},
		"white inside blue": {disc(t, blue, color.White, nil), false, false},
		"yellow":            {disc(t, yellow, yellow, nil), false, false},
		"on its own white":  {disc(t, blue, color.White, color.White), false, false},
		"white on black":    {disc(t, color.White, color.White, color.Black), false, false},
	} {
		s := testkit.Must(SilhouetteOf(t.Context(), c.picture))(t)
		if kept, ok := ParseSilhouette(s.Bytes()); !ok || kept != s {
			t.Errorf("%s comes back as another: %v", name, ok)
		}
		if got := [2]bool{s.Lost(white) > 0.5, s.Lost(night) > 0.5}; got != [2]bool{c.onWhite, c.onNight} {
			t.Errorf("%s is lost by day and by night: %v", name, got)
		}
	}
	if _, err := SilhouetteOf(t.Context(), []byte("<svg>")); err == nil {
		t.Error("what is no picture has a silhouette")
	}
}
