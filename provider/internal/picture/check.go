package picture

import (
	"bytes"
	"image"
	"image/color"
)

// bounds limit what is decoded of one kind of picture.
type bounds struct {
	formats []format

	// side is the maximum length in pixels, area the maximum number of pixels. Where
	// several passes over them are kept in memory (a progressive JPEG) or each takes more
	// (16 bits a colour), fewer are taken.
	side, area, progressive, deep int

	// scans bounds the scans of a JPEG: each of a progressive one passes over all pixels,
	// and may be of 16 bytes. Programs write some ten, and a preview has as many. passes
	// bounds them together with the pixels.
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

// checked is a picture of which it is known that drawing it takes little work.
type checked struct {
	format
	raw []byte
}

// checkNew is check for what somebody has sent. What is stored may be larger.
func checkNew(raw []byte) (checked, error) {
	if len(raw) > maxBytes {
		return checked{}, ErrTooLarge
	}
	return check(raw)
}

func check(raw []byte) (checked, error) { return smallPictures.check(raw) }

// check reads what a picture says about itself before anything of it is drawn, so that a
// small file cannot ask for much memory or time.
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

// scansOfJPEG counts what may begin a scan. Where segments begin and end is not looked at: a
// decoder that saw it otherwise would find scans that were not counted. Within a scan these
// two bytes do not meet.
func scansOfJPEG(raw []byte) int { return bytes.Count(raw, []byte{0xff, 0xda}) }

func oneScan([]byte) int { return 1 }

// isProgressive reports whether a JPEG may be progressive: its decoder keeps twelve bytes for
// each pixel. A frame of that kind and this size is looked for in all of the file, for the
// reason of scansOfJPEG.
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
