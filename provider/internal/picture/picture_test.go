package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

var red = color.NRGBA{0xd0, 0x20, 0x20, 0xff}

// painted returns a picture in red.
func painted(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		copy(p.Pix[4*i:], []byte{red.R, red.G, red.B, red.A})
	}
	return p
}

func asPNG(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, p))
	return b.Bytes()
}

func asJPEG(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, jpeg.Encode(&b, p, &jpeg.Options{Quality: 80}))
	return b.Bytes()
}

// asGIF has a second frame in another colour.
func asGIF(t *testing.T) []byte {
	t.Helper()
	first := image.NewPaletted(image.Rect(0, 0, 16, 8), color.Palette{red, color.White})
	second := image.NewPaletted(first.Rect, first.Palette)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var b bytes.Buffer
	testkit.OK(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{9, 9}}))
	return b.Bytes()
}

// drawn returns what ToPNG makes of a file, which must be a PNG that it makes nothing
// else of.
func drawn(t *testing.T, raw []byte) image.Image {
	t.Helper()
	out, s, err := ToPNG(t.Context(), raw)
	testkit.OK(t, err)
	if len(out) > maxBytes {
		t.Errorf("%d bytes come out", len(out))
	}
	if again, same, err := ToPNG(t.Context(), out); err != nil || !bytes.Equal(again, out) || same != s {
		t.Errorf("drawn again: %v, %d bytes of %d", err, len(again), len(out))
	}
	p := testkit.Must(png.Decode(bytes.NewReader(out)))(t)
	return p
}

func near(got color.Color, want color.NRGBA) bool {
	c := color.NRGBAModel.Convert(got).(color.NRGBA)
	for _, d := range []int{int(c.R) - int(want.R), int(c.G) - int(want.G), int(c.B) - int(want.B), int(c.A) - int(want.A)} {
		if d < -12 || d > 12 {
			return false
		}
	}
	return true
}

func TestEveryFormatBecomesPNG(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw  []byte
		want color.NRGBA
	}{
		"PNG":                      {asPNG(t, painted(16, 8)), red},
		"JPEG":                     {asJPEG(t, painted(16, 8)), red},
		"CMYK JPEG":                {cmykJPEG(), color.NRGBA{64, 64, 64, 255}},
		"the first frame of a GIF": {asGIF(t), red},
		"lossless WebP":            {webpFile("VP8L", losslessWebP(16, 8)), red},
		"lossy WebP":               {webpFile("VP8 ", lossyWebP), red},
		"lossy WebP with alpha":    {webpFile("VP8X", canvasWebP(16, 8, hasAlpha), "ALPH", alphaWebP, "VP8 ", lossyWebP), color.NRGBA{red.R, red.G, red.B, 128}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := drawn(t, c.raw)
			if got := p.Bounds().Size(); name != "CMYK JPEG" && got != image.Pt(16, 8) {
				t.Errorf("is %v", got)
			}
			if got := p.At(p.Bounds().Min.X+3, p.Bounds().Min.Y+3); !near(got, c.want) {
				t.Errorf("is %v, want %v", got, c.want)
			}
		})
	}
}

func TestLargePicturesAreScaledDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, want image.Point }{
		{image.Pt(512, 512), image.Pt(512, 512)},
		{image.Pt(2048, 256), image.Pt(512, 64)},
		{image.Pt(300, 900), image.Pt(171, 512)},
		{image.Pt(2048, 1), image.Pt(512, 1)},
	} {
		p := drawn(t, asPNG(t, painted(c.from.X, c.from.Y)))
		if got := p.Bounds().Size(); got != c.want {
			t.Errorf("%v becomes %v, want %v", c.from, got, c.want)
		}
		if got := p.At(c.want.X/2, c.want.Y/2); !near(got, red) {
			t.Errorf("%v is %v in the middle", c.from, got)
		}
	}
}

// TestWhatIsHardToCompressIsMadeSmaller has a picture that takes more than the limit as a
// PNG of 512 pixels a side.
func TestWhatIsHardToCompressIsMadeSmaller(t *testing.T) {
	t.Parallel()
	p := painted(512, 512)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		if i%4 != 3 {
			p.Pix[i] = uint8(random.Uint32())
		}
	}
	raw := asJPEG(t, p)
	if len(raw) > maxBytes || len(asPNG(t, p)) <= maxBytes {
		t.Fatalf("%d bytes in JPEG and %d in PNG prove nothing", len(raw), len(asPNG(t, p)))
	}
	if got := drawn(t, raw).Bounds().Size(); got != image.Pt(256, 256) {
		t.Errorf("is %v", got)
	}
}

func TestDeepColoursBecomeThoseOfScreens(t *testing.T) {
	t.Parallel()
	deep := image.NewNRGBA64(image.Rect(0, 0, 16, 8))
	draw.Draw(deep, deep.Rect, image.NewUniform(red), image.Point{}, draw.Src)
	p := drawn(t, asPNG(t, deep))
	if _, ok := p.(*image.RGBA); !ok || !near(p.At(3, 3), red) {
		t.Errorf("is %T, %v", p, p.At(3, 3))
	}
}

func TestWhatIsNoPictureIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	large := append(asPNG(t, painted(16, 8)), make([]byte, maxBytes)...)
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"nothing":                 {nil, ErrFormat},
		"more bytes than allowed": {large, ErrTooLarge},
		"text":                    {[]byte("logo.png"), ErrFormat},
		"a PDF":                   {[]byte("%PDF-1.7\n"), ErrFormat},
		"a BMP":                   {[]byte("BM\x46\x00\x00\x00"), ErrFormat},
		"HTML":                    {[]byte("<!DOCTYPE html><script>alert(1)</script>"), ErrFormat},
		"an SVG":                  {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), ErrSVG},
		"an SVG with a prolog":    {[]byte("\ufeff<?xml version=\"1.0\"?>\n<!-- a --><SVG/>"), ErrSVG},
		"an animated WebP":        {webpFile("VP8X", canvasWebP(16, 8, hasFrames), "ANIM", []byte("\x00\x00\x00\x00\x00\x00")), ErrDamaged},
		"a PNG without pixels":    {asPNG(t, painted(16, 8))[:33], ErrDamaged},
		"the name of a PNG alone": {[]byte("\x89PNG\r\n\x1a\n"), ErrDamaged},
	} {
		if out, _, err := ToPNG(t.Context(), c.raw); !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %d bytes, error %v, want %v", name, len(out), err, c.want)
		}
	}
}
