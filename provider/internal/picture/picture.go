// Package picture makes of an uploaded picture one that holds nothing but pixels.
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
	ErrWork     = fmt.Errorf("takes too much work to draw: it has 16 bits a colour and more than %d pixels, or is a JPEG of more than %d scans",
		maxDeepPixels, maxScans)
)

// one is the place of the picture that is being drawn: a file of few bytes may need 100 MB
// for a moment, and many may arrive at once. Those that wait are served in their order.
var one = make(chan struct{}, 1)

// alone calls do while no other picture is being drawn, unless ctx ends before.
func alone(ctx context.Context, do func() error) error {
	select {
	case one <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for other pictures: %w", ctx.Err())
	}
	defer func() { <-one }()
	return do()
}

// ToPNG draws a picture anew, at most 512 pixels a side and 512 KiB, and returns its
// silhouette beside it. What comes out holds nothing but pixels: no script, no metadata, no
// second file hidden in the first. Of an animation it is the first frame. What it has
// returned once it returns again unchanged. It waits its turn until ctx ends.
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

// Redraw draws a picture anew as large as it is, as a JPEG where nothing of it is
// transparent, else as a PNG. What comes out holds nothing but pixels.
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
