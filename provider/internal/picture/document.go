package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

const (
	// MaxDocumentBytes is the maximum size of the picture of a document.
	MaxDocumentBytes = 8 << 20

	// Telephones take pictures of up to 25 megapixels. keptDocumentSide keeps an A4 page
	// readable, at 300 dots per inch.
	maxDocumentArea  = 25 << 20
	maxDocumentSide  = 12000
	keptDocumentSide = 4096

	// maxSharpArea is the maximum number of pixels of a lossless picture, such as a
	// screenshot, that stays lossless.
	maxSharpArea = 3 << 20
)

// Further reasons for which the picture of a document is refused.
var (
	ErrDocumentTooLarge = fmt.Errorf("is larger than %d MiB", MaxDocumentBytes>>20)
	ErrDocumentTooWide  = fmt.Errorf("is larger than %d megapixels, or %d pixels a side", maxDocumentArea>>20, maxDocumentSide)
	ErrDocumentWork     = errors.New("takes too much work to draw: it has 16 bits a colour, or is a large progressive JPEG")
	ErrHEIC             = errors.New("is a HEIC picture: send it as a JPEG")
)

var documents = bounds{
	formats: formats[:3], side: maxDocumentSide, area: maxDocumentArea, progressive: maxDocumentArea / 2, deep: 4 * maxDeepPixels,
	scans: maxScans, passes: 10 * maxDocumentArea,
	tooWide: ErrDocumentTooWide, tooMuchWork: ErrDocumentWork,
}

// Document is the picture of a document, drawn anew.
type Document struct {
	// Content is a JPEG or PNG of at most MaxDocumentBytes that holds nothing but pixels.
	Content   []byte
	MediaType string

	// Likenesses are at most 16 perceptual hashes. The first hash of a picture is among the
	// hashes of one that looks alike, such as a copy in another size. An almost blank
	// picture has none.
	Likenesses []uint64

	// Software are the programs that the metadata named.
	Software Software
}

// DrawDocument draws the picture of a document anew, upright and on white, with at most 4096
// pixels a side. The result has nothing but pixels: no place and time, no metadata, no
// second file hidden in the first. It waits for other pictures until ctx ends.
func DrawDocument(ctx context.Context, raw []byte) (d Document, err error) {
	if len(raw) > MaxDocumentBytes {
		return d, ErrDocumentTooLarge
	}
	p, err := documents.check(raw)
	if errors.Is(err, ErrFormat) && isHEIC(raw) {
		err = ErrHEIC
	}
	if err != nil {
		return d, err
	}
	err = alone(ctx, func() error {
		pixels, err := p.decode()
		if err != nil {
			return err
		}
		upright := onWhite(pixels, keptDocumentSide).upright(orientationOf(raw))
		d.Likenesses = likenessOf(upright.RGBA)
		d.Content, d.MediaType, err = upright.encode(p.lossless, MaxDocumentBytes)
		return err
	})
	if err != nil {
		return Document{}, err
	}
	d.Software = softwareOf(raw)
	return d, nil
}

// sheet is a picture without transparent pixels.
type sheet struct{ *image.RGBA }

// onWhite returns a picture on white, with at most this many pixels a side: a picture with
// transparent pixels can show two things on two grounds.
func onWhite(p image.Image, side int) sheet {
	from := p.Bounds()
	to := image.Rect(0, 0, from.Dx(), from.Dy())
	if longest := max(from.Dx(), from.Dy()); longest > side {
		to = image.Rect(0, 0, scaled(from.Dx(), side, longest), scaled(from.Dy(), side, longest))
	}
	s := sheet{image.NewRGBA(to)}
	draw.Draw(s, to, image.NewUniform(color.White), image.Point{}, draw.Src)
	if to.Size() == from.Size() {
		draw.Draw(s, to, p, from.Min, draw.Over)
	} else {
		draw.ApproxBiLinear.Scale(s.RGBA, to, p, from, draw.Over, nil)
	}
	return s
}

// encode returns the file, in a smaller size if it exceeds limit bytes.
func (s sheet) encode(lossless bool, limit int) (content []byte, mediaType string, err error) {
	var out bytes.Buffer
	if lossless && s.Rect.Dx()*s.Rect.Dy() <= maxSharpArea {
		if err := png.Encode(&out, s.RGBA); err != nil {
			return nil, "", fmt.Errorf("encode: %w", err)
		}
		if out.Len() <= limit {
			return out.Bytes(), Type, nil
		}
	}
	for {
		out.Reset()
		if err := jpeg.Encode(&out, s.RGBA, &jpeg.Options{Quality: 88}); err != nil {
			return nil, "", fmt.Errorf("encode: %w", err)
		}
		if out.Len() <= limit {
			return out.Bytes(), "image/jpeg", nil
		}
		s = onWhite(s.RGBA, max(s.Rect.Dx(), s.Rect.Dy())*2/3)
	}
}

// isHEIC chooses the error of a refused file: telephones store HEIC, and convert it to JPEG
// on request.
func isHEIC(raw []byte) bool {
	if len(raw) < 12 || string(raw[4:8]) != "ftyp" {
		return false
	}
	switch string(raw[8:12]) {
	case "heic", "heix", "hevc", "heim", "heis", "mif1", "msf1", "avif":
		return true
	default:
		return false
	}
}
