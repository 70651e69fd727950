package provider

import (
	"context"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
)

// The reasons why New, Clients.Save and LogoPNG refuse a logo. Find them with errors.Is.
var (
	// ErrLogoTooLarge is a file of more than 512 KiB.
	ErrLogoTooLarge = picture.ErrTooLarge
	// ErrLogoTooWide is a picture of more than 2048 pixels a side.
	ErrLogoTooWide = picture.ErrTooWide
	// ErrLogoSVG is an SVG, which can carry scripts.
	ErrLogoSVG = picture.ErrSVG
	// ErrLogoFormat is a file that is not a PNG, JPEG, WebP or GIF, whatever its name.
	ErrLogoFormat = picture.ErrFormat
	// ErrLogoDamaged is a picture that cannot be decoded, such as a truncated file or an
	// animated WebP.
	ErrLogoDamaged = picture.ErrDamaged
	// ErrLogoWork is a picture that takes too much work to draw: more than 1024x1024 pixels
	// with 16 bits a colour, or a JPEG of more than 32 scans.
	ErrLogoWork = picture.ErrWork
)

// LogoPNG returns a picture as the provider serves it as a logo, for a preview: a PNG of at
// most 512 KiB and 512 pixels a side, with pixels only, and of an animated GIF the first
// frame. Clients.Save accepts it like the original. One picture is drawn at a time; the
// call waits its turn until ctx ends.
func LogoPNG(ctx context.Context, logo []byte) ([]byte, error) {
	drawn, _, err := picture.ToPNG(ctx, logo)
	if err != nil {
		return nil, fmt.Errorf("provider: logo: %w", err)
	}
	return drawn, nil
}
