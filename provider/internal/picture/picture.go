// Package picture makes of an uploaded picture one that holds nothing but pixels.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"sync"

	"golang.org/x/image/draw"
)

const (
	maxBytes = 512 << 10
	// maxSide is what is taken, keptSide what is kept: a logo is never shown larger.
	maxSide  = 2048
	keptSide = 512
)

// Type is the media type of what ToPNG returns.
const Type = "image/png"

// The reasons for which a picture is refused.
var (
	ErrTooLarge = errors.New("is larger than 512 KiB")
	ErrTooWide  = fmt.Errorf("is larger than %d pixels a side", maxSide)
	ErrFormat   = errors.New("is not a PNG, JPEG, WebP or GIF")
	ErrSVG      = errors.New("is an SVG, which can carry scripts: export it as a PNG")
	ErrDamaged  = errors.New("is damaged")
)

// one has decoding done for one picture at a time: a file of few bytes may need 100 MB
// for a moment, and many may arrive at once.
var one sync.Mutex

// ToPNG draws a picture anew, at most 512 pixels a side and 512 KiB. What comes out holds
// nothing but pixels: no script, no metadata, no second file hidden in the first. Of an
// animation it is the first frame. What it has returned once it returns again unchanged.
func ToPNG(raw []byte) ([]byte, error) {
	if len(raw) > maxBytes {
		return nil, ErrTooLarge
	}
	one.Lock()
	defer one.Unlock()
	p, err := decode(raw)
	if err != nil {
		return nil, err
	}
	for side := keptSide; ; side /= 2 {
		var out bytes.Buffer
		if err := png.Encode(&out, fit(p, side)); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		if out.Len() <= maxBytes {
			return out.Bytes(), nil
		}
	}
}

// Redraw draws a picture anew as large as it is, as a JPEG where nothing of it is
// transparent, else as a PNG. What comes out holds nothing but pixels.
func Redraw(raw []byte) (content []byte, mediaType string, err error) {
	if len(raw) > maxBytes {
		return nil, "", ErrTooLarge
	}
	one.Lock()
	defer one.Unlock()
	p, err := decode(raw)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	if o, ok := p.(interface{ Opaque() bool }); ok && o.Opaque() {
		err = jpeg.Encode(&out, p, &jpeg.Options{Quality: 85})
		mediaType = "image/jpeg"
	} else {
		err = png.Encode(&out, fit(p, maxSide))
		mediaType = Type
	}
	if err != nil {
		return nil, "", fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), mediaType, nil
}

// decode returns the pixels of a picture. The header is read before them, so that a small
// file cannot ask for much memory.
func decode(raw []byte) (image.Image, error) {
	f, err := formatOf(raw)
	if err != nil {
		return nil, err
	}
	head, err := f.header(bytes.NewReader(raw))
	if err != nil || head.Width == 0 || head.Height == 0 {
		return nil, ErrDamaged
	}
	if head.Width > maxSide || head.Height > maxSide {
		return nil, ErrTooWide
	}
	p, err := f.pixels(bytes.NewReader(raw))
	if err != nil || p.Bounds().Empty() {
		return nil, ErrDamaged
	}
	return p, nil
}

// fit returns a picture with at most this many pixels a side, and 8 bits for each colour
// of each.
func fit(p image.Image, side int) image.Image {
	from := p.Bounds()
	longest := max(from.Dx(), from.Dy())
	if longest > side {
		to := image.NewNRGBA(image.Rect(0, 0, scaled(from.Dx(), side, longest), scaled(from.Dy(), side, longest)))
		draw.CatmullRom.Scale(to, to.Bounds(), p, from, draw.Src, nil)
		return to
	}
	switch p.(type) {
	case *image.Gray, *image.Paletted, *image.NRGBA, *image.RGBA:
		return p
	}
	to := image.NewNRGBA(image.Rect(0, 0, from.Dx(), from.Dy()))
	draw.Draw(to, to.Bounds(), p, from.Min, draw.Src)
	return to
}

// scaled is a length where the longest becomes side.
func scaled(length, side, longest int) int { return max(1, (length*side+longest/2)/longest) }
