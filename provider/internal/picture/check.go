package picture

import (
	"bytes"
	"image"
	"image/color"
)

// bounds limit the work of decoding one kind of picture.
type bounds struct {
	formats []format

	// side is the maximum length in pixels, area the maximum number of pixels. The
	// maximum is progressive for a progressive JPEG, of which several passes are kept in
	// memory, and deep for 16 bits a colour.
	side, area, progressive, deep int

	// scans is the maximum number of scans of a JPEG: in a progressive one, a scan of 16
	// bytes passes over all pixels. Programs write about ten, and as many for a preview.
	// passes is the maximum of scans times pixels.
	scans, passes int

	tooWide, tooMuchWork error
}

// smallPictures are logos and the like.
var smallPictures = bounds{
	formats: formats, side: maxSide, area: maxSide * maxSide, progressive: maxSide * maxSide, deep: maxDeepPixels,
	scans: maxScans, passes: maxScans * maxSide * maxSide,
	tooWide: ErrTooWide, tooMuchWork: ErrWork,
}

const (
	maxScans      = 32
	maxDeepPixels = 1024 * 1024
)

// checked is a picture that takes little work to decode.
type checked struct {
	format
	raw []byte
}

// checkNew is check for an upload. A stored picture may be larger.
func checkNew(raw []byte) (checked, error) {
	if len(raw) > maxBytes {
		return checked{}, ErrTooLarge
	}
	return check(raw)
}

func check(raw []byte) (checked, error) { return smallPictures.check(raw) }

// check reads the header of a picture before anything is decoded: a small file must not take
// much memory or time (a decompression bomb).
func (b *bounds) check(raw []byte) (checked, error) {
	f, err := formatOf(raw, b.formats)
	if err != nil {
		return checked{}, err
	}
	scans := f.scans(raw)
	if scans > b.scans {
		return checked{}, b.tooMuchWork
	}
	head, err := f.header(bytes.NewReader(raw))
	if err != nil || head.Width == 0 || head.Height == 0 {
		return checked{}, ErrDamaged
	}
	if head.Width > b.side || head.Height > b.side {
		return checked{}, b.tooWide
	}
	switch area := head.Width * head.Height; {
	case area > b.area:
		return checked{}, b.tooWide
	case area*scans > b.passes,
		isDeep(head.ColorModel) && area > b.deep,
		area > b.progressive && isProgressive(raw, head.Width, head.Height):
		return checked{}, b.tooMuchWork
	}
	return checked{f, raw}, nil
}

// decode returns the pixels.
func (p checked) decode() (image.Image, error) {
	pixels, err := p.pixels(bytes.NewReader(p.raw))
	if err != nil || pixels.Bounds().Empty() {
		return nil, ErrDamaged
	}
	return pixels, nil
}

func isDeep(m color.Model) bool {
	return m == color.RGBA64Model || m == color.NRGBA64Model || m == color.Gray16Model
}

// scansOfJPEG counts the markers that begin a scan, anywhere in the file: a decoder may
// disagree about where segments begin, and would find scans that were not counted. The data
// of a scan does not contain the marker.
func scansOfJPEG(raw []byte) int { return bytes.Count(raw, []byte{0xff, 0xda}) }

func oneScan([]byte) int { return 1 }

// isProgressive reports whether a JPEG may be progressive, for which the decoder keeps twelve
// bytes per pixel. It looks for a frame header of that kind and this size anywhere in the
// file, for the reason of scansOfJPEG.
func isProgressive(raw []byte, width, height int) bool {
	size := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width)}
	for components := range byte(4) {
		frame := append([]byte{0xff, 0xc2, 0, 8 + 3*(components+1)}, size...)
		if bytes.Contains(raw, frame) {
			return true
		}
	}
	return false
}
