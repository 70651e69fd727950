// Package picture makes of an uploaded picture one that holds nothing but pixels.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // a format that a logo may have
	_ "image/jpeg" // a format that a logo may have
	"image/png"
)

const (
	maxImageBytes = 512 << 10
	maxImageSide  = 2048
)

// Type is the media type of what ToPNG returns.
const Type = "image/png"

// ToPNG draws a picture anew. What comes out holds nothing but pixels: no script,
// no metadata, no second file hidden in the first. The header is read before the
// pixels, so that a small file cannot ask for much memory.
func ToPNG(raw []byte) ([]byte, error) {
	if len(raw) > maxImageBytes {
		return nil, errors.New("is larger than 512 KiB")
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("is not a PNG, JPEG or GIF")
	}
	if head.Width > maxImageSide || head.Height > maxImageSide || head.Width == 0 || head.Height == 0 {
		return nil, fmt.Errorf("is larger than %d pixels a side", maxImageSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("is damaged")
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), nil
}
