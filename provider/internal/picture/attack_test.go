package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
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
			if _, err := ToPNG(raw[:n]); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDamaged) {
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
		if _, err := ToPNG(c.raw); !errors.Is(err, c.want) {
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
		out, err := ToPNG(raw)
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
