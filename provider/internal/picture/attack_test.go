package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"slices"
	"testing"
)

// TestTruncatedPicturesAreRefused cuts each format off at every byte.
func TestTruncatedPicturesAreRefused(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"PNG": asPNG(t, painted(16, 8)), "JPEG": asJPEG(t, painted(16, 8)), "GIF": asGIF(t),
		"lossless WebP": webpFile("VP8L", losslessWebP(16, 8)),
	} {
		for n := range len(raw) / 2 {
			if _, _, err := ToPNG(t.Context(), raw[:n]); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDamaged) {
				t.Errorf("%d of %d bytes of a %s: %v", n, len(raw), name, err)
			}
		}
	}
}

// TestBombsAreRefusedBeforeTheirPixels has files of some bytes that ask for up to a
// gigabyte.
func TestBombsAreRefusedBeforeTheirPixels(t *testing.T) {
	t.Parallel()
	tooWideJPEG := asJPEG(t, painted(16, 8))
	start := bytes.Index(tooWideJPEG, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(tooWideJPEG[start+5:], 65535)
	tooWideGIF := asGIF(t)
	binary.LittleEndian.PutUint16(tooWideGIF[6:], 65535)
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"PNG":                                 {widePNG(t, 65535, 65535), ErrTooWide},
		"JPEG":                                {tooWideJPEG, ErrTooWide},
		"GIF":                                 {tooWideGIF, ErrTooWide},
		"WebP":                                {webpFile("VP8L", losslessWebP(16384, 16384)), ErrTooWide},
		"WebP in a large canvas":              {webpFile("VP8X", canvasWebP(1<<24, 100, 0), "VP8L", losslessWebP(16, 8)), ErrTooWide},
		"WebP that is larger than its canvas": {webpFile("VP8X", canvasWebP(16, 8, 0), "VP8L", losslessWebP(16384, 16384)), ErrDamaged},
		"WebP whose lossy frame is larger than its canvas": {webpFile("VP8X", canvasWebP(8, 8, 0), "VP8 ", lossyWebP), ErrDamaged},
		"PNG of no height": {widePNG(t, 16, 0), ErrDamaged},
	} {
		if _, _, err := ToPNG(t.Context(), c.raw); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestPolyglotsLoseTheirSecondFile has pictures that are something else to other readers.
func TestPolyglotsLoseTheirSecondFile(t *testing.T) {
	t.Parallel()
	const script = "<script>alert(1)</script>"
	comment := slices.Concat([]byte{0xff, 0xfe, 0, byte(len(script) + 2)}, []byte(script))
	photo := asJPEG(t, painted(16, 8))
	text := chunk("tEXt", []byte("Comment\x00"+script))
	plain := asPNG(t, painted(16, 8))
	for name, raw := range map[string][]byte{
		"HTML behind a PNG":  append(slices.Clone(plain), script...),
		"HTML behind a GIF":  append(asGIF(t), script...),
		"HTML behind a WebP": append(webpFile("VP8L", losslessWebP(16, 8)), script...),
		"HTML in a PNG":      slices.Concat(plain[:33], text, plain[33:]),
		"HTML in a JPEG":     slices.Concat(photo[:2], comment, photo[2:]),
		"HTML in a WebP":     webpFile("VP8X", canvasWebP(16, 8, 0), "XMP ", []byte(script), "VP8L", losslessWebP(16, 8)),
		"a ZIP behind a PNG": append(slices.Clone(plain), "PK\x03\x04"+script...),
	} {
		out, _, err := ToPNG(t.Context(), raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Contains(raw, []byte(script)) || bytes.Contains(out, []byte("script")) {
			t.Errorf("%s: it comes out again", name)
		}
	}
}

// chunk is a part of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// widePNG says that it has this size.
func widePNG(t *testing.T, width, height uint32) []byte {
	t.Helper()
	raw := asPNG(t, painted(16, 8))
	head := slices.Clone(raw[16:29])
	binary.BigEndian.PutUint32(head, width)
	binary.BigEndian.PutUint32(head[4:], height)
	return slices.Concat(raw[:8], chunk("IHDR", head), raw[33:])
}

// manyScans is a progressive JPEG of this size whose scans change nothing.
func manyScans(side uint16, scans int) []byte {
	segment := func(marker byte, data ...byte) []byte {
		b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))
		return append(b, data...)
	}
	frame := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, side), side)
	frame = append(frame, 1, 1, 0x11, 0)
	// The one code of one bit says, with 14 bits behind it, that 32767 blocks have nothing.
	huffman := func(class, value byte) []byte {
		return segment(0xc4, append(append([]byte{class, 1}, make([]byte, 15)...), value)...)
	}
	raw := slices.Concat([]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, slices.Repeat([]byte{1}, 64)...)...),
		segment(0xc2, frame...), huffman(0x00, 0), huffman(0x10, 0xe0))
	raw = slices.Concat(raw, segment(0xda, 1, 1, 0, 0, 0, 0), make([]byte, int(side)*int(side)/512+1))
	for range scans - 1 {
		raw = slices.Concat(raw, segment(0xda, 1, 1, 0, 1, 63, 0), make([]byte, 8))
	}
	return append(raw, 0xff, 0xd9)
}

func deepPNG(t *testing.T, side int) []byte {
	t.Helper()
	p := image.NewNRGBA64(image.Rect(0, 0, side, side))
	p.SetNRGBA64(0, 0, color.NRGBA64{1, 2, 3, 4})
	return asPNG(t, p)
}

// TestWorkIsBoundedBeforeItBegins has small files each of which took a processor for as long
// as its sender wanted.
func TestWorkIsBoundedBeforeItBegins(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long and does nothing at once")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"a JPEG of 2000 scans":                {manyScans(2048, 2000), ErrWork},
		"a JPEG of 33 scans":                  {manyScans(16, 33), ErrWork},
		"a JPEG of 32 scans":                  {manyScans(2048, 32), nil},
		"16 bits a colour on 2048 pixels":     {deepPNG(t, 2048), ErrWork},
		"16 bits a colour on 1024 pixels":     {deepPNG(t, 1024), nil},
		"8 bits a colour on 2048 pixels":      {asPNG(t, image.NewNRGBA(image.Rect(0, 0, 2048, 2048))), nil},
		"16 bits of grey on 2048 pixels":      {asPNG(t, image.NewGray16(image.Rect(0, 0, 2048, 2048))), ErrWork},
		"scans that are hidden in a comment":  {slices.Concat([]byte{0xff, 0xd8, 0xff, 0xfe, 0, 102}, bytes.Repeat([]byte{0xff, 0xda}, 50), manyScans(16, 1)[2:]), ErrWork},
		"a PNG with the marker of JPEG scans": {append(asPNG(t, painted(16, 8)), bytes.Repeat([]byte{0xff, 0xda}, 50)...), nil},
	} {
		if _, _, err := ToPNG(t.Context(), c.raw); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, err := SilhouetteOf(t.Context(), c.raw); !errors.Is(err, c.want) {
			t.Errorf("the silhouette of %s: %v, want %v", name, err, c.want)
		}
	}
}

func TestWhoLeavesDoesNotWaitForItsTurn(t *testing.T) {
	leave, err := drawing.enter(t.Context(), "") // somebody else's is being drawn
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := ToPNG(ctx, asPNG(t, painted(16, 8))); !errors.Is(err, context.Canceled) {
		t.Errorf("a picture whose sender has left: %v", err)
	}
	if _, _, err := ToPNG(t.Context(), manyScans(2048, 2000)); !errors.Is(err, ErrWork) {
		t.Errorf("what is refused waits: %v", err)
	}
}
