// Package picture draws uploaded pictures anew, so that they have nothing but pixels, and texts as
// QR codes.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

const (
	maxBytes = 512 << 10
	// maxSide is the maximum length in pixels of an upload, keptSide of what is stored: a
	// logo is never shown larger.
	maxSide  = 2048
	keptSide = 512
)

// Type is the media type of the result of ToPNG.
const Type = "image/png"

// The reasons for which a picture is refused.
var (
	ErrTooLarge = errors.New("is larger than 512 KiB")
	ErrTooWide  = fmt.Errorf("is larger than %d pixels a side", maxSide)
	ErrFormat   = errors.New("is not a PNG, JPEG, WebP or GIF")
	ErrSVG      = errors.New("is an SVG, which can carry scripts: export it as a PNG")
	ErrDamaged  = errors.New("is damaged")
	ErrWork     = fmt.Errorf("takes too much work to draw: it has 16 bits a colour and more than %d pixels, or is a JPEG of more than %d scans",
		maxDeepPixels, maxScans)
)

// ToPNG draws a picture anew, with at most 512 pixels a side and 512 KiB, and returns it with
// its silhouette. The result has nothing but pixels: no script, no metadata, no second file
// hidden in the first. Of an animation it is the first frame. ToPNG returns its own result
// unchanged. It waits for other pictures until ctx ends.
func ToPNG(ctx context.Context, raw []byte) (content []byte, s Silhouette, err error) {
	p, err := checkNew(raw)
	if err != nil {
		return nil, s, err
	}
	err = alone(ctx, func() error {
		content, s, err = p.toPNG()
		return err
	})
	return content, s, err
}

func (p checked) toPNG() ([]byte, Silhouette, error) {
	pixels, err := p.decode()
	if err != nil {
		return nil, Silhouette{}, err
	}
	for side := keptSide; ; side /= 2 {
		var out bytes.Buffer
		fitted := fit(pixels, side)
		if err := png.Encode(&out, fitted); err != nil {
			return nil, Silhouette{}, fmt.Errorf("encode: %w", err)
		}
		if out.Len() <= maxBytes {
			return out.Bytes(), silhouetteOf(fitted), nil
		}
	}
}

// Redraw draws a picture anew in its size, as a PNG if it has transparent pixels, else as a
// JPEG. The result has nothing but pixels.
func Redraw(ctx context.Context, raw []byte) (content []byte, mediaType string, err error) {
	p, err := checkNew(raw)
	if err != nil {
		return nil, "", err
	}
	err = alone(ctx, func() error {
		content, mediaType, err = p.redraw()
		return err
	})
	return content, mediaType, err
}

func (p checked) redraw() (content []byte, mediaType string, err error) {
	pixels, err := p.decode()
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	if o, ok := pixels.(interface{ Opaque() bool }); ok && o.Opaque() {
		err = jpeg.Encode(&out, pixels, &jpeg.Options{Quality: 85})
		mediaType = "image/jpeg"
	} else {
		err = png.Encode(&out, fit(pixels, maxSide))
		mediaType = Type
	}
	if err != nil {
		return nil, "", fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), mediaType, nil
}

// fit returns a picture with at most this many pixels a side and 8 bits a colour.
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

// scaled returns a length at the scale that reduces the longest to side.
func scaled(length, side, longest int) int { return max(1, (length*side+longest/2)/longest) }
