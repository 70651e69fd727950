package picture

import (
	"context"
	"encoding/binary"
	"image"
	"image/draw"
	"math"
)

// tones is the number of steps of luminance.
const tones = 256

// Silhouette is a histogram of luminance along the outline of a picture, by which it stands
// out from its background. A picture that fills its frame has an empty one.
type Silhouette [tones]int

// SilhouetteOf returns the silhouette of a picture. It waits for other pictures until ctx
// ends.
func SilhouetteOf(ctx context.Context, raw []byte) (s Silhouette, err error) {
	p, err := check(raw)
	if err != nil {
		return s, err
	}
	err = alone(ctx, func() error {
		pixels, err := p.decode()
		if err == nil {
			s = silhouetteOf(pixels)
		}
		return err
	})
	return s, err
}

func silhouetteOf(pixels image.Image) (s Silhouette) {
	p := image.NewNRGBA(image.Rect(0, 0, pixels.Bounds().Dx(), pixels.Bounds().Dy()))
	draw.Draw(p, p.Bounds(), pixels, pixels.Bounds().Min, draw.Src)
	for y := range p.Rect.Dy() {
		for x := range p.Rect.Dx() {
			if isSeen(p, x, y) && !(isSeen(p, x-1, y) && isSeen(p, x+1, y) && isSeen(p, x, y-1) && isSeen(p, x, y+1)) {
				s[int(luminance(p.Pix[p.PixOffset(x, y):])*(tones-1))]++
			}
		}
	}
	return s
}

// Bytes encodes a silhouette for storage: one varint per tone.
func (s Silhouette) Bytes() []byte {
	var b []byte
	for _, n := range s {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// ParseSilhouette decodes the result of Bytes; it returns false for anything else.
func ParseSilhouette(b []byte) (s Silhouette, ok bool) {
	for tone := range s {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > maxSide*maxSide {
			return Silhouette{}, false
		}
		s[tone], b = int(n), b[size:]
	}
	return s, len(b) == 0
}

// isSeen reports whether a pixel is opaque. Pixels beyond the frame count as opaque: the
// frame is no outline.
func isSeen(p *image.NRGBA, x, y int) bool {
	return !(image.Point{x, y}.In(p.Rect)) || p.Pix[p.PixOffset(x, y)+3] >= 0x80
}

// luminance returns the relative luminance of WCAG 2.2.
func luminance(pixel []uint8) float64 {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(pixel[0]) + 0.7152*linear(pixel[1]) + 0.0722*linear(pixel[2])
}

// found is the least contrast of a visible outline: that of yellow on white.
const found = 1.4

// Lost returns the invisible part of the outline on a background of this luminance, from 0
// to 1.
func (s Silhouette) Lost(ground float64) float64 {
	all, lost := 0, 0
	for tone, n := range s {
		of := float64(tone) / (tones - 1)
		all += n
		if (max(of, ground)+0.05)/(min(of, ground)+0.05) < found {
			lost += n
		}
	}
	if all == 0 {
		return 0
	}
	return float64(lost) / float64(all)
}
