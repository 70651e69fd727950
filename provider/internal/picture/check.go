package picture

import (
	"bytes"
	"image"
	"image/color"
)

// The bounds of the work that a picture may be, beside its size.
const (
	// maxScans bounds the scans of a JPEG: each of a progressive one passes over all
	// pixels, and may be of 16 bytes. Programs write some ten, and a preview has as many.
	maxScans = 32

	// maxDeepPixels bounds a picture of 16 bits a colour.
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

// check reads what a picture says about itself before anything of it is drawn, so that a
// small file cannot ask for much memory or time.
func check(raw []byte) (checked, error) {
	f, err := formatOf(raw)
	if err != nil {
		return checked{}, err
	}
	if f.scans(raw) > maxScans {
		return checked{}, ErrWork
	}
	head, err := f.header(bytes.NewReader(raw))
	if err != nil || head.Width == 0 || head.Height == 0 {
		return checked{}, ErrDamaged
	}
	if head.Width > maxSide || head.Height > maxSide {
		return checked{}, ErrTooWide
	}
	if isDeep(head.ColorModel) && head.Width*head.Height > maxDeepPixels {
		return checked{}, ErrWork
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
